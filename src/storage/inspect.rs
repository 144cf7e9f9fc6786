//! Verifying what lies in a directory, whether it can be opened as a store or not.
//!
//! A store that can be opened is verified as a whole, see [`super::verify`]. Where damage keeps it from being opened, each
//! file that the manifest names is opened and read by itself, so that one damaged file does not hide another; what only
//! the files together can tell, that permutations agree or that terms are found, is looked at as far as they can be opened.

use super::block::BLOCK_ROWS;
use super::dictionary::{Dictionary, Layer, Segment};
use super::files::Directory;
use super::index::IndexFile;
use super::layout;
use super::log;
use super::manifest::{Manifest, SetEntry};
use super::permutation::Permutation;
use super::quad_files::{QuadFiles, stored_permutations};
use super::snapshot::Snapshot;
use super::statistics::RunStatistics;
use super::store::{no_store, recover};
use super::verify::{VerifyReport, verify, verify_files};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::term::{Tag, TermId};
use std::error::Error as _;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Reads everything in the directory of a store that nobody writes.
///
/// # Errors
/// There is no store, it is of another version, or the operating system refuses to read it.
pub fn verify_directory(directory: &Directory) -> Result<VerifyReport> {
    let mut report = match Manifest::read(directory) {
        Ok(Some(manifest)) => verify_named(directory, &manifest)?,
        Ok(None) if !holds_data(directory)? => return Err(no_store(directory.location())),
        Ok(None) => VerifyReport::of_problem(&Error::corruption(format!(
            "{} is missing, though there are files that it should name; restore the store from a backup",
            directory.location().join(layout::MANIFEST).display()
        ))),
        Err(error) => VerifyReport::of_problem(&damage(error)?),
    };
    report.bytes = directory.bytes()?;
    Ok(report)
}

/// Whether there are files of runs, of the dictionary or of the log.
fn holds_data(directory: &Directory) -> Result<bool> {
    let names = directory.names()?;
    let is_data =
        |name: &String| layout::number_of(name).is_some() || layout::log_sequence(name).is_some();
    Ok(names.iter().any(is_data))
}

/// The error that tells of damage; one that does not is why nothing can be verified. A file that a manifest names and
/// that is not there is damage, too.
fn damage(error: Error) -> Result<Error> {
    let cause = error.source().and_then(|e| e.downcast_ref::<io::Error>());
    let is_missing = cause.is_some_and(|e| e.kind() == io::ErrorKind::NotFound);
    match error.kind() {
        ErrorKind::Corruption => Ok(error),
        ErrorKind::Io if is_missing => Ok(error),
        _ => Err(error),
    }
}

fn verify_named(directory: &Directory, manifest: &Manifest) -> Result<VerifyReport> {
    let error = match recover(directory, manifest) {
        Ok(writer) => return Ok(verify(&writer.snapshot)),
        Err(error) => damage(error)?,
    };
    match Snapshot::open(directory, manifest) {
        // So it is the log that cannot be read.
        Ok(snapshot) => {
            let mut report = verify(&Arc::new(snapshot));
            report.note(Err(error));
            Ok(report)
        }
        Err(_) => verify_pieces(directory, manifest),
    }
}

fn verify_pieces(directory: &Directory, manifest: &Manifest) -> Result<VerifyReport> {
    let mut report = VerifyReport::default();
    let dictionary = verify_segments(directory, manifest, &mut report)?;
    for run in &manifest.runs {
        if let Some(set) = &run.inserted {
            report.quads += set.quads;
            verify_set(directory, set, dictionary.as_ref(), &mut report)?;
        }
        if let Some(set) = &run.deleted {
            report.quads = report.quads.saturating_sub(set.quads);
            verify_set(directory, set, dictionary.as_ref(), &mut report)?;
        }
    }
    let log = log::read_after(directory, manifest.sequence, |_| Ok(()));
    note(log.map(drop), &mut report)?;
    Ok(report)
}

/// Reads the segments of the dictionary, and gives it where all of them can be opened.
fn verify_segments(
    directory: &Directory,
    manifest: &Manifest,
    report: &mut VerifyReport,
) -> Result<Option<Dictionary>> {
    let mut layers = Vec::new();
    for &number in &manifest.segments {
        match Segment::open_numbered(directory, number) {
            Ok(segment) => {
                report.note(segment.verify());
                report.terms += Tag::STORED.map(|tag| segment.len(tag)).iter().sum::<u64>();
                layers.push(Layer::File(Arc::new(segment)));
            }
            Err(error) => report.note(Err(damage(error)?)),
        }
    }
    let is_whole = layers.len() == manifest.segments.len();
    Ok(is_whole.then(|| Dictionary::new(layers)))
}

fn verify_set(
    directory: &Directory,
    entry: &SetEntry,
    dictionary: Option<&Dictionary>,
    report: &mut VerifyReport,
) -> Result<()> {
    if let Ok(files) = QuadFiles::open(directory, entry.number, entry.graph()) {
        verify_files(&files, dictionary, report);
        return Ok(());
    }
    let location = directory.location();
    for permutation in stored_permutations(entry.graph()) {
        let path = layout::index_path(location, entry.number, permutation);
        note(read_index(directory, &path, permutation), report)?;
    }
    let path = layout::statistics_path(location, entry.number);
    let statistics = RunStatistics::read(directory.files(), &path);
    note(statistics.map(drop), report)
}

/// Reads every block of an index.
fn read_index(directory: &Directory, path: &Path, permutation: Permutation) -> Result<()> {
    let index = IndexFile::open(directory.files(), path, permutation)?;
    let mut ids = [[TermId::UNBOUND; BLOCK_ROWS]; 4];
    for block in 0..(index.rows() as usize).div_ceil(BLOCK_ROWS) {
        index.decode_block(block, &mut ids)?;
    }
    Ok(())
}

/// Takes note of damage; what is no damage is why nothing can be verified.
fn note(outcome: Result<()>, report: &mut VerifyReport) -> Result<()> {
    if let Err(error) = outcome {
        report.note(Err(damage(error)?));
    }
    Ok(())
}
