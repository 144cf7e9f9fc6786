//! The rows of several sets of quads in one order, insertions and deletions summed up.
//!
//! Each row comes out once if its sum is the one that is asked for: rows alive for readers, insertions or deletions for
//! whoever writes the sum of some runs, see `run`. Rows that come from one input are copied as slices, so inputs that
//! hardly interleave cost little more than one.

use super::array_cursor::ArrayCursor;
use super::block::BLOCK_ROWS;
use super::file_cursor::FileCursor;
use super::gallop::gallop;
use super::permutation::{ColumnMask, Permutation, QuadColumn};
use super::run::Sign;
use super::scan::ScanBlock;
use crate::diagnostics::Result;
use crate::term::TermId;

/// A place in the rows of a set of quads, wherever it is.
#[derive(Debug)]
pub enum SetCursor {
    /// In files.
    File(FileCursor),
    /// In memory.
    Array(ArrayCursor),
}

impl SetCursor {
    /// The block that was given last.
    pub fn block(&self) -> &ScanBlock {
        match self {
            Self::File(cursor) => cursor.block(),
            Self::Array(cursor) => cursor.block(),
        }
    }

    /// The rows of the next block.
    ///
    /// # Errors
    /// The block is damaged.
    pub fn next_block(&mut self) -> Result<Option<&ScanBlock>> {
        match self {
            Self::File(cursor) => cursor.next_block(),
            Self::Array(cursor) => Ok(cursor.next_block()),
        }
    }

    /// Moves on to the first row whose columns after the prefix are not below `key`.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn seek(&mut self, key: &[TermId]) -> Result<()> {
        match self {
            Self::File(cursor) => cursor.seek(key),
            Self::Array(cursor) => {
                cursor.seek(key);
                Ok(())
            }
        }
    }

    fn remaining(&self) -> u64 {
        match self {
            Self::File(cursor) => cursor.remaining(),
            Self::Array(cursor) => cursor.remaining(),
        }
    }

    fn blocks_decoded(&self) -> u64 {
        match self {
            Self::File(cursor) => cursor.blocks_decoded(),
            Self::Array(_) => 0,
        }
    }
}

/// The columns of a row after the common prefix, in the order of the permutation; zeros after them, and for a column
/// that is the same in every row and that nobody wants.
type Head = [TermId; 4];

/// The rows of a cursor's block that are not merged yet.
#[derive(Debug)]
struct Input {
    cursor: SetCursor,
    sign: Sign,
    /// The place in the cursor's block.
    place: usize,
    /// The row at that place, and whether there is one.
    head: Option<Head>,
}

impl Input {
    fn pending(&self) -> usize {
        self.cursor.block().rows() - self.place
    }

    /// The row at its place, once the next block is read where needed; `None` at the end.
    #[inline]
    fn head(&mut self, columns: &[QuadColumn]) -> Result<Option<Head>> {
        if self.head.is_none() {
            if self.pending() == 0 {
                self.place = 0;
                if self.cursor.next_block()?.is_none() {
                    self.place = self.cursor.block().rows();
                    return Ok(None);
                }
            }
            let mut head = Head::default();
            for (id, &column) in head.iter_mut().zip(columns) {
                let ids = self.cursor.block().column(column);
                *id = ids.get(self.place).copied().unwrap_or_default();
            }
            self.head = Some(head);
        }
        Ok(self.head)
    }

    /// Moves on by some rows of its block.
    #[inline]
    fn advance(&mut self, rows: usize) {
        if rows > 0 {
            self.place += rows;
            self.head = None;
        }
    }

    /// The number of rows from the place on that are below `bound` in these columns, by which they are sorted.
    fn rows_below(&self, columns: &[QuadColumn], bound: &[TermId]) -> usize {
        let block = self.cursor.block();
        // The rows that are like the bound in the columns looked at so far; those before them are below it.
        let (mut start, mut end) = (self.place, block.rows());
        for (&column, &id) in columns.iter().zip(bound) {
            let Some(ids) = block.column(column).get(start..end) else {
                continue;
            };
            let below = gallop(0, ids.len(), |row| ids[row] < id);
            let equal = gallop(below, ids.len(), |row| ids[row] == id);
            (start, end) = (start + below, start + equal);
        }
        start - self.place
    }
}

/// The rows that are merged at once after rows were skipped: who skips often wants few of them.
const FEW_ROWS: usize = 16;

/// A merge of cursors.
#[derive(Debug)]
pub struct Merge {
    inputs: Vec<Input>,
    permutation: Permutation,
    prefix_len: usize,
    wanted: ColumnMask,
    keeps: Sign,
    block: ScanBlock,
    /// The rows of the next block, at most.
    rows_max: usize,
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

