//! Reading everything, and naming what is wrong.
//!
//! Of each set of quads every block of every permutation is read: its checksum, the order of the rows, that all
//! permutations hold the same quads and the statistics count them. Of the dictionary every page is read, and every term is
//! looked up both ways. Of the runs together each quad must sum up to one or nothing. What the log holds was verified when
//! the store was opened.

use super::block::BLOCK_ROWS;
use super::dictionary::{Dictionary, Layer};
use super::permutation::{ColumnMask, Permutation, Quad, QuadColumn};
use super::quad_files::{QuadFiles, stored_permutations};
use super::run::QuadSet;
use super::snapshot::Snapshot;
use super::tally::{Tally, statistics};
use crate::diagnostics::{Error, Result};
use crate::term::{Tag, TermId};
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The problems that a report lists; more are only counted.
const PROBLEMS_MAX: usize = 100;

/// What was read, and what is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct VerifyReport {
    /// The quads of the store.
    pub quads: u64,
    /// The terms of the dictionary.
    pub terms: u64,
    /// The bytes on disk.
    pub bytes: u64,
    /// The first problems, each with the file and place where it is known.
    pub problems: Vec<String>,
    /// The number of all problems.
    pub problem_count: u64,
}

impl VerifyReport {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.problem_count == 0
    }

    /// The report of what cannot be read at all.
    pub(super) fn of_problem(problem: &Error) -> Self {
        Self {
            problems: vec![problem.to_string()],
            problem_count: 1,
            ..Self::default()
        }
    }

    /// Counts an error as a problem.
    pub(super) fn note(&mut self, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.problem_count += 1;
            if self.problems.len() < PROBLEMS_MAX {
                self.problems.push(error.to_string());
            }
        }
    }
}

/// Reads all of a state.
pub fn verify(snapshot: &Arc<Snapshot>) -> VerifyReport {
    let mut report = VerifyReport {
        quads: snapshot.quad_count(),
        bytes: snapshot.disk_bytes(),
        ..VerifyReport::default()
    };
    for (_, set) in snapshot.sets() {
        if let QuadSet::Files(files) = set {
            verify_files(files, Some(snapshot.dictionary()), &mut report);
        }
    }
    report.note(verify_sums(snapshot));
    for layer in snapshot.dictionary().layers() {
        if let Layer::File(segment) = layer {
            report.note(segment.verify());
        }
    }
    for tag in Tag::STORED {
        let len = snapshot.dictionary().len(tag);
        report.terms += len;
        for number in 0..len {
            let outcome = verify_term(snapshot, TermId::new(tag, number));
            report.note(outcome);
        }
    }
    report
}

/// What is the same whatever the order of the rows.
#[derive(Default, PartialEq, Eq)]
struct Digest {
    rows: u64,
    sum: u64,
}

impl Digest {
    fn add(&mut self, quad: &Quad) {
        self.rows += 1;
        let hash = foldhash::quality::FixedState::default().hash_one(quad);
        self.sum = self.sum.wrapping_add(hash);
    }
}

/// Reads every permutation of a set, with the dictionary of its terms if that is whole.
pub fn verify_files(files: &QuadFiles, dictionary: Option<&Dictionary>, report: &mut VerifyReport) {
    let problems_before = report.problem_count;
    let mut tallies = HashMap::new();
    let mut first: Option<Digest> = None;
    for permutation in stored_permutations(files.graph()) {
        let mut tally = Tally::new(permutation);
        match verify_permutation(files, permutation, dictionary, &mut tally) {
            Ok(digest) => {
                let agrees = first.as_ref().is_none_or(|first| *first == digest);
                if !agrees {
                    report.note(Err(files.contradiction(permutation, "it holds other quads")));
                }
                first.get_or_insert(digest);
            }
            Err(error) => report.note(Err(error)),
        }
        tallies.insert(permutation, tally);
    }
    if report.problem_count == problems_before
        && statistics(&tallies).ok().as_ref() != Some(files.statistics())
    {
        let what = "the statistics count other quads";
        report.note(Err(files.contradiction(Permutation::Spog, what)));
    }
}

fn verify_permutation(
    files: &QuadFiles,
    permutation: Permutation,
    dictionary: Option<&Dictionary>,
    tally: &mut Tally,
) -> Result<Digest> {
    let order = files.order(permutation);
    let index = order.map(|order| order.index());
    let index = index.ok_or_else(|| files.contradiction(permutation, "it is missing"))?;
    let mut digest = Digest::default();
    let mut last: Option<[TermId; 4]> = None;
    let mut ids = [[TermId::UNBOUND; BLOCK_ROWS]; 4];
    for block in 0..(index.rows() as usize).div_ceil(BLOCK_ROWS) {
        let rows = index.decode_block(block, &mut ids)?;
        for place in 0..rows {
            let row = ids.each_ref().map(|ids| ids[place]);
            if last.is_some_and(|last| last >= row) {
                return Err(files.contradiction(permutation, "its rows are not in order"));
            }
            last = Some(row);
            tally.add(&row);
            let mut quad = [TermId::UNBOUND; 4];
            for (column, id) in permutation.columns().into_iter().zip(row) {
                quad[column as usize] = id;
            }
            if permutation == Permutation::Spog {
                verify_ids(files, &quad, dictionary)?;
            }
            digest.add(&quad);
        }
    }
    Ok(digest)
}

/// Checks that the dictionary has the ids of a quad, and that the quad is where the set says.
fn verify_ids(files: &QuadFiles, quad: &Quad, dictionary: Option<&Dictionary>) -> Result<()> {
    let is_known = |id: &TermId| {
        let tag = id.tag();
        let has = |dictionary: &Dictionary| id.number() < dictionary.len(tag);
        !id.is_local() && (!tag.is_stored() || dictionary.is_none_or(has))
    };
    let graph = quad[QuadColumn::Graph as usize];
    if !quad.iter().all(is_known) || files.graph().is_some_and(|g| g != graph) {
        return Err(files.contradiction(
            Permutation::Spog,
            format_args!("the quad {quad:?} has ids that cannot be there"),
        ));
    }
    Ok(())
}

/// Checks that the runs sum up: no tombstone without its quad, no quad twice.
fn verify_sums(snapshot: &Arc<Snapshot>) -> Result<()> {
    let mut scan = snapshot.scan(Permutation::Spog, &[], ColumnMask::NONE)?;
    let mut rows = 0;
    while let Some(block) = scan.next_block()? {
        rows += block.rows() as u64;
    }
    if rows != snapshot.quad_count() {
        return Err(Error::corruption(format!(
            "the runs of the store do not sum up: {rows} quads are alive and {} are counted; restore the store from a backup",
            snapshot.quad_count()
        )));
    }
    Ok(())
}

fn verify_term(snapshot: &Snapshot, id: TermId) -> Result<()> {
    let dictionary = snapshot.dictionary();
    let mut key = Vec::new();
    dictionary.resolve(id, &mut key)?;
    dictionary.key(id, &mut key)?;
    match dictionary.find(id.tag(), &key)? {
        Some(found) if found == id => Ok(()),
        found => Err(Error::corruption(format!(
            "the dictionary finds {found:?} for the term of {id:?}; restore the store from a backup"
        ))),
    }
}
