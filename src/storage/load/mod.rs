//! Bulk load: files in, one run and one segment of the dictionary out.
//!
//! The stages, each bounded in memory by its share of [`LoadOptions::memory_bytes_max`]:
//!
//! 1. **Parse** ([`parse`]): worker threads turn statements into quads of ids that are local to a [`chunk`]; a chunk
//!    that has grown to its share is sealed: its terms sorted, terms and quads written to spools.
//! 2. **Dictionary** ([`terms`]): the sorted terms of all chunks are merged; each new one gets the next id.
//! 3. **Sort** ([`quads`]): the quads of each chunk get their final ids and are sorted, those that the store holds
//!    already left out.
//! 4. **Write** ([`write`]): the quads are written in every permutation, and counted.
//!
//! Nothing here changes the store: the caller publishes the manifest that comes out.

mod chunk;
mod document;
mod intern;
mod lines;
mod parse;
mod quads;
mod report;
mod source;
mod string_sort;
mod terms;
mod write;

pub use report::{LoadOptions, LoadProgress, LoadReport, LoadStage, LoadState, SkippedStatement};
pub use source::{LoadContent, LoadSource};

use super::files::Directory;
use super::layout::{self, FileNumber};
use super::manifest::{Manifest, RunEntry, SetEntry};
use super::permutation::Quad;
use super::snapshot::Snapshot;
use crate::diagnostics::Result;
use quads::{NewQuads, RowSorter};
use report::Meter;
use std::sync::Arc;

/// Writes the files of a load, and says what the manifest becomes with them.
pub(super) fn run(
    directory: &Directory,
    before: &Arc<Snapshot>,
    manifest: &Manifest,
    sources: Vec<LoadSource>,
    options: &LoadOptions,
    progress: &dyn LoadProgress,
) -> Result<(Manifest, LoadReport)> {
    let location = directory.location();
    let mut meter = Meter::new(progress, source::bytes_total(&sources)?);
    let number = manifest.next_number;
    let mut next = manifest.clone();
    let set_number = number + 1;
    next.next_number += 2;

    let parsed = parse::parse(location, &sources, options, &meter)?;

    meter.enter(LoadStage::Dictionary);
    let terms_path = layout::terms_path(location, number);
    let merged = terms::merge(
        &terms_path,
        directory,
        before.dictionary(),
        manifest.next_blank,
        parsed.chunks,
    )?;
    next.next_blank = merged.next_blank;
    if merged.new_terms > 0 {
        next.segments.push(number);
    }

    meter.enter(LoadStage::Sort);
    let rows = quads::sort(location, before, merged.chunks, meter.quads_read(), options)?;

    meter.enter(LoadStage::Write);
    let written = write::write(directory, set_number, rows, options)?;
    if let Some(run) = &written {
        next.sequence += 1;
        next.runs.push(RunEntry {
            inserted: Some(run.clone()),
            deleted: None,
        });
    }
    let quads_added = written.map_or(0, |run| run.quads);
    layout::remove_leftovers(directory, &next.live_numbers())?;
    directory.sync()?;
    Ok((next, meter.finish(quads_added, parsed.skipped)))
}

/// Writes distinct quads, which `give` hands on in any order, as a set; `None` when there are none.
pub(super) fn write_quads(
    directory: &Directory,
    number: FileNumber,
    quads_expected: u64,
    options: &LoadOptions,
    give: impl FnOnce(&mut dyn FnMut(Quad) -> Result<()>) -> Result<()>,
) -> Result<Option<SetEntry>> {
    let memory_bytes_max = options.memory_bytes_max / 2;
    let mut sorter = RowSorter::new(directory.location(), memory_bytes_max, quads_expected);
    give(&mut |quad| sorter.push(quad))?;
    write::write(directory, number, NewQuads::of(sorter.finish()?), options)
}

#[cfg(test)]
mod tests;
