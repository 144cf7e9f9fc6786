//! The DISTINCT of aggregates: each value, or each solution, once in its group, in the order of first arrival.

use crate::batch::Batch;
use crate::term::TermId;
use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// The values that a group has had.
#[derive(Default)]
pub(super) struct DistinctValues {
    seen: HashSet<(u32, TermId), RandomState>,
}

impl DistinctValues {
    /// The rows whose value is new to its group.
    pub(super) fn fresh(&mut self, values: &[TermId], groups: &[u32]) -> (Vec<TermId>, Vec<u32>) {
        let rows = values.iter().zip(groups);
        let is_new = |&(&value, &group): &(&TermId, &u32)| self.seen.insert((group, value));
        rows.filter(is_new).map(|(&v, &g)| (v, g)).unzip()
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.seen.allocation_size()
    }
}

/// The solutions that a group has had.
#[derive(Default)]
pub(super) struct DistinctSolutions {
    seen: HashSet<(u32, Box<[TermId]>), RandomState>,
    id_bytes: usize,
}

impl DistinctSolutions {
    /// The groups of the rows whose solution is new to its group.
    pub(super) fn fresh(&mut self, batch: &Batch, groups: &[u32]) -> Vec<u32> {
        let mut fresh = Vec::new();
        for (row, &group) in groups.iter().enumerate() {
            let solution: Box<[TermId]> = batch.columns().iter().map(|c| c[row]).collect();
            let bytes = size_of_val(&*solution);
            if self.seen.insert((group, solution)) {
                self.id_bytes += bytes;
                fresh.push(group);
            }
        }
        fresh
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.seen.allocation_size() + self.id_bytes
    }
}
