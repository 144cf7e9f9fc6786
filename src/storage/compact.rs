//! A store written anew: one run, one sorted segment of the dictionary, no term that is not used.
//!
//! Ids change, so what was committed meanwhile is given its new ids when the new files take the place of the old ones;
//! writers wait for that moment alone. Readers keep the old state, and its files, as long as they hold it.

use super::dictionary::{Dictionary, Layer, MemorySegment, Segment, encode_key};
use super::files::Directory;
use super::flush;
use super::layout;
use super::load::{self, LoadOptions};
use super::manifest::{Manifest, RunEntry};
use super::permutation::{ColumnMask, Permutation, Quad, QuadColumn};
use super::renumber::{self, Renumbering};
use super::run::{QuadSet, Run, Sign};
use super::shared::Shared;
use super::snapshot::Snapshot;
use super::stack::Stack;
use crate::diagnostics::{Error, Result};
use crate::term::{TermId, TermView};
use std::collections::HashMap;
use std::sync::Arc;

/// The quads after which it is told how far a compaction is.
const PROGRESS_QUADS: u64 = 1 << 16;

/// What a compaction is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactStage {
    /// Writing the terms that are used.
    Terms,
    /// Reading the quads in their old order.
    Quads,
    /// Sorting them anew and writing the indexes.
    Indexes,
}

impl CompactStage {
    /// A word for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terms => "terms",
            Self::Quads => "quads",
            Self::Indexes => "indexes",
        }
    }
}

/// How far a compaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactState {
    /// What it is busy with.
    pub stage: CompactStage,
    /// The quads read so far.
    pub quads_read: u64,
    /// The quads of the store.
    pub quads_total: u64,
}

/// Rewrites a store while it is in use, and tells now and then how far it is; an error that comes back ends it.
///
/// # Errors
/// Those of `progress`; the store is damaged, or writing failed. Then it is as it was.
pub fn compact(shared: &Shared, progress: &dyn Fn(CompactState) -> Result<()>) -> Result<()> {
    let mut manifest = shared.manifest();
    flush::flush(shared, &mut manifest)?;
    let before = {
        let turn = shared.turnstile.enter();
        let writer = turn.writer();
        let mut stack = Stack::of(&writer.snapshot);
        stack.runs.truncate(writer.on_disk.runs);
        stack.layers.truncate(writer.on_disk.layers);
        stack.snapshot(manifest.sequence)
    };
    let outcome = write(&shared.directory, &manifest, &before, progress)
        .and_then(|rewritten| publish(shared, &mut manifest, rewritten));
    outcome.inspect_err(|_| {
        // When replacing the manifest failed, nobody knows which one counts, so the files of both stay. What cannot be
        // removed now is removed when the store is opened again.
        if shared.acknowledger.check().is_ok() {
            let _ = layout::remove_leftovers(&shared.directory, &manifest.live_numbers());
        }
    })
}

/// The new files, with what was in the old ones.
struct Rewritten {
    next: Manifest,
    stack: Stack,
    numbers: Renumbering,
}

fn write(
    directory: &Directory,
    manifest: &Manifest,
    before: &Arc<Snapshot>,
    progress: &dyn Fn(CompactState) -> Result<()>,
) -> Result<Rewritten> {
    let tell = |stage, quads_read| {
        progress(CompactState {
            stage,
            quads_read,
            quads_total: before.quad_count(),
        })
    };
    let mut next = Manifest {
        runs: Vec::new(),
        segments: Vec::new(),
        ..manifest.clone()
    };
    let [terms, quads] = [next.next_number, next.next_number + 1];
    next.next_number += 2;
    tell(CompactStage::Terms, 0)?;
    let numbers = renumber::write_sorted(directory, terms, before)?;
    let entry = load::write_quads(
        directory,
        quads,
        before.quad_count(),
        &LoadOptions::default(),
        |push| {
            let mut read = 0_u64;
            for_each_quad(before, |quad| {
                if read.is_multiple_of(PROGRESS_QUADS) {
                    tell(CompactStage::Quads, read)?;
                }
                read += 1;
                let lost = |id: TermId| Error::internal(format!("{id:?} has no new number"));
                let id = |old| numbers.id(old).ok_or_else(|| lost(old));
                let [s, p, o, g] = quad;
                push([id(s)?, id(p)?, id(o)?, id(g)?])
            })?;
            tell(CompactStage::Indexes, read)
        },
    )?;
    let mut stack = Stack {
        runs: Vec::new(),
        layers: Vec::new(),
    };
    next.segments.push(terms);
    let segment = Segment::open_numbered(directory, terms)?;
    stack.layers.push(Layer::File(Arc::new(segment)));
    if entry.is_some() {
        let entry = RunEntry {
            inserted: entry,
            deleted: None,
        };
        stack.runs.push(Arc::new(Run::open(directory, &entry)?));
        next.runs.push(entry);
    }
    Ok(Rewritten {
        next,
        stack,
        numbers,
    })
}

