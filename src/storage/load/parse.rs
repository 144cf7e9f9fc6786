//! Sources to sealed chunks, on several threads.
//!
//! One thread reads. Line-based formats are cut at line ends and parsed by all threads; a document of another format
//! is parsed by one. When something is wrong, the error that is reported is the first in the order of the sources,
//! whichever thread meets one first.

use super::chunk::{ChunkRoom, SealedChunk};
use super::document::parse_document;
use super::intern::Interner;
use super::lines::{LineFormat, cut_lines, parse_lines};
use super::report::{LoadOptions, Meter, Skipped};
use super::source::LoadSource;
use crate::diagnostics::{Error, Result};
use crate::rdf::RdfFormat;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// The largest share of a chunk; its terms are numbered with 32 bits.
const CHUNK_BYTES_MAX: usize = 4 << 30;

/// What the sources hold.
pub struct Parsed {
    /// Their terms and quads.
    pub chunks: Vec<SealedChunk>,
    /// The statements left out.
    pub skipped: Skipped,
}

/// Work for a parsing thread.
pub enum Task {
    /// Whole lines of a source, and the number of the first.
    Lines(LineFormat, u64, Vec<u8>),
    /// A whole document.
    Document(RdfFormat),
}

/// Work, and where it comes from.
pub struct Piece {
    /// The number of the piece, over all sources.
    pub number: u64,
    /// The number of the source.
    pub source: u32,
    /// What to parse.
    pub task: Task,
}

/// What parsing threads share.
pub struct Shared<'a> {
    pub sources: &'a [LoadSource],
    pub lenient: bool,
    pub meter: &'a Meter<'a>,
    pub skipped: Mutex<Skipped>,
    room: ChunkRoom<'a>,
    chunk_bytes_max: usize,
    chunks: Mutex<Vec<SealedChunk>>,
    /// The first error so far, with the number of its piece.
    failure: Mutex<Option<(u64, Error)>>,
}

impl Shared<'_> {
    /// Keeps an error if it is the first in the order of the sources.
    fn fail(&self, number: u64, error: Error) {
        let mut failure = lock(&self.failure);
        if failure.as_ref().is_none_or(|(first, _)| number < *first) {
            *failure = Some((number, error));
        }
    }

    /// Whether a piece need not be parsed any more.
    fn is_past_failure(&self, number: u64) -> bool {
        lock(&self.failure)
            .as_ref()
            .is_some_and(|(first, _)| number > *first)
    }

    /// Seals what has been interned when it has grown to its share.
    ///
    /// # Errors
    /// Writing failed.
    pub fn seal_if_full(&self, interner: &mut Interner) -> Result<()> {
        if interner.memory_bytes() < self.chunk_bytes_max {
            return Ok(());
        }
        self.seal(std::mem::take(interner))
    }

    fn seal(&self, interner: Interner) -> Result<()> {
        let chunk = self.room.seal(interner)?;
        lock(&self.chunks).push(chunk);
        Ok(())
    }
}

/// A panic of another thread is reported when the threads are joined; what it left behind is whole.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parses sources.
///
/// # Errors
/// A source cannot be read or does not parse, or a temporary file cannot be written.
pub fn parse(
    location: &Path,
    sources: &[LoadSource],
    options: &LoadOptions,
    meter: &Meter<'_>,
) -> Result<Parsed> {
    let threads = options.threads.max(1);
    let shared = Shared {
        sources,
        lenient: options.lenient,
        meter,
        skipped: Mutex::default(),
        room: ChunkRoom::new(location, options.memory_bytes_max / 4),
        chunk_bytes_max: (options.memory_bytes_max / (4 * threads)).min(CHUNK_BYTES_MAX),
        chunks: Mutex::default(),
        failure: Mutex::default(),
    };
    let (sender, receiver) = sync_channel(2 * threads);
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&shared, &receiver));
        }
        read(&shared, sender);
    });
    let failure = shared
        .failure
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some((_, error)) = failure {
        return Err(error);
    }
    Ok(Parsed {
        chunks: shared
            .chunks
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
        skipped: shared
            .skipped
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    })
}

/// Reads the sources one after the other and hands out their pieces.
fn read(shared: &Shared<'_>, sender: SyncSender<Piece>) {
    let mut number = 0;
    for (place, source) in shared.sources.iter().enumerate() {
        let outcome = read_source(shared, place as u32, source, &mut number, &sender);
        if let Err(error) = outcome {
            shared.fail(number, error);
            return;
        }
    }
}

fn read_source(
    shared: &Shared<'_>,
    place: u32,
    source: &LoadSource,
    number: &mut u64,
    sender: &SyncSender<Piece>,
) -> Result<()> {
    let format = source.resolved_format()?;
    let mut send = |task| {
        let piece = Piece {
            number: *number,
            source: place,
            task,
        };
        *number += 1;
        // Sending fails only when every worker has ended, which they do only after a failure.
        !shared.is_past_failure(piece.number) && sender.send(piece).is_ok()
    };
    let line_format = match format {
        RdfFormat::NTriples => LineFormat::NTriples,
        RdfFormat::NQuads => LineFormat::NQuads,
        _ => {
            send(Task::Document(format));
            return Ok(());
        }
    };
    let reader = source.open(shared.meter)?;
    cut_lines(reader, |line, bytes| {
        send(Task::Lines(line_format, line, bytes))
    })
    .map_err(|e| source.unreadable(e))
}

/// Parses pieces until there are no more.
fn work(shared: &Shared<'_>, receiver: &Mutex<Receiver<Piece>>) {
    let mut interner = Interner::default();
    loop {
        let Ok(piece) = lock(receiver).recv() else {
            break;
        };
        if shared.is_past_failure(piece.number) {
            continue;
        }
        let outcome = match &piece.task {
            Task::Lines(format, first_line, bytes) => {
                parse_lines(shared, &mut interner, &piece, *format, *first_line, bytes)
            }
            Task::Document(format) => parse_document(shared, &mut interner, &piece, *format),
        };
        let outcome = outcome.and_then(|()| shared.seal_if_full(&mut interner));
        if let Err(error) = outcome {
            shared.fail(piece.number, error);
        }
    }
    if interner.quads() > 0
        && let Err(error) = shared.seal(interner)
    {
        shared.fail(u64::MAX, error);
    }
}
