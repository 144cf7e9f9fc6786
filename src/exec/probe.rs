//! Running rows past a [`JoinTable`]: what becomes of a left row that has, or has not, a compatible partner.
//!
//! Rows are compatible when they agree on the keys and, for variables that may be unbound, when either side is unbound
//! or both agree (SPARQL 1.1 Query, section 18.3).

use super::extend::boolean_ids;
use super::filter::Tests;
use super::join_table::{JoinTable, Lookup, Place};
use super::{ExecContext, places};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::Result;
use crate::plan::{JoinKind, JoinSpec, VarId};
use crate::term::TermId;
use std::rc::Rc;

/// In place of a right row that a left row does not have.
const NO_ROW: u32 = u32::MAX;

/// The pairs that are looked at between two looks at the limits of the query.
pub(super) const CHECKED_PAIRS: u64 = 1 << 16;

/// A left batch on its way past the table.
struct Passing {
    batch: Batch,
    row: usize,
    /// Where the partners of the present row go on, once they were begun.
    place: Option<Place>,
    /// Which left rows have a partner, where conditions decide it late.
    matched: Vec<bool>,
    has_partner: bool,
}

/// The probing half of a hash join.
pub struct Probe {
    kind: JoinKind,
    keys: Vec<usize>,
    loose: Vec<(usize, usize)>,
    left_width: usize,
    right_columns: Vec<usize>,
    tests: Option<Tests>,
    booleans: [TermId; 2],
    passing: Option<Passing>,
    /// The pairs that were looked at.
    pub(super) pairs: u64,
}

impl Probe {
    /// How rows of `left` meet rows of `right`, giving the columns `output`.
    ///
    /// # Errors
    /// A condition does not compile.
    pub fn new(
        join: &JoinSpec,
        left: &[VarId],
        right: &[VarId],
        output: &[VarId],
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        let loose_left = places(&join.loose, left);
        let loose_right = places(&join.loose, right);
        let right_columns = match join.kind {
            JoinKind::Inner | JoinKind::Left => places(&output[left.len()..], right),
            _ => Vec::new(),
        };
        let tests = match join.conditions.is_empty() {
            true => None,
            false => Some(Tests::compile(&join.conditions, output, cx)?),
        };
        Ok(Self {
            kind: join.kind.clone(),
            keys: places(&join.keys, left),
            loose: loose_left.into_iter().zip(loose_right).collect(),
            left_width: left.len(),
            right_columns,
            tests,
            booleans: boolean_ids(cx)?,
            passing: None,
            pairs: 0,
        })
    }

    /// Takes a left batch.
    pub fn start(&mut self, batch: Batch) {
        let matched = match self.tests {
            Some(_) => vec![false; batch.rows()],
            None => Vec::new(),
        };
        self.passing = Some(Passing {
            batch,
            row: 0,
            place: None,
            matched,
            has_partner: false,
        });
    }

    /// The next rows of the batch that was taken; `None` when it has passed.
    ///
    /// # Errors
    /// A condition met a storage failure.
    pub fn next(&mut self, table: &JoinTable, cx: &Rc<ExecContext>) -> Result<Option<Batch>> {
        let Some(mut passing) = self.passing.take() else {
            return Ok(None);
        };
        match self.kind {
            JoinKind::Inner | JoinKind::Left => {
                if passing.row < passing.batch.rows() {
                    let joined = self.next_pairs(&mut passing, table, cx)?;
                    self.passing = Some(passing);
                    return Ok(Some(joined));
                }
                Ok(self.late_rows(&passing, table))
            }
            _ => Ok(Some(self.decide(&passing.batch, table, cx)?)),
        }
    }

