//! The thread that writes the log records of failed requests.
//!
//! Turning a backtrace into text takes milliseconds, so neither an async thread nor a query thread does it, and a
//! burst of failures keeps one core busy at most. Records that wait are written before the server is gone.

use super::exchange::RequestId;
use crate::diagnostics::{Error, Result, backtraces};
use std::sync::mpsc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Where errors go whose record is to be printed.
pub struct ErrorLog {
    records: Option<mpsc::Sender<Record>>,
    thread: Option<JoinHandle<()>>,
}

struct Record {
    error: Error,
    id: RequestId,
    /// Dropped once the record is written; whoever waits for it hears that.
    _written: oneshot::Sender<()>,
}

impl ErrorLog {
    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system refuses it.
    pub fn start() -> Result<Self> {
        let (records, waiting) = mpsc::channel::<Record>();
        let write = move || {
            for record in waiting {
                record.error.log(&record.id.to_string());
            }
        };
        let thread = std::thread::Builder::new()
            .name("error-log".to_owned())
            .spawn(write)
            .map_err(|e| Error::io("starting the thread of the error log", e))?;
        Ok(Self {
            records: Some(records),
            thread: Some(thread),
        })
    }

    /// Has an error written. The returned receiver is closed once that is done, at once if its level is not printed.
    pub fn write(&self, error: Error, id: RequestId) -> oneshot::Receiver<()> {
        let (written, when_written) = oneshot::channel();
        if backtraces::is_printed(error.kind().level())
            && let Some(records) = &self.records
        {
            let record = Record {
                error,
                id,
                _written: written,
            };
            // The thread ends only after the sender; if a panic in the log ended it, there is nowhere to say so.
            let _ = records.send(record);
        }
        when_written
    }
}

impl Drop for ErrorLog {
    fn drop(&mut self) {
        self.records = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the log has been reported by its own thread.
            let _ = thread.join();
        }
    }
}
