//! One side of a hash join in memory: its rows in parts by which loose variables they bind, each part chained by the
//! hash of what a left row has in common with it.
//!
//! Loose variables are shared, but may be unbound on either side. A left row and the rows of a part agree on the keys and
//! on those loose variables that both bind; by these the part is chained when the first such row comes. Only the first
//! few loose variables are looked up so: whether the others are compatible, the asker has to see.

use super::context::{Charge, ExecContext, QueryControl};
use super::row_set::hash_row;
use super::{BoxedOperator, places};
use crate::batch::Batch;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::plan::{JoinSpec, VarId};
use crate::term::TermId;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// The end of a chain.
const END: u32 = u32::MAX;

/// The rows that are chained between two looks at the limits of the query.
const CHECKED_ROWS: usize = 1 << 16;

/// The loose variables that rows are looked up by.
const LOOSE_MAX: usize = 4;

/// A set of loose variables, a bit for each.
type Bound = usize;

/// Rows by key. Without key columns all rows are in one chain.
pub struct JoinTable {
    cx: Rc<ExecContext>,
    rows: Batch,
    keys: Vec<usize>,
    loose: Vec<usize>,
    parts: Vec<Part>,
    _charge: Charge,
}

/// Rows that bind the same loose variables.
struct Part {
    bound: Bound,
    rows: Range<usize>,
    /// By the loose variables that are part of the key.
    chains: Vec<OnceCell<Chains>>,
}

/// The rows of a part, chained by some columns.
struct Chains {
    columns: Vec<usize>,
    /// The first row of each distinct key.
    heads: HashTable<u32>,
    /// For each row of the part the next one with the same key.
    next: Vec<u32>,
    _charge: Charge,
}

/// The columns by which rows of the other side are looked up.
pub struct Lookup<'a> {
    /// Those of the keys.
    pub keys: Vec<&'a [TermId]>,
    /// Those of the loose variables.
    pub loose: Vec<&'a [TermId]>,
}

/// Where the partners of a row go on: in a part, at a row.
pub type Place = (usize, u32);

impl JoinTable {
    /// Takes in all rows of an input.
    ///
    /// # Errors
    /// As [`super::Operator::next`].
    pub fn build(
        mut input: BoxedOperator,
        schema: &[VarId],
        join: &JoinSpec,
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        let mut rows = Batch::empty(schema.len());
        let mut charge = cx.charge(0)?;
        while let Some(batch) = input.next()? {
            cx.control.check()?;
            charge.grow(batch.bytes())?;
            rows.append(&batch);
        }
        if rows.rows() >= END as usize {
            return Err(Error::new(
                ErrorKind::MemoryLimit,
                "one side of a join has more than four thousand million rows; narrow the query",
            ));
        }
        let mut loose = places(&join.loose, schema);
        loose.truncate(LOOSE_MAX);
        let mut table = Self {
            cx: Rc::clone(cx),
            keys: places(&join.keys, schema),
            loose,
            parts: Vec::new(),
            rows,
            _charge: charge,
        };
        table.part();
        Ok(table)
    }

    /// Orders the rows by the loose variables that they bind.
    fn part(&mut self) {
        let columns: Vec<&[TermId]> = self.loose.iter().map(|&c| self.rows.column(c)).collect();
        let bound: Vec<Bound> = match columns.is_empty() {
            true => Vec::new(),
            false => (0..self.rows.rows())
                .map(|row| bound(&columns, row))
                .collect(),
        };
        let of_row = |row: usize| bound.get(row).copied().unwrap_or(0);
        let mut order: Vec<u32> = Vec::new();
        if !bound.is_sorted() {
            order.extend(0..self.rows.rows() as u32);
            order.sort_by_key(|&row| of_row(row as usize));
        }
        let mut start = 0;
        while start < self.rows.rows() {
            let at = |place: usize| of_row(order.get(place).map_or(place, |&row| row as usize));
            let end = match bound.is_empty() {
                true => self.rows.rows(),
                false => {
                    let rest = start..self.rows.rows();
                    rest.clone()
                        .find(|&place| at(place) != at(start))
                        .unwrap_or(rest.end)
                }
            };
            self.parts.push(Part {
                bound: at(start),
                rows: start..end,
                chains: (0..1 << self.loose.len())
                    .map(|_| OnceCell::new())
                    .collect(),
            });
            start = end;
        }
        if !order.is_empty() {
            self.rows = self.rows.select(&order);
        }
    }

