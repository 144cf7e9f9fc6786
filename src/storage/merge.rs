//! The rows of several runs in one order.
//!
//! A quad is in at most one run, so merging never meets two equal rows. Runs of rows that come from one input are
//! copied as slices, so inputs that hardly interleave cost little more than one.

use super::block::BLOCK_ROWS;
use super::cursor::RunCursor;
use super::permutation::{ColumnMask, Permutation, QuadColumn};
use super::scan::ScanBlock;
use crate::diagnostics::Result;
use crate::term::TermId;

/// The rows of a cursor's block that are not merged yet.
#[derive(Debug)]
struct Input {
    cursor: RunCursor,
    /// The place in the cursor's block.
    place: usize,
}

impl Input {
    fn pending(&self) -> usize {
        self.cursor.block().rows() - self.place
    }

    /// An id of the cursor's block; a column that the prefix fixes and nobody wants is the same in every row.
    fn id(&self, column: QuadColumn, place: usize) -> TermId {
        let ids = self.cursor.block().column(column);
        ids.get(place).copied().unwrap_or_default()
    }

    /// Whether the input has a row at its place, once the next block is read where needed.
    fn fill(&mut self) -> Result<bool> {
        if self.pending() > 0 {
            return Ok(true);
        }
        self.place = 0;
        if self.cursor.next_block()?.is_some() {
            return Ok(true);
        }
        self.place = self.cursor.block().rows();
        Ok(false)
    }

    /// The number of rows from the place on that are below `bound` in these columns.
    fn rows_below(&self, columns: &[QuadColumn], bound: &[TermId]) -> usize {
        let (mut low, mut high) = (self.place, self.cursor.block().rows());
        while low < high {
            let middle = low.midpoint(high);
            let row = columns.iter().map(|&c| self.id(c, middle));
            if row.take(bound.len()).lt(bound.iter().copied()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low - self.place
    }
}

/// A merge of cursors over distinct rows.
#[derive(Debug)]
pub struct Merge {
    inputs: Vec<Input>,
    columns: [QuadColumn; 4],
    prefix_len: usize,
    wanted: ColumnMask,
    block: ScanBlock,
}

impl Merge {
    /// The columns that cursors must give so that they can be merged.
    pub fn columns_to_compare(
        permutation: Permutation,
        prefix: &[TermId],
        wanted: ColumnMask,
    ) -> ColumnMask {
        let after_prefix = &permutation.columns()[prefix.len()..];
        after_prefix.iter().fold(wanted, |mask, &c| mask.with(c))
    }

    /// A merge of cursors that all begin with `prefix`.
    pub fn new(
        cursors: Vec<RunCursor>,
        permutation: Permutation,
        prefix: &[TermId],
        wanted: ColumnMask,
    ) -> Self {
        let input = |cursor| Input { cursor, place: 0 };
        Self {
            inputs: cursors.into_iter().map(input).collect(),
            columns: permutation.columns(),
            prefix_len: prefix.len(),
            wanted,
            block: ScanBlock::new(wanted),
        }
    }

    /// The rows not yet given.
    pub fn remaining(&self) -> u64 {
        let of = |i: &Input| i.cursor.remaining() + i.pending() as u64;
        self.inputs.iter().map(of).sum()
    }

    /// The blocks decoded so far.
    pub fn blocks_decoded(&self) -> u64 {
        self.inputs.iter().map(|i| i.cursor.blocks_decoded()).sum()
    }

    /// The next rows.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn next_block(&mut self) -> Result<Option<&ScanBlock>> {
        let mut rows = 0;
        while rows < BLOCK_ROWS {
            let Some((smallest, bound)) = self.smallest()? else {
                break;
            };
            let below = match bound {
                Some(bound) => self.inputs[smallest].rows_below(&self.columns, &bound),
                None => self.inputs[smallest].pending(),
            };
            rows += self.take(smallest, below.min(BLOCK_ROWS - rows), rows);
        }
        self.block.show(0, rows);
        Ok((rows > 0).then_some(&self.block))
    }

    /// The input with the smallest row, and the smallest row of the others.
    fn smallest(&mut self) -> Result<Option<(usize, Option<[TermId; 4]>)>> {
        let mut smallest: Option<(usize, [TermId; 4])> = None;
        let mut second: Option<[TermId; 4]> = None;
        for (number, input) in self.inputs.iter_mut().enumerate() {
            if !input.fill()? {
                continue;
            }
            let row = self.columns.map(|c| input.id(c, input.place));
            match smallest {
                Some((_, least)) if row > least => {
                    second = Some(second.map_or(row, |s| s.min(row)));
                }
                _ => {
                    second = smallest.map(|(_, least)| least);
                    smallest = Some((number, row));
                }
            }
        }
        Ok(smallest.map(|(number, _)| (number, second)))
    }

    /// Moves rows of an input to the output, and says how many.
    fn take(&mut self, number: usize, count: usize, at: usize) -> usize {
        let input = &mut self.inputs[number];
        for column in QuadColumn::ALL {
            if self.wanted.contains(column) {
                let from = &input.cursor.block().column(column)[input.place..][..count];
                self.block.room(column)[at..at + count].copy_from_slice(from);
            }
        }
        input.place += count;
        count
    }

    /// Moves every input on to its first row whose columns after the prefix are not below `key`.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn seek(&mut self, key: &[TermId]) -> Result<()> {
        let columns = &self.columns[self.prefix_len..];
        for input in &mut self.inputs {
            input.place += input.rows_below(columns, key);
            if input.pending() == 0 {
                input.cursor.seek(key)?;
            }
        }
        Ok(())
    }
}
