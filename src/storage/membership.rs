//! Which of many quads a state holds.
//!
//! The quads are sorted, and so are the rows of every set, so both are walked side by side: rows far apart are found by
//! steps that double, and those of one block are found in it, however many they are.

use super::gallop::gallop;
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
            rest = &rest[gallop(0, rest.len(), |row| rest[row] < *quad)..];
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
        let block = cursor.block();
        row = gallop(row, block.rows(), |row| quad_at(block, row) < *quad);
        if quad_at(block, row) == *quad {
            found(place);
        }
    }
    Ok(())
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
