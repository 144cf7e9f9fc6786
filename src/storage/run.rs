//! A run: what one commit, load or merge changed, as two sets of quads, those inserted and those deleted.
//!
//! The state of a store is the sum of its runs, oldest first. A run inserts only quads that the runs below it do not
//! leave alive, and deletes only quads that they do. So, for each quad, insertions less deletions are one when it is
//! alive and nothing otherwise; counts of ranges are differences of counts, in whatever order one adds them up; and
//! neighbouring runs can be summed into one, in which insertion and deletion of one quad cancel out.

use super::array_cursor::ArrayCursor;
use super::file_cursor::FileCursor;
use super::files::Directory;
use super::gallop::gallop;
use super::manifest::{RunEntry, SetEntry};
use super::merge::SetCursor;
use super::permutation::{ColumnMask, Permutation, Quad};
use super::quad_arrays::QuadArrays;
use super::quad_files::QuadFiles;
use super::statistics::{PredicateStatistics, StoreStatistics};
use crate::diagnostics::{Error, Result};
use crate::term::TermId;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// What a run does with the quads of one of its sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// They come alive.
    Inserted,
    /// They die: each row is a tombstone.
    Deleted,
}

impl Sign {
    /// What a row of this sign adds to the sum of its quad.
    #[inline]
    pub const fn value(self) -> i64 {
        match self {
            Self::Inserted => 1,
            Self::Deleted => -1,
        }
    }
}

/// A set of quads, wherever it is.
#[derive(Clone, Debug)]
pub enum QuadSet {
    /// In files.
    Files(Arc<QuadFiles>),
    /// In memory.
    Arrays(Arc<QuadArrays>),
}

impl QuadSet {
    /// A set in memory of distinct, sorted quads; `None` of no quads.
    pub fn in_memory(quads: Vec<Quad>) -> Option<Self> {
        (!quads.is_empty()).then(|| Self::Arrays(Arc::new(QuadArrays::new(quads))))
    }

    /// The number of its quads.
    pub fn len(&self) -> u64 {
        match self {
            Self::Files(files) => files.len(),
            Self::Arrays(arrays) => arrays.len(),
        }
    }

    /// Says that no manifest names its files any more.
    pub fn retire(&self) {
        if let Self::Files(files) = self {
            files.retire();
        }
    }

    /// The bytes of its indexes on disk.
    pub fn disk_bytes(&self) -> u64 {
        match self {
            Self::Files(files) => files.bytes(),
            Self::Arrays(_) => 0,
        }
    }

    /// The graph of all its quads, if it is but one.
    pub fn graph(&self) -> Option<TermId> {
        match self {
            Self::Files(files) => files.graph(),
            Self::Arrays(arrays) => {
                let graphs = arrays.graphs();
                graphs.first().copied().filter(|_| graphs.len() == 1)
            }
        }
    }

    /// Adds the graphs that hold its quads.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn graphs(&self, graphs: &mut BTreeSet<TermId>) -> Result<()> {
        match self {
            Self::Files(files) => files.graphs(graphs),
            Self::Arrays(arrays) => {
                graphs.extend(arrays.graphs());
                Ok(())
            }
        }
    }

    /// The rows that begin, in the order of a permutation, with a prefix.
    ///
    /// # Errors
    /// A block is damaged.
    #[inline]
    pub fn range(&self, permutation: Permutation, prefix: &[TermId]) -> Result<Range<u64>> {
        match self {
            Self::Files(files) => match files.order(permutation) {
                Some(order) => order.range(prefix),
                None => Err(lacks(permutation)),
            },
            Self::Arrays(arrays) => Ok(arrays.range(permutation, prefix)),
        }
    }

    /// A cursor over rows of one of its ranges, all of which begin with `prefix`.
    ///
    /// # Errors
    /// The set lacks the permutation.
    pub fn cursor(
        &self,
        rows: Range<u64>,
        permutation: Permutation,
        prefix: &[TermId],
        wanted: ColumnMask,
    ) -> Result<SetCursor> {
        Ok(match self {
            Self::Files(files) => {
                let order = files.order(permutation);
                let order = order.ok_or_else(|| lacks(permutation))?;
                SetCursor::File(FileCursor::new(order, rows, permutation, prefix, wanted))
            }
            Self::Arrays(arrays) => SetCursor::Array(ArrayCursor::new(
                arrays,
                rows,
                permutation,
                prefix.len(),
                wanted,
            )),
        })
    }

    /// Counts over the quads of a predicate.
    pub fn predicate(&self, predicate: TermId) -> Option<PredicateStatistics> {
        match self {
            Self::Files(files) => files.statistics().predicate(predicate),
            Self::Arrays(arrays) => arrays.predicate(predicate),
        }
    }

    /// Counts over all quads; in memory distinct values are not counted, so their bound is the number of quads.
    pub fn totals(&self) -> StoreStatistics {
        match self {
            Self::Files(files) => files.statistics().totals(),
            Self::Arrays(arrays) => StoreStatistics {
                quads: arrays.len(),
                distinct_subjects: arrays.len(),
                distinct_predicates: arrays.predicates().len() as u64,
                distinct_objects: arrays.len(),
            },
        }
    }

    /// Its predicates.
    pub fn predicates(&self) -> Box<dyn Iterator<Item = TermId> + '_> {
        match self {
            Self::Files(files) => Box::new(files.statistics().predicates()),
            Self::Arrays(arrays) => Box::new(arrays.predicates().keys().copied()),
        }
    }

    /// Its quads, when they are in memory.
    pub fn arrays(&self) -> Option<&QuadArrays> {
        match self {
            Self::Files(_) => None,
            Self::Arrays(arrays) => Some(arrays),
        }
    }
}

