//! What commits brought, from memory to files.
//!
//! A flush freezes the runs and terms in memory, writes them while writers go on above them, and then names the new
//! files in the manifest, after which the log files that held the same commits are removed. It sums the frozen runs
//! with as many runs on disk as it takes for each run to be larger than all newer ones together, so there are few; while
//! nobody writes, with more of them, so that a store that is only read soon has one run.

use super::dictionary::{Layer, MemorySegment, Segment, SegmentWriter};
use super::files::Directory;
use super::index::IndexWriter;
use super::layout::{self, FileNumber};
use super::manifest::{Manifest, RunEntry, SetEntry};
use super::merge::Merge;
use super::permutation::{ColumnMask, Permutation};
use super::quad_files::stored_permutations;
use super::run::{QuadSet, Run, Sign};
use super::shared::Shared;
use super::snapshot::Snapshot;
use super::stack::{Height, Stack};
use super::tally::{Tally, statistics};
use super::writer::Turn;
use crate::diagnostics::{Error, Result};
use crate::term::{Tag, TermId};
use std::collections::HashMap;
use std::sync::Arc;

/// The largest segment that others are joined into, so that a flush ends soon and takes little memory.
const JOINED_BYTES_MAX: u64 = 64 << 20;

/// A flush takes in the runs on disk that are less than so many times as large as all newer ones together.
const MERGE_RATIO: u64 = 2;
/// The same while nobody writes, when there is time to make reading quick again.
const QUIET_MERGE_RATIO: u64 = 64;
/// Fewer rows in memory than these do not slow reading down.
const QUIET_ROWS_MIN: u64 = 10_000;

/// What a flush takes from memory.
struct Frozen {
    snapshot: Arc<Snapshot>,
    on_disk: Height,
    next_blank: u64,
}

/// Writes what is in memory to files, while writers go on.
///
/// # Errors
/// Writing failed; then it stays in memory and in the log.
pub fn flush(shared: &Shared, manifest: &mut Manifest) -> Result<()> {
    flush_and_merge(shared, manifest, MERGE_RATIO)
}

/// The same while nobody writes: what is in memory is merged with all but much larger runs.
///
/// # Errors
/// Writing failed; then it stays in memory and in the log.
pub fn flush_when_quiet(shared: &Shared, manifest: &mut Manifest) -> Result<()> {
    flush_and_merge(shared, manifest, QUIET_MERGE_RATIO)
}

/// Whether so much of a state is in memory that reading is slower than it could be.
pub fn is_worth_a_quiet_flush(state: &Snapshot) -> bool {
    let (mut memory, mut all) = (0, 0);
    for (_, set) in state.sets() {
        all += set.len();
        if matches!(set, QuadSet::Arrays(_)) {
            memory += set.len();
        }
    }
    memory >= QUIET_ROWS_MIN.max(all / QUIET_MERGE_RATIO)
}

fn flush_and_merge(shared: &Shared, manifest: &mut Manifest, merge_ratio: u64) -> Result<()> {
    let frozen = freeze(shared, manifest, &shared.turnstile.enter())?;
    let Some(frozen) = frozen else {
        return Ok(());
    };
    let written = write(shared, manifest, &frozen, merge_ratio)?;
    publish(shared, manifest, &shared.turnstile.enter(), written)
}

/// The same for who has the turn already.
///
/// # Errors
/// Writing failed; then it stays in memory and in the log.
pub fn flush_in_turn(shared: &Shared, manifest: &mut Manifest, turn: &Turn) -> Result<()> {
    let Some(frozen) = freeze(shared, manifest, turn)? else {
        return Ok(());
    };
    let written = write(shared, manifest, &frozen, MERGE_RATIO)?;
    publish(shared, manifest, turn, written)
}

/// Freezes what is in memory and ends the log file; `None` when the log has nothing that the runs lack. Commits that
/// cancel out leave nothing in memory and are still in the log.
fn freeze(shared: &Shared, manifest: &Manifest, turn: &Turn) -> Result<Option<Frozen>> {
    shared.acknowledger.check()?;
    let mut writer = turn.writer();
    writer.frozen = Stack::of(&writer.snapshot).height();
    if writer.snapshot.sequence() == manifest.sequence {
        return Ok(None);
    }
    // The next log file builds upon this one.
    shared.acknowledger.sync_all()?;
    writer.log.end_file();
    Ok(Some(Frozen {
        snapshot: Arc::clone(&writer.snapshot),
        on_disk: writer.on_disk,
        next_blank: writer.next_blank,
    }))
}

/// What a flush wrote.
struct Written {
    next: Manifest,
    /// The run in the place of those from `merged_from` up to `frozen`, if their sum is anything.
    run: Option<Run>,
    merged_from: usize,
    /// The segment in the place of those from `joined_from` up to `frozen`, if there are any.
    layer: Option<Layer>,
    joined_from: usize,
    /// What was frozen.
    frozen: Height,
}

/// What the files of a flush hold, and the first run and the first segment that they take the place of.
struct Files {
    run: Option<Run>,
    merged_from: usize,
    layer: Option<Layer>,
    joined_from: usize,
}

