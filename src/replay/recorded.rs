//! The measurements of a replay, read back from the file that [`super::json`] writes, as far as a comparison needs them.

use super::choice::Choice;
use super::comparison::{Block, medians};
use crate::diagnostics::{Error, ErrorKind, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Names a run among those of one endpoint: the pace in thousandths if it was an open loop, the threads, the round.
type RunKey = (Option<u64>, usize, usize);

/// A replay of another time.
#[derive(Debug)]
pub struct Recorded {
    /// Its endpoints, the base first.
    pub targets: Vec<String>,
    /// What it was measured on and how, by the names that the file gives it.
    conditions: serde_json::Map<String, serde_json::Value>,
    choices: BTreeMap<String, Choice>,
    runs: BTreeMap<String, BTreeMap<RunKey, RecordedRun>>,
}

#[derive(Debug, Default)]
struct RecordedRun {
    server_cpu_s: Option<f64>,
    latencies_ms: BTreeMap<String, Vec<f64>>,
    answers: BTreeMap<String, BTreeSet<(u64, String)>>,
    failed: usize,
}

#[derive(Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
enum Record {
    Replay(ReplayRecord),
    Run(RunRecord),
    Request(RequestRecord),
    /// What is not compared.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct ReplayRecord {
    targets: Vec<String>,
    queries: Vec<QueryRecord>,
    #[serde(flatten)]
    conditions: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct QueryRecord {
    name: String,
    choice: Choice,
}

#[derive(Deserialize)]
struct RunRecord {
    #[serde(flatten)]
    of: RunName,
    server_cpu_s: Option<f64>,
}

#[derive(Deserialize)]
struct RunName {
    endpoint: String,
    round: usize,
    threads: usize,
    pace: Option<f64>,
}

#[derive(Deserialize)]
struct RequestRecord {
    #[serde(flatten)]
    of: RunName,
    phase: String,
    query: String,
    intended_start_us: f64,
    last_byte_us: f64,
    rows: Option<u64>,
    checksum: Option<String>,
}

impl RunName {
    fn key(&self) -> RunKey {
        // The harness writes paces with three decimals.
        let pace = self.pace.map(|pace| (pace * 1e3).round() as u64);
        (pace, self.threads, self.round)
    }
}

impl Recorded {
    /// Reads a file of measurements.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |e| Error::user_file(format_args!("reading {}", path.display()), e);
        let mut lines = BufReader::new(File::open(path).map_err(failed)?).lines();
        let refuse = |number: usize, why: &dyn std::fmt::Display| {
            let place = format_args!("{}, line {number}", path.display());
            let message = format!("{place}: {why}; it is not what `kaluta replay --json` writes");
            Error::new(ErrorKind::Syntax, message)
        };
        let first = lines
            .next()
            .transpose()
            .map_err(failed)?
            .unwrap_or_default();
        let Ok(Record::Replay(head)) = serde_json::from_str(&first) else {
            return Err(refuse(1, &"no replay"));
        };
        let mut recorded = Self {
            targets: head.targets,
            conditions: head.conditions,
            choices: (head.queries.into_iter())
                .map(|query| (query.name, query.choice))
                .collect(),
            runs: BTreeMap::new(),
        };
        for (position, line) in lines.enumerate() {
            let record = serde_json::from_str(&line.map_err(failed)?);
            recorded.add(record.map_err(|e| refuse(position + 2, &e))?);
        }
        Ok(recorded)
    }

    fn add(&mut self, record: Record) {
        match record {
            Record::Replay(_) | Record::Other => {}
            Record::Run(record) => self.run(&record.of).server_cpu_s = record.server_cpu_s,
            Record::Request(record) => {
                let run = self.run(&record.of);
                match record.rows.zip(record.checksum) {
                    None => run.failed += 1,
                    Some(answer) => {
                        run.answers
                            .entry(record.query.clone())
                            .or_default()
                            .insert(answer);
                        if record.phase == "timed" {
                            let latency_ms = (record.last_byte_us - record.intended_start_us) / 1e3;
                            run.latencies_ms
                                .entry(record.query)
                                .or_default()
                                .push(latency_ms);
                        }
                    }
                }
            }
        }
    }

    fn run(&mut self, name: &RunName) -> &mut RecordedRun {
        let of_target = self.runs.entry(name.endpoint.clone()).or_default();
        of_target.entry(name.key()).or_default()
    }

    /// What it was measured on or how, by the name that the file gives it; null where it does not say.
    pub fn condition(&self, key: &str) -> &serde_json::Value {
        self.conditions.get(key).unwrap_or(&serde_json::Value::Null)
    }

    /// Whether updates were sent, so that answers depend on the moment.
    pub fn has_updates(&self) -> bool {
        !self.condition("updates_per_s").is_null()
    }

    /// How many requests of an endpoint failed.
    pub fn failed(&self, target: &str) -> usize {
        self.of(target).map(|(_, run)| run.failed).sum()
    }

    /// The answers of an endpoint to each query.
    pub fn answers(&self, target: &str) -> BTreeMap<&str, BTreeSet<&(u64, String)>> {
        let mut answers = BTreeMap::<_, BTreeSet<_>>::new();
        for (query, found) in self.of(target).flat_map(|(_, run)| &run.answers) {
            answers.entry(&**query).or_default().extend(found);
        }
        answers
    }

    /// What a query leaves to the server.
    pub fn choice(&self, query: &str) -> Choice {
        self.choices.get(query).copied().unwrap_or_default()
    }

    /// The runs of an endpoint as blocks without some of the queries, by load and round.
    pub fn blocks(&self, target: &str, without: &BTreeSet<&str>) -> BTreeMap<RunKey, Block<'_>> {
        self.of(target)
            .map(|(key, run)| (key, run.block(without)))
            .collect()
    }

    fn of(&self, target: &str) -> impl Iterator<Item = (RunKey, &RecordedRun)> {
        let runs = self.runs.get(target).into_iter().flatten();
        runs.map(|(key, run)| (*key, run))
    }
}

impl RecordedRun {
    fn block(&self, without: &BTreeSet<&str>) -> Block<'_> {
        let kept = self
            .latencies_ms
            .iter()
            .filter(|(query, _)| !without.contains(&***query));
        Block {
            latencies_ms: medians(kept.map(|(query, all)| (&**query, all.iter().copied()))),
            server_cpu_s: self.server_cpu_s,
        }
    }
}