fn lacks(permutation: Permutation) -> Error {
    Error::internal(format!("a run has no {}", permutation.name()))
}

/// Two sets of quads.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The quads that it brings to life.
    pub inserted: Option<QuadSet>,
    /// The quads that it kills.
    pub deleted: Option<QuadSet>,
}

impl Run {
    /// Opens the files of a run that the manifest names.
    ///
    /// # Errors
    /// A file cannot be read or is damaged.
    pub fn open(directory: &Directory, entry: &RunEntry) -> Result<Self> {
        let open = |set: &Option<SetEntry>| match set {
            Some(set) => QuadFiles::open(directory, set.number, set.graph())
                .map(|files| Some(QuadSet::Files(Arc::new(files)))),
            None => Ok(None),
        };
        Ok(Self {
            inserted: open(&entry.inserted)?,
            deleted: open(&entry.deleted)?,
        })
    }

    /// Its sets and their signs.
    #[inline]
    pub fn sets(&self) -> impl Iterator<Item = (Sign, &QuadSet)> {
        let inserted = self.inserted.iter().map(|set| (Sign::Inserted, set));
        inserted.chain(self.deleted.iter().map(|set| (Sign::Deleted, set)))
    }

    /// The set of a sign.
    pub fn set(&self, sign: Sign) -> Option<&QuadSet> {
        match sign {
            Sign::Inserted => self.inserted.as_ref(),
            Sign::Deleted => self.deleted.as_ref(),
        }
    }

    /// The number of its rows, of either sign.
    pub fn rows(&self) -> u64 {
        self.sets().map(|(_, set)| set.len()).sum()
    }

    /// The quads of one of its sets, when it is in memory.
    pub fn quads(&self, sign: Sign) -> &[Quad] {
        let arrays = self.set(sign).and_then(QuadSet::arrays);
        arrays.map_or(&[], QuadArrays::quads)
    }

    /// The sum of two neighbouring runs in memory.
    pub fn sum(older: &Self, newer: &Self) -> Self {
        let [born, died] = [Sign::Inserted, Sign::Deleted];
        let one_sided = |sign, other| {
            union(
                &difference(older.quads(sign), newer.quads(other)),
                &difference(newer.quads(sign), older.quads(other)),
            )
        };
        Self {
            inserted: QuadSet::in_memory(one_sided(born, died)),
            deleted: QuadSet::in_memory(one_sided(died, born)),
        }
    }
}

/// The quads of one sorted slice that another does not hold.
fn difference<'q>(from: &'q [Quad], without: &[Quad]) -> Cow<'q, [Quad]> {
    if without.is_empty() {
        return Cow::Borrowed(from);
    }
    let mut rest = without;
    let is_kept = |quad: &&Quad| {
        rest = &rest[rest.partition_point(|other| other < *quad)..];
        rest.first() != Some(*quad)
    };
    from.iter().filter(is_kept).copied().collect()
}

/// Two sorted slices that share no quad as one list. Commits wait for this, so each quad is copied once.
fn union<'q>(mut first: &'q [Quad], mut second: &'q [Quad]) -> Vec<Quad> {
    let mut all = Vec::with_capacity(first.len() + second.len());
    while let [quad, ..] = second {
        let before = gallop(0, first.len(), |i| first[i] < *quad);
        all.extend_from_slice(&first[..before]);
        first = &first[before..];
        std::mem::swap(&mut first, &mut second);
    }
    all.extend_from_slice(first);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quads(numbers: &[u64]) -> Vec<Quad> {
        numbers.iter().map(|&n| [TermId::from_bits(n); 4]).collect()
    }

    fn run(inserted: &[u64], deleted: &[u64]) -> Run {
        Run {
            inserted: QuadSet::in_memory(quads(inserted)),
            deleted: QuadSet::in_memory(quads(deleted)),
        }
    }

    #[test]
    fn the_union_of_sorted_slices_is_sorted() {
        let numbers = [0_u64, 1, 2, 3, 5, 8, 13];
        for halves in 0..1 << numbers.len() {
            let side = |bit| {
                let of_side = numbers.iter().enumerate();
                let of_side = of_side.filter(|(i, _)| (halves >> i) & 1 == bit);
                quads(&of_side.map(|(_, &n)| n).collect::<Vec<_>>())
            };
            assert_eq!(union(&side(0), &side(1)), quads(&numbers));
        }
    }

    #[test]
    fn sums_cancel_what_was_inserted_and_deleted() {
        for (older, newer, sum) in [
            (run(&[1, 5], &[]), run(&[3], &[]), run(&[1, 3, 5], &[])),
            (run(&[1, 5], &[]), run(&[], &[5]), run(&[1], &[])),
            (run(&[1], &[5]), run(&[5], &[1]), run(&[], &[])),
            (run(&[1], &[2, 9]), run(&[2], &[4]), run(&[1], &[4, 9])),
        ] {
            let found = Run::sum(&older, &newer);
            for sign in [Sign::Inserted, Sign::Deleted] {
                assert_eq!(found.quads(sign), sum.quads(sign), "{older:?} {newer:?}");
            }
        }
    }
}
