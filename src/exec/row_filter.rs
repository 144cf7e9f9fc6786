//! Which rows of a scanned block count: by graph, by repeated variables, by excluded predicates, and each triple once
//! where several graphs are merged.

use crate::plan::{GraphFilter, ScanPlan};
use crate::storage::{ColumnMask, QuadColumn, ScanBlock};
use crate::term::TermId;
use std::sync::Arc;

/// The tests of one scan; remembers the last triple where duplicates are left out.
pub struct RowFilter {
    graph: GraphFilter,
    equal: Vec<(QuadColumn, QuadColumn)>,
    excluded: Arc<[TermId]>,
    /// The columns of a triple, where equal triples of several graphs count once.
    merged: Option<Vec<QuadColumn>>,
    last: Option<Vec<TermId>>,
}

impl RowFilter {
    /// The tests of a scan.
    pub fn new(scan: &ScanPlan) -> Self {
        let free = &scan.permutation.columns()[scan.prefix.len()..];
        let triple = free.iter().copied().filter(|&c| c != QuadColumn::Graph);
        Self {
            graph: scan.graph.clone(),
            equal: scan.equal.clone(),
            excluded: Arc::clone(&scan.excluded),
            merged: scan.merge_graphs.then(|| triple.collect()),
            last: None,
        }
    }

    /// The columns that the tests look at, added to a mask.
    pub fn columns(&self, mut mask: ColumnMask) -> ColumnMask {
        if self.graph != GraphFilter::All {
            mask = mask.with(QuadColumn::Graph);
        }
        if !self.excluded.is_empty() {
            mask = mask.with(QuadColumn::Predicate);
        }
        let pairs = self.equal.iter().flat_map(|&(a, b)| [a, b]);
        pairs
            .chain(self.merged.iter().flatten().copied())
            .fold(mask, ColumnMask::with)
    }

    /// Whether every row counts.
    pub fn keeps_all(&self) -> bool {
        self.graph == GraphFilter::All
            && self.equal.is_empty()
            && self.excluded.is_empty()
            && self.merged.is_none()
    }

    /// Whether a row counts. Rows are asked about in order.
    pub fn keeps(&mut self, block: &ScanBlock, row: usize) -> bool {
        let is_in_graph = self.graph == GraphFilter::All
            || self.graph.admits(block.column(QuadColumn::Graph)[row]);
        is_in_graph
            && self
                .equal
                .iter()
                .all(|&(a, b)| block.column(a)[row] == block.column(b)[row])
            && (self.excluded.is_empty()
                || !self
                    .excluded
                    .contains(&block.column(QuadColumn::Predicate)[row]))
            && self.is_new(block, row)
    }

    fn is_new(&mut self, block: &ScanBlock, row: usize) -> bool {
        let Some(columns) = &self.merged else {
            return true;
        };
        let triple = || columns.iter().map(|&c| block.column(c)[row]);
        let last = self.last.as_ref();
        let is_new = last.is_none_or(|last| !last.iter().copied().eq(triple()));
        if is_new {
            self.last = Some(triple().collect());
        }
        is_new
    }
}
