//! Joining with a right side that is run again for each large piece of the left, restricted to the piece's bindings.
//!
//! The pieces grow, so that a query with a LIMIT reads little and a large left side is taken in few pieces.

use super::context::{Charge, SeedTable, distinct_rows};
use super::hash_join::needs_partner;
use super::join_table::JoinTable;
use super::probe::Probe;
use super::{BoxedOperator, ExecContext, Operator, build, places};
use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::plan::{JoinSpec, Node, Plan, SeedSlot, VarId};
use std::collections::VecDeque;
use std::rc::Rc;

/// The rows of the first piece.
const FIRST_ROWS: usize = 256;
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
    join: JoinSpec,
    probe: Probe,
    row_by_row: bool,
    waiting: Batch,
    piece_rows: usize,
    piece: VecDeque<Batch>,
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
        Ok(Self {
            cx: Rc::clone(cx),
            left: build(left, cx)?,
            right: (**right).clone(),
            slot: *slot,
            seeds: seeds.clone(),
            seed_columns: places(seeds, &left.schema),
            join: join.clone(),
            probe: Probe::new(join, &left.schema, &right.schema, &plan.schema, cx)?,
            row_by_row: *row_by_row,
            waiting: Batch::default(),
            piece_rows: FIRST_ROWS,
            piece: VecDeque::new(),
            table: None,
            charge: None,
        })
    }

    /// Takes the next piece of the left and runs the right for it; false at the end.
    fn next_piece(&mut self) -> Result<bool> {
        // The old table is freed before the new one is made.
        self.table = None;
        self.charge = None;
        if !self.fill_piece()? {
            return Ok(false);
        }
        let pieces = self.piece.make_contiguous();
        let bytes = pieces.iter().map(Batch::bytes).sum();
        self.charge = Some(self.cx.charge(bytes)?);
        let rows = distinct_rows(pieces, &self.seed_columns);
        let table = SeedTable {
            variables: self.seeds.clone(),
            rows,
        };
        self.cx.set_seed(self.slot, table);
        let right = build(&self.right, &self.cx)?;
        let table = JoinTable::build(right, &self.right.schema, &self.join.keys, &self.cx)?;
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
        let mut rows = 0;
        while rows < self.piece_rows {
            match self.left.next()? {
                Some(batch) => {
                    rows += batch.rows();
                    self.piece.push_back(batch);
                }
                None => break,
            }
        }
        self.piece_rows = (self.piece_rows * 8).min(ROWS_MAX);
        Ok(rows > 0)
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
