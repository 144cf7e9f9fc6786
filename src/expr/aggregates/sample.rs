//! SAMPLE: the first value of a group that is no error (SPARQL 1.1 Query, section 18.5.1.8).

use super::make_room;
use crate::term::TermId;

#[derive(Default)]
pub(super) struct Sample {
    values: Vec<TermId>,
}

impl Sample {
    pub(super) fn add(&mut self, values: &[TermId], groups: &[u32]) {
        make_room(&mut self.values, groups);
        for (&value, &group) in values.iter().zip(groups) {
            let sample = &mut self.values[group as usize];
            if !sample.is_bound() {
                *sample = value;
            }
        }
    }

    pub(super) fn finish(&mut self, groups: usize) -> Vec<TermId> {
        self.values.resize(groups, TermId::UNBOUND);
        std::mem::take(&mut self.values)
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.values.capacity() * size_of::<TermId>()
    }
}
