//! Nodes with one input or none.

use super::{BUILD_ROW_NS, PROBE_ROW_NS, START_NS, joined_schema};
use crate::batch::Batch;
use crate::plan::logical::{Aggregate, Slot, SortKey};
use crate::plan::physical::{Node, Plan};
use crate::plan::seeds::Seed;
use crate::plan::variables::{VarId, VarSet, Variables};
use crate::term::TermId;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression};
use std::sync::Arc;

/// One column of given terms.
pub fn table(variable: VarId, column: Vec<TermId>) -> Plan {
    let rows = column.len();
    Plan {
        number: 0,
        schema: vec![variable],
        certain: std::iter::once(variable).collect(),
        sorted: Vec::new(),
        rows: rows as f64,
        cost: 0.0,
        node: Node::Table(Arc::new(Batch::new(vec![column], rows))),
    }
}

/// The one empty solution.
pub fn unit() -> Plan {
    Plan {
        number: 0,
        schema: Vec::new(),
        certain: VarSet::EMPTY,
        sorted: Vec::new(),
        rows: 1.0,
        cost: 0.0,
        node: Node::Table(Arc::new(Batch::unit())),
    }
}

/// The bindings of a seed.
pub fn seed_plan(seed: &Seed) -> Plan {
    Plan {
        number: 0,
        schema: seed.variables.clone(),
        certain: seed.certain.clone(),
        sorted: Vec::new(),
        rows: seed.rows,
        cost: 0.0,
        node: Node::Seed(seed.slot),
    }
}

/// The plan with these columns, in this order.
pub fn project(plan: Plan, variables: &[VarId]) -> Plan {
    let kept: VarSet = variables.iter().copied().collect();
    Plan {
        number: 0,
        schema: variables.to_vec(),
        certain: plan.certain.intersection(&kept),
        sorted: plan
            .sorted
            .iter()
            .copied()
            .take_while(|&v| kept.contains(v))
            .collect(),
        rows: plan.rows,
        cost: plan.cost,
        node: Node::Project(Box::new(plan)),
    }
}

/// Each row once.
pub fn distinct(plan: Plan) -> Plan {
    Plan {
        number: 0,
        schema: plan.schema.clone(),
        certain: plan.certain.clone(),
        sorted: plan.sorted.clone(),
        rows: plan.rows,
        cost: plan.cost + plan.rows * BUILD_ROW_NS,
        node: Node::Distinct(Box::new(plan)),
    }
}

/// A column with the value of an expression.
pub fn extend(plan: Plan, variable: VarId, expression: Expression) -> Plan {
    let mut certain = plan.certain.clone();
    if matches!(
        expression,
        Expression::NamedNode(_) | Expression::Literal(_)
    ) {
        certain.insert(variable);
    }
    Plan {
        number: 0,
        schema: joined_schema(&plan.schema, &[variable]),
        certain,
        sorted: plan.sorted.clone(),
        rows: plan.rows,
        cost: plan.cost + plan.rows * PROBE_ROW_NS,
        node: Node::Extend(Box::new(plan), variable, expression),
    }
}

/// The rows with a column that numbers them.
pub fn row_number(plan: Plan, number: VarId) -> Plan {
    let mut certain = plan.certain.clone();
    certain.insert(number);
    Plan {
        number: 0,
        schema: joined_schema(&plan.schema, &[number]),
        certain,
        sorted: plan.sorted.clone(),
        rows: plan.rows,
        cost: plan.cost,
        node: Node::RowNumber(Box::new(plan), number),
    }
}

/// Triple terms taken apart.
pub fn destructure(plan: Plan, variable: VarId, parts: &[Slot; 3]) -> Plan {
    let bound: Vec<VarId> = parts.iter().filter_map(|part| part.var()).collect();
    let mut certain = plan.certain.union(&bound.iter().copied().collect());
    certain.insert(variable);
    Plan {
        number: 0,
        schema: joined_schema(&plan.schema, &bound),
        certain,
        sorted: plan.sorted.clone(),
        rows: plan.rows,
        cost: plan.cost + plan.rows * PROBE_ROW_NS,
        node: Node::Destructure(Box::new(plan), variable, *parts),
    }
}

/// The rows sorted.
pub fn order_by(plan: Plan, keys: Vec<SortKey>, limit: Option<u64>) -> Plan {
    Plan {
        number: 0,
        schema: plan.schema.clone(),
        certain: plan.certain.clone(),
        sorted: Vec::new(),
        rows: plan.rows,
        cost: plan.cost + plan.rows * BUILD_ROW_NS,
        node: Node::OrderBy(Box::new(plan), keys, limit),
    }
}

/// Tells a sort that only its first rows are wanted, through nodes that keep rows and their order.
pub fn limit_sort(plan: &mut Plan, limit: u64) {
    match &mut plan.node {
        Node::OrderBy(_, _, known) => *known = Some(known.map_or(limit, |k| k.min(limit))),
        Node::Project(input) | Node::Extend(input, ..) => limit_sort(input, limit),
        _ => {}
    }
}

/// COUNT over all rows of one range is the length of the range.
pub fn count_of_range(
    plan: &Plan,
    keys: &[VarId],
    aggregates: &[Aggregate],
    variables: &Variables,
) -> Option<Plan> {
    let Node::Scan(scan) = &plan.node else {
        return None;
    };
    let [aggregate] = aggregates else { return None };
    let counts_rows = match &aggregate.expression {
        AggregateExpression::CountSolutions { distinct } => !distinct,
        AggregateExpression::FunctionCall {
            name: AggregateFunction::Count,
            expr: Expression::Variable(v),
            distinct: false,
        } => variables.get(v).is_some_and(|v| plan.certain.contains(v)),
        AggregateExpression::FunctionCall { .. } => false,
    };
    (keys.is_empty() && counts_rows && scan.is_whole_range()).then(|| Plan {
        number: 0,
        schema: vec![aggregate.output],
        certain: std::iter::once(aggregate.output).collect(),
        sorted: Vec::new(),
        rows: 1.0,
        cost: START_NS,
        node: Node::ScanCount(scan.clone()),
    })
}
