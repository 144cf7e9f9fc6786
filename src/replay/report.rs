//! A replay as text: first the table of the 2008 report, then what stands behind it, then what went wrong.

use super::agreement::DifferenceClass;
use super::machine::Machine;
use super::statistics::Samples;
use super::summary::{Bottleneck, QueryMedians, Row};
use super::table::{Table, decimals, figures, words};
use super::workload::Phase;
use super::{Outcome, Subject};
use std::fmt;

const QUERIES_SHOWN: usize = 10;

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

    fn first_threads(&self) -> usize {
        self.outcome
            .plan
            .threads
            .first()
            .copied()
            .unwrap_or_default()
    }

    fn name(&self, target: usize) -> &str {
        &self.outcome.plan.targets[target].name
    }

    fn query(&self, query: usize) -> &str {
        &self.outcome.plan.workload.queries()[query].name
    }

    /// `stack-traces  threads  times (s)  avg  min  avg%  min%`
    fn times(&self) -> Table {
        let mut table = Table::new([
            words(self.subject()),
            figures("threads"),
            figures("times (s)"),
            figures("avg"),
            figures("min"),
            figures("avg%"),
            figures("min%"),
        ]);
        for row in &self.rows {
            let base = self.rows.iter().find(|base| base.threads == row.threads);
            let times: Samples = row.times_s().collect();
            let base_times: Samples = base.into_iter().flat_map(|base| base.times_s()).collect();
            let listed: Vec<_> = row.times_s().map(|time| format!("{time:.3}")).collect();
            let mark = if row.failed() > 0 { " *" } else { "" };
            table.push([
                format!("{}{mark}", self.name(row.target)),
                row.threads.to_string(),
                listed.join(" "),
                decimals(times.mean(), 3),
                decimals(times.min(), 3),
                percent(times.mean(), base_times.mean()),
                percent(times.min(), base_times.min()),
            ]);
        }
        table
    }

    fn behind(&self) -> Table {
        let mut table = Table::new([
            words(self.subject()),
            figures("threads"),
            figures("median s"),
            figures("spread s"),
            figures("p50 ms"),
            figures("p90 ms"),
            figures("p99 ms"),
            figures("max ms"),
            figures("geomean ms"),
            figures("q/s"),
            figures("failed"),
            figures("server CPU s"),
            figures("peak MB"),
            figures("backtraces"),
            figures("expr. errors"),
            figures("client CPU"),
        ]);
        for row in &self.rows {
            let times: Samples = row.times_s().collect();
            let latencies = row.latencies_ms();
            let queries = self.outcome.plan.workload.positions(Phase::Timed);
            table.push([
                self.name(row.target).to_owned(),
                row.threads.to_string(),
                decimals(times.median(), 3),
                decimals(times.spread(), 3),
                decimals(latencies.median(), 2),
                decimals(latencies.percentile(900), 2),
                decimals(latencies.percentile(990), 2),
                decimals(latencies.max(), 2),
                decimals(row.geometric_mean_ms(queries), 3),
                decimals(row.throughput_per_s(), 1),
                row.failed().to_string(),
                decimals(row.server_cpu_s(), 2),
                decimals(row.peak_memory_bytes().map(|bytes| bytes as f64 / 1e6), 0),
                decimals(row.backtraces_captured(), 0),
                decimals(row.expression_errors(), 0),
                percent(row.client_share(), Some(1.0)),
            ]);
        }
        table
    }

    fn slowest(&self) -> Table {
        let names = self
            .outcome
            .plan
            .targets
            .iter()
            .map(|target| figures(&target.name));
        let mut table = Table::new(std::iter::once(words("query")).chain(names));
        let mut medians: Vec<_> = self.medians.iter().collect();
        medians.sort_by(|a, b| f64::total_cmp(&key(b.slowest_ms()), &key(a.slowest_ms())));
        for of_query in medians.into_iter().take(QUERIES_SHOWN) {
            let cells = of_query.by_target.iter().map(|&median| decimals(median, 2));
            table.push(std::iter::once(self.query(of_query.query).to_owned()).chain(cells));
        }
        table
    }

    fn ratios(&self, target: usize) -> Table {
        let mut table = Table::new([words("query"), figures("ratio"), figures("ms")]);
        let ratio = |of_query: &QueryMedians| of_query.ratio_to_fastest_other(target);
        let mut medians: Vec<_> = self.medians.iter().filter(|m| ratio(m).is_some()).collect();
        medians.sort_by(|a, b| f64::total_cmp(&key(ratio(b)), &key(ratio(a))));
        for of_query in medians.into_iter().take(QUERIES_SHOWN) {
            table.push([
                self.query(of_query.query).to_owned(),
                decimals(ratio(of_query), 2),
                decimals(of_query.by_target[target], 2),
            ]);
        }
        table
    }

    fn write_notes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rows.iter().any(|row| row.failed() > 0) {
            writeln!(
                f,
                "* some of its timed requests failed, so its times do not compare"
            )?;
        }
        for row in &self.rows {
            let name = self.name(row.target);
            let threads = row.threads;
            match row.bottleneck() {
                Some(Bottleneck::Client(share)) => writeln!(
                    f,
                    "warning: {name}, {threads} threads: the client worked for {:.0}% of the time and may be what \
                     was measured",
                    share * 100.0
                )?,
                Some(Bottleneck::Cores(share, client)) => writeln!(
                    f,
                    "warning: {name}, {threads} threads: {:.0}% of all cores were in use, {:.0}% by the client, \
                     which takes them from the server",
                    share * 100.0,
                    client * 100.0
                )?,
                None => {}
            }
        }
        Ok(())
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

    fn write_heading(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = &self.outcome.plan;
        let machine = Machine::this();
        let timed = plan.workload.positions(Phase::Timed).len();
        writeln!(
            f,
            "{} queries timed after {} warm ones, {} rounds, closed loop, seed {}, time-out {} s; \
             {}, {} cores; workload {}",
            timed,
            plan.workload.positions(Phase::Warm).len(),
            plan.rounds,
            plan.seed,
            plan.timeout.as_secs_f64(),
            machine.processor.unwrap_or(machine.platform),
            machine.cores,
            &plan.workload.sha256()[..12],
        )
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.times())?;
        writeln!(f, "{}", self.behind())?;
        self.write_notes(f)?;
        writeln!(
            f,
            "slowest queries, median ms with {} threads",
            self.first_threads()
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
        self.write_problems(f)?;
        self.write_heading(f)
    }
}

fn percent(part: Option<f64>, whole: Option<f64>) -> String {
    decimals(part.zip(whole).map(|(part, whole)| part / whole * 100.0), 1)
}

/// Missing figures sort last.
fn key(figure: Option<f64>) -> f64 {
    figure.unwrap_or(f64::NEG_INFINITY)
}
