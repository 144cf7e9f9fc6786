//! OFFSET and LIMIT.

use super::{BoxedOperator, Operator};
use crate::batch::Batch;
use crate::diagnostics::Result;

/// Leaves out the first rows and stops its input after the last wanted one.
pub struct Slice {
    input: BoxedOperator,
    skip: u64,
    left: Option<u64>,
}

impl Slice {
    /// The rows of an input from `start` on, at most `length` of them.
    pub fn new(input: BoxedOperator, start: u64, length: Option<u64>) -> Self {
        Self {
            input,
            skip: start,
            left: length,
        }
    }
}

impl Operator for Slice {
    fn next(&mut self) -> Result<Option<Batch>> {
        while self.left != Some(0) {
            let Some(batch) = self.input.next()? else {
                return Ok(None);
            };
            let skipped = self.skip.min(batch.rows() as u64);
            self.skip -= skipped;
            let wanted = (batch.rows() as u64 - skipped).min(self.left.unwrap_or(u64::MAX));
            if let Some(left) = &mut self.left {
                *left -= wanted;
            }
            if wanted == batch.rows() as u64 {
                return Ok(Some(batch));
            }
            if wanted > 0 {
                return Ok(Some(batch.slice(skipped as usize, wanted as usize)));
            }
        }
        Ok(None)
    }
}
