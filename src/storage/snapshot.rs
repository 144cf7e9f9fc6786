//! What a reader sees: one state of the store, from start to end.
//!
//! A snapshot holds its files open, so it stays whole whatever writers do after it was taken.

use super::dictionary::{Dictionary, Layer, Segment, encode_key};
use super::files::Directory;
use super::manifest::Manifest;
use super::permutation::{ColumnMask, Permutation, Quad};
use super::run::{QuadSet, Run, Sign};
use super::scan::Scan;
use super::statistics::{PredicateStatistics, StoreStatistics};
use crate::diagnostics::Result;
use crate::term::{Tag, TermId, TermStore, TermView};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// One state of a store.
#[derive(Debug)]
pub struct Snapshot {
    dictionary: Dictionary,
    runs: Vec<Arc<Run>>,
    sequence: u64,
    totals: OnceLock<StoreStatistics>,
}

impl Snapshot {
    /// Opens the files that a manifest names.
    pub(super) fn open(directory: &Directory, manifest: &Manifest) -> Result<Self> {
        let layers = manifest
            .segments
            .iter()
            .map(|&number| {
                let segment = Segment::open_numbered(directory, number)?;
                Ok(Layer::File(Arc::new(segment)))
            })
            .collect::<Result<_>>()?;
        let runs = manifest
            .runs
            .iter()
            .map(|entry| Run::open(directory, entry).map(Arc::new))
            .collect::<Result<_>>()?;
        let dictionary = Dictionary::new(layers);
        Ok(Self::new(dictionary, runs, manifest.sequence))
    }

    /// The state that is the sum of these runs.
    pub(super) fn new(dictionary: Dictionary, runs: Vec<Arc<Run>>, sequence: u64) -> Self {
        Self {
            dictionary,
            runs,
            sequence,
            totals: OnceLock::new(),
        }
    }

    /// Its dictionary.
    pub(super) fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// Its runs, oldest first.
    pub(super) fn runs(&self) -> &[Arc<Run>] {
        &self.runs
    }

    /// The sets of all runs.
    #[inline]
    pub(super) fn sets(&self) -> impl Iterator<Item = (Sign, &QuadSet)> {
        self.runs.iter().flat_map(|run| run.sets())
    }

    /// The number of the last commit or load in it; each that changes anything has a greater one than all before.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The number of quads.
    pub fn quad_count(&self) -> u64 {
        let rows = self.sets().map(|(s, set)| s.value() * set.len() as i64);
        rows.sum::<i64>().max(0) as u64
    }

    /// The bytes that indexes and dictionary take on disk.
    pub fn disk_bytes(&self) -> u64 {
        let sets = self.sets().map(|(_, set)| set.disk_bytes());
        self.dictionary.bytes() + sets.sum::<u64>()
    }

    /// The graph of all quads, if it is but one; of an empty store, the default graph. Scans of such a store need not
    /// look at graphs. Quads that were deleted and whose run was not merged yet count here.
    pub fn single_graph(&self) -> Option<TermId> {
        let mut inserted = self.runs.iter().filter_map(|run| run.inserted.as_ref());
        let Some(first) = inserted.next() else {
            return Some(TermId::DEFAULT_GRAPH);
        };
        let graph = first.graph();
        graph.filter(|_| inserted.all(|set| set.graph() == graph))
    }

    /// The named graphs that hold quads, each once, in the order of their ids.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn graphs(&self) -> Result<Vec<TermId>> {
        let mut graphs = BTreeSet::new();
        let mut has_tombstones = false;
        for (sign, set) in self.sets() {
            match sign {
                Sign::Inserted => set.graphs(&mut graphs)?,
                Sign::Deleted => has_tombstones = true,
            }
        }
        graphs.remove(&TermId::DEFAULT_GRAPH);
        let mut alive = Vec::with_capacity(graphs.len());
        for graph in graphs {
            if !has_tombstones || self.count(Permutation::Gspo, &[graph])? > 0 {
                alive.push(graph);
            }
        }
        Ok(alive)
    }

    /// The number of quads whose columns begin, in the order of a permutation, with these ids; exact.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn count(&self, permutation: Permutation, prefix: &[TermId]) -> Result<u64> {
        let mut count = 0;
        for (sign, set) in self.sets() {
            let range = set.range(permutation, prefix)?;
            count += sign.value() * (range.end - range.start) as i64;
        }
        Ok(count.max(0) as u64)
    }

    /// Whether it holds a quad.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn contains(&self, quad: &Quad) -> Result<bool> {
        Ok(self.count(Permutation::Spog, quad)? > 0)
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
        let mut sum = PredicateStatistics::default();
        for (sign, set) in self.sets() {
            let Some(counts) = set.predicate(predicate) else {
                continue;
            };
            match sign {
                Sign::Inserted => sum.add(&counts),
                Sign::Deleted => sum.quads = sum.quads.saturating_sub(counts.quads),
            }
        }
        sum.distinct_subjects = sum.distinct_subjects.min(sum.quads);
        sum.distinct_objects = sum.distinct_objects.min(sum.quads);
        (sum.quads > 0).then_some(sum)
    }

    /// Counts over all quads.
    pub fn statistics(&self) -> StoreStatistics {
        *self.totals.get_or_init(|| self.sum_up())
    }

    fn sum_up(&self) -> StoreStatistics {
        let quads = self.quad_count();
        let (mut subjects, mut objects) = (0, 0);
        let mut predicates = BTreeSet::new();
        let mut has_tombstones = false;
        for (sign, set) in self.sets() {
            if sign == Sign::Deleted {
                has_tombstones = true;
                continue;
            }
            let totals = set.totals();
            subjects += totals.distinct_subjects;
            objects += totals.distinct_objects;
            predicates.extend(set.predicates());
        }
        if has_tombstones {
            predicates.retain(|&predicate| self.predicate(predicate).is_some());
        }
        StoreStatistics {
            quads,
            distinct_subjects: subjects.min(quads),
            distinct_predicates: predicates.len() as u64,
            distinct_objects: objects.min(quads),
        }
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
