//! A place in the rows of one set of quads in files, with the block there decoded as far as needed.

use super::block::{BLOCK_ROWS, equal_range_of};
use super::index::IndexFile;
use super::permutation::{ColumnMask, Permutation, QuadColumn};
use super::quad_files::{FileOrder, StoredKey, place_of, stored_key};
use super::scan::ScanBlock;
use crate::diagnostics::Result;
use crate::term::TermId;
use std::ops::Range;
use std::sync::Arc;

/// A place in a range of rows of one set of files.
#[derive(Debug)]
pub struct FileCursor {
    index: Arc<IndexFile>,
    first: Option<TermId>,
    prefix: Vec<TermId>,
    next: u64,
    end: u64,
    loaded: Option<usize>,
    /// The columns that the prefix fixes; they are filled in once.
    fixed: ColumnMask,
    /// The columns of the loaded block that are decoded.
    decoded: ColumnMask,
    wanted: ColumnMask,
    block: ScanBlock,
    blocks_decoded: u64,
}

impl FileCursor {
    /// A cursor at the start of some rows, all of which begin with `prefix` in the order of `permutation`.
    pub fn new(
        order: FileOrder<'_>,
        rows: Range<u64>,
        permutation: Permutation,
        prefix: &[TermId],
        wanted: ColumnMask,
    ) -> Self {
        let mut block = ScanBlock::new(wanted);
        // A column that the prefix fixes is the same in every block, so it is filled in once, as far as needed.
        let first_block = rows.start / BLOCK_ROWS as u64 * BLOCK_ROWS as u64;
        let filled = (rows.end - first_block).min(BLOCK_ROWS as u64) as usize;
        let mut fixed = ColumnMask::NONE;
        for (&id, column) in prefix.iter().zip(permutation.columns()) {
            fixed = fixed.with(column);
            if wanted.contains(column) {
                block.room(column)[..filled].fill(id);
            }
        }
        Self {
            index: Arc::clone(order.index()),
            first: order.first(),
            prefix: prefix.to_vec(),
            next: rows.start,
            end: rows.end,
            loaded: None,
            fixed,
            decoded: fixed,
            wanted,
            block,
            blocks_decoded: 0,
        }
    }

    /// The rows not yet given.
    pub fn remaining(&self) -> u64 {
        self.end - self.next
    }

    /// The blocks decoded so far.
    pub fn blocks_decoded(&self) -> u64 {
        self.blocks_decoded
    }

    /// The block that was given last.
    pub fn block(&self) -> &ScanBlock {
        &self.block
    }

    /// The rows of the next block.
    ///
    /// # Errors
    /// The block is damaged.
    pub fn next_block(&mut self) -> Result<Option<&ScanBlock>> {
        if self.next >= self.end {
            return Ok(None);
        }
        let number = (self.next / BLOCK_ROWS as u64) as usize;
        self.load(number)?;
        let rows = self.rows_in(number);
        for column in QuadColumn::ALL {
            if self.wanted.contains(column) {
                self.decode(number, column, rows.clone())?;
            }
        }
        self.next = (number * BLOCK_ROWS + rows.end) as u64;
        self.block.show(rows.start, rows.end);
        Ok(Some(&self.block))
    }

    /// The places in a block of the rows not yet given.
    fn rows_in(&self, number: usize) -> Range<usize> {
        let start = (number * BLOCK_ROWS) as u64;
        let end = (self.end - start).min(BLOCK_ROWS as u64);
        self.next.saturating_sub(start) as usize..end as usize
    }

    /// Moves on to the first row whose columns after the prefix are not below `key`.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn seek(&mut self, key: &[TermId]) -> Result<()> {
        if self.next >= self.end {
            return Ok(());
        }
        let key = [&self.prefix[..], key].concat();
        match stored_key(self.first, &key) {
            StoredKey::Before => {}
            StoredKey::After => self.next = self.end,
            StoredKey::At(key) => {
                let from = (self.next / BLOCK_ROWS as u64) as usize;
                let number = self.index.block_for(key, false, from);
                let block_start = (number * BLOCK_ROWS) as u64;
                // A range that ends before the block needs no look into it.
                let row = if block_start >= self.end {
                    self.end
                } else {
                    block_start + self.search_in(number, key)? as u64
                };
                self.next = row.clamp(self.next, self.end);
            }
        }
        Ok(())
    }

    /// The place of the first row of a block, of those not yet given, that is not below `key`. Columns that are wanted anyway are decoded and
    /// kept; in others only the rows that a binary search touches are read.
    fn search_in(&mut self, number: usize, key: &[TermId]) -> Result<usize> {
        self.load(number)?;
        let columns = self.index.permutation().columns();
        let rows = self.rows_in(number);
        let (mut low, mut high) = (rows.start, rows.end);
        for (place, &id) in key.iter().enumerate() {
            let column = columns[place];
            if self.fixed.contains(column) || !self.wanted.contains(column) {
                let view = self.index.view(number);
                (low, high) = view
                    .equal_range(place, id, low, high)
                    .ok_or_else(|| self.index.nonsense(number))?;
            } else {
                self.decode(number, column, rows.clone())?;
                (low, high) = equal_range_of(self.block.decoded(column), id, low, high);
            }
            if low == high {
                break;
            }
        }
        Ok(low)
    }

    fn load(&mut self, number: usize) -> Result<()> {
        if self.loaded != Some(number) {
            self.index.verified_block(number)?;
            self.loaded = Some(number);
            self.decoded = self.fixed;
            self.blocks_decoded += 1;
        }
        Ok(())
    }

    /// Decodes these rows of a column. Rows not yet given only become fewer, so what is decoded once is enough.
    fn decode(&mut self, number: usize, column: QuadColumn, rows: Range<usize>) -> Result<()> {
        if self.decoded.contains(column) {
            return Ok(());
        }
        let place = place_of(self.index.permutation(), column);
        let view = self.index.view(number);
        view.column(place)
            .and_then(|c| c.decode(rows, self.block.room(column)))
            .ok_or_else(|| self.index.nonsense(number))?;
        self.decoded = self.decoded.with(column);
        Ok(())
    }
}
