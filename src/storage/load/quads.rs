//! Quads in order, whatever their number: sorted in memory as far as they fit, in pieces on disk beyond.

use super::chunk::{ids_from_bytes, ids_to_bytes};
use super::report::LoadOptions;
use super::terms::MappedChunk;
use crate::diagnostics::Result;
use crate::storage::permutation::{ColumnMask, Permutation, Quad, QuadColumn};
use crate::storage::scan::Scan;
use crate::storage::snapshot::Snapshot;
use crate::storage::spool::{Spool, SpoolReader};
use crate::term::TermId;
use rayon::slice::ParallelSliceMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;
use std::sync::Arc;

/// A row of a permutation.
pub type Row = [TermId; 4];

/// Sorts rows in bounded memory.
pub struct RowSorter<'l> {
    location: &'l Path,
    rows: Vec<Row>,
    rows_max: usize,
    pieces: Vec<SpoolReader>,
}

impl<'l> RowSorter<'l> {
    /// A sorter that takes this much memory; what does not fit goes to files in the store's directory. About
    /// `rows_expected` rows will come.
    pub fn new(location: &'l Path, memory_bytes_max: usize, rows_expected: u64) -> Self {
        Self::with_memory(Vec::new(), location, memory_bytes_max, rows_expected)
    }

    /// A sorter like that of [`Self::new`] in memory that another one has had: fresh pages are dear.
    pub fn with_memory(
        mut rows: Vec<Row>,
        location: &'l Path,
        memory_bytes_max: usize,
        rows_expected: u64,
    ) -> Self {
        let rows_max = (memory_bytes_max / size_of::<Row>()).max(1024);
        let expected = usize::try_from(rows_expected).unwrap_or(usize::MAX);
        rows.clear();
        rows.reserve_exact(expected.min(rows_max));
        Self {
            location,
            rows,
            rows_max,
            pieces: Vec::new(),
        }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Writing failed.
    #[inline]
    pub fn push(&mut self, row: Row) -> Result<()> {
        if self.rows.len() == self.rows_max {
            self.spill()?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        self.rows.par_sort_unstable();
        let mut spool = Spool::new(self.location, 0);
        for row in self.rows.drain(..) {
            spool.write(&ids_to_bytes(&row))?;
        }
        self.pieces.push(spool.read()?);
        Ok(())
    }

    /// The rows in order; equal ones follow each other.
    ///
    /// # Errors
    /// Writing or reading failed.
    pub fn finish(mut self) -> Result<SortedRows> {
        if self.pieces.is_empty() {
            self.rows.par_sort_unstable();
            return Ok(SortedRows::Memory {
                rows: self.rows,
                next: 0,
            });
        }
        self.spill()?;
        let mut heads = BinaryHeap::new();
        for (piece, reader) in self.pieces.iter_mut().enumerate() {
            if let Some(row) = read_row(reader)? {
                heads.push(Reverse((row, piece)));
            }
        }
        Ok(SortedRows::Pieces {
            heads,
            readers: self.pieces,
            memory: self.rows,
        })
    }
}

fn read_row(reader: &mut SpoolReader) -> Result<Option<Row>> {
    let mut bytes = [0; 32];
    Ok(reader
        .read_exact(&mut bytes)?
        .then(|| ids_from_bytes(&bytes)))
}

/// Rows in order.
pub enum SortedRows {
    /// All in memory, and the place of the next.
    Memory { rows: Vec<Row>, next: usize },
    /// The next row of each sorted piece, the pieces, and the memory in which they were sorted.
    Pieces {
        heads: BinaryHeap<Reverse<(Row, usize)>>,
        readers: Vec<SpoolReader>,
        memory: Vec<Row>,
    },
}

impl SortedRows {
    /// The next row.
    ///
    /// # Errors
    /// Reading failed.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Row>> {
        match self {
            Self::Memory { rows, next } => {
                let row = rows.get(*next).copied();
                *next += 1;
                Ok(row)
            }
            Self::Pieces { heads, readers, .. } => {
                let Some(mut top) = heads.peek_mut() else {
                    return Ok(None);
                };
                let Reverse((row, piece)) = *top;
                match read_row(&mut readers[piece])? {
                    Some(next) => *top = Reverse((next, piece)),
                    None => drop(std::collections::binary_heap::PeekMut::pop(top)),
                }
                Ok(Some(row))
            }
        }
    }

    /// The memory of the rows, for another sorter.
    pub fn into_memory(self) -> Vec<Row> {
        match self {
            Self::Memory { rows, .. } => rows,
            Self::Pieces { memory, .. } => memory,
        }
    }
}

/// The new quads of a load, distinct and in order.
pub struct NewQuads {
    rows: SortedRows,
    last: Option<Quad>,
    known: Option<KnownQuads>,
}

impl NewQuads {
    /// All of some rows.
    pub fn of(rows: SortedRows) -> Self {
        Self {
            rows,
            last: None,
            known: None,
        }
    }

