//! One side of a hash join in memory: its rows, chained by the hash of their key.

use super::context::{Charge, ExecContext, QueryControl};
use super::row_set::hash_row;
use super::{BoxedOperator, places};
use crate::batch::Batch;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::plan::VarId;
use crate::term::TermId;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::rc::Rc;

/// The end of a chain.
const END: u32 = u32::MAX;

/// The rows that are chained between two looks at the limits of the query.
const CHECKED_ROWS: usize = 1 << 16;

/// Rows by key. Without key columns all rows are in one chain.
pub struct JoinTable {
    rows: Batch,
    keys: Vec<usize>,
    /// The first row of each distinct key.
    heads: HashTable<u32>,
    /// For each row the next one with the same key.
    next: Vec<u32>,
    _charge: Charge,
}

impl JoinTable {
    /// Takes in all rows of an input.
    ///
    /// # Errors
    /// As [`super::Operator::next`].
    pub fn build(
        mut input: BoxedOperator,
        schema: &[VarId],
        keys: &[VarId],
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        let mut rows = Batch::empty(schema.len());
        let mut charge = cx.charge(0)?;
        while let Some(batch) = input.next()? {
            cx.control.check()?;
            charge.grow(batch.bytes() + batch.rows() * 16)?;
            rows.append(&batch);
        }
        if rows.rows() >= END as usize {
            return Err(Error::new(
                ErrorKind::MemoryLimit,
                "one side of a join has more than four thousand million rows; narrow the query",
            ));
        }
        let mut table = Self {
            keys: places(keys, schema),
            heads: HashTable::with_capacity(rows.rows()),
            next: vec![END; rows.rows()],
            rows,
            _charge: charge,
        };
        table.chain(&cx.control)?;
        Ok(table)
    }

    /// Chains the rows, last to first, so that each chain runs in order of arrival.
    fn chain(&mut self, control: &QueryControl) -> Result<()> {
        let columns: Vec<&[TermId]> = self.keys.iter().map(|&c| self.rows.column(c)).collect();
        for row in (0..self.rows.rows()).rev() {
            if row.is_multiple_of(CHECKED_ROWS) {
                control.check()?;
            }
            let hash = hash_row(columns.iter().map(|c| c[row]));
            let equal = |&n: &u32| columns.iter().all(|c| c[n as usize] == c[row]);
            let rehash = |&n: &u32| hash_row(columns.iter().map(|c| c[n as usize]));
            match self.heads.entry(hash, equal, rehash) {
                Entry::Occupied(mut head) => {
                    self.next[row] = std::mem::replace(head.get_mut(), row as u32);
                }
                Entry::Vacant(free) => {
                    free.insert(row as u32);
                }
            }
        }
        Ok(())
    }

    /// The rows whose key equals that of a row of other columns.
    #[inline]
    pub fn matches(&self, columns: &[&[TermId]], row: usize) -> Matches<'_> {
        let hash = hash_row(columns.iter().map(|c| c[row]));
        let equal = |&n: &u32| {
            let mut pairs = self.keys.iter().zip(columns);
            pairs.all(|(&k, c)| self.rows.column(k)[n as usize] == c[row])
        };
        Matches {
            table: self,
            at: self.heads.find(hash, equal).copied().unwrap_or(END),
        }
    }

    /// Its rows.
    pub fn rows(&self) -> &Batch {
        &self.rows
    }

    /// The chain from a row on.
    pub fn chain_from(&self, row: Option<u32>) -> Matches<'_> {
        Matches {
            table: self,
            at: row.unwrap_or(END),
        }
    }
}

/// A chain of rows.
pub struct Matches<'a> {
    table: &'a JoinTable,
    at: u32,
}

impl Matches<'_> {
    /// The row that comes next, if any.
    pub fn peek(&self) -> Option<u32> {
        (self.at != END).then_some(self.at)
    }
}

impl Iterator for Matches<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let row = self.peek()?;
        self.at = self.table.next[row as usize];
        Some(row)
    }
}
