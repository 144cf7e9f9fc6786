//! Every measurement of a replay as JSON Lines: one record a line, told apart by `record`.
//!
//! First `replay` (what, where, how), then a `run` for each run and after it an `update` and a `request` for each of its own. Times are
//! microseconds from the start of the run. Whatever a report says can be worked out from this file.

use super::choice::Choice;
use super::data::DataSet;
use super::machine::Machine;
use super::own_limit::OwnLimit;
use super::pace::{Load, Pace};
use super::process::Resources;
use super::run::{Request, Run};
use super::settling::Settled;
use super::state::State;
use super::updates::UpdateTrace;
use super::workload::{Phase, QueryForm};
use super::{Outcome, Subject};
use crate::diagnostics::{Error, Result};
use serde::Serialize;
use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Serialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
enum Record<'a> {
    Replay(ReplayRecord<'a>),
    Run(RunRecord<'a>),
    Update(UpdateRecord<'a>),
    Request(RequestRecord<'a>),
}

#[derive(Serialize)]
struct ReplayRecord<'a> {
    format: u32,
    harness: &'static str,
    written_unix_s: u64,
    machine: Machine,
    subject: &'static str,
    targets: Vec<&'a str>,
    /// How each is started or reached.
    services: Vec<String>,
    data: Vec<DataRecord<'a>>,
    loads: Vec<LoadRecord>,
    duration_s: Option<f64>,
    rounds: usize,
    seed: u64,
    timeout_s: f64,
    load: &'static str,
    state: State,
    updates_per_s: Option<f64>,
    warm_queries: usize,
    own_limit: Option<OwnLimit>,
    workload_sha256: &'a str,
    queries: Vec<QueryRecord<'a>>,
}

/// The triples of a target: how many, and their checksum; or why they are not known.
#[derive(Serialize)]
struct DataRecord<'a> {
    triples: Option<u64>,
    checksum: Option<String>,
    failure: Option<&'a str>,
}

impl<'a> From<&'a DataSet> for DataRecord<'a> {
    fn from(data: &'a DataSet) -> Self {
        let answer = data.as_ref().ok();
        Self {
            triples: answer.map(|answer| answer.rows),
            checksum: answer.map(|answer| format!("{:016x}", answer.checksum)),
            failure: data.as_ref().err().map(String::as_str),
        }
    }
}

#[derive(Serialize)]
struct LoadRecord {
    threads: usize,
    pace: Option<f64>,
}

impl From<&Load> for LoadRecord {
    fn from(load: &Load) -> Self {
        Self {
            threads: load.threads,
            pace: load.pace.map(Pace::number),
        }
    }
}

#[derive(Serialize)]
struct QueryRecord<'a> {
    name: &'a str,
    form: QueryForm,
    choice: Choice,
}

#[derive(Serialize)]
struct RunRecord<'a> {
    endpoint: &'a str,
    url: &'a str,
    server: Option<&'a str>,
    round: usize,
    threads: usize,
    pace: Option<f64>,
    wall_s: f64,
    server_cpu_s: Option<f64>,
    server_peak_memory_bytes: Option<u64>,
    backtraces_captured: Option<u64>,
    expression_errors: Option<u64>,
    client_cpu_s: Option<f64>,
    server_resources: Resources,
    server_mean_memory_bytes: Option<u64>,
    settled: Option<Settled>,
    bad_end: Option<&'a str>,
    breakdowns: &'a [String],
}

#[derive(Serialize)]
struct UpdateRecord<'a> {
    endpoint: &'a str,
    round: usize,
    threads: usize,
    pace: Option<f64>,
    update: &'a str,
    intended_start_us: f64,
    start_us: f64,
    committed_us: f64,
    seen_us: Option<f64>,
    asked: usize,
    failure: Option<&'a super::failure::Failure>,
}

#[derive(Serialize)]
struct RequestRecord<'a> {
    endpoint: &'a str,
    round: usize,
    threads: usize,
    pace: Option<f64>,
    seed: u64,
    phase: Phase,
    query: &'a str,
    thread: usize,
    intended_start_us: f64,
    start_us: f64,
    first_byte_us: Option<f64>,
    last_byte_us: f64,
    status: Option<u16>,
    bytes: u64,
    resent: bool,
    check_wait_us: f64,
    rows: Option<u64>,
    checksum: Option<String>,
    failure: Option<&'a super::failure::Failure>,
}

impl Outcome {
    /// Writes every measurement.
    pub fn write_json(&self, out: &mut impl Write) -> Result<()> {
        self.write_records(out)
            .map_err(|e| Error::io("writing the measurements", e))
    }

