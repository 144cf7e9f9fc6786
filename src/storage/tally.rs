//! Statistics of a set of quads, counted while it is written.

use super::permutation::Permutation;
use super::statistics::{PredicateStatistics, RunStatistics, StoreStatistics};
use crate::diagnostics::{Error, Result};
use crate::term::TermId;
use std::collections::HashMap;

/// What is counted while the rows of a permutation pass by.
#[derive(Debug, Default)]
pub struct Tally {
    last: Option<[TermId; 4]>,
    rows: u64,
    distinct_first: u64,
    /// For each id of the first column: rows, and distinct ids of the second. Kept only where it is asked for.
    groups: Vec<(TermId, u64, u64)>,
    keeps_groups: bool,
}

impl Tally {
    /// A tally for a permutation; only predicates are few enough to count by each of them.
    pub fn new(permutation: Permutation) -> Self {
        Self {
            keeps_groups: matches!(permutation, Permutation::Psog | Permutation::Posg),
            ..Self::default()
        }
    }

    /// The rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Counts a row, which comes after those before in the order of the permutation.
    #[inline]
    pub fn add(&mut self, row: &[TermId; 4]) {
        let new_first = self.last.is_none_or(|last| last[0] != row[0]);
        self.rows += 1;
        self.distinct_first += u64::from(new_first);
        if self.keeps_groups {
            let new_second = new_first || self.last.is_some_and(|last| last[1] != row[1]);
            if new_first {
                self.groups.push((row[0], 0, 0));
            }
            if let Some((_, rows, distinct)) = self.groups.last_mut() {
                *rows += 1;
                *distinct += u64::from(new_second);
            }
        }
        self.last = Some(*row);
    }
}

/// The statistics of a set of quads whose permutations were counted.
///
/// # Errors
/// A permutation is missing.
pub fn statistics(tallies: &HashMap<Permutation, Tally>) -> Result<RunStatistics> {
    let tally = |permutation: Permutation| {
        tallies
            .get(&permutation)
            .ok_or_else(|| Error::internal("a permutation was not written"))
    };
    let mut predicates: HashMap<TermId, PredicateStatistics> = HashMap::new();
    for &(predicate, quads, distinct_subjects) in &tally(Permutation::Psog)?.groups {
        let counts = predicates.entry(predicate).or_default();
        counts.quads = quads;
        counts.distinct_subjects = distinct_subjects;
    }
    for &(predicate, _, distinct_objects) in &tally(Permutation::Posg)?.groups {
        let counts = predicates.entry(predicate).or_default();
        counts.distinct_objects = distinct_objects;
    }
    let spog = tally(Permutation::Spog)?;
    let totals = StoreStatistics {
        quads: spog.rows,
        distinct_subjects: spog.distinct_first,
        distinct_predicates: 0,
        distinct_objects: tally(Permutation::Ospg)?.distinct_first,
    };
    Ok(RunStatistics::new(totals, predicates))
}
