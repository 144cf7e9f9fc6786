//! The one who may write: a state that is handed from writer to writer.
//!
//! Whoever has the [`Turn`] owns the [`Writer`]: the newest state, of which the log has every commit, though the last ones
//! may not be durable yet, and the log itself. The turn ends when it is dropped.

use super::log::{LogWriter, LoggedCommit};
use super::shared::StoreOptions;
use super::snapshot::Snapshot;
use super::stack::{Height, Stack};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A log that is smaller is no reason for a flush.
const LOG_BYTES_MIN: u64 = 4 << 20;

/// What writers hand on to each other.
#[derive(Debug)]
pub struct Writer {
    /// The newest state.
    pub snapshot: Arc<Snapshot>,
    /// How much of its stack is in files.
    pub on_disk: Height,
    /// How much of its stack is in files or being written to files; what is above may still be joined.
    pub frozen: Height,
    /// The number of the next blank node.
    pub next_blank: u64,
    /// The log.
    pub log: LogWriter,
}

impl Writer {
    /// Whether so much is in memory or in the log that it should be written to files. The log of a small store must not
    /// outgrow its files.
    pub fn is_flush_due(&self, options: &StoreOptions) -> bool {
        let runs = &self.snapshot.runs()[self.frozen.runs..];
        let rows: u64 = runs.iter().map(|run| run.rows()).sum();
        let log_bytes = (self.snapshot.disk_bytes() / 2).max(LOG_BYTES_MIN);
        rows > options.memory_rows_max || self.log.len() > log_bytes.min(options.log_bytes_max)
    }

    /// Puts a commit that the log has on top of the state.
    pub fn push(&mut self, commit: LoggedCommit) {
        let mut stack = Stack::of(&self.snapshot);
        stack.push(self.frozen, commit.run, commit.terms);
        self.snapshot = stack.snapshot(commit.sequence);
        self.next_blank = commit.next_blank;
    }
}

/// Where writers wait for their turn.
#[derive(Debug)]
pub struct Turnstile {
    writer: Mutex<Writer>,
    is_taken: Mutex<bool>,
    free: Condvar,
}

impl Turnstile {
    /// Nobody has the turn yet.
    pub fn new(writer: Writer) -> Self {
        Self {
            writer: Mutex::new(writer),
            is_taken: Mutex::new(false),
            free: Condvar::new(),
        }
    }

    /// Waits for the turn.
    pub fn enter(self: &Arc<Self>) -> Turn {
        let is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.free.wait_while(is_taken, |is_taken| *is_taken);
        *waited.unwrap_or_else(PoisonError::into_inner) = true;
        Turn(Arc::clone(self))
    }

    /// Takes the turn if nobody has it.
    pub fn try_enter(self: &Arc<Self>) -> Option<Turn> {
        let mut is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = !std::mem::replace(&mut *is_taken, true);
        is_free.then(|| Turn(Arc::clone(self)))
    }
}

/// The right to write, which ends when it is dropped.
#[derive(Debug)]
pub struct Turn(Arc<Turnstile>);

impl Turn {
    /// The writer; nobody else asks for it during this turn.
    pub fn writer(&self) -> MutexGuard<'_, Writer> {
        self.0.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut is_taken = self
            .0
            .is_taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *is_taken = false;
        self.0.free.notify_one();
    }
}
