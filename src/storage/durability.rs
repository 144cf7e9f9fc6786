//! When a commit is durable: commits that wait at the same time share one sync of the log.
//!
//! Whoever comes first syncs for all who appended before. Of those who come meanwhile the first waits to sync next, for
//! all of them; the others leave word what is to be done when their commits are durable, and their threads go on. So a
//! sync costs two threads a wait, however many commits it makes durable. A state is published to readers when it is
//! durable. After a sync that failed nobody knows what is on disk, so nothing is ever acknowledged again until the store
//! is opened anew.

use super::files::OutputFile;
use super::snapshot::Snapshot;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::settings::Durability;
use arc_swap::ArcSwap;
use std::fmt;
use std::io;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What of the log is durable, and the newest state that is.
#[derive(Debug)]
pub struct Acknowledger {
    durability: Durability,
    progress: Mutex<Progress>,
    /// Where the one waits who syncs next.
    synced: Condvar,
    published: ArcSwap<Snapshot>,
}

#[derive(Debug)]
struct Progress {
    /// The newest state whose commit is in the log, and the file that has it.
    newest: Arc<Snapshot>,
    file: Option<Arc<dyn OutputFile>>,
    durable: u64,
    is_syncing: bool,
    /// Whether somebody waits to sync next.
    has_next: bool,
    has_failed: bool,
    syncs: u64,
    waiting: Vec<Waiting>,
}

/// Somebody who is to be told when a commit is durable.
struct Waiting {
    sequence: u64,
    tell: Box<dyn FnOnce(Result<()>) + Send>,
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "for commit {}", self.sequence)
    }
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
                has_next: false,
                has_failed: false,
                syncs: 0,
                waiting: Vec::new(),
            }),
            synced: Condvar::new(),
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
    /// As [`Self::when_durable`] tells.
    pub fn wait(&self, sequence: u64) -> Result<()> {
        let (tell, told) = sync_channel(1);
        self.when_durable(sequence, move |outcome| {
            // Who waits is there to be told.
            let _ = tell.send(outcome);
        });
        told.recv().unwrap_or_else(|_| Err(failed_before()))
    }

    /// Tells when a commit is durable and published; or an error when it could not be made durable, and may or may not
    /// be there when the store is opened again. The calling thread may be needed for a sync.
    pub fn when_durable(&self, sequence: u64, tell: impl FnOnce(Result<()>) + Send + 'static) {
        let mut progress = self.progress();
        if progress.has_failed || progress.durable >= sequence {
            let outcome = match progress.durable >= sequence {
                true => Ok(()),
                false => Err(failed_before()),
            };
            drop(progress);
            return tell(outcome);
        }
        progress.waiting.push(Waiting {
            sequence,
            tell: Box::new(tell),
        });
        if progress.is_syncing {
            if progress.has_next {
                return;
            }
            progress.has_next = true;
            let waited = self.synced.wait_while(progress, |p| p.is_syncing);
            progress = waited.unwrap_or_else(PoisonError::into_inner);
            progress.has_next = false;
        }
        // Whoever came just after the last sync may have synced for this one, too.
        if !progress.waiting.is_empty() {
            self.sync(progress);
        }
    }

    /// Syncs for all who appended until now, and tells those of them who wait.
    fn sync<'p>(&'p self, mut progress: MutexGuard<'p, Progress>) {
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
        progress.has_failed |= outcome.is_err();
        if !progress.has_failed && newest.sequence() > progress.durable {
            progress.durable = newest.sequence();
            self.published.store(newest);
        }
        let (durable, has_failed) = (progress.durable, progress.has_failed);
        let is_done = |waiting: &mut Waiting| has_failed || waiting.sequence <= durable;
        let done: Vec<_> = progress.waiting.extract_if(.., is_done).collect();
        drop(progress);
        self.synced.notify_one();
        for Waiting { sequence, tell } in done {
            tell(match &outcome {
                _ if sequence <= durable => Ok(()),
                Ok(()) => Err(failed_before()),
                Err(cause) => Err(unsynced(copy_of(cause))),
            });
        }
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

