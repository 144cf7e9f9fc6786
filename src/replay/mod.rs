//! The replay harness: sends a folder of queries to SPARQL servers, warm then timed, and says how long they took.
//!
//! It speaks to servers over HTTP alone and knows no engine, so that it measures any of them alike. The way through: a
//! [`Workload`] is read; [`schedule`](schedule::schedule) puts the runs in order; each run sends the queries from client
//! threads ([`course`], [`client`]) and checks the answers ([`answers`], [`checksum`]); the [`Outcome`] becomes tables
//! ([`report`]) by way of [`summary`], [`agreement`] and [`statistics`], and a file of every measurement ([`json`]).
//!
//! Updates may be sent beside the queries ([`updates`]); then the age of what queries see is measured, too. Clients meet the
//! network and the clock through a [`world`], which a test may supply.
//!
//! What it guarantees: an answer is timed to its last byte and then checked; a failure or a truncated answer is never a
//! quick success; runs of different settings are interleaved; equal seeds give equal schedules.

pub mod agreement;
pub mod answer_terms;
pub mod answers;
pub mod blocks;
pub mod bootstrap;
pub mod changes;
pub mod checksum;
pub mod choice;
pub mod client;
pub mod comparison;
pub mod course;
pub mod data;
pub mod digest;
pub mod distinct;
pub mod endpoint;
pub mod failure;
pub mod intake;
pub mod json;
pub mod keeper;
pub mod machine;
pub mod metrics;
pub mod null_server;
pub mod order;
pub mod own_limit;
pub mod pace;
pub mod penalty;
pub mod process;
mod prompt;
pub mod recorded;
pub mod report;
pub mod results;
pub mod run;
pub mod schedule;
pub mod server;
pub mod settling;
pub mod sign_flips;
pub mod solutions;
pub mod state;
pub mod statistics;
pub mod store_files;
pub mod summary;
pub mod sweep;
mod table;
#[cfg(test)]
mod tests;
pub mod updates;
pub mod workload;
pub mod world;

use crate::diagnostics::Result;
use answers::Answers;
use data::DataSet;
use endpoint::Endpoint;
use own_limit::OwnLimit;
use pace::{Load, Milli, Pace};
use run::{Run, Runner, Service};
use schedule::{Slot, schedule};
use state::State;
use std::collections::BTreeSet;
use std::time::Duration;
use sweep::Search;
use updates::Updates;
use workload::Workload;

/// What is to be measured, and how.
#[derive(Debug)]
pub struct Plan {
    /// The queries.
    pub workload: Workload,
    /// The updates that are sent beside them. Answers may differ then, as they depend on the moment, and are not compared.
    pub updates: Option<Updates>,
    /// What the servers have seen when the clock starts.
    pub state: State,
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
    Servers,
}

/// A server under a name.
#[derive(Clone, Debug)]
pub struct Target {
    /// The name in reports.
    pub name: String,
    /// How it is reached.
    pub service: Service,
    /// Where updates go, if it is no own server.
    pub updates: Option<Endpoint>,
}

/// A plan with its runs, in the order in which they were made.
#[derive(Debug)]
pub struct Outcome {
    /// What was to be measured.
    pub plan: Plan,
    /// What was measured.
    pub runs: Vec<Run>,
    /// What the harness itself could do, if that was measured.
    pub own_limit: Option<OwnLimit>,
    /// The data of each target, if it was read.
    pub data: Vec<DataSet>,
}

impl Plan {
    /// The runs in their order.
    pub fn schedule(&self) -> Vec<Slot> {
        schedule(self.targets.len(), &self.loads, self.rounds, self.seed)
    }

    /// Makes the runs of the schedule one after the other, each with [`Plan::run`] or what stands for it.
    pub fn replay(self, mut run: impl FnMut(&Self, Slot) -> Result<Run>) -> Result<Outcome> {
        let runs = self.schedule().into_iter().map(|slot| run(&self, slot));
        let runs = runs.collect::<Result<_>>()?;
        Ok(Outcome {
            plan: self,
            runs,
            own_limit: None,
            data: Vec::new(),
        })
    }

    /// Looks for the highest Poisson rate that each target holds, beginning with one, by runs as of [`Plan::replay`].
    pub fn sweep(
        mut self,
        first_rate: Milli,
        threads: usize,
        mut run: impl FnMut(&Self, Slot) -> Result<Run>,
    ) -> Result<Outcome> {
        let mut runs: Vec<Run> = Vec::new();
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
                let run = run(&self, slot)?;
                search.learn(run.holds());
                runs.push(run);
            }
            if runs.len() == before {
                break;
            }
        }
        let loads: BTreeSet<_> = runs.iter().map(|run| run.slot.load).collect();
        self.loads = loads.into_iter().collect();
        Ok(Outcome {
            plan: self,
            runs,
            own_limit: None,
            data: Vec::new(),
        })
    }

    /// Makes one run against its target.
    pub fn run(&self, slot: Slot, answers: &Answers) -> Result<Run> {
        let target = &self.targets[slot.target];
        let runner = Runner {
            plan: self,
            answers,
        };
        let run = runner.run(slot, target);
        run.map_err(|e| e.context(format_args!("measuring {}", target.name)))
    }
}
