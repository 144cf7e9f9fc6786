//! The replay harness: sends a folder of queries to SPARQL servers, warm then timed, and says how long they took.
//!
//! It speaks to servers over HTTP alone and knows no engine, so that it measures any of them alike. The way through: a
//! [`Workload`] is read; [`schedule`](schedule::schedule) puts the runs in order; each run sends the queries from client
//! threads ([`course`], [`client`]) and checks the answers ([`answers`], [`checksum`]); the [`Outcome`] becomes tables
//! ([`report`]) by way of [`summary`], [`agreement`] and [`statistics`], and a file of every measurement ([`json`]).
//!
//! What it guarantees: an answer is timed to its last byte and then checked; a failure or a truncated answer is never a
//! quick success; runs of different settings are interleaved; equal seeds give equal schedules.

pub mod agreement;
pub mod answers;
pub mod blocks;
pub mod bootstrap;
pub mod checksum;
pub mod client;
pub mod comparison;
pub mod course;
pub mod digest;
pub mod distinct;
pub mod endpoint;
pub mod failure;
pub mod intake;
pub mod json;
pub mod machine;
pub mod metrics;
pub mod order;
pub mod pace;
pub mod penalty;
pub mod process;
mod prompt;
pub mod report;
pub mod run;
pub mod schedule;
pub mod server;
pub mod sign_flips;
pub mod solutions;
pub mod statistics;
pub mod summary;
pub mod sweep;
mod table;
#[cfg(test)]
mod tests;
pub mod workload;

use crate::diagnostics::Result;
use answers::Answers;
use pace::{Load, Milli, Pace};
use run::{Run, Runner, Service};
use schedule::{Slot, schedule};
use std::collections::BTreeSet;
use std::time::Duration;
use sweep::Search;
use workload::Workload;

/// What is to be measured, and how.
#[derive(Debug)]
pub struct Plan {
    /// The queries.
    pub workload: Workload,
    /// What the rows of the first table are named after.
    pub subject: Subject,
    /// The servers; the first is the base of the percentages.
    pub targets: Vec<Target>,
    /// How each target is loaded.
    pub loads: Vec<Load>,
    /// How often each target is measured under each load.
    pub rounds: usize,
    /// How long the timed part of each run lasts, the queries being repeated; without it, each is sent once.
    pub duration: Option<Duration>,
    /// Decides the order of the runs, and the times of an open loop.
    pub seed: u64,
    /// The time within which an answer must be whole.
    pub timeout: Duration,
}

/// What the targets of a replay differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One store, served by own servers with different backtrace settings.
    StackTraces,
    /// Servers of any make.
    Endpoints,
}

/// A server under a name.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name in reports.
    pub name: String,
    /// How it is reached.
    pub service: Service,
}

/// A plan with its runs, in the order in which they were made.
#[derive(Debug)]
pub struct Outcome {
    /// What was to be measured.
    pub plan: Plan,
    /// What was measured.
    pub runs: Vec<Run>,
}

impl Plan {
    /// The runs in their order.
    pub fn schedule(&self) -> Vec<Slot> {
        schedule(self.targets.len(), &self.loads, self.rounds, self.seed)
    }

    /// Makes all runs, telling before each which it is.
    pub fn replay(self, mut begin: impl FnMut(&Slot, &Target)) -> Result<Outcome> {
        let answers = Answers::default();
        let mut runs = Vec::new();
        for slot in self.schedule() {
            begin(&slot, &self.targets[slot.target]);
            runs.push(self.run(slot, &answers)?);
        }
        Ok(Outcome { plan: self, runs })
    }

    /// Looks for the highest Poisson rate that each target holds, beginning with one, telling before each run which it is.
    pub fn sweep(
        mut self,
        first_rate: Milli,
        threads: usize,
        mut begin: impl FnMut(&Slot, &Target),
    ) -> Result<Outcome> {
        let answers = Answers::default();
        let mut runs = Vec::new();
        let mut searches = vec![Search::from_rate(first_rate.get()); self.targets.len()];
        for round in 0.. {
            let before = runs.len();
            for (target, search) in searches.iter_mut().enumerate() {
                let Some(rate) = search.next() else {
                    continue;
                };
                let pace = Some(Pace::Poisson(rate));
                let load = Load { pace, threads };
                let slot = Slot {
                    round,
                    target,
                    load,
                };
                begin(&slot, &self.targets[target]);
                let run = self.run(slot, &answers)?;
                search.learn(run.holds());
                runs.push(run);
            }
            if runs.len() == before {
                break;
            }
        }
        let loads: BTreeSet<_> = runs.iter().map(|run| run.slot.load).collect();
        self.loads = loads.into_iter().collect();
        Ok(Outcome { plan: self, runs })
    }

    fn run(&self, slot: Slot, answers: &Answers) -> Result<Run> {
        let target = &self.targets[slot.target];
        let runner = Runner {
            plan: self,
            answers,
        };
        let run = runner.run(slot, &target.service);
        run.map_err(|e| e.context(format_args!("measuring {}", target.name)))
    }
}