    /// The rows that may be compatible with a row of other columns.
    ///
    /// # Errors
    /// The query has to end while rows are chained.
    #[inline]
    pub fn matches<'a>(&'a self, lookup: &'a Lookup<'a>, row: usize) -> Result<Matches<'a>> {
        let bound = bound(&lookup.loose[..self.loose.len()], row);
        for part in &self.parts {
            let chains = &part.chains[part.bound & bound];
            if chains.get().is_none() {
                // Nobody else set it meanwhile: the table belongs to one thread, and chaining asks it nothing.
                let _ = chains.set(self.chain(part, part.bound & bound)?);
            }
        }
        let mut matches = self.matches_from(lookup, row, (0, END));
        matches.at = matches.head(0);
        Ok(matches)
    }

    /// The same from a place on that [`Matches::place`] told.
    pub fn matches_from<'a>(
        &'a self,
        lookup: &'a Lookup<'a>,
        row: usize,
        (part, at): Place,
    ) -> Matches<'a> {
        Matches {
            table: self,
            lookup,
            bound: bound(&lookup.loose[..self.loose.len()], row),
            row,
            part,
            at,
        }
    }

    /// Its rows.
    pub fn rows(&self) -> &Batch {
        &self.rows
    }

    fn chain(&self, part: &Part, common: Bound) -> Result<Chains> {
        let loose = self.loose.iter().enumerate();
        let loose = loose
            .filter(|(i, _)| common & (1 << i) != 0)
            .map(|(_, &c)| c);
        let columns = self.keys.iter().copied().chain(loose).collect();
        let charge = self.cx.charge(part.rows.len() * 16)?;
        Chains::new(&self.rows, &part.rows, columns, &self.cx.control, charge)
    }
}

/// Which of some columns are bound in a row.
#[inline]
fn bound(columns: &[&[TermId]], row: usize) -> Bound {
    let bits = columns.iter().enumerate();
    bits.fold(0, |bound, (i, column)| {
        bound | usize::from(column[row].is_bound()) << i
    })
}

impl Chains {
    /// Chains the rows, last to first, so that each chain runs in order of arrival.
    fn new(
        rows: &Batch,
        range: &Range<usize>,
        columns: Vec<usize>,
        control: &QueryControl,
        charge: Charge,
    ) -> Result<Self> {
        let mut heads = HashTable::with_capacity(range.len());
        let mut next = vec![END; range.len()];
        let keys: Vec<&[TermId]> = columns.iter().map(|&c| rows.column(c)).collect();
        for row in range.clone().rev() {
            if row.is_multiple_of(CHECKED_ROWS) {
                control.check()?;
            }
            let hash = hash_row(keys.iter().map(|c| c[row]));
            let equal = |&n: &u32| keys.iter().all(|c| c[n as usize] == c[row]);
            let rehash = |&n: &u32| hash_row(keys.iter().map(|c| c[n as usize]));
            match heads.entry(hash, equal, rehash) {
                Entry::Occupied(mut head) => {
                    next[row - range.start] = std::mem::replace(head.get_mut(), row as u32);
                }
                Entry::Vacant(free) => {
                    free.insert(row as u32);
                }
            }
        }
        Ok(Self {
            columns,
            heads,
            next,
            _charge: charge,
        })
    }
}

/// The rows that may be compatible with one row, part by part.
pub struct Matches<'a> {
    table: &'a JoinTable,
    lookup: &'a Lookup<'a>,
    /// The loose variables that the row binds.
    bound: Bound,
    row: usize,
    part: usize,
    at: u32,
}

impl Matches<'_> {
    /// Where they go on.
    pub fn place(&self) -> Place {
        (self.part, self.at)
    }

    /// The chains of a part by what the row has in common with it.
    fn chains(&self, part: usize) -> Option<&Chains> {
        let part = self.table.parts.get(part)?;
        part.chains[part.bound & self.bound].get()
    }

    /// The first row of a part that has the row's key.
    #[inline]
    fn head(&self, part: usize) -> u32 {
        let Some(chains) = self.chains(part) else {
            return END;
        };
        let common = self.table.parts[part].bound & self.bound;
        let loose = self.lookup.loose[..self.table.loose.len()]
            .iter()
            .enumerate();
        let loose = loose
            .filter(|(i, _)| common & (1 << i) != 0)
            .map(|(_, c)| c);
        let key = || {
            self.lookup
                .keys
                .iter()
                .chain(loose.clone())
                .map(|c| c[self.row])
        };
        let equal = |&n: &u32| {
            let mut pairs = chains.columns.iter().zip(key());
            pairs.all(|(&c, id)| self.table.rows.column(c)[n as usize] == id)
        };
        chains
            .heads
            .find(hash_row(key()), equal)
            .copied()
            .unwrap_or(END)
    }
}

impl Iterator for Matches<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.at == END {
            self.part += 1;
            if self.part >= self.table.parts.len() {
                return None;
            }
            self.at = self.head(self.part);
        }
        let (row, start) = (self.at, self.table.parts[self.part].rows.start);
        self.at = self
            .chains(self.part)
            .map_or(END, |chains| chains.next[row as usize - start]);
        Some(row)
    }
}
