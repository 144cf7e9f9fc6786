//! From the algebra of a query to a physical plan.
//!
//! ```text
//! spargebra's algebra -- convert --> Logical -- planner (group, join_order) --> Plan -- prune --> Plan
//! ```
//!
//! This room asks the storage for counts and statistics and the terms for ids; it reads no rows and runs nothing.

mod access;
mod build;
mod closure;
mod convert;
mod dataset;
mod estimate;
mod explain;
mod expression;
mod federate;
mod group;
mod join_order;
mod logical;
mod naive;
mod physical;
mod planner;
mod prune;
mod seeds;
mod service;
#[cfg(test)]
mod tests;
mod variables;

pub use dataset::Dataset;
pub use explain::{Explanation, NodeProfile};
pub use logical::{Aggregate, GraphScope, Slot, SortKey};
pub use physical::{ClosurePlan, GraphFilter, JoinKind, JoinSpec, Node, Plan, ScanPlan, SeedSlot};
pub use service::ServicePattern;
pub use variables::{VarId, VarSet, Variables};

use crate::diagnostics::Result;
use crate::expr::QueryTerms;
use crate::storage::{Permutation, QuadColumn, Snapshot};
use spargebra::algebra::GraphPattern;
use std::sync::Arc;

/// A planned query: the plan, its variables, and how many seeds it uses.
#[derive(Clone, Debug)]
pub struct PlannedQuery {
    /// The plan; its columns are the wanted variables, in their order.
    pub plan: Plan,
    /// The variables of the query.
    pub variables: Variables,
    /// The number of seed slots.
    pub slots: usize,
}

/// How patterns are planned. This is no setting: every request gets the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Plans patterns as they are written, by the simplest operators: the slow path for tests, whose answers those of
    /// the optimized plans are compared with.
    pub naive: bool,
}

/// Plans a pattern over a data set. The plan gives the columns `wanted`, or all visible ones.
///
/// # Errors
/// The pattern uses what this version does not support, or reading the store failed.
pub fn plan(
    pattern: &GraphPattern,
    wanted: Option<&[oxrdf::Variable]>,
    dataset: &Dataset,
    terms: &QueryTerms,
    snapshot: &Arc<Snapshot>,
    options: Options,
) -> Result<PlannedQuery> {
    let mut variables = Variables::default();
    let logical = convert::Converter {
        variables: &mut variables,
        terms,
        dataset,
        snapshot,
    }
    .convert(pattern)?;
    let wanted: Vec<VarId> = match wanted {
        Some(wanted) => wanted.iter().map(|v| variables.id(v)).collect(),
        None => logical.variables().iter().collect(),
    };
    let mut planner = planner::Planner {
        snapshot,
        variables: &mut variables,
        slots: 0,
        is_naive: options.naive,
    };
    let mut plan = build::project(planner.plan(&logical, None)?, &wanted);
    let slots = planner.slots;
    if !options.naive {
        prune::prune(&mut plan, &wanted.iter().copied().collect(), &variables);
    }
    plan.number_from(0);
    Ok(PlannedQuery {
        plan,
        variables,
        slots,
    })
}

/// The plan that reads every quad: subject, predicate, object and graph.
pub fn everything() -> PlannedQuery {
    let mut variables = Variables::default();
    let columns = [
        (QuadColumn::Subject, "subject"),
        (QuadColumn::Predicate, "predicate"),
        (QuadColumn::Object, "object"),
        (QuadColumn::Graph, "graph"),
    ];
    let outputs = columns.map(|(c, name)| (c, variables.id(&oxrdf::Variable::new_unchecked(name))));
    let access = access::Access {
        scan: ScanPlan {
            permutation: Permutation::Spog,
            prefix: Vec::new(),
            outputs: outputs.to_vec(),
            graph: GraphFilter::All,
            merge_graphs: false,
            equal: Vec::new(),
            excluded: Arc::default(),
        },
        sorted: outputs.map(|(_, v)| v).to_vec(),
        range_rows: 0,
        rows: 0.0,
    };
    PlannedQuery {
        plan: build::scan(&access),
        variables,
        slots: 0,
    }
}
