//! Joining by look-up: the keys of many left rows are sorted, and one scan skips from key to key.
//!
//! The rows come out in the order of the left. When optional, left rows without a partner come out with the right's
//! columns unbound.

use super::context::Charge;
use super::ramp::Ramp;
use super::row_filter::RowFilter;
use super::scan::output_columns;
use super::{BoxedOperator, ExecContext, Operator, build, places};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::{Error, Result};
use crate::plan::{Node, Plan, ScanPlan};
use crate::storage::{ColumnMask, QuadColumn, ScanBlock, gallop};
use crate::term::TermId;
use std::ops::Range;
use std::rc::Rc;

/// The left rows that are looked up together at most, about.
const ROWS_MAX: usize = 16_384;
/// The most key columns: subject, predicate, object and graph.
const KEYS_MAX: usize = 4;
/// In place of a right row that a left row does not have.
const NO_ROW: u32 = u32::MAX;

type Key = [TermId; KEYS_MAX];

/// The running join.
pub struct IndexJoin {
    cx: Rc<ExecContext>,
    left: BoxedOperator,
    scan: ScanPlan,
    number: usize,
    key_places: Vec<usize>,
    key_columns: Vec<QuadColumn>,
    outputs: Vec<QuadColumn>,
    mask: ColumnMask,
    optional: bool,
    ramp: Ramp,
    piece: Option<Piece>,
}

/// Left rows with the right rows that were found for them.
struct Piece {
    left: Batch,
    /// For each left row the place of its key among the ranges.
    key_of: Vec<u32>,
    /// For each distinct key its right rows.
    ranges: Vec<Range<u32>>,
    right: Vec<Vec<TermId>>,
    row: usize,
    /// How many partners of the present row were handed on.
    done: u32,
    _charge: Charge,
}

impl IndexJoin {
    /// The join of a plan node.
    ///
    /// # Errors
    /// As [`build`].
    pub fn new(plan: &Plan, cx: &Rc<ExecContext>) -> Result<Self> {
        let Node::IndexJoin {
            left,
            scan,
            keys,
            optional,
        } = &plan.node
        else {
            return Err(Error::internal("an index join was made of another node"));
        };
        let after = &scan.permutation.columns()[scan.prefix.len()..];
        let key_columns = after[..keys.len()].to_vec();
        let outputs = output_columns(scan, &plan.schema[left.schema.len()..]);
        let mask = key_columns.iter().chain(&outputs).copied();
        let mask = mask.fold(ColumnMask::NONE, ColumnMask::with);
        Ok(Self {
            cx: Rc::clone(cx),
            left: build(left, cx)?,
            scan: scan.clone(),
            number: plan.number,
            key_places: places(keys, &left.schema),
            key_columns,
            outputs,
            mask: RowFilter::new(scan).columns(mask),
            optional: *optional,
            ramp: Ramp::up_to(ROWS_MAX),
            piece: None,
        })
    }

    fn next_piece(&mut self) -> Result<Option<Piece>> {
        let Some(mut left) = self.left.next()? else {
            return Ok(None);
        };
        while left.rows() < self.ramp.rows() {
            match self.left.next()? {
                Some(more) => left.append(&more),
                None => break,
            }
        }
        self.ramp.grow();
        let (keys, key_of) = self.distinct_keys(&left);
        let mut charge = self.cx.charge(left.bytes() + keys.len() * 48)?;
        let Found { ranges, right, .. } = self.look_up(&keys, &mut charge)?;
        Ok(Some(Piece {
            left,
            key_of,
            ranges,
            right,
            row: 0,
            done: 0,
            _charge: charge,
        }))
    }

    /// The distinct keys in order, and which of them each row has.
    fn distinct_keys(&self, left: &Batch) -> (Vec<Key>, Vec<u32>) {
        let columns: Vec<&[TermId]> = self.key_places.iter().map(|&c| left.column(c)).collect();
        let key = |row: usize| {
            let mut key = [TermId::MIN; KEYS_MAX];
            for (place, column) in key.iter_mut().zip(&columns) {
                *place = column[row];
            }
            key
        };
        let mut rows: Vec<(Key, u32)> =
            (0..left.rows()).map(|row| (key(row), row as u32)).collect();
        if !rows.is_sorted() {
            rows.sort_unstable();
        }
        let mut keys: Vec<Key> = Vec::new();
        let mut key_of = vec![0; left.rows()];
        for (key, row) in rows {
            if keys.last() != Some(&key) {
                keys.push(key);
            }
            key_of[row as usize] = keys.len() as u32 - 1;
        }
        (keys, key_of)
    }

