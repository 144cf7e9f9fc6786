//! Joining with a right side that is run again for each large piece of the left, restricted to the piece's bindings.
//!
//! The pieces grow, so that a query with a LIMIT reads little and a large left side is taken in few pieces. Where seeds
//! may be unbound, a piece is cut by which of them are: what the right gives for an unbound seed would be compatible
//! with rows that bind it, too.

use super::context::{Charge, SeedTable, distinct_rows};
use super::hash_join::needs_partner;
use super::join_table::JoinTable;
use super::probe::Probe;
use super::ramp::Ramp;
use super::{BoxedOperator, ExecContext, Operator, build, places};
use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::plan::{JoinSpec, Node, Plan, SeedSlot, VarId};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// The rows of the largest piece, about.
const ROWS_MAX: usize = 1 << 17;

/// The running join.
pub struct SeededJoin {
    cx: Rc<ExecContext>,
    left: BoxedOperator,
    right: Plan,
    slot: SeedSlot,
    seeds: Vec<VarId>,
    seed_columns: Vec<usize>,
    /// Those of the seed columns that may be unbound.
    loose_columns: Vec<usize>,
    join: JoinSpec,
    probe: Probe,
    row_by_row: bool,
    waiting: Batch,
    ramp: Ramp,
    piece: VecDeque<Batch>,
    /// Pieces that were cut off and wait.
    pieces: VecDeque<VecDeque<Batch>>,
    table: Option<JoinTable>,
    charge: Option<Charge>,
}

impl SeededJoin {
    /// The join of a plan node.
    ///
    /// # Errors
    /// As [`build`].
    pub fn new(plan: &Plan, cx: &Rc<ExecContext>) -> Result<Self> {
        let Node::SeededJoin {
            left,
            right,
            slot,
            seeds,
            row_by_row,
            join,
        } = &plan.node
        else {
            return Err(Error::internal("a seeded join was made of another node"));
        };
        let is_loose = |&v: &VarId| !left.certain.contains(v);
        let loose: Vec<VarId> = seeds.iter().copied().filter(is_loose).collect();
        Ok(Self {
            cx: Rc::clone(cx),
            left: build(left, cx)?,
            right: (**right).clone(),
            slot: *slot,
            seeds: seeds.clone(),
            seed_columns: places(seeds, &left.schema),
            loose_columns: places(&loose, &left.schema),
            join: join.clone(),
            probe: Probe::new(join, &left.schema, &right.schema, &plan.schema, cx)?,
            row_by_row: *row_by_row,
            waiting: Batch::default(),
            ramp: Ramp::up_to(ROWS_MAX),
            piece: VecDeque::new(),
            pieces: VecDeque::new(),
            table: None,
            charge: None,
        })
    }

    /// Takes the next piece of the left and runs the right for it; false at the end.
    fn next_piece(&mut self) -> Result<bool> {
        // The old table is freed before the new one is made.
        self.table = None;
        if !self.fill_piece()? {
            return Ok(false);
        }
        let pieces = self.piece.make_contiguous();
        let rows = distinct_rows(pieces, &self.seed_columns);
        let table = SeedTable {
            variables: self.seeds.clone(),
            rows,
        };
        self.cx.set_seed(self.slot, table);
        let right = build(&self.right, &self.cx)?;
        let table = JoinTable::build(right, &self.right.schema, &self.join, &self.cx)?;
        if table.rows().is_empty() && needs_partner(&self.join.kind) {
            self.piece.clear();
        }
        self.table = Some(table);
        Ok(true)
    }

    fn fill_piece(&mut self) -> Result<bool> {
        if self.row_by_row {
            return self.fill_rows();
        }
        if self.pieces.is_empty() {
            self.charge = None;
            let mut charge = self.cx.charge(0)?;
            let mut rows = 0;
            let mut piece = VecDeque::new();
            while rows < self.ramp.rows() {
                match self.left.next()? {
                    Some(batch) => {
                        charge.grow(batch.bytes())?;
                        rows += batch.rows();
                        piece.push_back(batch);
                    }
                    None => break,
                }
            }
            self.ramp.grow();
            self.cut(piece);
            self.charge = Some(charge);
        }
        self.piece = self.pieces.pop_front().unwrap_or_default();
        Ok(!self.piece.is_empty())
    }

    /// Cuts a piece by which of its seeds are bound.
    fn cut(&mut self, piece: VecDeque<Batch>) {
        if self.loose_columns.is_empty() {
            self.pieces.push_back(piece);
            return;
        }
        let mut cut: BTreeMap<Vec<bool>, VecDeque<Batch>> = BTreeMap::new();
        for batch in piece {
            let mut rows: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
            for row in 0..batch.rows() {
                let columns = self.loose_columns.iter().map(|&c| batch.column(c));
                let bound = columns.map(|column| column[row].is_bound()).collect();
                rows.entry(bound).or_default().push(row as u32);
            }
            for (bound, rows) in rows {
                cut.entry(bound).or_default().push_back(batch.select(&rows));
            }
        }
        self.pieces.extend(cut.into_values());
    }

    /// A piece of one row; the rest of its batch waits.
    fn fill_rows(&mut self) -> Result<bool> {
        if self.waiting.is_empty() {
            match self.left.next()? {
                Some(batch) => self.waiting = batch,
                None => return Ok(false),
            }
        }
        self.piece.push_back(self.waiting.slice(0, 1));
        self.waiting = self.waiting.slice(1, usize::MAX);
        Ok(true)
    }
}

impl Operator for SeededJoin {
    fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            self.cx.control.check()?;
            if let Some(table) = &self.table {
                match self.probe.next(table, &self.cx)? {
                    Some(batch) if batch.is_empty() => continue,
                    Some(batch) => return Ok(Some(batch)),
                    None => {}
                }
                if let Some(batch) = self.piece.pop_front() {
                    self.probe.start(batch);
                    continue;
                }
            }
            if !self.next_piece()? {
                return Ok(None);
            }
        }
    }
}
