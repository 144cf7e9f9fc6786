//! The clients of one run, a thread for each: a loop over a shared cursor, first warm, then timed.
//!
//! In a closed loop each thread sends its next query as soon as its last answer is whole, so a request is intended for the
//! moment at which it is sent. In an open loop the next thread that is free waits for the moment of the next request; where
//! none is free in time, the request is late, and that counts. Between two requests a thread does no more than hash the
//! body and ask whether it is known.

use super::Plan;
use super::answers::{Answers, BodyKey};
use super::checksum::Answer;
use super::client::{Client, Exchange};
use super::failure::Failure;
use super::keeper::Keeper;
use super::process;
use super::schedule::Slot;
use super::server::QUERY_TARGET;
use super::settling::{Settled, Settling};
use super::state::State;
use super::workload::{Phase, Workload};
use super::world::World;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Barrier;
use tokio::time::Instant;
use uuid::Uuid;

/// What the threads of one run share.
pub struct Course<'a> {
    /// Names the run among all runs.
    id: Uuid,
    timeout: Duration,
    /// Clients that still send queries.
    at_work: AtomicUsize,
    workload: &'a Workload,
    answers: &'a Answers,
    keeper: Option<&'a Keeper<'a>>,
    origin: Instant,
    clock_start: OnceLock<Instant>,
    warm: Stage<'a>,
    /// Where the warm queries are asked until their times stay.
    settling: Option<Settling>,
    timed: Stage<'a>,
    gate: Barrier,
}

