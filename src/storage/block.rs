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

    /// The place of the first row that is not below `key` (or, with `after`, that is above it), where the rows are
    /// compared on as many leading columns as the key has. `None` when the block makes no sense.
    pub fn search(&self, key: &[TermId], after: bool) -> Option<usize> {
        let (mut low, mut high) = (0, self.rows);
        for (place, &id) in key.iter().enumerate() {
            (low, high) = self.equal_range(place, id, low, high)?;
            if low == high {
                break;
            }
        }
        Some(if after { high } else { low })
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
        fn search_agrees_with_a_naive_one(
            mut rows in proptest::collection::btree_set(proptest::array::uniform4(0..6_u64), 1..300),
            key in proptest::collection::vec(0..7_u64, 0..=4),
            after in any::<bool>(),
        ) {
            let rows: Vec<[u64; 4]> = std::mem::take(&mut rows).into_iter().collect();
            let columns: [Vec<TermId>; 4] =
                std::array::from_fn(|c| rows.iter().map(|r| TermId::from_bits(r[c])).collect());
            let mut words = Vec::new();
            encode_block(&columns, &mut words);
            let ids: Vec<TermId> = key.iter().map(|&k| TermId::from_bits(k)).collect();
            let below = |row: &&[u64; 4]| {
                let row = &row[..key.len()];
                row < &key[..] || (after && row == &key[..])
            };
            let found = BlockView::new(&words, rows.len()).search(&ids, after);
            prop_assert_eq!(found, Some(rows.iter().filter(below).count()));
        }
    }
}
