//! Columns chosen, put in order, and added unbound where the input has none.

use super::{BoxedOperator, Operator};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::plan::VarId;
use crate::term::TermId;

/// Hands on the wanted columns of its input.
pub struct Project {
    input: BoxedOperator,
    sources: Vec<Option<usize>>,
}

impl Project {
    /// The columns of `to` from an input with the columns `from`.
    pub fn new(input: BoxedOperator, from: &[VarId], to: &[VarId]) -> Self {
        Self {
            input,
            sources: sources(from, to),
        }
    }
}

/// Where each wanted column comes from.
pub fn sources(from: &[VarId], to: &[VarId]) -> Vec<Option<usize>> {
    to.iter()
        .map(|v| from.iter().position(|f| f == v))
        .collect()
}

/// A batch with its columns taken from these places.
pub fn rearranged(batch: Batch, sources: &[Option<usize>]) -> Batch {
    let rows = batch.rows();
    let in_place = sources.iter().enumerate().all(|(i, s)| *s == Some(i));
    if in_place && sources.len() == batch.columns().len() {
        return batch;
    }
    let column = |source: &Option<usize>| match source {
        Some(place) => batch.column(*place).to_vec(),
        None => vec![TermId::UNBOUND; rows],
    };
    Batch::new(sources.iter().map(column).collect(), rows)
}

impl Operator for Project {
    fn next(&mut self) -> Result<Option<Batch>> {
        let batch = self.input.next()?;
        Ok(batch.map(|batch| rearranged(batch, &self.sources)))
    }

    fn seek(&mut self, key: TermId) -> Result<()> {
        self.input.seek(key)
    }
}
