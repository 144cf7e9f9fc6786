//! The threads that run queries or updates, and the queue before them.
//!
//! Both are bounded: a job that finds the queue full is refused at once, which is better for everyone than a wait
//! without end. A job that panics takes neither its thread nor the pool with it.

use crate::diagnostics::{Error, ErrorKind, Result};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Job = Box<dyn FnOnce() + Send>;

/// The stack of a thread: plans are trees, and deep ones are walked by recursion.
const STACK_BYTES: usize = 16 << 20;

/// A bounded number of threads behind a bounded queue.
pub struct Pool {
    queue: Arc<Queue>,
    queue_max: usize,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Jobs that no thread was free for.
    jobs: VecDeque<Job>,
    /// Where to hand a job to each free thread. The one that was busy last comes first: what it needs is still in its
    /// caches, and its memory is still its own.
    free: Vec<SyncSender<Job>>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No job runs under the lock, so a poisoned one is still in order.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job, or `None` once the pool is gone.
    fn next(&self) -> Option<Job> {
        let given = {
            let mut state = self.lock();
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if state.closed {
                return None;
            }
            let (give, given) = sync_channel(1);
            state.free.push(give);
            given
        };
        given.recv().ok()
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            if catch_unwind(AssertUnwindSafe(job)).is_err() {
                tracing::error!(target: "kaluta::http", "a request panicked; it failed");
            }
        }
    }
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// The operating system refuses a thread.
    pub fn start(name: &str, threads: usize, queue_max: usize) -> Result<Self> {
        let pool = Self {
            queue: Arc::default(),
            queue_max,
        };
        for number in 0..threads.max(1) {
            let queue = Arc::clone(&pool.queue);
            std::thread::Builder::new()
                .name(format!("{name}-{number}"))
                .stack_size(STACK_BYTES)
                .spawn(move || queue.work())
                .map_err(|e| Error::io("starting a thread for requests", e))?;
        }
        Ok(pool)
    }

    /// Queues a job.
    ///
    /// # Errors
    /// Every thread is busy and the queue is full.
    pub fn submit(&self, job: impl FnOnce() + Send + 'static) -> Result<()> {
        let mut state = self.queue.lock();
        if let Some(thread) = state.free.pop() {
            drop(state);
            // A free thread waits for its job until it gets one, or until the pool is gone.
            return thread
                .send(Box::new(job))
                .map_err(|_| Error::internal("a free thread has ended"));
        }
        if state.jobs.len() >= self.queue_max {
            drop(state);
            return Err(Error::new(
                ErrorKind::Busy,
                format!(
                    "all threads are busy and the queue of requests is full ({} may wait); try again soon",
                    self.queue_max
                ),
            ));
        }
        state.jobs.push_back(Box::new(job));
        Ok(())
    }

    /// The number of jobs that wait.
    pub fn queued(&self) -> usize {
        self.queue.lock().jobs.len()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.closed = true;
        state.free.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_full_queue_refuses_and_a_panic_is_survived() {
        let pool = Pool::start("test", 1, 2).unwrap();
        let (started, has_started) = mpsc::channel();
        let (release, wait) = mpsc::channel::<()>();
        pool.submit(move || {
            started.send(()).unwrap();
            let _ = wait.recv();
            panic!("on purpose");
        })
        .unwrap();
        has_started.recv().unwrap();
        pool.submit(|| {}).unwrap();
        let (done, is_done) = mpsc::channel();
        pool.submit(move || done.send(()).unwrap()).unwrap();
        assert_eq!(pool.queued(), 2);
        assert_eq!(pool.submit(|| {}).unwrap_err().kind(), ErrorKind::Busy);
        release.send(()).unwrap();
        is_done.recv().unwrap();
    }
}