    /// Pairs until the batch is full or the left batch has passed; may be empty.
    fn next_pairs(
        &mut self,
        passing: &mut Passing,
        table: &JoinTable,
        cx: &Rc<ExecContext>,
    ) -> Result<Batch> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let batch = &passing.batch;
        let lookup = self.lookup(batch);
        let pads = self.kind == JoinKind::Left && self.tests.is_none();
        while passing.row < batch.rows() {
            let row = passing.row;
            let mut partners = match passing.place.take() {
                None => table.matches(&lookup, row)?,
                Some(place) => table.matches_from(&lookup, row, place),
            };
            for partner in partners.by_ref() {
                self.look(cx)?;
                if self.is_compatible(batch, row, table, partner) {
                    left.push(row as u32);
                    right.push(partner);
                    passing.has_partner = true;
                    if left.len() >= 2 * BATCH_ROWS {
                        break;
                    }
                }
            }
            if left.len() >= 2 * BATCH_ROWS {
                passing.place = Some(partners.place());
                break;
            }
            if pads && !passing.has_partner {
                left.push(row as u32);
                right.push(NO_ROW);
            }
            passing.has_partner = false;
            passing.row += 1;
            if left.len() >= BATCH_ROWS {
                break;
            }
        }
        let joined = self.gather(batch, table.rows(), &left, &right);
        let Some(tests) = &mut self.tests else {
            return Ok(joined);
        };
        let kept = tests.pass(&joined, cx)?;
        for &place in &kept {
            passing.matched[left[place as usize] as usize] = true;
        }
        Ok(joined.select(&kept))
    }

    /// The left rows for which no condition held, once all pairs were tested.
    fn late_rows(&self, passing: &Passing, table: &JoinTable) -> Option<Batch> {
        if self.kind != JoinKind::Left || self.tests.is_none() {
            return None;
        }
        let alone = |&row: &u32| !passing.matched[row as usize];
        let left: Vec<u32> = (0..passing.batch.rows() as u32).filter(alone).collect();
        let right = vec![NO_ROW; left.len()];
        Some(self.gather(&passing.batch, table.rows(), &left, &right))
    }

    /// Semi, anti, minus and mark joins: one decision for each row.
    fn decide(&mut self, batch: &Batch, table: &JoinTable, cx: &Rc<ExecContext>) -> Result<Batch> {
        let lookup = self.lookup(batch);
        let decided: Result<Vec<bool>> = (0..batch.rows())
            .map(|row| self.has_partner(batch, &lookup, row, table, cx))
            .collect();
        let has_partner = decided?;
        if let JoinKind::Mark(_) = self.kind {
            let marks = has_partner
                .into_iter()
                .map(|has| self.booleans[usize::from(has)]);
            let mut batch = batch.clone();
            batch.push_column(marks.collect());
            return Ok(batch);
        }
        let wanted = self.kind == JoinKind::Semi;
        let kept: Vec<u32> = (0..batch.rows() as u32)
            .filter(|&row| has_partner[row as usize] == wanted)
            .collect();
        Ok(batch.select(&kept))
    }

    fn has_partner(
        &mut self,
        batch: &Batch,
        lookup: &Lookup<'_>,
        row: usize,
        table: &JoinTable,
        cx: &Rc<ExecContext>,
    ) -> Result<bool> {
        for partner in table.matches(lookup, row)? {
            self.look(cx)?;
            if self.is_compatible(batch, row, table, partner)
                && (self.kind != JoinKind::Minus || self.shares(batch, row, table, partner))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts a pair, and asks now and then whether the query is still wanted: pairs that do not fit make no row.
    fn look(&mut self, cx: &Rc<ExecContext>) -> Result<()> {
        self.pairs += 1;
        match self.pairs.is_multiple_of(CHECKED_PAIRS) {
            true => cx.control.check(),
            false => Ok(()),
        }
    }

    /// The columns of a left batch by which its partners are looked up.
    fn lookup<'a>(&self, batch: &'a Batch) -> Lookup<'a> {
        Lookup {
            keys: self.keys.iter().map(|&c| batch.column(c)).collect(),
            loose: self.loose.iter().map(|&(l, _)| batch.column(l)).collect(),
        }
    }

    fn is_compatible(&self, batch: &Batch, row: usize, table: &JoinTable, partner: u32) -> bool {
        self.loose.iter().all(|&(l, r)| {
            let left = batch.column(l)[row];
            let right = table.rows().column(r)[partner as usize];
            left == right || !left.is_bound() || !right.is_bound()
        })
    }

    /// Whether two compatible rows have a bound variable in common.
    fn shares(&self, batch: &Batch, row: usize, table: &JoinTable, partner: u32) -> bool {
        !self.keys.is_empty()
            || self.loose.iter().any(|&(l, r)| {
                batch.column(l)[row].is_bound()
                    && table.rows().column(r)[partner as usize].is_bound()
            })
    }

    fn gather(&self, left: &Batch, right: &Batch, left_rows: &[u32], right_rows: &[u32]) -> Batch {
        let right_value = |c: usize, row: u32| match row {
            NO_ROW => TermId::UNBOUND,
            row => right.column(c)[row as usize],
        };
        let mut columns: Vec<Vec<TermId>> = Vec::new();
        for c in 0..self.left_width {
            let column = left.column(c);
            let own = left_rows.iter().map(|&row| column[row as usize]);
            // Where the left may be unbound the right's value fills in.
            match self.loose.iter().find(|(l, _)| *l == c) {
                Some(&(_, r)) => {
                    let filled = own.zip(right_rows).map(|(id, &row)| match id.is_bound() {
                        true => id,
                        false => right_value(r, row),
                    });
                    columns.push(filled.collect());
                }
                None => columns.push(own.collect()),
            }
        }
        for &c in &self.right_columns {
            columns.push(right_rows.iter().map(|&row| right_value(c, row)).collect());
        }
        Batch::new(columns, left_rows.len())
    }
}
