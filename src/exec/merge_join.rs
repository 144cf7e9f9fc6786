//! Joining two inputs that are sorted on the same variable by walking them together.
//!
//! Each side skips to the other's next key, so that scans leave blocks without a partner undecoded. The rows come out
//! in the order of the left side. When optional, left rows without a partner come out with the right's columns unbound.

use super::context::Charge;
use super::ramp::Ramp;
use super::{BoxedOperator, ExecContext, Operator, build, places};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::{Error, Result};
use crate::plan::{Node, Plan};
use crate::storage::gallop;
use crate::term::TermId;
use std::ops::Range;
use std::rc::Rc;

/// In place of a right row that a left row does not have.
const NO_ROW: u32 = u32::MAX;

/// One input with the batch at hand.
struct Side {
    input: BoxedOperator,
    batch: Batch,
    at: usize,
    key: usize,
    ended: bool,
    /// For a batch that has grown with the rows of one key.
    charge: Option<Charge>,
}

impl Side {
    fn new(input: BoxedOperator, key: usize) -> Self {
        Self {
            input,
            batch: Batch::default(),
            at: 0,
            key,
            ended: false,
            charge: None,
        }
    }

    fn is_at_end_of_batch(&self) -> bool {
        self.at >= self.batch.rows()
    }

    /// Gets the next batch when this one is used up; false at the end.
    fn fill(&mut self) -> Result<bool> {
        if self.is_at_end_of_batch() && !self.ended {
            match self.input.next()? {
                Some(batch) => {
                    self.batch = batch;
                    self.at = 0;
                    self.charge = None;
                }
                None => self.ended = true,
            }
        }
        Ok(!self.is_at_end_of_batch())
    }

    fn key(&self) -> TermId {
        self.batch.column(self.key)[self.at]
    }

    /// The place of the first row of this batch whose key is not below `key`.
    fn first_not_below(&self, key: TermId) -> usize {
        let keys = self.batch.column(self.key);
        gallop(self.at, keys.len(), |row| keys[row] < key)
    }

    /// Where the rows with the present key end, with all of them in the batch at hand.
    fn end_of_key(&mut self, cx: &Rc<ExecContext>) -> Result<usize> {
        let key = self.key();
        let mut end = self.at + 1;
        loop {
            let keys = self.batch.column(self.key);
            while end < keys.len() && keys[end] == key {
                end += 1;
            }
            if end < keys.len() || self.ended {
                return Ok(end);
            }
            cx.control.check()?;
            let Some(more) = self.input.next()? else {
                self.ended = true;
                continue;
            };
            if self.at > 0 {
                self.batch = self.batch.slice(self.at, usize::MAX);
                end -= self.at;
                self.at = 0;
            }
            self.batch.append(&more);
            let charge = match &mut self.charge {
                Some(charge) => charge,
                None => self.charge.insert(cx.charge(0)?),
            };
            charge.grow_to(self.batch.bytes())?;
        }
    }

    fn will_change_batch(&self) -> bool {
        let keys = &self.batch.column(self.key)[self.at..];
        keys.first() == keys.last() && !self.ended
    }
}

/// The running join.
pub struct MergeJoin {
    cx: Rc<ExecContext>,
    left: Side,
    right: Side,
    others: Vec<(usize, usize)>,
    right_columns: Vec<usize>,
    optional: bool,
    pairs: (Vec<u32>, Vec<u32>),
    /// Pairs of one key that are still to be made: the left rows, and the right rows for each.
    open: Option<(Range<usize>, Range<usize>)>,
    output: Batch,
    ramp: Ramp,
}

impl MergeJoin {
    /// The join of a plan node.
    ///
    /// # Errors
    /// As [`build`].
    pub fn new(plan: &Plan, cx: &Rc<ExecContext>) -> Result<Self> {
        let Node::MergeJoin {
            left,
            right,
            key,
            others,
            optional,
        } = &plan.node
        else {
            return Err(Error::internal("a merge join was made of another node"));
        };
        let left_places = places(others, &left.schema);
        let right_places = places(others, &right.schema);
        Ok(Self {
            cx: Rc::clone(cx),
            left: Side::new(build(left, cx)?, places(&[*key], &left.schema)[0]),
            right: Side::new(build(right, cx)?, places(&[*key], &right.schema)[0]),
            others: left_places.into_iter().zip(right_places).collect(),
            right_columns: places(&plan.schema[left.schema.len()..], &right.schema),
            optional: *optional,
            pairs: Default::default(),
            open: None,
            output: Batch::empty(plan.schema.len()),
            ramp: Ramp::up_to(BATCH_ROWS),
        })
    }

