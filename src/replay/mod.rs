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
mod table;
#[cfg(test)]
mod tests;
pub mod workload;

use crate::diagnostics::Result;
use answers::Answers;
use run::{Run, Runner, Service};
use schedule::{Slot, schedule};
use std::time::Duration;
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
    /// The numbers of client threads.
    pub threads: Vec<usize>,
    /// How often each target is measured with each number of threads.
    pub rounds: usize,
    /// Decides the order of the runs.
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
        schedule(self.targets.len(), &self.threads, self.rounds, self.seed)
    }

    /// Makes all runs, telling before each which it is.
    pub fn replay(self, mut begin: impl FnMut(&Slot, &Target)) -> Result<Outcome> {
        let answers = Answers::default();
        let runner = Runner {
            workload: &self.workload,
            timeout: self.timeout,
            answers: &answers,
        };
        let mut runs = Vec::new();
        for slot in self.schedule() {
            let target = &self.targets[slot.target];
            begin(&slot, target);
            let run = runner.run(slot, &target.service);
            runs.push(run.map_err(|e| e.context(format_args!("measuring {}", target.name)))?);
        }
        Ok(Outcome { plan: self, runs })
    }
}
