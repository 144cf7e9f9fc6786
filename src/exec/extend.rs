//! BIND and expressions of SELECT: a column with the value of an expression, unbound where it raises an error.

use super::{BoxedOperator, ExecContext, Operator, build};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::expr::Compiled;
use crate::plan::{Plan, VarId};
use crate::term::{LiteralSort, TermId, TermView};
use oxrdf::vocab::xsd;
use spargebra::algebra::Expression;
use std::rc::Rc;

/// Adds the column.
pub struct Extend {
    cx: Rc<ExecContext>,
    input: BoxedOperator,
    expression: Compiled,
}

impl Extend {
    /// A plan with a column for the variable.
    ///
    /// # Errors
    /// As [`build`], or the expression does not compile.
    pub fn new(
        input: &Plan,
        variable: VarId,
        expression: &Expression,
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        debug_assert!(
            !input.schema.contains(&variable),
            "BIND makes a new variable"
        );
        let columns = cx.variables.names(&input.schema);
        Ok(Self {
            cx: Rc::clone(cx),
            expression: Compiled::new(expression, &columns, &cx.expressions)?,
            input: build(input, cx)?,
        })
    }
}

impl Operator for Extend {
    fn next(&mut self) -> Result<Option<Batch>> {
        let Some(mut batch) = self.input.next()? else {
            return Ok(None);
        };
        self.cx.control.check()?;
        let column = self.expression.evaluate(&batch, &self.cx.expressions)?;
        batch.push_column(column);
        Ok(Some(batch))
    }

    fn seek(&mut self, key: TermId) -> Result<()> {
        self.input.seek(key)
    }
}

/// The ids of false and true.
///
/// # Errors
/// Reading the dictionary failed.
pub fn boolean_ids(cx: &ExecContext) -> Result<[TermId; 2]> {
    let id = |lexical| {
        let sort = LiteralSort::Typed(xsd::BOOLEAN.as_str());
        cx.expressions
            .terms
            .intern(&TermView::Literal { lexical, sort })
    };
    Ok([id("false")?, id("true")?])
}