    fn write_records(&self, out: &mut impl Write) -> io::Result<()> {
        write(out, &Record::Replay(self.replay_record()))?;
        for run in &self.runs {
            write(out, &Record::Run(self.run_record(run)))?;
            for update in &run.updates {
                write(out, &Record::Update(self.update_record(run, update)))?;
            }
            for request in &run.requests {
                write(out, &Record::Request(self.request_record(run, request)))?;
            }
        }
        out.flush()
    }

    fn replay_record(&self) -> ReplayRecord<'_> {
        let plan = &self.plan;
        ReplayRecord {
            format: 1,
            harness: concat!("kaluta ", env!("CARGO_PKG_VERSION")),
            written_unix_s: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |time| time.as_secs()),
            machine: Machine::this(),
            subject: match plan.subject {
                Subject::StackTraces => "stack-traces",
                Subject::Servers => "servers",
            },
            targets: plan
                .targets
                .iter()
                .map(|target| target.name.as_str())
                .collect(),
            services: (plan.targets.iter())
                .map(|target| target.service.to_string())
                .collect(),
            data: self.data.iter().map(DataRecord::from).collect(),
            loads: plan.loads.iter().map(LoadRecord::from).collect(),
            duration_s: plan.duration.map(|duration| duration.as_secs_f64()),
            rounds: plan.rounds,
            seed: plan.seed,
            timeout_s: plan.timeout.as_secs_f64(),
            load: (plan.loads.iter())
                .find_map(|load| load.pace)
                .map_or("closed", Pace::name),
            state: plan.state,
            updates_per_s: plan.updates.as_ref().map(|updates| updates.rate.get()),
            warm_queries: plan.workload.requests(Phase::Warm).len(),
            own_limit: self.own_limit,
            workload_sha256: plan.workload.sha256(),
            queries: (plan.workload.queries().iter())
                .map(|query| QueryRecord {
                    name: &query.name,
                    form: query.expected.form,
                    choice: query.expected.choice,
                })
                .collect(),
        }
    }

    fn run_record<'a>(&'a self, run: &'a Run) -> RunRecord<'a> {
        let counters = run.server.counters;
        RunRecord {
            endpoint: &self.plan.targets[run.slot.target].name,
            url: &run.url,
            server: run.server_name.as_deref(),
            round: run.slot.round,
            threads: run.slot.load.threads,
            pace: run.slot.load.pace.map(Pace::number),
            wall_s: run.wall_s,
            server_cpu_s: run.server.cpu_s,
            server_peak_memory_bytes: run.server.peak_memory_bytes,
            backtraces_captured: counters.map(|counters| counters.backtraces_captured),
            expression_errors: counters.map(|counters| counters.expression_errors),
            client_cpu_s: run.client_cpu_s,
            server_resources: run.server.resources,
            server_mean_memory_bytes: run.server.mean_memory_bytes,
            settled: run.settled,
            bad_end: run.bad_end.as_deref(),
            breakdowns: &run.breakdowns,
        }
    }

    fn update_record<'a>(&'a self, run: &Run, update: &'a UpdateTrace) -> UpdateRecord<'a> {
        UpdateRecord {
            endpoint: &self.plan.targets[run.slot.target].name,
            round: run.slot.round,
            threads: run.slot.load.threads,
            pace: run.slot.load.pace.map(Pace::number),
            update: &update.name,
            intended_start_us: microseconds(update.intended_start),
            start_us: microseconds(update.start),
            committed_us: microseconds(update.committed),
            seen_us: update.seen.map(microseconds),
            asked: update.asked,
            failure: update.failure.as_ref(),
        }
    }

    fn request_record<'a>(&'a self, run: &Run, request: &'a Request) -> RequestRecord<'a> {
        let timing = &request.timing;
        let answer = request.outcome.as_ref().ok();
        RequestRecord {
            endpoint: &self.plan.targets[run.slot.target].name,
            round: run.slot.round,
            threads: run.slot.load.threads,
            pace: run.slot.load.pace.map(Pace::number),
            seed: self.plan.seed,
            phase: timing.phase,
            query: &self.plan.workload.queries()[timing.query].name,
            thread: timing.thread,
            intended_start_us: microseconds(timing.intended_start),
            start_us: microseconds(timing.start),
            first_byte_us: timing.first_byte.map(microseconds),
            last_byte_us: microseconds(timing.last_byte),
            status: timing.status,
            bytes: timing.bytes,
            resent: timing.resent,
            check_wait_us: microseconds(timing.check_wait),
            rows: answer.map(|answer| answer.rows),
            checksum: answer.map(|answer| format!("{:016x}", answer.checksum)),
            failure: request.outcome.as_ref().err(),
        }
    }
}

fn write(out: &mut impl Write, record: &Record<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}