fn write(
    shared: &Shared,
    manifest: &Manifest,
    frozen: &Frozen,
    merge_ratio: u64,
) -> Result<Written> {
    let stack = Stack::of(&frozen.snapshot);
    let mut next = manifest.clone();
    next.next_blank = frozen.next_blank;
    next.sequence = frozen.snapshot.sequence();
    let written = write_files(
        &shared.directory,
        &mut next,
        &stack,
        frozen.on_disk,
        merge_ratio,
    );
    let written = written.and_then(|files| {
        next.prepare(&shared.directory)?;
        Ok(files)
    });
    let files = written.inspect_err(|_| {
        // What cannot be removed now is removed when the store is opened again.
        let _ = layout::remove_leftovers(&shared.directory, &manifest.live_numbers());
    })?;
    let Files {
        run,
        merged_from,
        layer,
        joined_from,
    } = files;
    Ok(Written {
        next,
        run,
        merged_from,
        layer,
        joined_from,
        frozen: stack.height(),
    })
}

fn write_files(
    directory: &Directory,
    next: &mut Manifest,
    stack: &Stack,
    on_disk: Height,
    merge_ratio: u64,
) -> Result<Files> {
    let merged_from = merge_from(&stack.runs, on_disk.runs, merge_ratio);
    next.runs.truncate(merged_from);
    let entry = write_sum(
        directory,
        &mut next.next_number,
        &stack.runs[merged_from..],
        merged_from == 0,
    )?;
    let run = if entry == RunEntry::default() {
        None
    } else {
        next.runs.push(entry.clone());
        Some(Run::open(directory, &entry)?)
    };
    let mut joined_from = on_disk.layers;
    let mut layer = None;
    if stack.layers.len() > on_disk.layers {
        joined_from = join_from(&stack.layers, on_disk.layers);
        next.segments.truncate(joined_from);
        let number = take_number(&mut next.next_number);
        next.segments.push(number);
        let terms = join(&stack.layers[joined_from..])?;
        layer = Some(write_terms(directory, number, &terms)?);
    }
    directory.sync()?;
    Ok(Files {
        run,
        merged_from,
        layer,
        joined_from,
    })
}

/// The first of the segments on disk, of which there are `on_disk`, that is joined with all after it: it is of commits,
/// not much larger than all after it together, and they are still quickly read and written.
fn join_from(layers: &[Layer], on_disk: usize) -> usize {
    let memory = layers[on_disk..].iter().map(|layer| match layer {
        Layer::Memory(segment) => segment.memory_bytes() as u64,
        Layer::File(segment) => segment.bytes(),
    });
    let mut newer: u64 = memory.sum();
    let mut from = on_disk;
    for (place, layer) in layers[..on_disk].iter().enumerate().rev() {
        let Layer::File(segment) = layer else {
            break;
        };
        newer += segment.bytes();
        if !segment.is_of_commits() || newer > JOINED_BYTES_MAX {
            break;
        }
        if segment.bytes() < newer / 3 * 2 {
            from = place;
        }
    }
    from
}

/// The terms of neighbouring segments in the order of their ids.
fn join(layers: &[Layer]) -> Result<MemorySegment> {
    let mut terms = MemorySegment::default();
    let mut key = Vec::new();
    for layer in layers {
        let segment = match layer {
            Layer::Memory(segment) => {
                terms.append(segment);
                continue;
            }
            Layer::File(segment) => segment,
        };
        for tag in Tag::STORED {
            for place in 0..segment.len(tag) {
                segment.key(tag, place, &mut key)?;
                let added = terms.add(tag, &key);
                added.ok_or_else(|| Error::internal("a segment has too many terms"))?;
            }
        }
    }
    Ok(terms)
}

/// Writes what lies above a height, all of it in memory, to files; gives the stack with these in its place.
///
/// # Errors
/// Writing failed.
pub fn write_above(
    directory: &Directory,
    next: &mut Manifest,
    mut stack: Stack,
    on_disk: Height,
) -> Result<Stack> {
    let files = write_files(directory, next, &stack, on_disk, MERGE_RATIO)?;
    stack.runs.truncate(files.merged_from);
    stack.runs.extend(files.run.map(Arc::new));
    stack.layers.truncate(files.joined_from);
    stack.layers.extend(files.layer);
    Ok(stack)
}

fn take_number(next: &mut FileNumber) -> FileNumber {
    *next += 1;
    *next - 1
}

/// The first of the runs on disk, of which there are `on_disk`, that is less than `ratio` times as large as all after it
/// together.
fn merge_from(runs: &[Arc<Run>], on_disk: usize, ratio: u64) -> usize {
    let mut newer: u64 = runs[on_disk..].iter().map(|run| run.rows()).sum();
    let mut from = on_disk;
    for (place, run) in runs[..on_disk].iter().enumerate().rev() {
        if run.rows() < newer.saturating_mul(ratio) {
            from = place;
        }
        newer += run.rows();
    }
    from
}