/// The requests of one phase, handed out one by one.
struct Stage<'a> {
    /// The position of the query for each request.
    queries: &'a [usize],
    cursor: AtomicUsize,
    count: usize,
    duration_max: Option<Duration>,
    /// When each is to be sent, in an open loop.
    times: Option<Vec<Duration>>,
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

    /// From the sending to the last byte, in milliseconds.
    pub fn service_ms(&self) -> f64 {
        (self.last_byte - self.start).as_secs_f64() * 1e3
    }

    /// From the intended start to the sending, in milliseconds.
    pub fn delay_ms(&self) -> f64 {
        (self.start - self.intended_start).as_secs_f64() * 1e3
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

impl<'a> Stage<'a> {
    /// Each query once.
    fn once(queries: &'a [usize]) -> Self {
        Self {
            cursor: AtomicUsize::new(0),
            count: queries.len(),
            duration_max: None,
            times: None,
            queries,
        }
    }

    /// The timed queries, once or for the time of the plan, as the load says.
    fn timed(plan: &'a Plan, slot: &Slot) -> Self {
        let once = Self::once(plan.workload.requests(Phase::Timed));
        let Some(pace) = slot.load.pace else {
            return Self {
                count: plan.duration.map_or(once.count, |_| usize::MAX),
                duration_max: plan.duration,
                ..once
            };
        };
        let count = plan.duration.and_then(|duration| pace.count_in(duration));
        let count = count.unwrap_or(once.count);
        // Rounds differ in their times, servers do not.
        let seed = plan.seed.wrapping_add(slot.round as u64);
        let times = pace.times(count, plan.workload.recorded(Phase::Timed), seed);
        Self {
            count,
            times: Some(times),
            ..once
        }
    }

    /// Begins anew.
    fn rewind(&self) {
        self.cursor.store(0, Ordering::Relaxed);
    }

    /// The next query, and when it is to be sent if not at once; none when the phase is over.
    fn next(&self, start: Instant) -> Option<(usize, Option<Instant>)> {
        let position = self.cursor.fetch_add(1, Ordering::Relaxed);
        let is_over = || self.duration_max.is_some_and(|max| start.elapsed() >= max);
        if position >= self.count || is_over() {
            return None;
        }
        let query = self.queries[position % self.queries.len()];
        let time = self.times.as_ref().and_then(|times| times.get(position));
        Some((query, time.map(|&time| start + time)))
    }
}

impl<'a> Course<'a> {
    /// A course for the threads of a run, the one that sends updates, if any, and the one that watches them.
    pub fn new(
        plan: &'a Plan,
        slot: &Slot,
        answers: &'a Answers,
        keeper: Option<&'a Keeper<'a>>,
    ) -> Self {
        let updaters = usize::from(plan.updates.is_some());
        Self {
            id: Uuid::new_v4(),
            timeout: plan.timeout,
            at_work: AtomicUsize::new(slot.load.threads),
            workload: &plan.workload,
            answers,
            keeper,
            origin: Instant::now(),
            clock_start: OnceLock::new(),
            settling: (plan.state == State::Steady).then(|| Settling::new(slot.load.threads)),
            warm: Stage::once(plan.state.untimed(&plan.workload)),
            timed: Stage::timed(plan, slot),
            gate: Barrier::new(slot.load.threads + updaters + 1),
        }
    }

    /// What a client thread does.
    pub async fn follow<W: World>(&self, thread: usize, mut client: Client<W>) -> Lap {
        let mut traces = Vec::new();
        self.warm_up(thread, &mut client, &mut traces).await;
        self.await_warm().await;
        self.start_clock().await;
        let before = process::thread_cpu_seconds();
        self.replay(Phase::Timed, thread, &mut client, &mut traces)
            .await;
        let after = process::thread_cpu_seconds();
        self.at_work.fetch_sub(1, Ordering::Relaxed);
        self.await_end().await;
        let timed = traces
            .iter()
            .filter(|trace| trace.timing.phase == Phase::Timed);
        let checks_s: f64 = timed.map(|trace| trace.check_cpu_s).sum();
        Lap {
            cpu_s: (after.zip(before)).map(|(after, before)| after - before + checks_s),
            traces,
        }
    }

    async fn warm_up<W: World>(
        &self,
        thread: usize,
        client: &mut Client<W>,
        traces: &mut Vec<Trace>,
    ) {
        loop {
            let before = traces.len();
            self.replay(Phase::Warm, thread, client, traces).await;
            let Some(settling) = &self.settling else {
                return;
            };
            let latencies = traces[before..]
                .iter()
                .map(|trace| trace.timing.latency_ms());
            if settling.end_pass(latencies, || self.warm.rewind()).await {
                return;
            }
        }
    }

    /// How the warm part ended, if it was to end by itself.
    pub fn settled(&self) -> Option<Settled> {
        self.settling.as_ref()?.settled()
    }

    /// Names the run among all runs.
    pub const fn id(&self) -> Uuid {
        self.id
    }

    /// The time within which an answer must be whole.
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Whether all queries have been answered.
    pub fn is_over(&self) -> bool {
        self.at_work.load(Ordering::Relaxed) == 0
    }

    /// A moment as the time from the start of the run.
    pub fn since_origin(&self, moment: Instant) -> Duration {
        moment.duration_since(self.origin)
    }

    /// Waits until the warm part is over, for all threads and the watching one.
    pub async fn await_warm(&self) {
        self.gate.wait().await;
    }

    /// Waits until the watching thread lets the timed part begin.
    pub async fn start_clock(&self) {
        self.gate.wait().await;
    }

    /// Waits until the timed part is over.
    pub async fn await_end(&self) {
        self.gate.wait().await;
    }

    async fn replay<W: World>(
        &self,
        phase: Phase,
        thread: usize,
        client: &mut Client<W>,
        traces: &mut Vec<Trace>,
    ) {
        let stage = match phase {
            Phase::Warm => &self.warm,
            Phase::Timed => &self.timed,
        };
        let start = match phase {
            Phase::Warm => self.origin,
            Phase::Timed => *self.clock_start.get_or_init(Instant::now),
        };
        while let Some((query, intended)) = stage.next(start) {
            if let Some(moment) = intended {
                client.sleep_until(moment).await;
            }
            let trace = self.request(phase, query, intended, thread, client).await;
            if let Response::Settled(Err(failure)) = &trace.response {
                self.see_to_server(failure, client);
            }
            traces.push(trace);
        }
    }

    /// After a broken connection goes on with the server that took the place of one of our own that ended.
    pub fn see_to_server<W: World>(&self, failure: &Failure, client: &mut Client<W>) {
        let endpoint = client.endpoint();
        let of_queries = endpoint.with_target(QUERY_TARGET);
        if failure.class.is_broken_connection()
            && let Some(replacement) = self.keeper.and_then(|k| k.replacement(&of_queries))
        {
            client.move_to(replacement.with_target(&endpoint.target));
        }
    }

    async fn request<W: World>(
        &self,
        phase: Phase,
        query: usize,
        intended: Option<Instant>,
        thread: usize,
        client: &mut Client<W>,
    ) -> Trace {
        let asked = &self.workload.queries()[query];
        let Exchange {
            start,
            last_byte,
            head,
            body,
            failure,
        } = client
            .query(&asked.method, &asked.form, &asked.expected)
            .await;
        let since_origin = |moment| self.since_origin(moment);
        let timing = Timing {
            phase,
            query,
            thread,
            intended_start: since_origin(intended.unwrap_or(start)),
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

    fn recall<W: World>(
        &self,
        query: usize,
        media_type: String,
        body: Vec<u8>,
        client: &mut Client<W>,
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
