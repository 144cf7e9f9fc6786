//! A run: one immutable, sorted set of quads in every permutation.
//!
//! A run whose quads are all in one graph has no files for the orders that begin with the graph: their rows are those
//! of the order of the triple columns, and [`Order`] makes the difference disappear.

use super::index::IndexFile;
use super::layout::{self, FileNumber};
use super::permutation::{Permutation, QuadColumn};
use super::statistics::RunStatistics;
use crate::diagnostics::Result;
use crate::term::TermId;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The permutations of which a run has files.
pub fn stored_permutations(graph: Option<TermId>) -> impl Iterator<Item = Permutation> {
    Permutation::ALL
        .into_iter()
        .filter(move |p| graph.is_none() || p.within_one_graph().is_none())
}

/// A run, open for reading.
#[derive(Debug)]
pub struct Run {
    graph: Option<TermId>,
    indexes: [Option<Arc<IndexFile>>; 8],
    statistics: RunStatistics,
}

impl Run {
    /// Opens the files of a run; `graph` is the graph of all its quads, if it is but one.
    ///
    /// # Errors
    /// A file cannot be read or is damaged.
    pub fn open(location: &Path, number: FileNumber, graph: Option<TermId>) -> Result<Self> {
        let mut indexes = [const { None }; 8];
        for permutation in stored_permutations(graph) {
            let path = layout::index_path(location, number, permutation);
            let index = IndexFile::open(&path, permutation)?;
            indexes[permutation as usize] = Some(Arc::new(index));
        }
        let statistics = RunStatistics::read(&layout::statistics_path(location, number))?;
        Ok(Self {
            graph,
            indexes,
            statistics,
        })
    }

    /// The graph of all its quads, if it is but one.
    pub fn graph(&self) -> Option<TermId> {
        self.graph
    }

    /// What was counted when it was written.
    pub fn statistics(&self) -> &RunStatistics {
        &self.statistics
    }

    /// The bytes of its indexes on disk.
    pub fn bytes(&self) -> u64 {
        self.indexes
            .iter()
            .flatten()
            .map(|index| index.bytes())
            .sum()
    }

    /// Adds the graphs that hold its quads. From each the next is found by a search, so what counts is the number of
    /// graphs, not that of quads.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn graphs(&self, graphs: &mut BTreeSet<TermId>) -> Result<()> {
        if let Some(graph) = self.graph {
            graphs.insert(graph);
        } else if let Some(index) = &self.indexes[Permutation::Gspo as usize] {
            let mut row = 0;
            while let Some(graph) = index.first_id(row)? {
                graphs.insert(graph);
                row = index.range(&[graph])?.end;
            }
        }
        Ok(())
    }

    /// Its rows in the order of a permutation.
    pub fn order(&self, permutation: Permutation) -> Option<Order<'_>> {
        let within = permutation.within_one_graph();
        let (stored, first) = match (self.graph, within) {
            (Some(graph), Some(within)) => (within, Some(graph)),
            _ => (permutation, None),
        };
        let index = self.indexes[stored as usize].as_ref()?;
        Some(Order { index, first })
    }
}

/// The rows of a run in the order of a permutation, wherever they are stored.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    index: &'a Arc<IndexFile>,
    /// The graph of every row, where the permutation begins with it and the index does not.
    first: Option<TermId>,
}

/// Where a key in the order of a permutation lies in the index that stores it.
pub enum StoredKey<'k> {
    /// Before every row.
    Before,
    /// Among the rows, with this key.
    At(&'k [TermId]),
    /// After every row.
    After,
}

impl<'a> Order<'a> {
    /// The index that stores the rows.
    pub fn index(&self) -> &'a Arc<IndexFile> {
        self.index
    }

    /// The graph of every row, where the permutation begins with it and the index does not.
    pub fn first(&self) -> Option<TermId> {
        self.first
    }

    /// The rows that begin with a prefix.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn range(&self, prefix: &[TermId]) -> Result<Range<u64>> {
        match stored_key(self.first, prefix) {
            StoredKey::At(key) => self.index.range(key),
            StoredKey::Before | StoredKey::After => Ok(0..0),
        }
    }
}

/// Where a key lies in an index whose rows have this graph in front.
pub fn stored_key(first: Option<TermId>, key: &[TermId]) -> StoredKey<'_> {
    match (first, key) {
        (None, _) | (_, []) => StoredKey::At(key),
        (Some(graph), [id, rest @ ..]) => match id.cmp(&graph) {
            std::cmp::Ordering::Less => StoredKey::Before,
            std::cmp::Ordering::Equal => StoredKey::At(rest),
            std::cmp::Ordering::Greater => StoredKey::After,
        },
    }
}

/// The place of a column in the rows of an index.
pub fn place_of(permutation: Permutation, column: QuadColumn) -> usize {
    let columns = permutation.columns();
    columns
        .iter()
        .position(|&c| c == column)
        .unwrap_or_default()
}
