//! The figures of a replay: one row for each target and load, and one for each query.
//!
//! Wall times take all timed requests. Latencies take the answered ones only; how many failed stands beside them, and a row
//! with failures is marked, because its times do not compare.

use super::Outcome;
use super::machine;
use super::pace::Load;
use super::process::Resources;
use super::run::{Request, Run};
use super::statistics::{GEOMETRIC_MEAN_FLOOR_MS, Samples};
use super::updates::UpdateTrace;

/// Above this share of its time that a client thread works itself, the client may be what is measured.
const CLIENT_SHARE_MAX: f64 = 0.5;
/// Where more than this share of all cores is in use,
const CORES_SHARE_MAX: f64 = 0.9;
/// and more than this share of them by the client, it takes them from the server.
const CORES_CLIENT_SHARE_MAX: f64 = 0.1;

/// All runs of one target under one load.
pub struct Row<'a> {
    /// The position of the target.
    pub target: usize,
    /// The load.
    pub load: Load,
    runs: Vec<&'a Run>,
}

/// What held a row back, apart from its server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bottleneck {
    /// The client threads worked for this share of their time.
    Client(f64),
    /// Client and server together used this share of all cores; the client's part of it.
    Cores(f64, f64),
}

impl std::fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Client(share) => {
                let percent = share * 100.0;
                write!(
                    f,
                    "the client worked for {percent:.0}% of the time and may be what was measured"
                )
            }
            Self::Cores(share, client) => write!(
                f,
                "{:.0}% of all cores were in use, {:.0}% by the client, which takes them from the server",
                share * 100.0,
                client * 100.0
            ),
        }
    }
}

impl Outcome {
    /// The rows, by load, then by target.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let cells = self
            .plan
            .loads
            .iter()
            .flat_map(|&load| (0..self.plan.targets.len()).map(move |target| (load, target)));
        cells
            .map(|(load, target)| {
                let is_of_row = |run: &&Run| run.slot.target == target && run.slot.load == load;
                let mut runs: Vec<_> = self.runs.iter().filter(is_of_row).collect();
                runs.sort_by_key(|run| run.slot.round);
                Row { target, load, runs }
            })
            .filter(|row| !row.runs.is_empty())
            .collect()
    }

    /// The median latency in milliseconds of each timed query for each target, under the first load.
    pub fn medians_ms(&self) -> Vec<QueryMedians> {
        let first = self.plan.loads.first().copied();
        let rows: Vec<_> = self
            .rows()
            .into_iter()
            .filter(|row| Some(row.load) == first)
            .collect();
        let medians = |query| QueryMedians {
            query,
            by_target: rows.iter().map(|row| row.median_ms(query)).collect(),
        };
        self.plan
            .workload
            .timed_queries()
            .into_iter()
            .map(medians)
            .collect()
    }
}

