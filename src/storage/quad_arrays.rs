//! A set of quads in memory: immutable, sorted in every permutation that anybody has asked for.
//!
//! Commits make them small and many, and most permutations of most of them are never read; so only the first is made
//! at once, and each other one by the first reader that wants it.

use super::permutation::{Permutation, Quad};
use super::statistics::PredicateStatistics;
use crate::term::TermId;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

/// A set of quads in memory.
#[derive(Debug, Default)]
pub struct QuadArrays {
    quads: Vec<Quad>,
    /// The other permutations; that of the first stays empty.
    orders: [OnceLock<Vec<[TermId; 4]>>; Permutation::ALL.len()],
    graphs: OnceLock<BTreeSet<TermId>>,
    predicates: OnceLock<HashMap<TermId, u64>>,
}

impl QuadArrays {
    /// The set of these quads, which are distinct and in order.
    pub fn new(quads: Vec<Quad>) -> Self {
        debug_assert!(quads.is_sorted_by(|a, b| a < b));
        Self {
            quads,
            ..Self::default()
        }
    }

    /// Its quads, in the order of their columns.
    pub fn quads(&self) -> &[Quad] {
        &self.quads
    }

    /// The number of its quads.
    pub fn len(&self) -> u64 {
        self.quads.len() as u64
    }

    /// Its rows in the order of a permutation.
    pub fn rows(&self, permutation: Permutation) -> &[[TermId; 4]] {
        if permutation == Permutation::Spog {
            return &self.quads;
        }
        self.orders[permutation as usize].get_or_init(|| {
            let arranged = self.quads.iter().map(|quad| permutation.arrange(quad));
            let mut rows: Vec<_> = arranged.collect();
            rows.sort_unstable();
            rows
        })
    }

    /// The rows that begin, in the order of a permutation, with a prefix.
    pub fn range(&self, permutation: Permutation, prefix: &[TermId]) -> Range<u64> {
        let rows = self.rows(permutation);
        let start = rows.partition_point(|row| row[..prefix.len()] < *prefix);
        let len = rows[start..].partition_point(|row| row.starts_with(prefix));
        start as u64..(start + len) as u64
    }

    /// The graphs of its quads.
    pub fn graphs(&self) -> &BTreeSet<TermId> {
        self.graphs
            .get_or_init(|| self.quads.iter().map(|quad| quad[3]).collect())
    }

    /// The number of quads of each predicate.
    pub fn predicates(&self) -> &HashMap<TermId, u64> {
        self.predicates.get_or_init(|| {
            let mut predicates = HashMap::new();
            for quad in &self.quads {
                *predicates.entry(quad[1]).or_default() += 1;
            }
            predicates
        })
    }

    /// Counts over the quads of a predicate; distinct values are not counted, so their bound is the number of quads.
    pub fn predicate(&self, predicate: TermId) -> Option<PredicateStatistics> {
        let quads = *self.predicates().get(&predicate)?;
        Some(PredicateStatistics {
            quads,
            distinct_subjects: quads,
            distinct_objects: quads,
        })
    }
}