    /// Makes rows of the pairs found, while the batches that they point into are still at hand.
    fn flush(&mut self) {
        let (left_rows, right_rows) = &self.pairs;
        if left_rows.is_empty() {
            return;
        }
        let (left, right) = (&self.left.batch, &self.right.batch);
        let mut columns = Vec::with_capacity(left.columns().len() + self.right_columns.len());
        for column in left.columns() {
            columns.push(left_rows.iter().map(|&i| column[i as usize]).collect());
        }
        for &c in &self.right_columns {
            let column = right.columns().get(c).map_or(&[][..], Vec::as_slice);
            let value = |&i: &u32| column.get(i as usize).copied().unwrap_or(TermId::UNBOUND);
            columns.push(right_rows.iter().map(value).collect());
        }
        self.output.append(&Batch::new(columns, left_rows.len()));
        self.pairs.0.clear();
        self.pairs.1.clear();
    }

    fn is_full(&self) -> bool {
        self.output.rows() + self.pairs.0.len() >= self.ramp.rows()
    }

    /// Makes the pairs of the open key until the batch is full.
    fn pair_up(&mut self, mut left: Range<usize>, right: Range<usize>) {
        while let Some(i) = left.next() {
            let mut found = false;
            for j in right.clone() {
                let agree = |&(l, r): &(usize, usize)| {
                    self.left.batch.column(l)[i] == self.right.batch.column(r)[j]
                };
                if self.others.iter().all(agree) {
                    self.pairs.0.push(i as u32);
                    self.pairs.1.push(j as u32);
                    found = true;
                }
            }
            if self.optional && !found {
                self.pairs.0.push(i as u32);
                self.pairs.1.push(NO_ROW);
            }
            if self.is_full() && !left.is_empty() {
                self.open = Some((left, right));
                return;
            }
        }
        self.left.at = left.end;
        self.right.at = right.end;
    }

    /// Both sides stand on the same key.
    fn meet(&mut self) -> Result<()> {
        if self.left.will_change_batch() || self.right.will_change_batch() {
            self.flush();
        }
        let left_end = self.left.end_of_key(&self.cx)?;
        let right_end = self.right.end_of_key(&self.cx)?;
        self.pair_up(self.left.at..left_end, self.right.at..right_end);
        Ok(())
    }

    /// The left stands on a lower key than the right, or the right has ended.
    fn pass_left(&mut self, key: Option<TermId>) -> Result<()> {
        let end = match key {
            Some(key) => self.left.first_not_below(key),
            None => self.left.batch.rows(),
        };
        if self.optional {
            self.pairs.0.extend(self.left.at as u32..end as u32);
            self.pairs.1.resize(self.pairs.0.len(), NO_ROW);
        }
        self.left.at = end;
        if let (true, Some(key), false) = (self.left.is_at_end_of_batch(), key, self.optional) {
            self.left.input.seek(key)?;
        }
        Ok(())
    }

    fn pass_right(&mut self, key: TermId) -> Result<()> {
        self.right.at = self.right.first_not_below(key);
        if self.right.is_at_end_of_batch() {
            self.right.input.seek(key)?;
        }
        Ok(())
    }

    /// One step of the walk; false at the end.
    fn step(&mut self) -> Result<bool> {
        if let Some((left, right)) = self.open.take() {
            self.pair_up(left, right);
            return Ok(true);
        }
        if self.left.is_at_end_of_batch() || self.right.is_at_end_of_batch() {
            self.flush();
        }
        if !self.left.fill()? {
            return Ok(false);
        }
        if !self.right.fill()? {
            if !self.optional {
                return Ok(false);
            }
            self.pass_left(None)?;
            return Ok(true);
        }
        let (left, right) = (self.left.key(), self.right.key());
        match left.cmp(&right) {
            std::cmp::Ordering::Less => self.pass_left(Some(right))?,
            std::cmp::Ordering::Equal => self.meet()?,
            std::cmp::Ordering::Greater => self.pass_right(left)?,
        }
        Ok(true)
    }
}

impl Operator for MergeJoin {
    fn next(&mut self) -> Result<Option<Batch>> {
        self.cx.control.check()?;
        while !self.is_full() {
            if !self.step()? {
                break;
            }
        }
        self.flush();
        self.ramp.grow();
        let width = self.output.columns().len();
        let batch = std::mem::replace(&mut self.output, Batch::empty(width));
        Ok((!batch.is_empty()).then_some(batch))
    }

    fn seek(&mut self, key: TermId) -> Result<()> {
        self.left.input.seek(key)
    }
}
