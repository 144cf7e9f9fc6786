//! A run, written: the quads in every permutation, and their statistics.
//!
//! The first permutation is written from the sorted quads; each other one is made from the first, which by then is
//! compressed on disk, so no copy of all quads needs to be kept.

use super::parse::lock;
use super::quads::{NewQuads, RowSorter, SortedRows};
use super::report::LoadOptions;
use crate::diagnostics::Result;
use crate::storage::block::BLOCK_ROWS;
use crate::storage::files::Directory;
use crate::storage::index::{IndexFile, IndexWriter};
use crate::storage::layout::{self, FileNumber};
use crate::storage::manifest::SetEntry;
use crate::storage::permutation::{Permutation, Quad};
use crate::storage::quad_files::stored_permutations;
use crate::storage::tally::{Tally, statistics};
use crate::term::TermId;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

/// Writes the files of a run; `None` when there are no new quads.
///
/// # Errors
/// Writing failed.
pub fn write(
    directory: &Directory,
    number: FileNumber,
    quads: NewQuads,
    options: &LoadOptions,
) -> Result<Option<SetEntry>> {
    let path = layout::index_path(directory.location(), number, Permutation::Spog);
    let (first_tally, graph) = write_first(directory, &path, quads)?;
    if first_tally.rows() == 0 {
        layout::remove_numbered(directory, number)?;
        return Ok(None);
    }
    let quads = first_tally.rows();
    let index = IndexFile::open(directory.files(), &path, Permutation::Spog)?;
    let mut tallies = HashMap::from([(Permutation::Spog, first_tally)]);
    tallies.extend(write_others(directory, number, &index, graph, options)?);
    let statistics = statistics(&tallies)?;
    statistics.write(
        directory.files(),
        &layout::statistics_path(directory.location(), number),
    )?;
    Ok(Some(SetEntry {
        number,
        quads,
        graph: graph.map(TermId::to_bits),
    }))
}

fn write_first(
    directory: &Directory,
    path: &Path,
    mut quads: NewQuads,
) -> Result<(Tally, Option<TermId>)> {
    let mut writer = IndexWriter::create(directory.files(), path, Permutation::Spog)?;
    let mut tally = Tally::new(Permutation::Spog);
    let mut first_graph = None;
    let mut is_one_graph = true;
    while let Some(quad) = quads.next()? {
        is_one_graph &= *first_graph.get_or_insert(quad[3]) == quad[3];
        tally.add(&quad);
        writer.push(quad)?;
    }
    writer.finish()?;
    Ok((tally, first_graph.filter(|_| is_one_graph)))
}

/// Writes the other permutations, as many at once as there are threads.
fn write_others(
    directory: &Directory,
    number: FileNumber,
    index: &IndexFile,
    graph: Option<TermId>,
    options: &LoadOptions,
) -> Result<HashMap<Permutation, Tally>> {
    let others = stored_permutations(graph).filter(|&p| p != Permutation::Spog);
    let todo = Mutex::new(others.collect::<Vec<_>>());
    let done = Mutex::new(Vec::new());
    let threads = options.threads.clamp(1, 4);
    let memory_bytes_max = options.memory_bytes_max / (2 * threads);
    let work = || {
        let mut memory = Vec::new();
        loop {
            let Some(permutation) = lock(&todo).pop() else {
                return;
            };
            let path = layout::index_path(directory.location(), number, permutation);
            let sorter = RowSorter::with_memory(
                std::mem::take(&mut memory),
                directory.location(),
                memory_bytes_max,
                index.rows(),
            );
            let outcome = write_other(directory, &path, permutation, index, sorter);
            let outcome = outcome.map(|(tally, rows)| {
                memory = rows.into_memory();
                (permutation, tally)
            });
            lock(&done).push(outcome);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let done = std::mem::take(&mut *lock(&done));
    done.into_iter().collect()
}

fn write_other(
    directory: &Directory,
    path: &Path,
    permutation: Permutation,
    index: &IndexFile,
    mut sorter: RowSorter<'_>,
) -> Result<(Tally, SortedRows)> {
    for_each_quad(index, |quad| sorter.push(permutation.arrange(&quad)))?;
    let mut rows = sorter.finish()?;
    let mut writer = IndexWriter::create(directory.files(), path, permutation)?;
    let mut tally = Tally::new(permutation);
    while let Some(row) = rows.next()? {
        tally.add(&row);
        writer.push(row)?;
    }
    writer.finish()?;
    Ok((tally, rows))
}

fn for_each_quad(index: &IndexFile, mut each: impl FnMut(Quad) -> Result<()>) -> Result<()> {
    let mut columns = [[TermId::UNBOUND; BLOCK_ROWS]; 4];
    for block in 0..(index.rows() as usize).div_ceil(BLOCK_ROWS) {
        for row in 0..index.decode_block(block, &mut columns)? {
            each(columns.each_ref().map(|ids| ids[row]))?;
        }
    }
    Ok(())
}
