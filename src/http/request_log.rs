//! The log of requests, from which a workload can be made: a JSON object a line for each query and update.
//!
//! Nothing of the client is in it but what it asks for and how it wants its answer. A thread writes it, so that no answer
//! waits for the disk; what cannot be written, or is more than may wait, is lost and said in the log of the server.

use super::protocol::Call;
use crate::diagnostics::{Error, Result};
use axum::http::header::ACCEPT;
use axum::http::request::Parts;
use oxsdatatypes::DateTime;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

/// So many bytes of lines may wait for the thread.
const WAITING_BYTES_MAX: usize = 16 << 20;

/// Where records of requests go.
pub struct RequestLog {
    lines: Option<Sender<Vec<u8>>>,
    waiting_bytes: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

/// A request that is being answered.
pub struct Entry {
    record: Record,
    received: Instant,
}

#[derive(Serialize)]
struct Record {
    time: String,
    method: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    accept: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<String>,
    #[serde(rename = "default-graph-uri", skip_serializing_if = "Vec::is_empty")]
    default_graphs: Vec<String>,
    #[serde(rename = "named-graph-uri", skip_serializing_if = "Vec::is_empty")]
    named_graphs: Vec<String>,
    #[serde(rename = "using-graph-uri", skip_serializing_if = "Vec::is_empty")]
    using_graphs: Vec<String>,
    #[serde(
        rename = "using-named-graph-uri",
        skip_serializing_if = "Vec::is_empty"
    )]
    using_named_graphs: Vec<String>,
    status: u16,
    /// Until the head of the answer was ready, in milliseconds.
    answered_ms: f64,
}

impl Entry {
    /// Of a request that was just received; none for one that only wants to see a plan.
    pub fn of(parts: &Parts, call: &Call) -> Option<Self> {
        let accept = parts.headers.get(ACCEPT);
        let mut record = Record {
            time: DateTime::now().to_string(),
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            accept: accept.and_then(|accept| Some(accept.to_str().ok()?.to_owned())),
            query: None,
            update: None,
            default_graphs: Vec::new(),
            named_graphs: Vec::new(),
            using_graphs: Vec::new(),
            using_named_graphs: Vec::new(),
            status: 0,
            answered_ms: 0.0,
        };
        match call {
            Call::Query(call) if call.explain.is_some() => return None,
            Call::Query(call) => {
                record.query = Some(call.request.text.clone());
                record
                    .default_graphs
                    .clone_from(&call.request.default_graphs);
                record.named_graphs.clone_from(&call.request.named_graphs);
            }
            Call::Update(call) => {
                record.update = Some(call.text.clone());
                record.using_graphs.clone_from(&call.using_graphs);
                record
                    .using_named_graphs
                    .clone_from(&call.using_named_graphs);
            }
        }
        Some(Self {
            record,
            received: Instant::now(),
        })
    }
}

impl RequestLog {
    /// Opens a file, whose lines stay, and starts the thread that writes to it.
    ///
    /// # Errors
    /// The file cannot be written, or the operating system refuses a thread.
    pub fn start(path: &Path) -> Result<Self> {
        let opened = open(path);
        let (file, ends_within_line) = opened.map_err(|e| {
            Error::user_file(
                format_args!(
                    "opening the request log {} (setting log.requests_file)",
                    path.display()
                ),
                e,
            )
        })?;
        let (lines, queue) = channel();
        let waiting_bytes = Arc::new(AtomicUsize::new(0));
        let mut writer = Writer {
            path: path.to_owned(),
            out: BufWriter::new(file),
            waiting_bytes: Arc::clone(&waiting_bytes),
            is_within_line: ends_within_line,
            has_failed: false,
        };
        let thread = Builder::new()
            .name("request-log".to_owned())
            .spawn(move || writer.write_all(&queue))
            .map_err(|e| Error::io("starting the thread of the request log", e))?;
        Ok(Self {
            lines: Some(lines),
            waiting_bytes,
            thread: Some(thread),
        })
    }

    /// Has a request written that was answered with a status.
    pub fn answered(&self, entry: Entry, status: u16) {
        let Entry {
            mut record,
            received,
        } = entry;
        record.status = status;
        record.answered_ms = received.elapsed().as_secs_f64() * 1e3;
        let (Ok(mut line), Some(lines)) = (serde_json::to_vec(&record), &self.lines) else {
            return;
        };
        line.push(b'\n');
        let bytes = line.len();
        if self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > WAITING_BYTES_MAX {
            self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            tracing::warn!(target: "kaluta::http", "a request is not in the request log, whose disk does not keep up");
            return;
        }
        // The thread ends only after the sender.
        let _ = lines.send(line);
    }
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        self.lines = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported by itself.
            let _ = thread.join();
        }
    }
}

/// A file to append to, and whether its last line has no end.
fn open(path: &Path) -> io::Result<(File, bool)> {
    let mut file = File::options()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.is_file() && file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok((file, last != [b'\n']))
}

struct Writer {
    path: PathBuf,
    out: BufWriter<File>,
    waiting_bytes: Arc<AtomicUsize>,
    /// Whether part of a line may be the last that is in the file.
    is_within_line: bool,
    /// Whether the last attempt failed.
    has_failed: bool,
}

impl Writer {
    /// Writes lines as they come, and hands them to the operating system whenever none waits.
    fn write_all(&mut self, queue: &Receiver<Vec<u8>>) {
        while let Ok(line) = queue.recv() {
            self.try_to(|writer| writer.write(&line));
            while let Ok(line) = queue.try_recv() {
                self.try_to(|writer| writer.write(&line));
            }
            self.try_to(|writer| writer.out.flush());
        }
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.waiting_bytes.fetch_sub(line.len(), Ordering::Relaxed);
        if self.is_within_line {
            self.out.write_all(b"\n")?;
        }
        self.is_within_line = true;
        self.out.write_all(line)?;
        self.is_within_line = false;
        Ok(())
    }

    /// Says once that writing fails, and not again before it has succeeded.
    fn try_to(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) {
        match write(self) {
            Ok(()) => self.has_failed = false,
            Err(e) => {
                if !self.has_failed {
                    let path = self.path.display();
                    tracing::error!(target: "kaluta::http", "requests are missing in the request log {path}: {e}");
                }
                self.has_failed = true;
            }
        }
    }
}