impl Row<'_> {
    /// The wall times in seconds, by round.
    pub fn times_s(&self) -> impl Iterator<Item = f64> {
        self.runs.iter().map(|run| run.wall_s)
    }

    /// How many timed requests failed.
    pub fn failed(&self) -> usize {
        self.timed()
            .filter(|request| request.outcome.is_err())
            .count()
    }

    /// How many timed requests were sent twice.
    pub fn resent(&self) -> usize {
        self.timed().filter(|request| request.timing.resent).count()
    }

    /// The latencies of all answered requests in milliseconds.
    pub fn latencies_ms(&self) -> Samples {
        self.answered()
            .map(|request| request.timing.latency_ms())
            .collect()
    }

    /// The latencies of the answered requests of each round in milliseconds.
    pub fn rounds_ms(&self) -> impl Iterator<Item = Samples> {
        self.runs.iter().map(|run| {
            let answered = run.timed().filter(|request| request.outcome.is_ok());
            answered
                .map(|request| request.timing.latency_ms())
                .collect()
        })
    }

    /// The times from the sending to the last byte of all answered requests in milliseconds.
    pub fn services_ms(&self) -> Samples {
        self.answered()
            .map(|request| request.timing.service_ms())
            .collect()
    }

    /// By how many milliseconds the requests were sent later than intended.
    pub fn delays_ms(&self) -> Samples {
        self.timed()
            .map(|request| request.timing.delay_ms())
            .collect()
    }

    /// All updates.
    pub fn updates(&self) -> impl Iterator<Item = &UpdateTrace> {
        self.runs.iter().flat_map(|run| &run.updates)
    }

    /// How many of the runs held their rate, and of how many.
    pub fn held(&self) -> (usize, usize) {
        (
            self.runs.iter().filter(|run| run.holds()).count(),
            self.runs.len(),
        )
    }

    /// Seconds that the client waited for its own check of large answers.
    pub fn check_wait_s(&self) -> f64 {
        self.timed()
            .map(|request| request.timing.check_wait.as_secs_f64())
            .sum()
    }

    /// The geometric mean over the queries of their median latencies.
    pub fn geometric_mean_ms(&self, queries: impl IntoIterator<Item = usize>) -> Option<f64> {
        let medians: Samples = queries
            .into_iter()
            .filter_map(|query| self.median_ms(query))
            .collect();
        medians.geometric_mean(GEOMETRIC_MEAN_FLOOR_MS)
    }

    /// Answered requests per second of wall time.
    pub fn throughput_per_s(&self) -> Option<f64> {
        let wall_s: f64 = self.times_s().sum();
        (wall_s > 0.0).then(|| self.answered().count() as f64 / wall_s)
    }

    /// The server's CPU seconds per run.
    pub fn server_cpu_s(&self) -> Option<f64> {
        self.mean(|run| run.server.cpu_s)
    }

    /// The server's largest peak memory in bytes.
    pub fn peak_memory_bytes(&self) -> Option<u64> {
        self.runs
            .iter()
            .filter_map(|run| run.server.peak_memory_bytes)
            .max()
    }

    /// The server's mean memory in bytes.
    pub fn mean_memory_bytes(&self) -> Option<f64> {
        self.mean(|run| run.server.mean_memory_bytes.map(|bytes| bytes as f64))
    }

    /// A figure of the server's resources per run.
    pub fn resource(&self, figure: impl Fn(&Resources) -> Option<f64>) -> Option<f64> {
        self.mean(|run| figure(&run.server.resources))
    }

    /// Backtraces captured per run.
    pub fn backtraces_captured(&self) -> Option<f64> {
        self.mean(|run| Some(run.server.counters?.backtraces_captured as f64))
    }

    /// Expression errors raised per run.
    pub fn expression_errors(&self) -> Option<f64> {
        self.mean(|run| Some(run.server.counters?.expression_errors as f64))
    }

    /// The share of their time that the client threads worked.
    pub fn client_share(&self) -> Option<f64> {
        self.mean(|run| {
            let available_s = run.wall_s * run.slot.load.threads as f64;
            (available_s > 0.0).then_some(run.client_cpu_s? / available_s)
        })
    }

    /// What held the row back, if it was not the server alone.
    pub fn bottleneck(&self) -> Option<Bottleneck> {
        let client_share = self.client_share()?;
        if client_share > CLIENT_SHARE_MAX {
            return Some(Bottleneck::Client(client_share));
        }
        let available_s = self.times_s().collect::<Samples>().mean()? * machine::cores() as f64;
        let client_s = self.mean(|run| run.client_cpu_s)?;
        let share = (client_s + self.server_cpu_s()?) / available_s;
        let of_client = client_s / available_s;
        (share > CORES_SHARE_MAX && of_client > CORES_CLIENT_SHARE_MAX)
            .then_some(Bottleneck::Cores(share, of_client))
    }

    fn median_ms(&self, query: usize) -> Option<f64> {
        let of_query = self
            .answered()
            .filter(|request| request.timing.query == query);
        of_query
            .map(|request| request.timing.latency_ms())
            .collect::<Samples>()
            .median()
    }

    /// The timed requests of all runs.
    pub fn timed(&self) -> impl Iterator<Item = &Request> {
        self.runs.iter().flat_map(|run| run.timed())
    }

    fn answered(&self) -> impl Iterator<Item = &Request> {
        self.timed().filter(|request| request.outcome.is_ok())
    }

    fn mean(&self, figure: impl Fn(&Run) -> Option<f64>) -> Option<f64> {
        self.runs
            .iter()
            .filter_map(|run| figure(run))
            .collect::<Samples>()
            .mean()
    }
}

/// One query's median latencies.
pub struct QueryMedians {
    /// The position of the query.
    pub query: usize,
    /// For each target, in milliseconds; none where no request was answered.
    pub by_target: Vec<Option<f64>>,
}

impl QueryMedians {
    /// The slowest target's.
    pub fn slowest_ms(&self) -> Option<f64> {
        self.by_target.iter().flatten().copied().reduce(f64::max)
    }

    /// How many times as long a target takes as the fastest of the others.
    pub fn ratio_to_fastest_other(&self, target: usize) -> Option<f64> {
        let others = self
            .by_target
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != target);
        let fastest = others.filter_map(|(_, &median)| median).reduce(f64::min)?;
        Some(self.by_target[target]? / fastest)
    }
}
