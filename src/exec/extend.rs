//! BIND and expressions of SELECT: a column with the value of an expression, unbound where it raises an error.

use super::{BoxedOperator, ExecContext, Operator, build};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::expr::Compiled;
use crate::plan::{Node, Plan};
use crate::term::{LiteralSort, TermId, TermView};
use oxrdf::vocab::xsd;
use std::rc::Rc;

/// Adds the columns of a chain of BINDs. They share a scope, in which `BNODE("x")` is one node for one solution.
pub struct Extend {
    cx: Rc<ExecContext>,
    input: BoxedOperator,
    expressions: Vec<Compiled>,
}

impl Extend {
    /// The columns of a plan node and of all that follow each other below it.
    ///
    /// # Errors
    /// As [`build`], or an expression does not compile.
    pub fn new(plan: &Plan, cx: &Rc<ExecContext>) -> Result<Self> {
        let scope = cx.expressions.new_scope();
        let mut expressions = Vec::new();
        let mut input = plan;
        while let Node::Extend(below, _, expression) = &input.node {
            let columns = cx.variables.names(&below.schema);
            expressions.push(Compiled::in_scope(
                expression,
                &columns,
                scope,
                &cx.expressions,
            )?);
            input = below;
        }
        expressions.reverse();
        Ok(Self {
            cx: Rc::clone(cx),
            input: build(input, cx)?,
            expressions,
        })
    }
}

impl Operator for Extend {
    fn next(&mut self) -> Result<Option<Batch>> {
        let Some(mut batch) = self.input.next()? else {
            return Ok(None);
        };
        self.cx.control.check()?;
        for expression in &mut self.expressions {
            let column = expression.evaluate(&batch, &self.cx.expressions)?;
            batch.push_column(column);
        }
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
