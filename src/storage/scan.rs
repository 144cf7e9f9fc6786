//! Reading quads in order: what every pattern of a query stands on.
//!
//! A [`Scan`] gives the rows of one prefix of one permutation, block by block, over all runs of a snapshot. With one
//! set of files it lends slices of decoded blocks; with several sets it merges them. It decodes only the columns that were asked
//! for, and [`Scan::seek`] passes over blocks without touching them.

use super::block::BLOCK_ROWS;
use super::file_cursor::FileCursor;
use super::merge::{Merge, SetCursor};
use super::permutation::{ColumnMask, Permutation, QuadColumn};
use super::run::Sign;
use super::snapshot::Snapshot;
use crate::diagnostics::{Error, Result};
use crate::term::TermId;
use std::sync::Arc;

/// A few hundred rows by column; the columns that were not asked for are empty.
#[derive(Debug)]
pub struct ScanBlock {
    columns: [Option<Box<[TermId; BLOCK_ROWS]>>; 4],
    mask: ColumnMask,
    start: usize,
    end: usize,
}

impl ScanBlock {
    pub(super) fn new(mask: ColumnMask) -> Self {
        Self {
            columns: [const { None }; 4],
            mask,
            start: 0,
            end: 0,
        }
    }

    /// The number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.end - self.start
    }

    /// The ids of a column, one for each row, or none at all if the column was not asked for.
    #[inline]
    pub fn column(&self, column: QuadColumn) -> &[TermId] {
        match &self.columns[column as usize] {
            Some(ids) if self.mask.contains(column) => &ids[self.start..self.end],
            _ => &[],
        }
    }

    /// The room for a column of a whole block.
    pub(super) fn room(&mut self, column: QuadColumn) -> &mut [TermId; BLOCK_ROWS] {
        self.columns[column as usize].get_or_insert_with(|| Box::new([TermId::UNBOUND; BLOCK_ROWS]))
    }

    /// A whole column, where there is room for it, whether it was asked for or not.
    pub(super) fn decoded(&self, column: QuadColumn) -> &[TermId] {
        self.columns[column as usize]
            .as_ref()
            .map_or(&[], |ids| &ids[..])
    }

    /// Shows these rows of the columns.
    pub(super) fn show(&mut self, start: usize, end: usize) {
        (self.start, self.end) = (start, end);
    }
}

#[derive(Debug)]
enum Source {
    One(Box<FileCursor>),
    Several(Box<Merge>),
}

/// The rows of a prefix, in the order of a permutation.
#[derive(Debug)]
pub struct Scan {
    source: Source,
    rows_read: u64,
    _snapshot: Arc<Snapshot>,
}

impl Scan {
    pub(super) fn new(
        snapshot: &Arc<Snapshot>,
        permutation: Permutation,
        prefix: &[TermId],
        columns: ColumnMask,
    ) -> Result<Self> {
        if prefix.len() > 4 {
            return Err(Error::internal(
                "a scan's prefix has more than four columns",
            ));
        }
        let mut ranges = Vec::new();
        for (sign, set) in snapshot.sets() {
            let range = set.range(permutation, prefix)?;
            if !range.is_empty() {
                ranges.push((sign, set, range));
            }
        }
        let wanted = match ranges.len() {
            1 => columns,
            _ => Merge::columns_to_compare(permutation, prefix, columns),
        };
        let cursors = ranges
            .into_iter()
            .map(|(sign, set, range)| Ok((sign, set.cursor(range, permutation, prefix, wanted)?)));
        let mut cursors = cursors.collect::<Result<Vec<_>>>()?;
        let only = if cursors.len() == 1 {
            cursors.pop()
        } else {
            None
        };
        let source = match only {
            Some((Sign::Inserted, SetCursor::File(cursor))) => Source::One(Box::new(cursor)),
            only => {
                cursors.extend(only);
                Source::Several(Box::new(Merge::new(
                    cursors,
                    permutation,
                    prefix.len(),
                    columns,
                    Sign::Inserted,
                )))
            }
        };
        Ok(Self {
            source,
            rows_read: 0,
            _snapshot: Arc::clone(snapshot),
        })
    }

    /// The next rows, at least one and at most 1024 of them; `None` when there are no more.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn next_block(&mut self) -> Result<Option<&ScanBlock>> {
        let block = match &mut self.source {
            Source::One(cursor) => cursor.next_block()?,
            Source::Several(merge) => merge.next_block()?,
        };
        if let Some(block) = block {
            self.rows_read += block.rows() as u64;
        }
        Ok(block)
    }

    /// Skips forward, never back, to the first row whose columns after the prefix, in the order of the permutation,
    /// are not below `key`; they are compared on as many columns as the key has.
    ///
    /// # Errors
    /// A block is damaged.
    pub fn seek(&mut self, key: &[TermId]) -> Result<()> {
        match &mut self.source {
            Source::One(cursor) => cursor.seek(key),
            Source::Several(merge) => merge.seek(key),
        }
    }

    /// The rows not yet read or skipped.
    pub fn remaining(&self) -> u64 {
        match &self.source {
            Source::One(cursor) => cursor.remaining(),
            Source::Several(merge) => merge.remaining(),
        }
    }

    /// The blocks decoded so far, in whole or in part.
    pub fn blocks_decoded(&self) -> u64 {
        match &self.source {
            Source::One(cursor) => cursor.blocks_decoded(),
            Source::Several(merge) => merge.blocks_decoded(),
        }
    }

    /// The rows given so far.
    pub fn rows_read(&self) -> u64 {
        self.rows_read
    }
}
