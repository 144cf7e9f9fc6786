//! SPARQL expressions over batches of ids.
//!
//! An expression of the algebra is compiled once ([`Compiled`]) and worked out for whole batches. Values are read from ids
//! ([`value`]), compared ([`compare`]), and go back to ids by way of the query's terms ([`QueryTerms`]). An expression
//! error is a small value made by [`raise`](raise()) alone; in a batch it is the unbound id. `Err` means that the query
//! cannot go on. This room knows nothing of graphs, operators or HTTP; EXISTS is the planner's business.

mod aggregates;
mod arithmetic;
mod assemble;
mod build;
mod choose;
mod compare;
mod compile;
mod context;
mod ebv;
mod functions;
mod local;
mod memo;
mod node;
mod number;
mod prefix;
mod probe;
mod raise;
mod terms;
mod value;
mod vector;
mod walk;

#[cfg(test)]
mod tests;

pub use aggregates::Accumulator;
pub use compare::order_cmp;
pub use compile::Compiled;
pub use context::{ExprContext, SolutionScope};
pub use raise::{EXPR_TARGET, ErrorTally, ExprError, ExprErrorKind, Place, raise, raised_total};
pub use terms::{QueryTerms, view_literal};
pub use walk::{children, is_deterministic, mentioned_variables};
