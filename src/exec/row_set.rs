//! A set of rows, each with the number of its first arrival: what DISTINCT, GROUP BY and seeds are made of.

use crate::batch::Batch;
use crate::term::TermId;
use hashbrown::HashTable;

/// Distinct rows by column, numbered in order of arrival.
pub struct RowSet {
    columns: Vec<Vec<TermId>>,
    rows: usize,
    table: HashTable<u32>,
}

/// Mixes the ids of a row into a hash.
#[inline]
pub fn hash_row(ids: impl Iterator<Item = TermId>) -> u64 {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for id in ids {
        let product = u128::from(state ^ id.to_bits()) * 0xD6E8_FEB8_6659_FD93;
        state = (product >> 64) as u64 ^ product as u64;
    }
    state ^ state >> 29
}

impl RowSet {
    /// An empty set of rows of some number of columns.
    pub fn new(columns: usize) -> Self {
        Self {
            columns: vec![Vec::new(); columns],
            rows: 0,
            table: HashTable::new(),
        }
    }

    /// The number of distinct rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a row of some columns, if it is new. Gives its number, and whether it was new.
    #[inline]
    pub fn insert(&mut self, columns: &[&[TermId]], row: usize) -> (u32, bool) {
        let own = &self.columns;
        let hash = hash_row(columns.iter().map(|c| c[row]));
        let equal = |&n: &u32| {
            own.iter()
                .zip(columns)
                .all(|(o, c)| o[n as usize] == c[row])
        };
        let rehash = |&n: &u32| hash_row(own.iter().map(|c| c[n as usize]));
        match self.table.entry(hash, equal, rehash) {
            hashbrown::hash_table::Entry::Occupied(known) => (*known.get(), false),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let number = self.rows as u32;
                free.insert(number);
                for (own, column) in self.columns.iter_mut().zip(columns) {
                    own.push(column[row]);
                }
                self.rows += 1;
                (number, true)
            }
        }
    }

    /// The bytes that it takes in memory.
    pub fn bytes(&self) -> usize {
        self.rows * (self.columns.len() * size_of::<TermId>() + 8)
    }

    /// The distinct rows, in order of arrival.
    pub fn into_batch(self) -> Batch {
        Batch::new(self.columns, self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_once() {
        let ids: Vec<TermId> = [5, 6, 5].map(TermId::from_bits).to_vec();
        let mut set = RowSet::new(1);
        let inserted: Vec<_> = (0..3).map(|row| set.insert(&[&ids], row)).collect();
        assert_eq!(inserted, [(0, true), (1, true), (0, false)]);
        assert_eq!(set.into_batch().column(0), &ids[..2]);
    }
}