    /// The next quad that no older run holds.
    ///
    /// # Errors
    /// Reading failed, or an older run is damaged.
    pub fn next(&mut self) -> Result<Option<Quad>> {
        while let Some(quad) = self.rows.next()? {
            if self.last == Some(quad) {
                continue;
            }
            self.last = Some(quad);
            let is_known = match &mut self.known {
                Some(known) => known.contains(&quad)?,
                None => false,
            };
            if !is_known {
                return Ok(Some(quad));
            }
        }
        Ok(None)
    }
}

/// The quads of the older runs, read alongside the new ones.
struct KnownQuads {
    scan: Scan,
    rows: Vec<Quad>,
    is_over: bool,
}

impl KnownQuads {
    /// Whether an older run holds a quad; quads are asked for in order.
    fn contains(&mut self, quad: &Quad) -> Result<bool> {
        while !self.is_over && self.rows.last().is_none_or(|last| last < quad) {
            self.scan.seek(quad)?;
            self.rows.clear();
            match self.scan.next_block()? {
                Some(block) => {
                    let columns = QuadColumn::ALL.map(|column| block.column(column));
                    let row = |place: usize| columns.map(|column| column[place]);
                    self.rows.extend((0..block.rows()).map(row));
                }
                None => self.is_over = true,
            }
        }
        Ok(self.rows.binary_search(quad).is_ok())
    }
}

/// Sorts the quads of chunks, those left out that a snapshot holds.
///
/// # Errors
/// Reading or writing failed, or an older run is damaged.
pub fn sort(
    location: &Path,
    before: &Arc<Snapshot>,
    chunks: Vec<MappedChunk>,
    quads_read: u64,
    options: &LoadOptions,
) -> Result<NewQuads> {
    let mut sorter = RowSorter::new(location, options.memory_bytes_max / 2, quads_read);
    for chunk in chunks {
        chunk.for_each_quad(|quad| sorter.push(quad))?;
    }
    let known = if before.quad_count() == 0 {
        None
    } else {
        Some(KnownQuads {
            scan: before.scan(Permutation::Spog, &[], ColumnMask::ALL)?,
            rows: Vec::new(),
            is_over: false,
        })
    };
    Ok(NewQuads {
        rows: sorter.finish()?,
        last: None,
        known,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_in_memory_or_in_pieces_and_in_used_memory() {
        let dir = tempfile::tempdir().unwrap();
        let mut memory = Vec::new();
        for rows in [10_u64, 5000, 0, 1023, 3000] {
            let rows_of = |i: u64| [i * 7 % rows, i % 3, i, 0].map(TermId::from_bits);
            let mut sorter =
                RowSorter::with_memory(std::mem::take(&mut memory), dir.path(), 0, rows);
            (0..rows).for_each(|i| sorter.push(rows_of(i)).unwrap());
            let mut sorted = sorter.finish().unwrap();
            let mut expected: Vec<Row> = (0..rows).map(rows_of).collect();
            expected.sort_unstable();
            let found: Vec<Row> = std::iter::from_fn(|| sorted.next().unwrap()).collect();
            assert!(found == expected, "{rows} rows");
            memory = sorted.into_memory();
        }
    }
}
