//! One run: start, warm, time, stop.
//!
//! The server's figures are read while no query runs, and answers are checked when the clock has stopped. An own server that
//! breaks down fails its requests, is reported, and is replaced.

use super::answers::Answers;
use super::checksum::Answer;
use super::client::Client;
use super::course::{Course, Lap, Response, Timing, Trace};
use super::endpoint::Endpoint;
use super::failure::Failure;
use super::keeper::Keeper;
use super::metrics::{Counters, Scraper};
use super::process::{self, MemorySampler, Resources, is_running};
use super::schedule::Slot;
use super::server::{ServerCommand, UPDATE_TARGET};
use super::settling::Settled;
use super::state::State;
use super::store_files;
use super::updates::UpdateTrace;
use super::workload::Phase;
use super::world::RealWorld;
use super::{Plan, Target};
use crate::diagnostics::{Error, Result};
use std::fmt;
use std::thread::{self, ScopedJoinHandle};
use tokio::runtime::{Builder, Runtime};

/// What a run is made against.
#[derive(Clone, Debug)]
pub enum Service {
    /// A server that is started for each run.
    Own(ServerCommand),
    /// A server that runs already, perhaps with a known process id on this machine.
    Foreign(Endpoint, Option<u32>),
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(command) => command.fmt(f),
            Self::Foreign(endpoint, _) => f.write_str(&endpoint.url),
        }
    }
}

/// What all runs of a replay share.
pub struct Runner<'a> {
    /// What is to be measured.
    pub plan: &'a Plan,
    /// The answers seen so far.
    pub answers: &'a Answers,
}

/// One run and all its measurements.
#[derive(Debug)]
pub struct Run {
    /// Which run it is.
    pub slot: Slot,
    /// The URL that was measured.
    pub url: String,
    /// How the server names itself.
    pub server_name: Option<String>,
    /// From the start of the first timed request to the last byte of the last.
    pub wall_s: f64,
    /// What the server used while the clock ran.
    pub server: Usage,
    /// Seconds that the client threads spent on cores while the clock ran.
    pub client_cpu_s: Option<f64>,
    /// How the warm part ended, if it was to end by itself.
    pub settled: Option<Settled>,
    /// What was wrong with the end of an own server.
    pub bad_end: Option<String>,
    /// What was wrong with each own server that ended during the run and was replaced.
    pub breakdowns: Vec<String>,
    /// Every update, in the order in which they were sent.
    pub updates: Vec<UpdateTrace>,
    /// Every request, warm ones too, in the order in which they were sent.
    pub requests: Vec<Request>,
}

/// What a server used; what could not be found out is missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// User and system time in seconds.
    pub cpu_s: Option<f64>,
    /// All that the kernel tells.
    pub resources: Resources,
    /// The mean of its resident memory while the clock ran.
    pub mean_memory_bytes: Option<u64>,
    /// The largest resident memory since its start.
    pub peak_memory_bytes: Option<u64>,
    /// What Kaluta counts.
    pub counters: Option<Counters>,
}

/// One request.
#[derive(Debug)]
pub struct Request {
    /// Its measurements.
    pub timing: Timing,
    /// The answer, or why there is none.
    pub outcome: Result<Answer, Failure>,
}

impl Run {
    /// The timed requests.
    pub fn timed(&self) -> impl Iterator<Item = &Request> {
        self.requests
            .iter()
            .filter(|request| request.timing.phase == Phase::Timed)
    }
}

impl Usage {
    /// What the server uses between the gates of a course. The counters are read outside of the CPU times, as reading them
    /// is work for the server, too. Of a server that was replaced meanwhile there are no figures.
    async fn while_timed(
        course: &Course<'_>,
        scraper: &mut Scraper,
        pid: impl Fn() -> Option<u32>,
    ) -> Self {
        course.await_warm().await;
        let pid_before = pid();
        let counters_before = scraper.scrape().await;
        let sampler = pid_before.map(MemorySampler::start);
        let before = pid_before.map(Resources::of_process);
        course.start_clock().await;
        course.await_end().await;
        let after = pid_before.map(Resources::of_process);
        let mean_memory_bytes = sampler.and_then(MemorySampler::stop);
        let counters = scraper.scrape().await;
        if pid() != pid_before {
            return Self::default();
        }
        let resources = (after.zip(before)).map(|(after, before)| after.since(&before));
        let resources = resources.unwrap_or_default();
        Self {
            cpu_s: resources.cpu_s(),
            resources,
            mean_memory_bytes,
            peak_memory_bytes: pid_before.and_then(process::peak_memory_bytes),
            counters: (counters.zip(counters_before)).map(|(after, before)| after.since(before)),
        }
    }
}

