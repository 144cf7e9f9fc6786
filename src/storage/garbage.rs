//! When the store compacts itself: when most terms of its dictionary are certainly used by no quad.
//!
//! Merging runs takes deleted quads away, but not the terms that only they had. What is written all the time with new
//! terms, and deleted again, would grow for ever.

use super::compact::compact;
use super::shared::Shared;
use super::snapshot::Snapshot;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::term::Tag;

/// A quad uses four terms at most, and more only with triple terms.
const TERMS_PER_QUAD: u64 = 4;

/// Keeps the garbage of one store in bounds.
pub struct GarbageCollector {
    /// Fewer terms than this are not worth the work; 0 for never.
    terms_min: u64,
    /// How many terms the last compaction left, all of which were used then.
    terms_left: u64,
}

impl GarbageCollector {
    /// One that leaves dictionaries with fewer terms alone; 0 for all of them.
    pub fn new(terms_min: u64) -> Self {
        Self {
            terms_min,
            terms_left: 0,
        }
    }

    /// Compacts the store if at least half of its terms are garbage.
    ///
    /// # Errors
    /// As [`compact`], and when the background work is told to stop meanwhile.
    pub fn collect(&mut self, shared: &Shared) -> Result<()> {
        let before = shared.acknowledger.published();
        if !self.is_due(before.quad_count(), terms(&before)) {
            return Ok(());
        }
        drop(before);
        compact(shared, &|_| match shared.chores.goes_on() {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::Cancelled,
                "the store is closed before it was compacted",
            )),
        })?;
        self.terms_left = terms(&shared.acknowledger.published());
        Ok(())
    }

    fn is_due(&self, quads: u64, terms: u64) -> bool {
        let used_max = (quads * TERMS_PER_QUAD).max(self.terms_left);
        self.terms_min > 0 && terms >= self.terms_min && terms / 2 > used_max
    }
}

fn terms(snapshot: &Snapshot) -> u64 {
    let dictionary = snapshot.dictionary();
    Tag::STORED.iter().map(|&tag| dictionary.len(tag)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_many_terms_must_be_garbage() {
        let check = |terms_min, terms_left, quads, terms, wanted| {
            let collector = GarbageCollector {
                terms_min,
                terms_left,
            };
            assert_eq!(collector.is_due(quads, terms), wanted, "{quads} {terms}");
        };
        check(1000, 0, 100, 999, false);
        check(1000, 0, 100, 1000, true);
        check(1000, 0, 200, 1000, false);
        check(1000, 0, 200, 1602, true);
        check(0, 0, 0, 1_000_000, false);
        // Triple terms may hold more than four for each quad; what was used after one compaction is not asked for again.
        check(1000, 5000, 10, 9000, false);
        check(1000, 5000, 10, 11_000, true);
    }
}
