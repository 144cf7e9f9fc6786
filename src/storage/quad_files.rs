//! A set of quads in files: immutable, sorted in every permutation.
//!
//! A set whose quads are all in one graph has no files for the orders that begin with the graph: their rows are those
//! of the order of the triple columns, and [`FileOrder`] makes the difference disappear. A set that no manifest names
//! any more is [retired](QuadFiles::retire), and its files go when its last reader does.

use super::files::Directory;
use super::index::IndexFile;
use super::layout::{self, FileNumber, Numbered};
use super::permutation::{Permutation, QuadColumn};
use super::statistics::RunStatistics;
use crate::diagnostics::{Error, Result};
use crate::term::TermId;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The permutations of which a set has files.
pub fn stored_permutations(graph: Option<TermId>) -> impl Iterator<Item = Permutation> {
    Permutation::ALL
        .into_iter()
        .filter(move |p| graph.is_none() || p.within_one_graph().is_none())
}

/// A set of quads in files, open for reading.
#[derive(Debug)]
pub struct QuadFiles {
    name: Numbered,
    graph: Option<TermId>,
    indexes: [Option<Arc<IndexFile>>; 8],
    statistics: RunStatistics,
}

impl QuadFiles {
    /// Opens the files of a set; `graph` is the graph of all its quads, if it is but one.
    ///
    /// # Errors
    /// A file cannot be read or is damaged.
    pub fn open(directory: &Directory, number: FileNumber, graph: Option<TermId>) -> Result<Self> {
        let mut indexes = [const { None }; 8];
        for permutation in stored_permutations(graph) {
            let path = layout::index_path(directory.location(), number, permutation);
            let index = IndexFile::open(directory.files(), &path, permutation)?;
            indexes[permutation as usize] = Some(Arc::new(index));
        }
        let statistics = RunStatistics::read(
            directory.files(),
            &layout::statistics_path(directory.location(), number),
        )?;
        Ok(Self {
            name: Numbered::new(directory, number),
            graph,
            indexes,
            statistics,
        })
    }

    /// The number of its quads.
    pub fn len(&self) -> u64 {
        self.statistics.totals().quads
    }

    /// The error for files that pass their checksums and still make no sense.
    #[cold]
    pub fn contradiction(&self, permutation: Permutation, what: impl std::fmt::Display) -> Error {
        let path = self.name.index_path(permutation);
        Error::corruption(format!(
            "{} is damaged: {what}; restore the store from a backup",
            path.display()
        ))
    }

    /// Says that no manifest names it any more.
    pub fn retire(&self) {
        self.name.retire();
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
    pub fn order(&self, permutation: Permutation) -> Option<FileOrder<'_>> {
        let within = permutation.within_one_graph();
        let (stored, first) = match (self.graph, within) {
            (Some(graph), Some(within)) => (within, Some(graph)),
            _ => (permutation, None),
        };
        let index = self.indexes[stored as usize].as_ref()?;
        Some(FileOrder { index, first })
    }
}

/// The rows of a set in the order of a permutation, whichever file holds them.
#[derive(Clone, Copy, Debug)]
pub struct FileOrder<'a> {
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

impl<'a> FileOrder<'a> {
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
