//! DISTINCT: each row once.

use super::context::Charge;
use super::row_set::RowSet;
use super::{BoxedOperator, ExecContext, Operator, build};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::plan::Plan;
use crate::term::TermId;
use std::rc::Rc;

/// Hands on the first of equal rows, as they arrive.
pub struct Distinct {
    cx: Rc<ExecContext>,
    input: BoxedOperator,
    seen: RowSet,
    charge: Charge,
}

impl Distinct {
    /// The distinct rows of a plan.
    ///
    /// # Errors
    /// As [`build`].
    pub fn new(input: &Plan, cx: &Rc<ExecContext>) -> Result<Self> {
        Ok(Self {
            cx: Rc::clone(cx),
            input: build(input, cx)?,
            seen: RowSet::new(input.schema.len()),
            charge: cx.charge(0)?,
        })
    }
}

impl Operator for Distinct {
    fn next(&mut self) -> Result<Option<Batch>> {
        while let Some(batch) = self.input.next()? {
            self.cx.control.check()?;
            let columns: Vec<&[TermId]> = batch.columns().iter().map(Vec::as_slice).collect();
            let mut new = Vec::new();
            for row in 0..batch.rows() {
                if self.seen.insert(&columns, row).1 {
                    new.push(row as u32);
                }
            }
            self.charge.grow_to(self.seen.bytes())?;
            if new.len() == batch.rows() {
                return Ok(Some(batch));
            }
            if !new.is_empty() {
                return Ok(Some(batch.select(&new)));
            }
        }
        Ok(None)
    }
}
