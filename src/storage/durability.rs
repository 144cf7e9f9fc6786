//! When a commit is durable: commits that wait at the same time share one sync of the log.
//!
//! Whoever waits first syncs for all who appended before; the others wait for that, and one of them syncs for the
//! rest. A state is published to readers when it is durable. After a sync that failed nobody knows what is on disk, so
//! nothing is ever acknowledged again until the store is opened anew.

use super::files::OutputFile;
use super::snapshot::Snapshot;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::settings::Durability;
use arc_swap::ArcSwap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What of the log is durable, and the newest state that is.
#[derive(Debug)]
pub struct Acknowledger {
    durability: Durability,
    progress: Mutex<Progress>,
    changed: Condvar,
    published: ArcSwap<Snapshot>,
}

#[derive(Debug)]
struct Progress {
    /// The newest state whose commit is in the log, and the file that has it.
    newest: Arc<Snapshot>,
    file: Option<Arc<dyn OutputFile>>,
    durable: u64,
    is_syncing: bool,
    has_failed: bool,
    syncs: u64,
}

impl Acknowledger {
    /// Begins with a durable state.
    pub fn new(durability: Durability, snapshot: Arc<Snapshot>) -> Self {
        Self {
            durability,
            progress: Mutex::new(Progress {
                durable: snapshot.sequence(),
                newest: Arc::clone(&snapshot),
                file: None,
                is_syncing: false,
                has_failed: false,
                syncs: 0,
            }),
            changed: Condvar::new(),
            published: ArcSwap::new(snapshot),
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest durable state.
    pub fn published(&self) -> Arc<Snapshot> {
        self.published.load_full()
    }

    /// The number of the last durable commit.
    pub fn durable(&self) -> u64 {
        self.progress().durable
    }

    /// How often commits were made durable; several that waited together count once.
    pub fn syncs(&self) -> u64 {
        self.progress().syncs
    }

    /// Takes note of a state whose commit was appended to a log file.
    pub fn appended(&self, snapshot: &Arc<Snapshot>, file: Option<&Arc<dyn OutputFile>>) {
        let mut progress = self.progress();
        progress.newest = Arc::clone(snapshot);
        progress.file = file.cloned();
    }

    /// Publishes a state that is durable by other means, or that is the newest one in another shape.
    pub fn publish(&self, snapshot: &Arc<Snapshot>) {
        let mut progress = self.progress();
        progress.durable = progress.durable.max(snapshot.sequence());
        progress.newest = Arc::clone(snapshot);
        self.published.store(Arc::clone(snapshot));
    }

    /// Waits until a commit is durable and published.
    ///
    /// # Errors
    /// It could not be made durable; it may or may not be there when the store is opened again.
    pub fn wait(&self, sequence: u64) -> Result<()> {
        let mut progress = self.progress();
        while progress.durable < sequence {
            if progress.has_failed {
                return Err(failed_before());
            }
            if progress.is_syncing {
                progress = self
                    .changed
                    .wait(progress)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            progress.is_syncing = true;
            let (newest, file) = (Arc::clone(&progress.newest), progress.file.clone());
            drop(progress);
            let outcome = match (self.durability, file) {
                (Durability::Fsync, Some(file)) => file.sync(),
                _ => Ok(()),
            };
            progress = self.progress();
            progress.is_syncing = false;
            progress.syncs += 1;
            self.changed.notify_all();
            match outcome {
                Ok(()) => {
                    if newest.sequence() > progress.durable {
                        progress.durable = newest.sequence();
                        self.published.store(newest);
                    }
                }
                Err(cause) => {
                    progress.has_failed = true;
                    return Err(unsynced(cause));
                }
            }
        }
        Ok(())
    }

    /// Makes all of the log durable, whatever commits wait for.
    ///
    /// # Errors
    /// The operating system refuses.
    pub fn sync_all(&self) -> Result<()> {
        let (newest, file) = {
            let progress = self.progress();
            (progress.newest.sequence(), progress.file.clone())
        };
        self.wait(newest)?;
        if let (Durability::Os, Some(file)) = (self.durability, file) {
            file.sync().map_err(|cause| {
                self.fail();
                unsynced(cause)
            })?;
        }
        Ok(())
    }

    /// Takes note that it is not known any more what is on disk.
    pub fn fail(&self) {
        self.progress().has_failed = true;
        self.changed.notify_all();
    }

    /// Whether writing may go on.
    ///
    /// # Errors
    /// A write before failed in such a way that it may not.
    pub fn check(&self) -> Result<()> {
        match self.progress().has_failed {
            true => Err(failed_before()),
            false => Ok(()),
        }
    }
}

fn unsynced(cause: std::io::Error) -> Error {
    Error::new(
        ErrorKind::WritingStopped,
        "the log cannot be synced, so nobody knows whether this commit is on disk; the store is only read until the server is started again",
    )
    .caused_by(cause)
}

fn failed_before() -> Error {
    Error::new(
        ErrorKind::WritingStopped,
        "an earlier write to the store failed; the store is only read until the server is started again",
    )
}
