//! The log: what comes back of it, whole, torn and damaged.

use super::record::{FILE_HEAD_BYTES, Record};
use super::*;
use crate::diagnostics::{ErrorKind, Result};
use crate::storage::dictionary::MemorySegment;
use crate::storage::files::{Directory, OperatingSystem};
use crate::storage::layout;
use crate::storage::permutation::Quad;
use crate::storage::run::{QuadSet, Run, Sign};
use crate::term::{Tag, TermId};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn commit(sequence: u64) -> LoggedCommit {
    let mut terms = MemorySegment::default();
    terms.add(Tag::Iri, format!("http://n/{sequence}").as_bytes());
    let quads = |from: u64, len: u64| {
        let quad = |n| -> Quad { [0, 1, 2, 3].map(|c| TermId::new(Tag::Iri, n * 7 + c)) };
        QuadSet::in_memory((from..from + len).map(quad).collect())
    };
    LoggedCommit {
        sequence,
        next_blank: sequence * 2,
        terms,
        first_terms: [sequence, 0, 0, 0, 0],
        run: Run {
            inserted: quads(sequence, 3),
            deleted: quads(sequence + 10, sequence % 2),
        },
    }
}

fn directory(dir: &Path) -> Directory {
    Directory::new(dir, Arc::new(OperatingSystem))
}

/// Writes commits 1 to 6 in two files, each durable when the next is written.
fn write(dir: &Path, with_mark: bool) {
    let mut log = LogWriter::new(&directory(dir));
    for sequence in 1..=6 {
        log.append(&commit(sequence), sequence - 1).unwrap();
        if sequence == 3 {
            log.end_file();
        }
    }
    if with_mark {
        log.append_mark(6).unwrap();
    }
}

fn read(dir: &Path, after: u64) -> Result<Vec<u64>> {
    let mut sequences = Vec::new();
    read_after(&directory(dir), after, |read| {
        let expected = commit(read.sequence);
        assert_eq!(read.next_blank, expected.next_blank);
        assert_eq!(read.first_terms, expected.first_terms);
        for sign in [Sign::Inserted, Sign::Deleted] {
            assert_eq!(read.run.quads(sign), expected.run.quads(sign));
        }
        let terms = |terms: &MemorySegment| -> Vec<_> {
            terms.keys(Tag::Iri).map(<[u8]>::to_vec).collect()
        };
        assert_eq!(terms(&read.terms), terms(&expected.terms));
        sequences.push(read.sequence);
        Ok(())
    })?;
    Ok(sequences)
}

/// Puts the bytes of a log file in the place of those that are there, and reads the log.
fn read_with(dir: &Path, first: u64, bytes: &[u8]) -> Result<Vec<u64>> {
    fs::write(dir.join(layout::log_name(first)), bytes).unwrap();
    read(dir, 0)
}

#[test]
fn commits_come_back_and_those_that_the_runs_hold_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), true);
    for after in 0..=6 {
        let expected: Vec<_> = (after + 1..=6).collect();
        assert_eq!(read(dir.path(), after).unwrap(), expected);
    }
    assert!(
        read(tempfile::tempdir().unwrap().path(), 4)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_torn_tail_is_left_out_and_the_log_goes_on_after_it() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), false);
    let path = dir.path().join(layout::log_name(4));
    let whole = fs::read(&path).unwrap();
    let mut ends = vec![FILE_HEAD_BYTES];
    while let Some((_, len)) = Record::decode(&whole[ends[ends.len() - 1]..]) {
        ends.push(ends[ends.len() - 1] + len);
    }
    assert_eq!(ends.len(), 4);
    for len in 0..=whole.len() {
        let commits = ends
            .iter()
            .filter(|&&end| end <= len)
            .count()
            .saturating_sub(1);
        let expected: Vec<_> = (1..=3 + commits as u64).collect();
        assert_eq!(
            read_with(dir.path(), 4, &whole[..len]).unwrap(),
            expected,
            "{len}"
        );
        // What was torn off may also have been written in part, later parts before earlier ones.
        let mut holed = whole[..ends[commits]].to_vec();
        holed.resize(len, 0);
        assert_eq!(read_with(dir.path(), 4, &holed).unwrap(), expected, "{len}");
    }
    fs::write(&path, &whole[..ends[2] + 9]).unwrap();
    let mut log = LogWriter::new(&directory(dir.path()));
    log.append(&commit(6), 5).unwrap();
    assert_eq!(read(dir.path(), 0).unwrap(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn every_flipped_byte_of_what_was_acknowledged_is_found() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), true);
    for first in [1, 4] {
        let good = fs::read(dir.path().join(layout::log_name(first))).unwrap();
        let mark = good.len() - 40;
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 0x10;
            match read_with(dir.path(), first, &bad) {
                Err(error) => assert!(
                    matches!(
                        error.kind(),
                        ErrorKind::Corruption | ErrorKind::FormatVersion
                    ),
                    "byte {place}: {error}"
                ),
                // The mark at the end commits nothing.
                Ok(read) => {
                    assert!(first == 4 && place >= mark, "byte {place}");
                    assert_eq!(read, [1, 2, 3, 4, 5, 6]);
                }
            }
        }
        fs::write(dir.path().join(layout::log_name(first)), good).unwrap();
    }
}

#[test]
fn a_commit_that_comes_early_does_not_hide_that_one_before_was_lost() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), false);
    fs::remove_file(dir.path().join(layout::log_name(1))).unwrap();
    assert_eq!(
        read(dir.path(), 0).unwrap_err().kind(),
        ErrorKind::Corruption
    );
    assert_eq!(read(dir.path(), 3).unwrap(), [4, 5, 6]);
}
