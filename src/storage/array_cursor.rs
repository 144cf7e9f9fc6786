//! A place in the rows of one set of quads in memory.

use super::block::BLOCK_ROWS;
use super::gallop::gallop;
use super::permutation::{ColumnMask, Permutation};
use super::quad_arrays::QuadArrays;
use super::scan::ScanBlock;
use crate::term::TermId;
use std::ops::Range;
use std::sync::Arc;

/// A place in a range of rows of one set in memory.
#[derive(Debug)]
pub struct ArrayCursor {
    arrays: Arc<QuadArrays>,
    permutation: Permutation,
    prefix_len: usize,
    next: usize,
    end: usize,
    wanted: ColumnMask,
    block: ScanBlock,
}

impl ArrayCursor {
    /// A cursor at the start of some rows, all of which agree in the first `prefix_len` columns.
    pub fn new(
        arrays: &Arc<QuadArrays>,
        rows: Range<u64>,
        permutation: Permutation,
        prefix_len: usize,
        wanted: ColumnMask,
    ) -> Self {
        Self {
            arrays: Arc::clone(arrays),
            permutation,
            prefix_len,
            next: rows.start as usize,
            end: rows.end as usize,
            wanted,
            block: ScanBlock::new(wanted),
        }
    }

    /// The rows not yet given.
    pub fn remaining(&self) -> u64 {
        (self.end - self.next) as u64
    }

    /// The block that was given last.
    pub fn block(&self) -> &ScanBlock {
        &self.block
    }

    /// The rows of the next block.
    pub fn next_block(&mut self) -> Option<&ScanBlock> {
        if self.next >= self.end {
            return None;
        }
        let len = BLOCK_ROWS.min(self.end - self.next);
        let rows = &self.arrays.rows(self.permutation)[self.next..][..len];
        for (place, column) in self.permutation.columns().into_iter().enumerate() {
            if self.wanted.contains(column) {
                let ids = self.block.room(column);
                for (id, row) in ids.iter_mut().zip(rows) {
                    *id = row[place];
                }
            }
        }
        self.next += len;
        self.block.show(0, len);
        Some(&self.block)
    }

    /// Moves on to the first row whose columns after the prefix are not below `key`, by steps that double.
    pub fn seek(&mut self, key: &[TermId]) {
        let rows = &self.arrays.rows(self.permutation)[self.next..self.end];
        let below = |row: &[TermId; 4]| row[self.prefix_len..][..key.len()] < *key;
        self.next += gallop(0, rows.len(), |row| below(&rows[row]));
    }
}
