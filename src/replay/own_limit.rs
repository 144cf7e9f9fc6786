//! How many requests the harness itself can send: measured against the null server, on this machine, now.

use super::Outcome;
use super::answers::Answers;
use super::null_server;
use super::pace::Load;
use super::run::{Runner, Service};
use super::schedule::Slot;
use super::state::State;
use super::workload::Workload;
use super::{Plan, Subject, Target};
use crate::diagnostics::Result;
use serde::Serialize;
use std::time::Duration;

/// A server that reaches this share of the limit may not be what was measured.
const SHARE_MAX: f64 = 0.5;

/// What the harness can do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OwnLimit {
    /// With so many client threads,
    pub threads: usize,
    /// so many requests a second.
    pub requests_per_s: f64,
}

impl OwnLimit {
    /// Measures for a time. The null server's threads take their part of the cores, too, as any server's do.
    pub fn measure(threads: usize, duration: Duration) -> Result<Self> {
        let service = Service::Foreign(null_server::start()?, None);
        let plan = Plan {
            workload: Workload::of_text("SELECT * { ?s ?p ?o } LIMIT 0")?,
            updates: None,
            state: State::default(),
            subject: Subject::Servers,
            targets: vec![Target {
                name: "null".to_owned(),
                service,
                updates: None,
            }],
            loads: vec![Load::closed(threads)],
            rounds: 1,
            duration: Some(duration),
            seed: 0,
            timeout: duration + Duration::from_secs(10),
        };
        let runner = Runner {
            plan: &plan,
            answers: &Answers::default(),
        };
        let slot = Slot {
            round: 0,
            target: 0,
            load: Load::closed(threads),
        };
        let run = runner.run(slot, &plan.targets[0])?;
        let answered = run
            .timed()
            .filter(|request| request.outcome.is_ok())
            .count();
        Ok(Self {
            threads,
            requests_per_s: answered as f64 / run.wall_s.max(f64::MIN_POSITIVE),
        })
    }

    /// Whether so many requests a second come too near.
    pub fn is_near(&self, requests_per_s: f64) -> bool {
        requests_per_s > SHARE_MAX * self.requests_per_s
    }
}

impl Outcome {
    /// The most timed requests that any run answered in a second.
    pub fn highest_throughput_per_s(&self) -> f64 {
        let throughputs = self
            .rows()
            .into_iter()
            .filter_map(|row| row.throughput_per_s());
        throughputs.fold(0.0, f64::max)
    }
}
