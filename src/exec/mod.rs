//! Running a physical plan: one operator for each node, pulled for batches of ids.
//!
//! An operator hands on non-empty batches until there are no more; nobody asks it again after that. `Err` means
//! cancelled, past the deadline, out of memory, a storage failure or a bug; it ends the query and is never read as "no
//! match". Operators live on the query's one thread.

mod closure;
mod context;
mod cycles;
mod destructure;
mod distinct;
mod extend;
mod filter;
mod group;
mod hash_join;
mod index_join;
mod join_table;
mod merge_join;
mod order_by;
mod probe;
mod profile;
mod project;
mod ramp;
mod row_filter;
mod row_set;
mod scan;
mod seeded_join;
mod service;
mod slice;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod union;

pub use context::{Charge, ExecContext, QueryControl};
pub use profile::profiles_of;
pub use row_set::RowSet;
pub use template::{Template, template_variables};

use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::plan::{Node, Plan, VarId};
use crate::term::TermId;
use std::rc::Rc;

/// A running operator.
pub trait Operator {
    /// The next batch, never empty; `None` at the end.
    ///
    /// # Errors
    /// The query was cancelled, ran out of time or memory, or the store failed.
    fn next(&mut self) -> Result<Option<Batch>>;

    /// Lets an operator with sorted rows leave out those whose first sorted variable is below a key. It need not.
    ///
    /// # Errors
    /// The store failed.
    fn seek(&mut self, key: TermId) -> Result<()> {
        let _ = key;
        Ok(())
    }
}

/// An operator of any kind.
pub type BoxedOperator = Box<dyn Operator>;

/// Makes the operator of a plan, ready to be pulled.
///
/// # Errors
/// An expression does not compile, or the store failed.
pub fn build(plan: &Plan, cx: &Rc<ExecContext>) -> Result<BoxedOperator> {
    let operator: BoxedOperator = match &plan.node {
        Node::Scan(scan) => Box::new(scan::Scan::new(scan, &plan.schema, plan.number, cx)?),
        Node::ScanCount(scan) => Box::new(scan::count(scan, cx)?),
        Node::Table(table) => Box::new(table::Table::new(table)),
        Node::Seed(slot) => Box::new(table::seed(*slot, &plan.schema, cx)?),
        Node::MergeJoin { .. } => Box::new(merge_join::MergeJoin::new(plan, cx)?),
        Node::IndexJoin { .. } => Box::new(index_join::IndexJoin::new(plan, cx)?),
        Node::HashJoin { .. } => Box::new(hash_join::HashJoin::new(plan, cx)?),
        Node::SeededJoin { .. } => Box::new(seeded_join::SeededJoin::new(plan, cx)?),
        Node::Service(service, seed) => Box::new(service::Service::new(
            service,
            seed.as_ref(),
            &plan.schema,
            cx,
        )?),
        Node::Closure(closure) => Box::new(closure::Closure::new(closure, &plan.schema, cx)?),
        Node::Union(inputs) => Box::new(union::Union::new(inputs, &plan.schema, cx)),
        Node::Filter(input, tests) => Box::new(filter::Filter::new(input, tests, cx)?),
        Node::Extend(..) => Box::new(extend::Extend::new(plan, cx)?),
        Node::Destructure(input, variable, parts) => Box::new(destructure::Destructure::new(
            input,
            *variable,
            parts,
            &plan.schema,
            cx,
        )?),
        Node::RowNumber(input, _) => Box::new(table::RowNumber::new(build(input, cx)?)),
        Node::Project(input) => Box::new(project::Project::new(
            build(input, cx)?,
            &input.schema,
            &plan.schema,
        )),
        Node::Distinct(input) => Box::new(distinct::Distinct::new(input, cx)?),
        Node::Slice(input, start, length) => {
            Box::new(slice::Slice::new(build(input, cx)?, *start, *length))
        }
        Node::OrderBy(input, keys, limit) => {
            Box::new(order_by::OrderBy::new(input, keys, *limit, cx)?)
        }
        Node::Group(input, keys, aggregates) => {
            Box::new(group::Group::new(input, keys, aggregates, cx)?)
        }
    };
    Ok(profile::measured(operator, plan, cx))
}

/// The places of variables among the columns of a schema.
fn places(variables: &[VarId], schema: &[VarId]) -> Vec<usize> {
    variables
        .iter()
        .map(|v| {
            schema
                .iter()
                .position(|s| s == v)
                .expect("a plan mentions only variables that its inputs have")
        })
        .collect()
}
