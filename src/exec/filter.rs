//! FILTER, and the conditions of OPTIONAL: rows for which expressions are true.

use super::{BoxedOperator, ExecContext, Operator, build};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::expr::Compiled;
use crate::plan::{Plan, VarId};
use crate::term::TermId;
use spargebra::algebra::Expression;
use std::rc::Rc;

/// Expressions that must all be true.
pub struct Tests(Vec<Compiled>);

impl Tests {
    /// Compiles expressions for rows of a schema.
    ///
    /// # Errors
    /// An expression does not compile.
    pub fn compile(tests: &[Expression], schema: &[VarId], cx: &ExecContext) -> Result<Self> {
        let columns = cx.variables.names(schema);
        let compile = |test| Compiled::new(test, &columns, &cx.expressions);
        Ok(Self(tests.iter().map(compile).collect::<Result<_>>()?))
    }

    /// The places of the rows for which all are true. Each expression sees only the rows that passed those before it.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn pass(&mut self, batch: &Batch, cx: &ExecContext) -> Result<Vec<u32>> {
        let mut kept: Option<Vec<u32>> = None;
        for test in &mut self.0 {
            kept = Some(match kept {
                None => test.filter(batch, &cx.expressions)?,
                Some(before) => {
                    let passed = test.filter(&batch.select(&before), &cx.expressions)?;
                    passed
                        .into_iter()
                        .map(|place| before[place as usize])
                        .collect()
                }
            });
            if kept.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        Ok(kept.unwrap_or_else(|| (0..batch.rows() as u32).collect()))
    }
}

/// Hands on the rows that pass.
pub struct Filter {
    cx: Rc<ExecContext>,
    input: BoxedOperator,
    tests: Tests,
}

impl Filter {
    /// The rows of a plan for which all tests are true.
    ///
    /// # Errors
    /// As [`build`], or a test does not compile.
    pub fn new(input: &Plan, tests: &[Expression], cx: &Rc<ExecContext>) -> Result<Self> {
        Ok(Self {
            cx: Rc::clone(cx),
            tests: Tests::compile(tests, &input.schema, cx)?,
            input: build(input, cx)?,
        })
    }
}

impl Operator for Filter {
    fn next(&mut self) -> Result<Option<Batch>> {
        while let Some(batch) = self.input.next()? {
            self.cx.control.check()?;
            let kept = self.tests.pass(&batch, &self.cx)?;
            if kept.len() == batch.rows() {
                return Ok(Some(batch));
            }
            if !kept.is_empty() {
                return Ok(Some(batch.select(&kept)));
            }
        }
        Ok(None)
    }

    fn seek(&mut self, key: TermId) -> Result<()> {
        self.input.seek(key)
    }
}
