//! What a load is told, what it tells while it runs, and what it has to say in the end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// How to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// The memory that the load may take; beyond it, sorted pieces go to temporary files in the store's directory.
    pub memory_bytes_max: usize,
    /// Whether statements that do not parse are skipped, counted and reported. Otherwise the first one ends the load.
    pub lenient: bool,
    /// The number of threads that parse and write.
    pub threads: usize,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            memory_bytes_max: 2 << 30,
            lenient: false,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// What a load is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadStage {
    /// Reading and parsing the sources.
    Parse,
    /// Merging the terms into the dictionary.
    Dictionary,
    /// Sorting the quads.
    Sort,
    /// Writing the indexes.
    Write,
}

impl LoadStage {
    /// Every stage, in order.
    pub const ALL: [Self; 4] = [Self::Parse, Self::Dictionary, Self::Sort, Self::Write];

    /// A word for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Dictionary => "dictionary",
            Self::Sort => "sort",
            Self::Write => "write",
        }
    }
}

/// How far a load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadState {
    /// What it is busy with.
    pub stage: LoadStage,
    /// The bytes of the sources read so far, as they lie on disk.
    pub bytes_read: u64,
    /// The bytes of all sources.
    pub bytes_total: u64,
    /// The quads parsed so far.
    pub quads_read: u64,
}

/// Someone who wants to know how far a load is.
pub trait LoadProgress: Sync {
    /// Called now and then, from any thread.
    fn update(&self, state: LoadState);
}

/// Nobody wants to know.
impl LoadProgress for () {
    fn update(&self, _: LoadState) {}
}

/// A statement that a lenient load left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedStatement {
    /// The file, or the name of what was loaded.
    pub source: String,
    /// The line, from 1; 0 where the format has no lines to name.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

/// What a load did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {
    /// The quads in the sources, repeated ones counted each time.
    pub quads_read: u64,
    /// The quads that the store did not hold before.
    pub quads_added: u64,
    /// The first statements that were left out, in the order of sources and lines.
    pub skipped: Vec<SkippedStatement>,
    /// The number of all statements that were left out.
    pub skipped_total: u64,
    /// The seconds that each stage took, by the clock on the wall.
    pub stage_seconds: Vec<(LoadStage, f64)>,
}

/// The statements that a report names; the others are counted.
pub const SKIPPED_NAMED_MAX: usize = 100;

/// The statements left out so far.
#[derive(Debug, Default)]
pub struct Skipped {
    /// Some of them, each with the place by which they are sorted.
    pub named: Vec<((u64, u64), SkippedStatement)>,
    /// The number of all.
    pub total: u64,
}

impl Skipped {
    /// Adds a statement found at a place: the number of its piece of input, and the line.
    pub fn add(&mut self, place: (u64, u64), statement: SkippedStatement) {
        self.total += 1;
        self.named.push((place, statement));
        if self.named.len() >= 2 * SKIPPED_NAMED_MAX {
            self.trim();
        }
    }

    /// Keeps the first ones only.
    fn trim(&mut self) {
        self.named.sort_by_key(|(place, _)| *place);
        self.named.truncate(SKIPPED_NAMED_MAX);
    }
}

/// Measures a load and tells of it.
pub struct Meter<'p> {
    progress: &'p dyn LoadProgress,
    bytes_total: u64,
    bytes_read: AtomicU64,
    quads_read: AtomicU64,
    stage: LoadStage,
    since: Instant,
    stage_seconds: Vec<(LoadStage, f64)>,
}

impl<'p> Meter<'p> {
    /// A meter at the start of the first stage.
    pub fn new(progress: &'p dyn LoadProgress, bytes_total: u64) -> Self {
        let meter = Self {
            progress,
            bytes_total,
            bytes_read: AtomicU64::new(0),
            quads_read: AtomicU64::new(0),
            stage: LoadStage::Parse,
            since: Instant::now(),
            stage_seconds: Vec::new(),
        };
        meter.tell();
        meter
    }

    fn tell(&self) {
        self.progress.update(LoadState {
            stage: self.stage,
            bytes_read: self.bytes_read.load(Ordering::Relaxed),
            bytes_total: self.bytes_total,
            quads_read: self.quads_read.load(Ordering::Relaxed),
        });
    }

    /// Counts bytes of the sources.
    pub fn read_bytes(&self, bytes: u64) {
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts parsed quads, and tells how far the load is.
    pub fn read_quads(&self, quads: u64) {
        self.quads_read.fetch_add(quads, Ordering::Relaxed);
        self.tell();
    }

    /// The quads parsed so far.
    pub fn quads_read(&self) -> u64 {
        self.quads_read.load(Ordering::Relaxed)
    }

    /// Goes on to a stage.
    pub fn enter(&mut self, stage: LoadStage) {
        self.end_stage();
        self.stage = stage;
        self.tell();
    }

    fn end_stage(&mut self) {
        let now = Instant::now();
        self.stage_seconds
            .push((self.stage, (now - self.since).as_secs_f64()));
        self.since = now;
    }

    /// The report at the end.
    pub fn finish(mut self, quads_added: u64, mut skipped: Skipped) -> LoadReport {
        self.end_stage();
        skipped.trim();
        LoadReport {
            quads_read: self.quads_read.into_inner(),
            quads_added,
            skipped: skipped.named.into_iter().map(|(_, s)| s).collect(),
            skipped_total: skipped.total,
            stage_seconds: self.stage_seconds,
        }
    }
}