    /// A merge of cursors whose rows all begin with the same `prefix_len` columns; it gives the rows whose sum is that
    /// of `keeps`.
    pub fn new(
        cursors: Vec<(Sign, SetCursor)>,
        permutation: Permutation,
        prefix_len: usize,
        wanted: ColumnMask,
        keeps: Sign,
    ) -> Self {
        let input = |(sign, cursor)| Input {
            cursor,
            sign,
            place: 0,
            head: None,
        };
        Self {
            inputs: cursors.into_iter().map(input).collect(),
            permutation,
            prefix_len,
            wanted,
            keeps,
            block: ScanBlock::new(wanted),
            rows_max: BLOCK_ROWS,
        }
    }

    /// The rows not yet given, when those alive are kept: each tombstone takes one quad with it.
    pub fn remaining(&self) -> u64 {
        let rows = |i: &Input| (i.cursor.remaining() + i.pending() as u64) as i64;
        let sum: i64 = self.inputs.iter().map(|i| i.sign.value() * rows(i)).sum();
        sum.max(0) as u64
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
        let columns = self.permutation.columns();
        let columns = &columns[self.prefix_len..];
        let mut rows = 0;
        while rows < self.rows_max {
            let Some(next) = self.smallest(columns)? else {
                break;
            };
            rows += match next {
                Smallest::Of { input, bound } => {
                    let below = match bound {
                        Some(bound) => self.inputs[input].rows_below(columns, &bound),
                        None => self.inputs[input].pending(),
                    };
                    let keeps = self.inputs[input].sign == self.keeps;
                    self.take(input, below.min(self.rows_max - rows), rows, keeps)
                }
                Smallest::OfSeveral { row, input } => self.take_equal(&row, input, rows),
            };
        }
        self.rows_max = (self.rows_max * 2).min(BLOCK_ROWS);
        self.block.show(0, rows);
        Ok((rows > 0).then_some(&self.block))
    }

    /// Where the smallest row is.
    fn smallest(&mut self, columns: &[QuadColumn]) -> Result<Option<Smallest>> {
        let mut smallest: Option<(usize, Head)> = None;
        let mut bound: Option<Head> = None;
        for (number, input) in self.inputs.iter_mut().enumerate() {
            let Some(row) = input.head(columns)? else {
                continue;
            };
            match smallest {
                Some((_, least)) if row >= least => {
                    bound = Some(bound.map_or(row, |b| b.min(row)));
                }
                _ => {
                    bound = smallest.map(|(_, least)| least);
                    smallest = Some((number, row));
                }
            }
        }
        Ok(smallest.map(|(input, row)| match bound {
            Some(bound) if bound == row => Smallest::OfSeveral { row, input },
            bound => Smallest::Of { input, bound },
        }))
    }

    /// Moves rows of an input on, to the output if they are to be kept, and says how many came out.
    fn take(&mut self, number: usize, count: usize, at: usize, keeps: bool) -> usize {
        let input = &mut self.inputs[number];
        if keeps {
            for column in QuadColumn::ALL {
                if self.wanted.contains(column) {
                    let from = &input.cursor.block().column(column)[input.place..][..count];
                    self.block.room(column)[at..at + count].copy_from_slice(from);
                }
            }
        }
        input.advance(count);
        if keeps { count } else { 0 }
    }

    /// Sums up a row that several inputs are at, the first of which is `first`, and says how many came out.
    fn take_equal(&mut self, row: &Head, first: usize, at: usize) -> usize {
        let mut sum = 0;
        for input in &mut self.inputs[first + 1..] {
            if input.head.as_ref() == Some(row) {
                sum += input.sign.value();
                input.advance(1);
            }
        }
        sum += self.inputs[first].sign.value();
        self.take(first, 1, at, sum == self.keeps.value())
    }

    /// Moves every input on to its first row whose columns after the prefix are not below `key`.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn seek(&mut self, key: &[TermId]) -> Result<()> {
        let columns = self.permutation.columns();
        let columns = &columns[self.prefix_len..];
        let mut skipped = 0;
        for input in &mut self.inputs {
            let below = input.rows_below(columns, key);
            skipped += below;
            input.advance(below);
            if input.pending() == 0 {
                input.cursor.seek(key)?;
            }
        }
        if skipped > FEW_ROWS {
            self.rows_max = FEW_ROWS;
        }
        Ok(())
    }
}

/// Where the smallest row of a merge is.
enum Smallest {
    /// In one input, and the smallest row of the others.
    Of { input: usize, bound: Option<Head> },
    /// In several inputs, the first of which is this.
    OfSeveral { row: Head, input: usize },
}