fn for_each_quad(snapshot: &Arc<Snapshot>, mut each: impl FnMut(Quad) -> Result<()>) -> Result<()> {
    let mut scan = snapshot.scan(Permutation::Spog, &[], ColumnMask::ALL)?;
    while let Some(block) = scan.next_block()? {
        let columns = QuadColumn::ALL.map(|column| block.column(column));
        for place in 0..block.rows() {
            each(columns.map(|column| column[place]))?;
        }
    }
    Ok(())
}

/// Puts the new files in the place of the old ones, once they hold what was committed meanwhile.
fn publish(shared: &Shared, manifest: &mut Manifest, rewritten: Rewritten) -> Result<()> {
    let turn = shared.turnstile.enter();
    shared.acknowledger.check()?;
    shared.acknowledger.sync_all()?;
    let mut writer = turn.writer();
    let Rewritten {
        mut next,
        mut stack,
        numbers,
    } = rewritten;
    let on_disk = stack.height();
    let (run, _) = Stack::of(&writer.snapshot).above(writer.on_disk);
    let mut mover = Mover::new(writer.snapshot.dictionary(), stack.snapshot(0), &numbers);
    let run = mover.run(&run)?;
    let terms = mover.terms;
    stack.push(on_disk, run, terms);
    next.next_blank = writer.next_blank;
    next.sequence = writer.snapshot.sequence();
    let stack = flush::write_above(&shared.directory, &mut next, stack, on_disk)?;
    next.prepare(&shared.directory)?;
    let old = std::mem::replace(&mut writer.snapshot, stack.snapshot(next.sequence));
    if let Err(error) = Manifest::replace(&shared.directory) {
        writer.snapshot = old;
        shared.acknowledger.fail();
        return Err(error);
    }
    writer.log.end_file();
    writer.on_disk = stack.height();
    writer.frozen = writer.on_disk;
    shared.acknowledger.publish(&writer.snapshot);
    old.sets().for_each(|(_, set)| set.retire());
    for layer in old.dictionary().layers() {
        if let Layer::File(segment) = layer {
            segment.retire();
        }
    }
    *manifest = next;
    flush::remove_logs(&shared.directory, manifest.sequence)
}

/// Gives new ids to what was committed meanwhile.
struct Mover<'a> {
    old: &'a Dictionary,
    new: Arc<Snapshot>,
    numbers: &'a Renumbering,
    /// The terms that the new dictionary lacks.
    terms: MemorySegment,
    moved: HashMap<TermId, TermId>,
}

impl<'a> Mover<'a> {
    fn new(old: &'a Dictionary, new: Arc<Snapshot>, numbers: &'a Renumbering) -> Self {
        Self {
            old,
            new,
            numbers,
            terms: MemorySegment::default(),
            moved: HashMap::new(),
        }
    }

    fn run(&mut self, run: &Run) -> Result<Run> {
        Ok(Run {
            inserted: self.set(run.quads(Sign::Inserted))?,
            deleted: self.set(run.quads(Sign::Deleted))?,
        })
    }

    fn set(&mut self, quads: &[Quad]) -> Result<Option<QuadSet>> {
        let mut moved = quads
            .iter()
            .map(|&[s, p, o, g]| Ok([self.id(s)?, self.id(p)?, self.id(o)?, self.id(g)?]))
            .collect::<Result<Vec<Quad>>>()?;
        moved.sort_unstable();
        Ok(QuadSet::in_memory(moved))
    }

    fn id(&mut self, old: TermId) -> Result<TermId> {
        if let Some(id) = self.numbers.id(old) {
            return Ok(id);
        }
        if let Some(&id) = self.moved.get(&old) {
            return Ok(id);
        }
        let mut key = Vec::new();
        if let TermView::Triple([s, p, o]) = self.old.resolve(old, &mut key)? {
            let parts = [self.id(s)?, self.id(p)?, self.id(o)?];
            encode_key(&TermView::Triple(parts), &mut key);
        } else {
            self.old.key(old, &mut key)?;
        }
        let place = self.terms.add(old.tag(), &key);
        let place = place.ok_or_else(|| Error::internal("too many terms came at once"))?;
        let id = TermId::new(old.tag(), self.new.dictionary().len(old.tag()) + place);
        self.moved.insert(old, id);
        Ok(id)
    }
}
