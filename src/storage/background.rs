//! The thread that moves what commits brought to files, so that no writer has to.

use super::flush::{flush, flush_when_quiet, is_worth_a_quiet_flush};
use super::garbage::GarbageCollector;
use super::shared::Shared;
use crate::diagnostics::{Error, Result};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The store is quiet when nobody has committed for so long.
const QUIET: Duration = Duration::from_secs(1);

/// What the thread is asked to do.
#[derive(Debug, Default)]
pub struct Chores {
    asked: Mutex<Asked>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Asked {
    flush: bool,
    stop: bool,
}

/// What the thread does next.
enum Chore {
    /// Write what is in memory to files.
    Flush,
    /// See whether the store is quiet.
    LookAround,
    /// End.
    Stop,
}

impl Chores {
    /// Asks for a flush.
    pub fn ask_for_flush(&self) {
        self.ask(|asked| asked.flush = true);
    }

    fn ask(&self, what: impl FnOnce(&mut Asked)) {
        what(&mut self.asked.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_one();
    }

    /// Whether the thread may go on.
    pub fn goes_on(&self) -> bool {
        !self
            .asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .stop
    }

    /// Waits until there is something to do, or for a while.
    fn wait(&self) -> Chore {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(asked, QUIET, |asked| !asked.flush && !asked.stop);
        let (mut asked, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let chore = match *asked {
            Asked { stop: true, .. } => Chore::Stop,
            Asked { flush: true, .. } => Chore::Flush,
            Asked { .. } => Chore::LookAround,
        };
        asked.flush = false;
        chore
    }
}

/// The thread, which ends when this is dropped.
#[derive(Debug)]
pub struct Background {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system has no thread to give.
    pub fn spawn(shared: &Arc<Shared>) -> Result<Self> {
        let of_thread = Arc::clone(shared);
        let thread = std::thread::Builder::new()
            .name("kaluta-flush".to_owned())
            .spawn(move || work(&of_thread))
            .map_err(|e| Error::io("cannot start the thread that flushes the store", e))?;
        Ok(Self {
            shared: Arc::clone(shared),
            thread: Some(thread),
        })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.shared.chores.ask(|asked| asked.stop = true);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported by itself.
            let _ = thread.join();
        }
    }
}

fn work(shared: &Shared) {
    let opened = shared.acknowledger.published();
    let prepared = opened
        .dictionary()
        .prepare_filters(|| shared.chores.goes_on());
    if let Err(error) = prepared {
        // Whoever needs the damaged term hears of it, too.
        tracing::error!(%error, "the dictionary cannot be read");
    }
    drop(opened);
    let mut seen = 0;
    let mut garbage = GarbageCollector::new(shared.options.compact_terms_min);
    loop {
        let done = match shared.chores.wait() {
            Chore::Stop => return,
            Chore::Flush => flush(shared, &mut shared.manifest()),
            Chore::LookAround => {
                let state = shared.acknowledger.published();
                let is_quiet = std::mem::replace(&mut seen, state.sequence()) == state.sequence();
                if !is_quiet || !is_worth_a_quiet_flush(&state) {
                    continue;
                }
                drop(state);
                flush_when_quiet(shared, &mut shared.manifest())
            }
        };
        if let Err(error) = done.and_then(|()| garbage.collect(shared))
            && shared.chores.goes_on()
        {
            // Nothing is lost: the commits are in the log and in memory, and the next one asks again.
            tracing::error!(%error, "the store cannot be flushed or compacted");
        }
    }
}
