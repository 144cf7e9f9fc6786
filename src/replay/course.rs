//! The client threads of one run: a closed loop over a shared cursor, first warm, then timed.
//!
//! Each thread sends its next query as soon as its last answer is whole, so a request is intended for the moment at which
//! it is sent. Between two requests a thread does no more than hash the body and ask whether it is known.

use super::answers::{Answers, BodyKey};
use super::checksum::Answer;
use super::client::{Client, Exchange};
use super::failure::Failure;
use super::process;
use super::workload::{Phase, Workload};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What the threads of one run share.
pub struct Course<'a> {
    workload: &'a Workload,
    answers: &'a Answers,
    origin: Instant,
    warm: AtomicUsize,
    timed: AtomicUsize,
    gate: Barrier,
}

/// The measurements of one request. Times count from the start of the run.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Whether it is timed.
    pub phase: Phase,
    /// The position of the query in the workload.
    pub query: usize,
    /// The client thread, from zero.
    pub thread: usize,
    /// When it was to be sent.
    pub intended_start: Duration,
    /// When it was sent.
    pub start: Duration,
    /// When the head of the response was here.
    pub first_byte: Option<Duration>,
    /// When the last byte of the response was here, or the request had failed.
    pub last_byte: Duration,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The length of the body.
    pub bytes: u64,
    /// Whether it was sent twice, as the server closed the kept connection without an answer to the first.
    pub resent: bool,
    /// How long the client waited for its own check of a large body while that came.
    pub check_wait: Duration,
}

impl Timing {
    /// From the intended start to the last byte, in milliseconds.
    pub fn latency_ms(&self) -> f64 {
        (self.last_byte - self.intended_start).as_secs_f64() * 1e3
    }
}

/// One request as its thread leaves it.
pub struct Trace {
    /// Its measurements.
    pub timing: Timing,
    /// How the server names itself.
    pub server_name: Option<String>,
    /// Seconds that the check of a large body spent on a core while the clock ran.
    pub check_cpu_s: f64,
    /// What is known of its answer.
    pub response: Response,
}

/// What is known of an answer before the clock has stopped.
pub enum Response {
    /// There is none, or its body was seen before.
    Settled(Result<Answer, Failure>),
    /// A new body.
    Unread {
        /// Its key.
        key: BodyKey,
        /// Its media type.
        media_type: String,
        /// All of it.
        body: Vec<u8>,
    },
}

/// What a thread brings back.
pub struct Lap {
    /// Its requests.
    pub traces: Vec<Trace>,
    /// Seconds that it spent on a core while the clock ran.
    pub cpu_s: Option<f64>,
}

impl<'a> Course<'a> {
    /// A course for so many threads and the one that watches them.
    pub fn new(workload: &'a Workload, answers: &'a Answers, threads: usize) -> Self {
        Self {
            workload,
            answers,
            origin: Instant::now(),
            warm: AtomicUsize::new(workload.positions(Phase::Warm).start),
            timed: AtomicUsize::new(workload.positions(Phase::Timed).start),
            gate: Barrier::new(threads + 1),
        }
    }

    /// What a client thread does.
    pub fn follow(&self, thread: usize, client: &mut Client) -> Lap {
        let mut traces = Vec::new();
        self.replay(Phase::Warm, thread, client, &mut traces);
        self.await_warm();
        self.start_clock();
        let before = process::thread_cpu_seconds();
        self.replay(Phase::Timed, thread, client, &mut traces);
        let after = process::thread_cpu_seconds();
        self.await_end();
        let timed = traces
            .iter()
            .filter(|trace| trace.timing.phase == Phase::Timed);
        let checks_s: f64 = timed.map(|trace| trace.check_cpu_s).sum();
        Lap {
            cpu_s: (after.zip(before)).map(|(after, before)| after - before + checks_s),
            traces,
        }
    }

    /// Waits until the warm part is over, for all threads and the watching one.
    pub fn await_warm(&self) {
        self.gate.wait();
    }

    /// Waits until the watching thread lets the timed part begin.
    pub fn start_clock(&self) {
        self.gate.wait();
    }

    /// Waits until the timed part is over.
    pub fn await_end(&self) {
        self.gate.wait();
    }

    fn replay(&self, phase: Phase, thread: usize, client: &mut Client, traces: &mut Vec<Trace>) {
        let cursor = match phase {
            Phase::Warm => &self.warm,
            Phase::Timed => &self.timed,
        };
        let positions = self.workload.positions(phase);
        loop {
            let query = cursor.fetch_add(1, Ordering::Relaxed);
            if !positions.contains(&query) {
                return;
            }
            traces.push(self.request(phase, query, thread, client));
        }
    }

    fn request(&self, phase: Phase, query: usize, thread: usize, client: &mut Client) -> Trace {
        let asked = &self.workload.queries()[query];
        let Exchange {
            start,
            last_byte,
            head,
            body,
            failure,
        } = client.post_form(&asked.body, &asked.expected);
        let since_origin = |moment: Instant| moment.duration_since(self.origin);
        let timing = Timing {
            phase,
            query,
            thread,
            intended_start: since_origin(start),
            start: since_origin(start),
            first_byte: head.first_byte.map(since_origin),
            last_byte: since_origin(last_byte),
            status: head.status,
            bytes: body.bytes,
            resent: head.resent,
            check_wait: (body.checked.as_ref()).map_or(Duration::ZERO, |checked| checked.waited),
        };
        let check_cpu_s = body.checked.as_ref().and_then(|checked| checked.cpu_s);
        let response = match (failure, body.checked) {
            (Some(failure), _) => Response::Settled(Err(failure)),
            (None, Some(checked)) => Response::Settled(checked.outcome),
            (None, None) => self.recall(query, head.media_type, body.kept, client),
        };
        Trace {
            timing,
            server_name: head.server_name,
            check_cpu_s: check_cpu_s.unwrap_or_default(),
            response,
        }
    }

    fn recall(
        &self,
        query: usize,
        media_type: String,
        body: Vec<u8>,
        client: &mut Client,
    ) -> Response {
        let key = BodyKey::new(query, &media_type, &body);
        let known = self.answers.recall(&key).or_else(|| {
            let expected = &self.workload.queries()[query].expected;
            let is_kept = self.answers.may_keep(&body);
            (!is_kept).then(|| self.answers.check(key, expected, &media_type, &body))
        });
        match known {
            Some(outcome) => {
                client.reuse(body);
                Response::Settled(outcome)
            }
            None => Response::Unread {
                key,
                media_type,
                body,
            },
        }
    }
}
