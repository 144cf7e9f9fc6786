//! What a reader sees: one state of the store, from start to end.
//!
//! A snapshot holds its files open, so it stays whole whatever writers do after it was taken.

use super::dictionary::{Dictionary, Segment, encode_key};
use super::layout;
use super::manifest::Manifest;
use super::permutation::{ColumnMask, Permutation};
use super::run::{Order, Run};
use super::scan::Scan;
use super::statistics::{PredicateStatistics, RunStatistics, StoreStatistics};
use crate::diagnostics::{Error, Result};
use crate::term::{Tag, TermId, TermStore, TermView};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// One state of a store.
#[derive(Debug)]
pub struct Snapshot {
    dictionary: Dictionary,
    runs: Vec<Arc<Run>>,
    statistics: RunStatistics,
}

impl Snapshot {
    /// Opens the files that a manifest names.
    pub(super) fn open(location: &Path, manifest: &Manifest) -> Result<Self> {
        let segments = manifest
            .segments
            .iter()
            .map(|&number| Segment::open(&layout::terms_path(location, number)).map(Arc::new))
            .collect::<Result<_>>()?;
        let runs = manifest
            .runs
            .iter()
            .map(|entry| Run::open(location, entry.number, entry.graph()).map(Arc::new))
            .collect::<Result<_>>()?;
        Ok(Self::new(Dictionary::new(segments), runs))
    }

    fn new(dictionary: Dictionary, runs: Vec<Arc<Run>>) -> Self {
        let mut statistics = RunStatistics::default();
        for run in &runs {
            statistics.add(run.statistics());
        }
        Self {
            dictionary,
            runs,
            statistics,
        }
    }

    /// Its dictionary.
    pub(super) fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// The rows of each run in the order of a permutation.
    pub(super) fn orders(
        &self,
        permutation: Permutation,
    ) -> impl Iterator<Item = Result<Order<'_>>> {
        let missing = move || Error::internal(format!("a run has no {}", permutation.name()));
        self.runs
            .iter()
            .map(move |run| run.order(permutation).ok_or_else(missing))
    }

    /// The number of its state: another one after every change.
    pub fn sequence(&self) -> u64 {
        self.runs.len() as u64
    }

    /// The number of quads.
    pub fn quad_count(&self) -> u64 {
        self.statistics.totals().quads
    }

    /// The bytes that indexes and dictionary take on disk.
    pub fn disk_bytes(&self) -> u64 {
        self.dictionary.bytes() + self.runs.iter().map(|run| run.bytes()).sum::<u64>()
    }

    /// The graph of all quads, if it is but one; of an empty store, the default graph. Scans of such a store need not
    /// look at graphs.
    pub fn single_graph(&self) -> Option<TermId> {
        let Some(first) = self.runs.first() else {
            return Some(TermId::DEFAULT_GRAPH);
        };
        let graph = first.graph();
        graph.filter(|_| self.runs.iter().all(|run| run.graph() == graph))
    }

    /// The named graphs that hold quads, each once, in the order of their ids.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn graphs(&self) -> Result<Vec<TermId>> {
        let mut graphs = BTreeSet::new();
        for run in &self.runs {
            run.graphs(&mut graphs)?;
        }
        graphs.remove(&TermId::DEFAULT_GRAPH);
        Ok(graphs.into_iter().collect())
    }

    /// The number of quads whose columns begin, in the order of a permutation, with these ids; exact.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn count(&self, permutation: Permutation, prefix: &[TermId]) -> Result<u64> {
        let mut count = 0;
        for order in self.orders(permutation) {
            let range = order?.range(prefix)?;
            count += range.end - range.start;
        }
        Ok(count)
    }

    /// The quads whose columns begin, in the order of a permutation, with these ids, in that order. Only the columns
    /// in the mask are decoded and given.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn scan(
        self: &Arc<Self>,
        permutation: Permutation,
        prefix: &[TermId],
        columns: ColumnMask,
    ) -> Result<Scan> {
        Scan::new(self, permutation, prefix, columns)
    }

    /// Counts over the quads of a predicate; `None` when it has none.
    pub fn predicate(&self, predicate: TermId) -> Option<PredicateStatistics> {
        self.statistics.predicate(predicate)
    }

    /// Counts over all quads.
    pub fn statistics(&self) -> StoreStatistics {
        self.statistics.totals()
    }
}

impl TermStore for Snapshot {
    fn lookup(&self, term: &TermView<'_>) -> Result<Option<TermId>> {
        if let TermView::Blank { number, local } = *term {
            return Ok((!local).then_some(TermId::new(Tag::Blank, number)));
        }
        let mut key = Vec::new();
        match encode_key(term, &mut key) {
            Some(tag) => self.dictionary.find(tag, &key),
            None => Ok(None),
        }
    }

    fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>> {
        if id.tag() == Tag::Blank {
            return Ok(TermView::Blank {
                number: id.number(),
                local: id.is_local(),
            });
        }
        self.dictionary.resolve(id, buffer)
    }

    fn sorted_len(&self, tag: Tag) -> u64 {
        self.dictionary.sorted_len(tag)
    }

    fn prefix_range(&self, tag: Tag, prefix: &str) -> Result<Range<u64>> {
        self.dictionary.prefix_range(tag, prefix)
    }
}
