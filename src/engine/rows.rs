//! The rows of an answer, computed while they are read.

use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::exec::{BoxedOperator, ExecContext};
use crate::term::{ResolveTerm, TermId};
use oxrdf::{Term, Variable};
use std::rc::Rc;

/// Rows of an answer. They stay on the thread that started the query.
pub struct Rows {
    variables: Vec<Variable>,
    operator: Option<BoxedOperator>,
    cx: Rc<ExecContext>,
}

impl Rows {
    /// The rows of an operator, a column for each variable.
    pub(super) fn new(
        variables: Vec<Variable>,
        operator: BoxedOperator,
        cx: Rc<ExecContext>,
    ) -> Self {
        Self {
            variables,
            operator: Some(operator),
            cx,
        }
    }

    /// The rows of an operator that gives triples.
    pub(super) fn of_triples(operator: BoxedOperator, cx: Rc<ExecContext>) -> Self {
        let names = ["subject", "predicate", "object"].map(Variable::new_unchecked);
        Self::new(names.to_vec(), operator, cx)
    }

    /// The variables of the columns.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The next batch, never empty; `None` at the end.
    ///
    /// # Errors
    /// The query was cancelled, ran out of time or memory, or the store failed.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        let Some(operator) = &mut self.operator else {
            return Ok(None);
        };
        let batch = operator.next()?;
        if batch.is_none() {
            self.operator = None;
            self.cx.expressions.finish()?;
        }
        Ok(batch)
    }

    /// What turns the ids of the rows into terms.
    pub fn resolver(&self) -> &dyn ResolveTerm {
        &self.cx.expressions.terms
    }

    /// The term of an id.
    ///
    /// # Errors
    /// The store failed, or the id is unbound.
    pub fn to_term(&self, id: TermId) -> Result<Term> {
        self.cx.expressions.terms.to_term(id)
    }
}