/// The same error for one more who waited.
fn copy_of(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

fn unsynced(cause: io::Error) -> Error {
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

#[cfg(test)]
mod tests {
    use super::super::stack::Stack;
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::scope;

    /// A log whose syncs begin when they may, and end as they are told.
    #[derive(Debug)]
    struct Log {
        begun: Sender<()>,
        outcomes: Mutex<Receiver<io::Result<()>>>,
    }

    impl OutputFile for Log {
        fn append(&self, _: &[u8]) -> io::Result<()> {
            Ok(())
        }

        fn sync(&self) -> io::Result<()> {
            self.begun.send(()).unwrap();
            self.outcomes.lock().unwrap().recv().unwrap()
        }

        fn set_len(&self, _: u64) -> io::Result<()> {
            Ok(())
        }
    }

    fn state(sequence: u64) -> Arc<Snapshot> {
        let empty = Stack {
            runs: Vec::new(),
            layers: Vec::new(),
        };
        empty.snapshot(sequence)
    }

    /// Commits of which the first has a sync of its own, and the others, which come meanwhile, share the second; gives
    /// which were told that they are durable.
    fn two_syncs(second: io::Result<()>) -> (Acknowledger, Vec<(u64, bool)>) {
        let acknowledger = Acknowledger::new(Durability::Fsync, state(0));
        let (begun, has_begun) = channel();
        let (end, outcomes) = channel();
        let log: Arc<dyn OutputFile> = Arc::new(Log {
            begun,
            outcomes: Mutex::new(outcomes),
        });
        let (tell, told) = channel();
        let (returned, has_returned) = channel();
        let commit = |sequence| {
            let (tell, returned) = (tell.clone(), returned.clone());
            let acknowledger = &acknowledger;
            move || {
                let tell = move |outcome: Result<()>| {
                    tell.send((sequence, outcome.is_ok())).unwrap();
                };
                acknowledger.when_durable(sequence, tell);
                returned.send(sequence).unwrap();
            }
        };
        scope(|scope| {
            acknowledger.appended(&state(1), Some(&log));
            scope.spawn(commit(1));
            has_begun.recv().unwrap();
            acknowledger.appended(&state(5), Some(&log));
            (2..=5).for_each(|sequence| drop(scope.spawn(commit(sequence))));
            // One waits to sync next, the others go on while the first still syncs.
            assert_eq!(has_returned.iter().take(3).count(), 3);
            assert_eq!(acknowledger.durable(), 0);
            end.send(Ok(())).unwrap();
            has_begun.recv().unwrap();
            assert_eq!(acknowledger.published().sequence(), 1);
            end.send(second).unwrap();
        });
        drop(tell);
        let mut told: Vec<_> = told.iter().collect();
        told.sort_unstable();
        (acknowledger, told)
    }

    #[test]
    fn commits_that_come_during_a_sync_share_the_next() {
        let (acknowledger, told) = two_syncs(Ok(()));
        assert_eq!(told, [1, 2, 3, 4, 5].map(|sequence| (sequence, true)));
        assert_eq!((acknowledger.syncs(), acknowledger.durable()), (2, 5));
        assert!(acknowledger.wait(5).is_ok());
    }

    #[test]
    fn everybody_hears_of_a_failed_sync_and_nothing_is_acknowledged_afterwards() {
        let (acknowledger, told) = two_syncs(Err(io::ErrorKind::StorageFull.into()));
        let expected = [1, 2, 3, 4, 5].map(|sequence| (sequence, sequence == 1));
        assert_eq!(told, expected);
        assert_eq!(acknowledger.published().sequence(), 1);
        let kind = |outcome: Result<()>| outcome.unwrap_err().kind();
        assert_eq!(kind(acknowledger.wait(2)), ErrorKind::WritingStopped);
        assert_eq!(kind(acknowledger.check()), ErrorKind::WritingStopped);
    }
}
