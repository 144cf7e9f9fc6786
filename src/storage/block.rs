//! A block: up to 1024 rows of four columns.
//!
//! ```text
//!  word 0    the words of each column, 16 bits each
//!  then      the four columns in the order of the permutation, see `column`
//! ```
//!
//! How many rows it has, where it lies and its checksum stand in the directory of its file, see `index`.

use super::column::{Column, encode_column};
use crate::term::TermId;
use std::ops::Range;

/// The rows of every block but the last of a file.
pub const BLOCK_ROWS: usize = 1024;

/// Appends the words of a block of 1 to 1024 rows, given by column.
pub fn encode_block(columns: &[Vec<TermId>; 4], out: &mut Vec<u64>) {
    let head = out.len();
    out.push(0);
    for (i, column) in columns.iter().enumerate() {
        let start = out.len();
        encode_column(column, out);
        out[head] |= ((out.len() - start) as u64) << (16 * i);
    }
}

/// A block as it lies in its file, its checksum verified.
#[derive(Clone, Copy)]
pub struct BlockView<'a> {
    words: &'a [u64],
    rows: usize,
}

impl<'a> BlockView<'a> {
    /// A view of these words, which hold so many rows.
    pub fn new(words: &'a [u64], rows: usize) -> Self {
        Self { words, rows }
    }

    /// One column, by its place in the permutation; `None` when the block makes no sense.
    #[inline]
    pub fn column(&self, place: usize) -> Option<Column<'a>> {
        let (&head, body) = self.words.split_first()?;
        let len = |i: usize| usize::from((head >> (16 * i)) as u16);
        let start: usize = (0..place).map(len).sum();
        Column::parse(body.get(start..start + len(place))?)
    }

    /// The places of the rows whose leading columns are those of `key`; where there are none, an empty range at the
    /// place of the first row above it. `None` when the block makes no sense.
    pub fn range(&self, key: &[TermId]) -> Option<Range<usize>> {
        let (mut low, mut high) = (0, self.rows);
        for (place, &id) in key.iter().enumerate() {
            (low, high) = self.equal_range(place, id, low, high)?;
            if low == high {
                break;
            }
        }
        Some(low..high)
    }

    /// The rows between `low` and `high`, among which the column is sorted, that have this id. `None` when the block
    /// makes no sense.
    pub fn equal_range(
        &self,
        place: usize,
        id: TermId,
        low: usize,
        high: usize,
    ) -> Option<(usize, usize)> {
        self.column(place)?.equal_range(id, low, high)
    }
}

/// The rows between `low` and `high` of a decoded column, sorted there, that have this id.
pub fn equal_range_of(ids: &[TermId], id: TermId, low: usize, high: usize) -> (usize, usize) {
    let rows = &ids[low..high];
    let start = rows.partition_point(|x| *x < id);
    let end = start + rows[start..].partition_point(|x| *x <= id);
    (low + start, low + end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_agree_with_a_naive_search(
            mut rows in proptest::collection::btree_set(proptest::array::uniform4(0..6_u64), 1..300),
            key in proptest::collection::vec(0..7_u64, 0..=4),
        ) {
            let rows: Vec<[u64; 4]> = std::mem::take(&mut rows).into_iter().collect();
            let columns: [Vec<TermId>; 4] =
                std::array::from_fn(|c| rows.iter().map(|r| TermId::from_bits(r[c])).collect());
            let mut words = Vec::new();
            encode_block(&columns, &mut words);
            let ids: Vec<TermId> = key.iter().map(|&k| TermId::from_bits(k)).collect();
            let low = rows.iter().filter(|row| row[..key.len()] < key[..]).count();
            let high = rows.iter().filter(|row| row[..key.len()] <= key[..]).count();
            let found = BlockView::new(&words, rows.len()).range(&ids);
            prop_assert_eq!(found, Some(low..high));
        }
    }
}