impl Runner<'_> {
    /// Makes one run. An own server that is going to be changed gets a copy of its store.
    pub fn run(&self, slot: Slot, target: &Target) -> Result<Run> {
        match &target.service {
            Service::Own(command) => {
                let copied = self.plan.updates.as_ref();
                let copied = copied.map(|_| store_files::copy(&command.location));
                let copied = copied.transpose()?;
                let mut command = command.clone();
                if let Some(copied) = &copied {
                    copied.path().clone_into(&mut command.location);
                }
                self.run_own(slot, &command)
            }
            Service::Foreign(endpoint, pid) => {
                let updates = target.updates.as_ref();
                let mut run = self.measure(slot, endpoint, updates, || *pid, None)?;
                let ended = pid.filter(|&pid| !is_running(pid));
                run.bad_end = ended.map(|pid| format!("its process, {pid}, is not there any more"));
                Ok(run)
            }
        }
    }

    fn run_own(&self, slot: Slot, command: &ServerCommand) -> Result<Run> {
        if self.plan.state == State::Cold {
            store_files::drop_from_page_cache(&command.location)?;
        }
        let keeper = Keeper::start(command)?;
        let (pid, endpoint) = (|| keeper.pid(), keeper.endpoint());
        let updates = Some(endpoint.with_target(UPDATE_TARGET));
        let mut run = self.measure(slot, &endpoint, updates.as_ref(), pid, Some(&keeper))?;
        let end = keeper.stop()?;
        run.bad_end = end.bad_end;
        run.breakdowns = end.breakdowns;
        Ok(run)
    }

    fn measure(
        &self,
        slot: Slot,
        endpoint: &Endpoint,
        updates: Option<&Endpoint>,
        pid: impl Fn() -> Option<u32>,
        keeper: Option<&Keeper<'_>>,
    ) -> Result<Run> {
        let (of_this_thread, of_updater) = (runtime()?, runtime()?);
        let of_clients = (0..slot.load.threads)
            .map(|_| runtime())
            .collect::<Result<Vec<_>>>()?;
        let client =
            |endpoint: &Endpoint| Client::new(RealWorld, endpoint.clone(), self.plan.timeout);
        let mut scraper = Scraper::new(endpoint, self.plan.timeout);
        let course = &Course::new(self.plan, &slot, self.answers, keeper);
        let (server, laps, updates) = thread::scope(|scope| {
            let threads: Vec<_> = (of_clients.into_iter().enumerate())
                .map(|(thread, runtime)| {
                    let client = client(endpoint);
                    scope.spawn(move || runtime.block_on(course.follow(thread, client)))
                })
                .collect();
            let updater = self.plan.updates.as_ref().map(|updates_sent| {
                let (updater, asker) = (client(updates.unwrap_or(endpoint)), client(endpoint));
                let followed = updates_sent.follow(course, updater, asker);
                scope.spawn(move || of_updater.block_on(followed))
            });
            let used = Usage::while_timed(course, &mut scraper, pid);
            let server = of_this_thread.block_on(used);
            let laps: Vec<_> = threads.into_iter().map(joined).collect();
            (server, laps, updater.map(joined).unwrap_or_default())
        });
        Ok(Run {
            updates,
            settled: course.settled(),
            ..self.finish(slot, endpoint, server, laps)
        })
    }

    /// What the laps of all clients make up.
    pub(super) fn finish(
        &self,
        slot: Slot,
        endpoint: &Endpoint,
        server: Usage,
        laps: Vec<Lap>,
    ) -> Run {
        let client_cpu_s = laps.iter().map(|lap| lap.cpu_s).sum();
        let traces: Vec<_> = laps.into_iter().flat_map(|lap| lap.traces).collect();
        let server_name = traces.iter().find_map(|trace| trace.server_name.clone());
        let mut requests: Vec<_> = traces.into_iter().map(|trace| self.check(trace)).collect();
        requests.sort_by_key(|request| request.timing.start);
        Run {
            slot,
            url: endpoint.url.clone(),
            server_name,
            wall_s: wall_seconds(&requests),
            server,
            client_cpu_s,
            settled: None,
            bad_end: None,
            breakdowns: Vec::new(),
            updates: Vec::new(),
            requests,
        }
    }

    fn check(&self, trace: Trace) -> Request {
        let expected = &self.plan.workload.queries()[trace.timing.query].expected;
        Request {
            outcome: match trace.response {
                Response::Settled(outcome) => outcome,
                Response::Unread {
                    key,
                    media_type,
                    body,
                } => {
                    self.answers.release(&body);
                    self.answers.check(key, expected, &media_type, &body)
                }
            },
            timing: trace.timing,
        }
    }
}

/// What a thread brings back; a panic goes on.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A runtime for one thread.
fn runtime() -> Result<Runtime> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map_err(|e| Error::io("starting a client thread's runtime", e))
}

fn wall_seconds(requests: &[Request]) -> f64 {
    let timed = || {
        requests
            .iter()
            .map(|r| &r.timing)
            .filter(|t| t.phase == Phase::Timed)
    };
    let start = timed().map(|timing| timing.start).min();
    let end = timed().map(|timing| timing.last_byte).max();
    end.zip(start)
        .map_or(0.0, |(end, start)| (end - start).as_secs_f64())
}
