//! A run, written: the quads in every permutation, and their statistics.
//!
//! The first permutation is written from the sorted quads; each other one is made from the first, which by then is
//! compressed on disk, so no copy of all quads needs to be kept.

use super::parse::lock;
use super::quads::{NewQuads, Row, RowSorter};
use super::report::LoadOptions;
use crate::diagnostics::{Error, Result};
use crate::storage::block::BLOCK_ROWS;
use crate::storage::index::{IndexFile, IndexWriter};
use crate::storage::layout::{self, FileNumber};
use crate::storage::permutation::{Permutation, Quad};
use crate::storage::run::stored_permutations;
use crate::storage::statistics::{PredicateStatistics, RunStatistics, StoreStatistics};
use crate::term::TermId;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

/// A run that was written.
pub struct WrittenRun {
    /// The number of its quads.
    pub quads: u64,
    /// The graph of all its quads, if it is but one.
    pub graph: Option<TermId>,
}

/// What is counted while the rows of a permutation pass by.
#[derive(Default)]
struct Tally {
    last: Option<Row>,
    rows: u64,
    distinct_first: u64,
    /// For each id of the first column: rows, and distinct ids of the second. Kept only where it is asked for.
    groups: Vec<(TermId, u64, u64)>,
    keeps_groups: bool,
}

impl Tally {
    /// A tally for a permutation; only predicates are few enough to count by each of them.
    fn new(permutation: Permutation) -> Self {
        Self {
            keeps_groups: matches!(permutation, Permutation::Psog | Permutation::Posg),
            ..Self::default()
        }
    }

    #[inline]
    fn add(&mut self, row: &Row) {
        let new_first = self.last.is_none_or(|last| last[0] != row[0]);
        self.rows += 1;
        self.distinct_first += u64::from(new_first);
        if self.keeps_groups {
            let new_second = new_first || self.last.is_some_and(|last| last[1] != row[1]);
            if new_first {
                self.groups.push((row[0], 0, 0));
            }
            if let Some((_, rows, distinct)) = self.groups.last_mut() {
                *rows += 1;
                *distinct += u64::from(new_second);
            }
        }
        self.last = Some(*row);
    }
}

/// Writes the files of a run; `None` when there are no new quads.
///
/// # Errors
/// Writing failed.
pub fn write(
    location: &Path,
    number: FileNumber,
    quads: NewQuads,
    options: &LoadOptions,
) -> Result<Option<WrittenRun>> {
    let path = layout::index_path(location, number, Permutation::Spog);
    let (first_tally, graph) = write_first(&path, quads)?;
    if first_tally.rows == 0 {
        std::fs::remove_file(&path)
            .map_err(|e| Error::io(format_args!("cannot remove {}", path.display()), e))?;
        return Ok(None);
    }
    let quads = first_tally.rows;
    let index = IndexFile::open(&path, Permutation::Spog)?;
    let mut tallies = HashMap::from([(Permutation::Spog, first_tally)]);
    tallies.extend(write_others(location, number, &index, graph, options)?);
    let statistics = statistics(&tallies)?;
    statistics.write(&layout::statistics_path(location, number))?;
    Ok(Some(WrittenRun { quads, graph }))
}

fn write_first(path: &Path, mut quads: NewQuads) -> Result<(Tally, Option<TermId>)> {
    let mut writer = IndexWriter::create(path, Permutation::Spog)?;
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
    location: &Path,
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
        loop {
            let Some(permutation) = lock(&todo).pop() else {
                return;
            };
            let path = layout::index_path(location, number, permutation);
            let sorter = RowSorter::new(location, memory_bytes_max, index.rows());
            let outcome = write_other(&path, permutation, index, sorter);
            lock(&done).push(outcome.map(|tally| (permutation, tally)));
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
    path: &Path,
    permutation: Permutation,
    index: &IndexFile,
    mut sorter: RowSorter<'_>,
) -> Result<Tally> {
    for_each_quad(index, |quad| sorter.push(permutation.arrange(&quad)))?;
    let mut rows = sorter.finish()?;
    let mut writer = IndexWriter::create(path, permutation)?;
    let mut tally = Tally::new(permutation);
    while let Some(row) = rows.next()? {
        tally.add(&row);
        writer.push(row)?;
    }
    writer.finish()?;
    Ok(tally)
}

fn for_each_quad(index: &IndexFile, mut each: impl FnMut(Quad) -> Result<()>) -> Result<()> {
    let mut columns = [[TermId::UNBOUND; BLOCK_ROWS]; 4];
    let rows = index.rows() as usize;
    for block in 0..rows.div_ceil(BLOCK_ROWS) {
        let view = index.verified_block(block)?;
        let rows = BLOCK_ROWS.min(rows - block * BLOCK_ROWS);
        for (place, ids) in columns.iter_mut().enumerate() {
            let column = view
                .column(place)
                .and_then(|column| column.decode(0..rows, ids));
            column.ok_or_else(|| index.nonsense(block))?;
        }
        for row in 0..rows {
            each(columns.each_ref().map(|ids| ids[row]))?;
        }
    }
    Ok(())
}

fn statistics(tallies: &HashMap<Permutation, Tally>) -> Result<RunStatistics> {
    let tally = |permutation: Permutation| {
        tallies
            .get(&permutation)
            .ok_or_else(|| Error::internal("a permutation was not written"))
    };
    let mut predicates: HashMap<TermId, PredicateStatistics> = HashMap::new();
    for &(predicate, quads, distinct_subjects) in &tally(Permutation::Psog)?.groups {
        let counts = predicates.entry(predicate).or_default();
        counts.quads = quads;
        counts.distinct_subjects = distinct_subjects;
    }
    for &(predicate, _, distinct_objects) in &tally(Permutation::Posg)?.groups {
        let counts = predicates.entry(predicate).or_default();
        counts.distinct_objects = distinct_objects;
    }
    let spog = tally(Permutation::Spog)?;
    let totals = StoreStatistics {
        quads: spog.rows,
        distinct_subjects: spog.distinct_first,
        distinct_predicates: 0,
        distinct_objects: tally(Permutation::Ospg)?.distinct_first,
    };
    Ok(RunStatistics::new(totals, predicates))
}
