//! Leaves out the columns that nobody above looks at, so that scans do not decode them and joins do not copy them.

use super::build::joined_schema;
use super::logical::{Slot, SortKey};
use super::physical::{JoinKind, JoinSpec, Node, Plan};
use super::variables::{VarId, VarSet, Variables};
use crate::expr::mentioned_variables;
use spargebra::algebra::{AggregateExpression, Expression};

/// Narrows a plan to the columns that are needed, keeping their order and the number of rows.
pub fn prune(plan: &mut Plan, needed: &VarSet, variables: &Variables) {
    let kept = |schema: &[VarId]| -> Vec<VarId> {
        schema
            .iter()
            .copied()
            .filter(|&v| needed.contains(v))
            .collect()
    };
    match &mut plan.node {
        Node::Scan(scan) => {
            scan.outputs.retain(|&(_, v)| needed.contains(v));
            plan.schema = kept(&plan.schema);
        }
        Node::ScanCount(_) | Node::Table(_) | Node::Seed(_) => {}
        Node::Service(..) => plan.schema = kept(&plan.schema),
        Node::MergeJoin {
            left,
            right,
            key,
            others,
            ..
        } => {
            let mut inner = needed.clone();
            inner.extend(&others.iter().copied().chain([*key]).collect());
            prune(left, &inner, variables);
            prune(right, &inner, variables);
            plan.schema = joined_schema(&left.schema, &right.schema);
        }
        Node::IndexJoin {
            left, scan, keys, ..
        } => {
            scan.outputs
                .retain(|&(_, v)| needed.contains(v) || keys.contains(&v));
            let mut inner = needed.clone();
            inner.extend(&keys.iter().copied().collect());
            prune(left, &inner, variables);
            let right: Vec<VarId> = scan.outputs.iter().map(|&(_, v)| v).collect();
            plan.schema = joined_schema(&left.schema, &right);
        }
        Node::HashJoin { left, right, join } => {
            plan.schema = prune_join(left, right, join, needed, &VarSet::EMPTY, variables);
        }
        Node::SeededJoin {
            left,
            right,
            seeds,
            join,
            ..
        } => {
            let seeds = seeds.iter().copied().collect();
            plan.schema = prune_join(left, right, join, needed, &seeds, variables);
        }
        Node::Closure(closure) => {
            let all = closure.step.variables();
            prune(&mut closure.step, &all, variables);
            if let Some(starts) = &mut closure.starts {
                let all = starts.variables();
                prune(starts, &all, variables);
            }
        }
        Node::Union(inputs) => {
            for input in inputs {
                prune(input, needed, variables);
            }
            plan.schema = kept(&plan.schema);
        }
        Node::Filter(input, tests) => {
            let inner = needed.union(&mentioned(tests.iter(), variables));
            prune(input, &inner, variables);
            plan.schema.clone_from(&input.schema);
        }
        Node::Extend(input, variable, expression) => {
            let mut inner = needed.clone();
            if needed.contains(*variable) {
                inner.extend(&mentioned([&*expression], variables));
            }
            prune(input, &inner, variables);
            plan.schema = joined_schema(&input.schema, &[*variable]);
        }
        Node::Destructure(input, variable, parts) => {
            let parts: Vec<VarId> = parts.iter().copied().filter_map(Slot::var).collect();
            let mut inner = needed.union(&parts.iter().copied().collect());
            inner.insert(*variable);
            prune(input, &inner, variables);
            plan.schema = joined_schema(&input.schema, &parts);
        }
        Node::RowNumber(input, number) => {
            prune(input, needed, variables);
            plan.schema = joined_schema(&input.schema, &[*number]);
        }
        Node::Project(input) => {
            plan.schema = kept(&plan.schema);
            prune(input, needed, variables);
        }
        Node::Distinct(input) => {
            let all = input.variables();
            prune(input, &all, variables);
        }
        Node::Slice(input, ..) => {
            prune(input, needed, variables);
            plan.schema.clone_from(&input.schema);
        }
        Node::OrderBy(input, keys, _) => {
            let expressions = keys.iter().map(|SortKey { expression, .. }| expression);
            prune(
                input,
                &needed.union(&mentioned(expressions, variables)),
                variables,
            );
            plan.schema.clone_from(&input.schema);
        }
        Node::Group(input, keys, aggregates) => {
            let mut inner: VarSet = keys.iter().copied().collect();
            for aggregate in aggregates {
                match &aggregate.expression {
                    AggregateExpression::FunctionCall { expr, .. } => {
                        inner.extend(&mentioned([expr], variables));
                    }
                    AggregateExpression::CountSolutions { distinct: true } => {
                        inner.extend(&input.variables());
                    }
                    AggregateExpression::CountSolutions { distinct: false } => {}
                }
            }
            prune(input, &inner, variables);
        }
    }
    let left: VarSet = plan.variables();
    plan.certain = plan.certain.intersection(&left);
    let known = plan
        .sorted
        .iter()
        .take_while(|v| left.contains(**v))
        .count();
    plan.sorted.truncate(known);
}

fn prune_join(
    left: &mut Plan,
    right: &mut Plan,
    join: &JoinSpec,
    needed: &VarSet,
    seeds: &VarSet,
    variables: &Variables,
) -> Vec<VarId> {
    let mut joined: VarSet = join.keys.iter().chain(&join.loose).copied().collect();
    joined.extend(&mentioned(join.conditions.iter(), variables));
    let outer = needed.union(&joined).union(seeds);
    prune(left, &outer, variables);
    match join.kind {
        JoinKind::Inner | JoinKind::Left => {
            prune(right, &needed.union(&joined), variables);
            joined_schema(&left.schema, &right.schema)
        }
        JoinKind::Semi | JoinKind::Anti | JoinKind::Minus => {
            prune(right, &joined, variables);
            left.schema.clone()
        }
        JoinKind::Mark(mark) => {
            prune(right, &joined, variables);
            joined_schema(&left.schema, &[mark])
        }
    }
}

/// The variables that expressions mention.
fn mentioned<'a>(
    expressions: impl IntoIterator<Item = &'a Expression>,
    variables: &Variables,
) -> VarSet {
    let names = expressions.into_iter().flat_map(mentioned_variables);
    names.filter_map(|name| variables.get(name)).collect()
}
