//! What becomes of a body while it comes: kept while it is small, checked by a thread of its own once it is large.
//!
//! So no body is held whole beyond [`KEPT_BYTES_MAX`], however long it is. A large one flows through a channel of a few
//! pieces to the thread that counts its rows and adds up its terms; where that thread falls behind, the client waits for
//! it, and the wait is part of what is reported.

use super::checksum::{Answer, Expected};
use super::failure::{Failure, FailureClass};
use super::process;
use bytes::Bytes;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A body up to this length is kept, to be checked when the clock has stopped.
pub const KEPT_BYTES_MAX: usize = 8 << 20;

const PIECES_MAX: usize = 16;

/// A body that is coming.
pub struct Intake {
    expected: Option<Arc<Expected>>,
    media_type: String,
    kept: Vec<u8>,
    kept_bytes_max: usize,
    bytes: u64,
    check: Option<Check>,
    waited: Duration,
}

struct Check {
    pieces: SyncSender<Bytes>,
    thread: JoinHandle<(Result<Answer, Failure>, Option<f64>)>,
}

/// A body that has come.
pub struct Body {
    /// Its length.
    pub bytes: u64,
    /// All of it, or its beginning where it was large or no answer.
    pub kept: Vec<u8>,
    /// The answer in it, if it was large.
    pub checked: Option<Checked>,
}

/// What the check of a large body found, and what it cost.
pub struct Checked {
    /// The answer.
    pub outcome: Result<Answer, Failure>,
    /// Seconds that the check spent on a core.
    pub cpu_s: Option<f64>,
    /// How long the client waited for the check while the body came.
    pub waited: Duration,
}

impl Intake {
    /// For a body that is an answer to be checked, or of which only the beginning matters; with memory to keep it in.
    pub fn new(expected: Option<Arc<Expected>>, spare: Vec<u8>) -> Self {
        Self {
            expected,
            media_type: String::new(),
            kept: spare,
            kept_bytes_max: KEPT_BYTES_MAX,
            bytes: 0,
            check: None,
            waited: Duration::ZERO,
        }
    }

    /// Learns from the head what the body is. That of an error is no answer.
    pub fn begin(&mut self, status: u16, media_type: &str) {
        media_type.clone_into(&mut self.media_type);
        if status != 200 {
            self.expected = None;
        }
    }

    /// Takes the next piece.
    pub fn take(&mut self, piece: &Bytes) {
        self.bytes += piece.len() as u64;
        if self.check.is_none() {
            if self.kept.len() + piece.len() <= self.kept_bytes_max {
                self.kept.extend_from_slice(piece);
                return;
            }
            let Some(expected) = self.expected.clone() else {
                return;
            };
            let beginning = Bytes::from(std::mem::take(&mut self.kept));
            self.check = Some(Check::start(expected, self.media_type.clone()));
            self.pass_on(beginning);
        }
        self.pass_on(piece.clone());
    }

    fn pass_on(&mut self, piece: Bytes) {
        if let Some(check) = &self.check {
            let before = Instant::now();
            // A check that has failed takes nothing more; it tells why in the end.
            let _ = check.pieces.send(piece);
            self.waited += before.elapsed();
        }
    }

    /// Waits for the check of a large body.
    pub fn finish(self) -> Body {
        let waited = self.waited;
        Body {
            bytes: self.bytes,
            kept: self.kept,
            checked: self.check.map(|check| check.finish(waited)),
        }
    }
}

impl Check {
    fn start(expected: Arc<Expected>, media_type: String) -> Self {
        let (pieces, coming) = sync_channel(PIECES_MAX);
        let thread = thread::spawn(move || {
            let outcome = Answer::read(&expected, &media_type, Pieces::new(coming));
            (outcome, process::thread_cpu_seconds())
        });
        Self { pieces, thread }
    }

    fn finish(self, waited: Duration) -> Checked {
        drop(self.pieces);
        let (outcome, cpu_s) = self.thread.join().unwrap_or_else(|_| {
            let failure = Failure::new(
                FailureClass::Malformed,
                "the check of the answer broke down",
            );
            (Err(failure), None)
        });
        Checked {
            outcome,
            cpu_s,
            waited,
        }
    }
}

/// The pieces as one stream.
struct Pieces {
    coming: Receiver<Bytes>,
    piece: Bytes,
}

impl Pieces {
    fn new(coming: Receiver<Bytes>) -> Self {
        Self {
            coming,
            piece: Bytes::new(),
        }
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.coming.recv() {
                Ok(piece) => self.piece = piece,
                Err(_) => return Ok(0),
            }
        }
        let length = buffer.len().min(self.piece.len());
        buffer[..length].copy_from_slice(&self.piece.split_to(length));
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::workload::QueryForm;

    const JSON: &str = "application/sparql-results+json";

    fn take(body: &[u8], kept_bytes_max: usize) -> Body {
        let mut intake = Intake::new(
            Some(Arc::new(Expected::of_form(QueryForm::Select))),
            Vec::new(),
        );
        intake.kept_bytes_max = kept_bytes_max;
        intake.begin(200, JSON);
        body.chunks(37)
            .for_each(|piece| intake.take(&Bytes::copy_from_slice(piece)));
        intake.finish()
    }

    #[test]
    fn a_large_body_is_checked_while_it_comes_and_not_kept() {
        let rows = vec![r#"{"a":{"type":"literal","value":"é"}}"#; 500].join(",");
        let body = format!(r#"{{"head":{{"vars":["a"]}},"results":{{"bindings":[{rows}]}}}}"#);
        let small = take(body.as_bytes(), body.len());
        assert_eq!(small.kept, body.as_bytes());
        let wanted = Answer::read(&Expected::of_form(QueryForm::Select), JSON, &*small.kept);
        for kept_bytes_max in [0, 100, body.len() - 1] {
            let large = take(body.as_bytes(), kept_bytes_max);
            assert_eq!((large.kept.len(), large.bytes), (0, body.len() as u64));
            assert_eq!(large.checked.unwrap().outcome, wanted);
        }
        let cut = take(&body.as_bytes()[..body.len() - 2], 100)
            .checked
            .unwrap();
        assert_eq!(cut.outcome.unwrap_err().class, FailureClass::Malformed);
    }

    #[test]
    fn of_an_error_only_the_beginning_is_kept() {
        let mut intake = Intake::new(
            Some(Arc::new(Expected::of_form(QueryForm::Ask))),
            Vec::new(),
        );
        intake.kept_bytes_max = 10;
        intake.begin(500, "text/plain");
        (0..5).for_each(|_| intake.take(&Bytes::from_static(b"sorry ")));
        let body = intake.finish();
        assert_eq!((&*body.kept, body.bytes), (&b"sorry "[..], 30));
        assert!(body.checked.is_none());
    }
}
