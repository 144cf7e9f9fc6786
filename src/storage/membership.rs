//! Which of many quads a state holds.
//!
//! The quads are sorted, and so are the rows of every set, so both are walked side by side: rows far apart are found by
//! steps that double, and those of one block are found in it, however many they are.

use super::merge::SetCursor;
use super::permutation::{ColumnMask, Permutation, Quad, QuadColumn};
use super::run::QuadSet;
use super::scan::ScanBlock;
use super::snapshot::Snapshot;
use crate::diagnostics::Result;

/// For each of some sorted quads, whether a state holds it.
///
/// # Errors
/// A block is damaged.
pub fn held(snapshot: &Snapshot, quads: &[Quad]) -> Result<Vec<bool>> {
    let mut sums = vec![0; quads.len()];
    for (sign, set) in snapshot.sets() {
        for_each_held(set, quads, |place| sums[place] += sign.value())?;
    }
    Ok(sums.into_iter().map(|sum| sum > 0).collect())
}

/// Gives the places of the quads that a set has.
fn for_each_held(set: &QuadSet, quads: &[Quad], mut found: impl FnMut(usize)) -> Result<()> {
    if let Some(arrays) = set.arrays() {
        let mut rest = arrays.quads();
        for (place, quad) in quads.iter().enumerate() {
            rest = &rest[steps_to(rest, quad)..];
            if rest.first() == Some(quad) {
                found(place);
            }
        }
        return Ok(());
    }
    let mut cursor = set.cursor(0..set.len(), Permutation::Spog, &[], ColumnMask::ALL)?;
    let mut row = 0;
    for (place, quad) in quads.iter().enumerate() {
        if !is_within(cursor.block(), quad) {
            if !seek(&mut cursor, quad)? {
                break;
            }
            row = 0;
        }
        row = row_of(cursor.block(), row, quad);
        if quad_at(cursor.block(), row) == *quad {
            found(place);
        }
    }
    Ok(())
}

/// The number of rows below a quad.
fn steps_to(rows: &[Quad], quad: &Quad) -> usize {
    let mut step = 1;
    while step < rows.len() && rows[step] < *quad {
        step *= 2;
    }
    let start = step / 2;
    let end = (step + 1).min(rows.len());
    start + rows[start.min(end)..end].partition_point(|row| row < quad)
}

/// Moves on to the first row that is not below a quad, which its block then begins with; `false` when there is none.
fn seek(cursor: &mut SetCursor, quad: &Quad) -> Result<bool> {
    cursor.seek(quad)?;
    Ok(cursor.next_block()?.is_some())
}

/// Whether the last row of a block is not below a quad.
fn is_within(block: &ScanBlock, quad: &Quad) -> bool {
    let last = block.rows().checked_sub(1);
    last.is_some_and(|last| quad_at(block, last) >= *quad)
}

fn quad_at(block: &ScanBlock, row: usize) -> Quad {
    QuadColumn::ALL.map(|column| block.column(column)[row])
}

/// The first row of a block, at or after another, that is not below a quad; there is one.
fn row_of(block: &ScanBlock, from: usize, quad: &Quad) -> usize {
    let (mut low, mut high) = (from, block.rows() - 1);
    while low < high {
        let middle = low.midpoint(high);
        if quad_at(block, middle) < *quad {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
