//! A replay as text: first the table of the 2008 report, then what stands behind it, then what went wrong.

mod confidence;
pub(super) mod effects;
mod features;
mod freshness;
mod open_loop;
pub mod page;
mod plot;
mod resources;
mod tables;
#[cfg(test)]
mod tests;

use super::agreement::{Difference, DifferenceClass};
use super::checksum::Answer;
use super::machine::Machine;
use super::pace::Pace;
use super::summary::{QueryMedians, Row};
use super::workload::Phase;
use super::{Outcome, Plan, Subject};
use std::collections::BTreeSet;
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
            Subject::Servers => "endpoint",
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

    /// The load for which single queries are shown.
    fn first_load(&self) -> String {
        let first = self.outcome.plan.loads.first();
        first.map(ToString::to_string).unwrap_or_default()
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
        let passes = || {
            self.outcome
                .runs
                .iter()
                .filter_map(|run| Some(run.settled?.passes))
        };
        if let (Some(least), Some(most)) = (passes().min(), passes().max()) {
            writeln!(
                f,
                "steady after {least} to {most} passes over the warm queries"
            )?;
        }
        if self.rows.iter().any(|row| row.failed() > 0) {
            writeln!(f, "*: timed requests failed, so these times do not compare")?;
        }
        let unread = self.outcome.unread();
        if unread > 0 {
            writeln!(
                f,
                "{unread} answers came in formats that are not read; they are only known to be whole"
            )?;
        }
        for warning in self.warnings() {
            writeln!(f, "warning: {warning}")?;
        }
        writeln!(f)
    }

    /// Why the figures may not say what they seem to say.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for row in &self.rows {
            let of = format!(
                "{}, {} {}",
                self.name(row.target),
                self.load_title(),
                row.load
            );
            if let Some(bottleneck) = row.bottleneck() {
                warnings.push(format!("{of}: {bottleneck}"));
            }
            let waited_s = row.check_wait_s();
            if waited_s > CHECK_WAIT_MAX * row.times_s().sum::<f64>() {
                warnings.push(format!(
                    "{of}: the client waited {waited_s:.2} s for its own check of large answers"
                ));
            }
            if let resent @ 1.. = row.resent() {
                warnings.push(format!(
                    "{of}: {resent} requests were sent twice, as the server closed the connection without an answer"
                ));
            }
        }
        for run in &self.outcome.runs {
            if let Some(settled) = run.settled.filter(|settled| !settled.is_steady) {
                warnings.push(format!(
                    "{}, round {}: the warm queries did not take the same time even after {} passes",
                    self.name(run.slot.target),
                    run.slot.round + 1,
                    settled.passes
                ));
            }
        }
        let known: BTreeSet<_> = self.outcome.data.iter().flatten().collect();
        if known.len() > 1 && self.outcome.plan.updates.is_none() {
            warnings.push("the servers do not hold the same data".to_owned());
        }
        let highest = self.outcome.highest_throughput_per_s();
        let own_limit = self.outcome.own_limit;
        if let Some(limit) = own_limit.filter(|limit| limit.is_near(highest)) {
            warnings.push(format!(
                "the harness alone sends {:.0} requests/s, and {highest:.0} were answered; it may be what was measured",
                limit.requests_per_s
            ));
        }
        warnings
    }

    /// What went wrong: answers that differ, requests that failed, servers that ended badly.
    fn problems(&self) -> Vec<String> {
        let differences = self.outcome.differences().into_iter();
        let differences = differences.map(|difference| self.difference(&difference));
        let failures = self.outcome.failures().into_iter().map(|group| {
            let (query, name) = (self.query(group.query), self.name(group.target));
            let (class, count, detail) = (group.class.name(), group.count, group.detail);
            format!("{query}: {name} {class} ({count} times): {detail}")
        });
        let ends = self.outcome.runs.iter().flat_map(|run| {
            let of = format!(
                "{}, round {}",
                self.name(run.slot.target),
                run.slot.round + 1
            );
            let breakdowns = run.breakdowns.iter();
            let breakdowns = breakdowns.map(|told| format!("{of}: {told}; it was started again"));
            let bad_end = run.bad_end.iter().map(|told| format!("{of}: {told}"));
            breakdowns.chain(bad_end).collect::<Vec<_>>()
        });
        differences.chain(failures).chain(ends).collect()
    }

    fn difference(&self, difference: &Difference) -> String {
        let class = match difference.class {
            DifferenceClass::RowCount => "row counts differ",
            DifferenceClass::Terms => "terms differ",
        };
        let choice = match difference.is_choice {
            true => ", which the query leaves open",
            false => "",
        };
        let answers = difference.answers.iter().map(|(target, answer, count)| {
            format!("\n    {}: {answer} ({count} times)", self.name(*target))
        });
        let query = self.query(difference.query);
        format!("{query}: {class}{choice}{}", answers.collect::<String>())
    }

    fn write_problems(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problems()
            .iter()
            .try_for_each(|problem| writeln!(f, "{problem}"))
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
            let mut runs = self.outcome.runs.iter();
            let server_name = runs
                .find(|run| run.slot.target == position)
                .and_then(|run| run.server_name.as_deref())
                .unwrap_or("a server without a name");
            let (name, service) = (&target.name, &target.service);
            writeln!(
                f,
                "{name}: {service}; {}{}",
                server_name.trim(),
                self.data(position)
            )?;
        }
        Ok(())
    }

    /// The words on the data of a target, if it was read.
    fn data(&self, target: usize) -> String {
        match self.outcome.data.get(target) {
            None => String::new(),
            Some(Ok(Answer { rows, checksum, .. })) => {
                format!("; {rows} triples, checksum {checksum:016x}")
            }
            Some(Err(why)) => format!("; its data is not known: {why}"),
        }
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
            self.first_load(),
            self.load_title()
        )?;
        writeln!(f, "{}", self.slowest())?;
        self.write_features(f)?;
        if self.outcome.plan.subject == Subject::Servers && self.outcome.plan.targets.len() > 1 {
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
