//! Solutions in batches: columns of ids.
//!
//! A [`Batch`] is a table of a thousand or a few thousand rows, stored by column. It is what operators hand on and what
//! expressions work on; which variable a column belongs to is known to the operator (its schema), not to the batch.

use crate::term::TermId;

/// The number of rows at which operators hand on a batch; a join may go over it.
pub const BATCH_ROWS: usize = 2048;

/// A table of ids by column. A batch of no columns still has a number of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    columns: Vec<Vec<TermId>>,
    rows: usize,
}

impl Batch {
    /// An empty batch of some number of columns.
    pub fn empty(columns: usize) -> Self {
        Self {
            columns: vec![Vec::new(); columns],
            rows: 0,
        }
    }

    /// The batch of these columns.
    ///
    /// # Panics
    /// When a column has not `rows` values.
    pub fn new(columns: Vec<Vec<TermId>>, rows: usize) -> Self {
        assert!(
            columns.iter().all(|c| c.len() == rows),
            "every column of a batch has the same number of rows"
        );
        Self { columns, rows }
    }

    /// One row without columns: the empty solution mapping.
    pub fn unit() -> Self {
        Self {
            columns: Vec::new(),
            rows: 1,
        }
    }

    /// The number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether it has no rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The columns.
    #[inline]
    pub fn columns(&self) -> &[Vec<TermId>] {
        &self.columns
    }

    /// One column.
    #[inline]
    pub fn column(&self, index: usize) -> &[TermId] {
        &self.columns[index]
    }

    /// The columns, taken out.
    pub fn into_columns(self) -> Vec<Vec<TermId>> {
        self.columns
    }

    /// Adds a column at the end.
    ///
    /// # Panics
    /// When it has not as many values as the batch has rows.
    pub fn push_column(&mut self, column: Vec<TermId>) {
        assert_eq!(column.len(), self.rows, "a new column has every row");
        self.columns.push(column);
    }

    /// Adds a row at the end.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = TermId>) {
        for (column, id) in self.columns.iter_mut().zip(row) {
            column.push(id);
        }
        self.rows += 1;
    }

    /// Adds the rows of another batch of as many columns.
    pub fn append(&mut self, other: &Self) {
        for (column, more) in self.columns.iter_mut().zip(&other.columns) {
            column.extend_from_slice(more);
        }
        self.rows += other.rows;
    }

    /// The rows at these places, in their order; a place may occur twice.
    #[must_use]
    pub fn select(&self, places: &[u32]) -> Self {
        let pick = |c: &Vec<TermId>| places.iter().map(|&i| c[i as usize]).collect();
        Self {
            columns: self.columns.iter().map(pick).collect(),
            rows: places.len(),
        }
    }

    /// The rows from `start` on, at most `len` of them.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        let start = start.min(self.rows);
        let end = start.saturating_add(len).min(self.rows);
        Self {
            columns: self
                .columns
                .iter()
                .map(|c| c[start..end].to_vec())
                .collect(),
            rows: end - start,
        }
    }

    /// The bytes that its ids take in memory.
    pub fn bytes(&self) -> usize {
        self.columns.len() * self.rows * size_of::<TermId>()
    }
}