    /// Walks one scan over sorted keys.
    fn look_up(&self, keys: &[Key], charge: &mut Charge) -> Result<Found> {
        let width = self.key_columns.len();
        let mut scan =
            self.cx
                .snapshot
                .scan(self.scan.permutation, &self.scan.prefix, self.mask)?;
        let mut found = Found::new(keys.len(), &self.outputs, RowFilter::new(&self.scan));
        let mut at = 0;
        while at < keys.len() {
            self.cx.control.check()?;
            scan.seek(&keys[at][..width])?;
            let Some(block) = scan.next_block()? else {
                break;
            };
            let before = found.rows;
            at = found.take(block, &self.key_columns, keys, at);
            let ids = (found.rows - before) as usize * self.outputs.len();
            charge.grow(ids * size_of::<TermId>())?;
        }
        if let Some(profiler) = &self.cx.profiler {
            profiler.add_reads(self.number, scan.rows_read(), scan.blocks_decoded());
        }
        Ok(found)
    }

    fn emit(&self, piece: &mut Piece) -> Batch {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        while piece.row < piece.left.rows() && left.len() < BATCH_ROWS {
            let range = &piece.ranges[piece.key_of[piece.row] as usize];
            if self.optional && range.start == range.end {
                left.push(piece.row as u32);
                right.push(NO_ROW);
            }
            let start = range.start + piece.done;
            let end = range.end.min(start.saturating_add(BATCH_ROWS as u32));
            left.resize(left.len() + (end - start) as usize, piece.row as u32);
            right.extend(start..end);
            if end == range.end {
                piece.row += 1;
                piece.done = 0;
            } else {
                piece.done += end - start;
            }
        }
        let mut columns: Vec<Vec<TermId>> = Vec::new();
        for column in piece.left.columns() {
            columns.push(left.iter().map(|&row| column[row as usize]).collect());
        }
        for column in &piece.right {
            let value = |&row: &u32| column.get(row as usize).copied().unwrap_or(TermId::UNBOUND);
            columns.push(right.iter().map(value).collect());
        }
        Batch::new(columns, left.len())
    }
}

/// The right rows found so far, in the order of the keys.
struct Found {
    ranges: Vec<Range<u32>>,
    right: Vec<Vec<TermId>>,
    rows: u32,
    outputs: Vec<QuadColumn>,
    filter: RowFilter,
}

impl Found {
    fn new(keys: usize, outputs: &[QuadColumn], filter: RowFilter) -> Self {
        Self {
            ranges: vec![0..0; keys],
            right: vec![Vec::new(); outputs.len()],
            rows: 0,
            outputs: outputs.to_vec(),
            filter,
        }
    }

    /// Takes the rows of a block whose key is among `keys[at..]`. Gives the key to go on with: it may have more rows
    /// in the next block.
    fn take(
        &mut self,
        block: &ScanBlock,
        columns: &[QuadColumn],
        keys: &[Key],
        mut at: usize,
    ) -> usize {
        let columns: Vec<&[TermId]> = columns.iter().map(|&c| block.column(c)).collect();
        let compare = |row: usize, key: &Key| {
            let own = columns.iter().map(|column| column[row]);
            own.cmp(key[..columns.len()].iter().copied())
        };
        let mut row = 0;
        while at < keys.len() {
            row = gallop(row, block.rows(), |r| compare(r, &keys[at]).is_lt());
            let end = gallop(row, block.rows(), |r| compare(r, &keys[at]).is_eq());
            self.copy(block, row..end, at);
            if end == block.rows() {
                break;
            }
            row = end;
            at += 1;
        }
        at
    }

    fn copy(&mut self, block: &ScanBlock, rows: Range<usize>, key: usize) {
        let start = self.rows;
        if self.filter.keeps_all() {
            for (column, &output) in self.right.iter_mut().zip(&self.outputs) {
                column.extend_from_slice(&block.column(output)[rows.clone()]);
            }
            self.rows += rows.len() as u32;
        } else {
            for row in rows {
                if self.filter.keeps(block, row) {
                    for (column, &output) in self.right.iter_mut().zip(&self.outputs) {
                        column.push(block.column(output)[row]);
                    }
                    self.rows += 1;
                }
            }
        }
        let range = &mut self.ranges[key];
        if range.start == range.end {
            range.start = start;
        }
        range.end = self.rows;
    }
}

impl Operator for IndexJoin {
    fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            self.cx.control.check()?;
            if let Some(mut piece) = self.piece.take()
                && piece.row < piece.left.rows()
            {
                let batch = self.emit(&mut piece);
                self.piece = Some(piece);
                if !batch.is_empty() {
                    return Ok(Some(batch));
                }
                continue;
            }
            self.piece = self.next_piece()?;
            if self.piece.is_none() {
                return Ok(None);
            }
        }
    }

    fn seek(&mut self, key: TermId) -> Result<()> {
        match self.optional {
            true => Ok(()),
            false => self.left.seek(key),
        }
    }
}
