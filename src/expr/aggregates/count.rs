//! COUNT: the rows of a group, or those whose value is no error (SPARQL 1.1 Query, section 18.5.1.2).

use super::make_room;
use crate::diagnostics::Result;
use crate::expr::context::ExprContext;
use crate::expr::number::Number;
use crate::expr::value::Value;
use crate::term::TermId;

#[derive(Default)]
pub(super) struct Count {
    counts: Vec<u64>,
}

impl Count {
    pub(super) fn add_rows(&mut self, groups: &[u32]) {
        make_room(&mut self.counts, groups);
        for &group in groups {
            self.counts[group as usize] += 1;
        }
    }

    pub(super) fn add(&mut self, values: &[TermId], groups: &[u32]) {
        make_room(&mut self.counts, groups);
        for (value, &group) in values.iter().zip(groups) {
            self.counts[group as usize] += u64::from(value.is_bound());
        }
    }

    /// How many values each group had.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    pub(super) fn finish(&mut self, groups: usize, cx: &ExprContext) -> Result<Vec<TermId>> {
        self.counts.resize(groups, 0);
        let counts = self.counts.iter();
        counts
            .map(|&n| Value::Number(Number::Integer(n.into())).intern(&cx.terms))
            .collect()
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.counts.capacity() * size_of::<u64>()
    }
}
