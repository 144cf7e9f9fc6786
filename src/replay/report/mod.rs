//! A replay as text: first the table of the 2008 report, then what stands behind it, then what went wrong.

mod confidence;
pub(super) mod effects;
mod freshness;
mod open_loop;
pub mod page;
mod plot;
mod resources;
mod tables;
#[cfg(test)]
mod tests;

use super::agreement::DifferenceClass;
use super::machine::Machine;
use super::pace::Pace;
use super::summary::{QueryMedians, Row};
use super::workload::Phase;
use super::{Outcome, Plan, Subject};
use std::fmt;

/// Where the client waited for itself for more than this share of the time, a row is marked.
const CHECK_WAIT_MAX: f64 = 0.01;

/// The text of a replay.
pub struct Report<'a> {
    outcome: &'a Outcome,
    rows: Vec<Row<'a>>,
    medians: Vec<QueryMedians>,
}

impl<'a> Report<'a> {
    /// Works out the figures.
    pub fn new(outcome: &'a Outcome) -> Self {
        Self {
            outcome,
            rows: outcome.rows(),
            medians: outcome.medians_ms(),
        }
    }

    fn subject(&self) -> &'static str {
        match self.outcome.plan.subject {
            Subject::StackTraces => "stack-traces",
            Subject::Endpoints => "endpoint",
        }
    }

    /// The title of the column that tells loads apart.
    fn load_title(&self) -> &'static str {
        match self.pace() {
            None => "threads",
            Some(Pace::Recorded(_)) => "speed",
            Some(_) => "rate",
        }
    }

    fn pace(&self) -> Option<Pace> {
        self.outcome.plan.loads.iter().find_map(|load| load.pace)
    }

    fn name(&self, target: usize) -> &str {
        &self.outcome.plan.targets[target].name
    }

    fn query(&self, query: usize) -> &str {
        &self.outcome.plan.workload.queries()[query].name
    }

    fn write_notes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self
            .rows
            .iter()
            .any(|row| row.latencies_ms().percentile(990).is_none())
        {
            writeln!(
                f,
                "p90, p99: - where fewer than ten requests took longer; raise --repeats"
            )?;
        }
        if self.rows.iter().any(|row| row.failed() > 0) {
            writeln!(f, "*: timed requests failed, so these times do not compare")?;
        }
        for row in &self.rows {
            let (name, title, load) = (self.name(row.target), self.load_title(), row.load);
            if let Some(bottleneck) = row.bottleneck() {
                writeln!(f, "warning: {name}, {title} {load}: {bottleneck}")?;
            }
            let waited_s = row.check_wait_s();
            if waited_s > CHECK_WAIT_MAX * row.times_s().sum::<f64>() {
                writeln!(
                    f,
                    "warning: {name}, {title} {load}: the client waited {waited_s:.2} s for its own check of large answers"
                )?;
            }
            if let resent @ 1.. = row.resent() {
                writeln!(
                    f,
                    "warning: {name}, {title} {load}: {resent} requests were sent twice, as the server closed \
                     the connection without an answer"
                )?;
            }
        }
        let highest = self.outcome.highest_throughput_per_s();
        if let Some(limit) = self
            .outcome
            .own_limit
            .filter(|limit| limit.is_near(highest))
        {
            writeln!(
                f,
                "warning: the harness alone sends {:.0} requests/s, and {highest:.0} were answered; it may be what was measured",
                limit.requests_per_s
            )?;
        }
        writeln!(f)
    }

    fn write_problems(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in self.outcome.differences() {
            let class = match difference.class {
                DifferenceClass::RowCount => "row counts differ",
                DifferenceClass::Terms => "terms differ",
            };
            writeln!(f, "{}: {class}", self.query(difference.query))?;
            for (target, answer, count) in difference.answers {
                writeln!(f, "    {}: {answer} ({count} times)", self.name(target))?;
            }
        }
        for group in self.outcome.failures() {
            writeln!(
                f,
                "{}: {} {} ({} times): {}",
                self.query(group.query),
                self.name(group.target),
                group.class.name(),
                group.count,
                group.detail
            )?;
        }
        for run in &self.outcome.runs {
            for breakdown in &run.breakdowns {
                writeln!(
                    f,
                    "{}, round {}: {breakdown}; it was started again",
                    self.name(run.slot.target),
                    run.slot.round + 1
                )?;
            }
            if let Some(bad_end) = &run.bad_end {
                writeln!(
                    f,
                    "{}, round {}: {bad_end}",
                    self.name(run.slot.target),
                    run.slot.round + 1
                )?;
            }
        }
        Ok(())
    }

    fn circumstances(&self) -> String {
        Circumstances(self).to_string()
    }

    /// What must be known to measure the same again.
    fn write_circumstances(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan {
            workload,
            rounds,
            seed,
            timeout,
            targets,
            state,
            ..
        } = &self.outcome.plan;
        let machine = Machine::this();
        writeln!(
            f,
            "{} queries timed after {} warm ones (SHA-256 {}), {rounds} rounds, {}, {} servers, seed {seed}, time-out {} s",
            workload.requests(Phase::Timed).len(),
            state.untimed(workload).len(),
            workload.sha256(),
            self.pace().map_or_else(
                || "closed loop".to_owned(),
                |pace| format!("open loop with {} times", pace.name())
            ),
            state.name(),
            timeout.as_secs_f64()
        )?;
        let processor = machine.processor.unwrap_or(machine.platform);
        let kernel = machine.kernel.unwrap_or_default();
        writeln!(
            f,
            "kaluta {}; {processor}, {} cores, {kernel}",
            env!("CARGO_PKG_VERSION"),
            machine.cores
        )?;
        if let Some(limit) = self.outcome.own_limit {
            writeln!(
                f,
                "the harness alone: {:.0} requests/s with {} threads",
                limit.requests_per_s, limit.threads
            )?;
        }
        for (position, target) in targets.iter().enumerate() {
            let run = self
                .outcome
                .runs
                .iter()
                .find(|run| run.slot.target == position);
            if let Some(run) = run.filter(|_| self.outcome.plan.subject == Subject::Endpoints) {
                let server = run
                    .server_name
                    .as_deref()
                    .unwrap_or("a server without a name");
                writeln!(f, "{}: {}, {}", target.name, run.url, server.trim())?;
            }
        }
        Ok(())
    }
}

struct Circumstances<'r, 'o>(&'r Report<'o>);

impl fmt::Display for Circumstances<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_circumstances(f)
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.times())?;
        writeln!(f, "{}", self.behind())?;
        self.write_notes(f)?;
        self.write_open_loop(f)?;
        writeln!(
            f,
            "slowest queries, median ms with {} {}",
            self.outcome
                .plan
                .loads
                .first()
                .map(ToString::to_string)
                .unwrap_or_default(),
            self.load_title()
        )?;
        writeln!(f, "{}", self.slowest())?;
        if self.outcome.plan.subject == Subject::Endpoints && self.outcome.plan.targets.len() > 1 {
            for target in 0..self.outcome.plan.targets.len() {
                writeln!(
                    f,
                    "{} to the fastest other endpoint, worst ratios",
                    self.name(target)
                )?;
                writeln!(f, "{}", self.ratios(target))?;
            }
        }
        self.write_differences(f)?;
        self.write_intervals(f)?;
        self.write_freshness(f)?;
        self.write_penalties(f)?;
        self.write_resources(f)?;
        self.write_problems(f)?;
        self.write_circumstances(f)
    }
}