/// Writes the sum of some runs. At the bottom of the stack there is nothing that tombstones could stand for.
fn write_sum(
    directory: &Directory,
    next_number: &mut FileNumber,
    runs: &[Arc<Run>],
    is_bottom: bool,
) -> Result<RunEntry> {
    let sets: Vec<(Sign, &QuadSet)> = runs.iter().flat_map(|run| run.sets()).collect();
    let mut write = |keeps| write_set(directory, take_number(next_number), &sets, keeps);
    Ok(RunEntry {
        inserted: write(Sign::Inserted)?,
        deleted: match is_bottom {
            true => None,
            false => write(Sign::Deleted)?,
        },
    })
}

/// Writes the quads whose sum over some sets is that of a sign; `None` when there are none.
fn write_set(
    directory: &Directory,
    number: FileNumber,
    sets: &[(Sign, &QuadSet)],
    keeps: Sign,
) -> Result<Option<SetEntry>> {
    if !sets.iter().any(|(sign, _)| *sign == keeps) {
        return Ok(None);
    }
    let graph = sets.first().and_then(|(_, set)| set.graph());
    let graph = graph.filter(|_| sets.iter().all(|(_, set)| set.graph() == graph));
    let mut tallies = HashMap::new();
    for permutation in stored_permutations(graph) {
        let tally = write_permutation(directory, number, sets, keeps, permutation)?;
        if tally.rows() == 0 {
            layout::remove_numbered(directory, number)?;
            return Ok(None);
        }
        tallies.insert(permutation, tally);
    }
    let statistics = statistics(&tallies)?;
    let path = layout::statistics_path(directory.location(), number);
    statistics.write(directory.files(), &path)?;
    Ok(Some(SetEntry {
        number,
        quads: statistics.totals().quads,
        graph: graph.map(TermId::to_bits),
    }))
}

fn write_permutation(
    directory: &Directory,
    number: FileNumber,
    sets: &[(Sign, &QuadSet)],
    keeps: Sign,
    permutation: Permutation,
) -> Result<Tally> {
    let cursors = sets.iter().map(|&(sign, set)| {
        let rows = 0..set.len();
        Ok((sign, set.cursor(rows, permutation, &[], ColumnMask::ALL)?))
    });
    let cursors = cursors.collect::<Result<_>>()?;
    let mut merge = Merge::new(cursors, permutation, 0, ColumnMask::ALL, keeps);
    let path = layout::index_path(directory.location(), number, permutation);
    let mut writer = IndexWriter::create(directory.files(), &path, permutation)?;
    let mut tally = Tally::new(permutation);
    while let Some(block) = merge.next_block()? {
        let columns = permutation.columns().map(|column| block.column(column));
        for place in 0..block.rows() {
            let row = columns.map(|column| column[place]);
            tally.add(&row);
            writer.push(row)?;
        }
    }
    writer.finish()?;
    Ok(tally)
}

fn write_terms(directory: &Directory, number: FileNumber, terms: &MemorySegment) -> Result<Layer> {
    let path = layout::terms_path(directory.location(), number);
    let mut writer = SegmentWriter::create(directory.files(), &path)?;
    for tag in Tag::STORED {
        let keys: Vec<&[u8]> = terms.keys(tag).collect();
        writer.write_arrivals(tag, &keys)?;
    }
    writer.finish()?;
    let segment = Segment::open_numbered(directory, number)?;
    segment.prepare_filters()?;
    Ok(Layer::File(Arc::new(segment)))
}

/// Lets the manifest count that names the new files, and puts them in the place of what they hold.
fn publish(shared: &Shared, manifest: &mut Manifest, turn: &Turn, written: Written) -> Result<()> {
    let mut writer = turn.writer();
    // What is published is durable, and the newest state is what gets published.
    shared.acknowledger.sync_all()?;
    Manifest::replace(&shared.directory).inspect_err(|_| shared.acknowledger.fail())?;
    let mut stack = Stack::of(&writer.snapshot);
    let merged = written.merged_from..written.frozen.runs;
    let old: Vec<_> = stack
        .runs
        .splice(merged, written.run.map(Arc::new))
        .collect();
    let joined = written.joined_from..written.frozen.layers;
    let old_layers: Vec<_> = stack.layers.splice(joined, written.layer).collect();
    writer.on_disk = Height {
        runs: written.next.runs.len(),
        layers: written.next.segments.len(),
    };
    writer.frozen = writer.on_disk;
    writer.snapshot = stack.snapshot(writer.snapshot.sequence());
    shared.acknowledger.publish(&writer.snapshot);
    for set in old.iter().flat_map(|run| run.sets().map(|(_, set)| set)) {
        set.retire();
    }
    for layer in &old_layers {
        if let Layer::File(segment) = layer {
            segment.retire();
        }
    }
    let held = written.next.sequence;
    *manifest = written.next;
    remove_logs(&shared.directory, held)
}

/// Removes the log files all of whose commits are in runs.
///
/// # Errors
/// The directory cannot be read, or a file cannot be removed.
pub fn remove_logs(directory: &Directory, held: u64) -> Result<()> {
    for name in directory.names()? {
        if layout::log_sequence(&name).is_some_and(|first| first <= held) {
            directory.remove(&name)?;
        }
    }
    Ok(())
}
