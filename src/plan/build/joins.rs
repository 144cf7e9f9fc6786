//! Scans, filters and joins.

use super::{BLOCK_NS, BUILD_ROW_NS, KEY_NS, MERGE_ROW_NS, PROBE_ROW_NS, SCAN_ROW_NS, START_NS};
use crate::plan::access::Access;
use crate::plan::physical::{JoinKind, JoinSpec, Node, Plan, ScanPlan};
use crate::plan::seeds::Seed;
use crate::plan::variables::{VarId, VarSet};
use spargebra::algebra::Expression;

/// The expected time to read a range from start to end.
pub fn scan_cost(access: &Access) -> f64 {
    START_NS + BLOCK_NS + access.range_rows as f64 * SCAN_ROW_NS
}

/// The plan of one access.
pub fn scan(access: &Access) -> Plan {
    let schema: Vec<VarId> = access.scan.outputs.iter().map(|&(_, v)| v).collect();
    Plan {
        number: 0,
        certain: schema.iter().copied().collect(),
        schema,
        sorted: access.sorted.clone(),
        rows: access.rows,
        cost: scan_cost(access),
        node: Node::Scan(access.scan.clone()),
    }
}

/// The plan with conditions tested above it.
pub fn filtered(plan: Plan, tests: Vec<Expression>) -> Plan {
    if tests.is_empty() {
        return plan;
    }
    Plan {
        number: 0,
        schema: plan.schema.clone(),
        certain: plan.certain.clone(),
        sorted: plan.sorted.clone(),
        rows: plan.rows,
        cost: plan.cost,
        node: Node::Filter(Box::new(plan), tests),
    }
}

/// The columns of a join: those of the left, then those that only the right has.
pub fn joined_schema(left: &[VarId], right: &[VarId]) -> Vec<VarId> {
    let more = right.iter().filter(|v| !left.contains(v));
    left.iter().chain(more).copied().collect()
}

/// Merges two plans that are sorted on `key`; every shared variable must be certain on both sides.
pub fn merge(left: Plan, right: Plan, key: VarId, optional: bool) -> Plan {
    let others = left.variables().intersection(&right.variables());
    let others = others.iter().filter(|&v| v != key).collect();
    let certain = match optional {
        true => left.certain.clone(),
        false => left.certain.union(&right.certain),
    };
    Plan {
        number: 0,
        schema: joined_schema(&left.schema, &right.schema),
        certain,
        sorted: left.sorted.clone(),
        rows: left.rows.max(right.rows),
        cost: left.cost + right.cost + (left.rows + right.rows) * MERGE_ROW_NS,
        node: Node::MergeJoin {
            left: Box::new(left),
            right: Box::new(right),
            key,
            others,
            optional,
        },
    }
}

/// Looks the left's rows up; its keys must be certain.
pub fn index(left: Plan, scan: ScanPlan, keys: Vec<VarId>, optional: bool) -> Plan {
    let right: Vec<VarId> = scan.outputs.iter().map(|&(_, v)| v).collect();
    let certain = match optional {
        true => left.certain.clone(),
        false => left.certain.union(&right.iter().copied().collect()),
    };
    Plan {
        number: 0,
        schema: joined_schema(&left.schema, &right),
        certain,
        sorted: left.sorted.clone(),
        rows: left.rows,
        cost: left.cost + START_NS + left.rows * (KEY_NS + BLOCK_NS),
        node: Node::IndexJoin {
            left: Box::new(left),
            scan,
            keys,
            optional,
        },
    }
}

/// How two plans are joined on the variables that they share.
fn join_spec(left: &Plan, right: &Plan, kind: JoinKind, conditions: Vec<Expression>) -> JoinSpec {
    let shared = left.variables().intersection(&right.variables());
    let is_key = |v: &VarId| left.certain.contains(*v) && right.certain.contains(*v);
    let (keys, loose) = shared.iter().partition(is_key);
    JoinSpec {
        kind,
        keys,
        loose,
        conditions,
    }
}

/// The columns and certain variables of a join of some kind.
fn join_shape(left: &Plan, right: &Plan, kind: &JoinKind) -> (Vec<VarId>, VarSet) {
    match kind {
        JoinKind::Inner => (
            joined_schema(&left.schema, &right.schema),
            left.certain.union(&right.certain),
        ),
        JoinKind::Left => (
            joined_schema(&left.schema, &right.schema),
            left.certain.clone(),
        ),
        JoinKind::Semi | JoinKind::Anti | JoinKind::Minus => {
            (left.schema.clone(), left.certain.clone())
        }
        JoinKind::Mark(mark) => {
            let mut certain = left.certain.clone();
            certain.insert(*mark);
            (joined_schema(&left.schema, &[*mark]), certain)
        }
    }
}

/// The order of a join's rows: the left's, unless left rows without partner are added late.
fn join_sorted(left: &Plan, spec: &JoinSpec) -> Vec<VarId> {
    let late = spec.kind == JoinKind::Left && !spec.conditions.is_empty();
    match late {
        true => Vec::new(),
        false => left.sorted.clone(),
    }
}

/// Joins by a hash table over the right side.
pub fn hash(left: Plan, right: Plan, kind: JoinKind, conditions: Vec<Expression>) -> Plan {
    let (schema, certain) = join_shape(&left, &right, &kind);
    let join = join_spec(&left, &right, kind, conditions);
    let rows = match join.keys.is_empty() && join.kind == JoinKind::Inner {
        true => left.rows * right.rows,
        false => left.rows,
    };
    Plan {
        number: 0,
        schema,
        certain,
        sorted: join_sorted(&left, &join),
        rows,
        cost: left.cost
            + right.cost
            + START_NS
            + right.rows * BUILD_ROW_NS
            + left.rows * PROBE_ROW_NS,
        node: Node::HashJoin {
            left: Box::new(left),
            right: Box::new(right),
            join,
        },
    }
}

/// Joins by running the right with the left's bindings handed in.
pub fn seeded(
    left: Plan,
    right: Plan,
    seed: &Seed,
    kind: JoinKind,
    conditions: Vec<Expression>,
) -> Plan {
    let (schema, certain) = join_shape(&left, &right, &kind);
    let join = join_spec(&left, &right, kind, conditions);
    Plan {
        number: 0,
        schema,
        certain,
        // Rows that differ in which seeds they bind are taken apart, and lose their order.
        sorted: match seed.variables.iter().all(|&v| left.certain.contains(v)) {
            true => join_sorted(&left, &join),
            false => Vec::new(),
        },
        rows: left.rows,
        cost: left.cost
            + right.cost
            + START_NS
            + right.rows * BUILD_ROW_NS
            + left.rows * PROBE_ROW_NS,
        node: Node::SeededJoin {
            left: Box::new(left),
            right: Box::new(right),
            slot: seed.slot,
            seeds: seed.variables.clone(),
            row_by_row: seed.row_by_row,
            join,
        },
    }
}
