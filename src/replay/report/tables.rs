//! The tables of a report: times, what stands behind them, the slowest queries, the worst ratios.

use super::Report;
use crate::replay::statistics::Samples;
use crate::replay::summary::QueryMedians;
use crate::replay::table::{Table, decimals, figures, words};

const QUERIES_SHOWN: usize = 10;

impl Report<'_> {
    /// `stack-traces  threads  times (s)  avg  min  avg%  min%`: the table of the 2008 report.
    pub(super) fn times(&self) -> Table {
        let mut table = Table::new([
            words(self.subject()),
            figures(self.load_title()),
            figures("times (s)"),
            figures("avg"),
            figures("min"),
            figures("avg%"),
            figures("min%"),
        ]);
        for row in &self.rows {
            let base = self.rows.iter().find(|base| base.load == row.load);
            let times: Samples = row.times_s().collect();
            let base_times: Samples = base.into_iter().flat_map(|base| base.times_s()).collect();
            let listed: Vec<_> = row.times_s().map(|time| format!("{time:.3}")).collect();
            let mark = if row.failed() > 0 { " *" } else { "" };
            table.push([
                format!("{}{mark}", self.name(row.target)),
                row.load.to_string(),
                listed.join(" "),
                decimals(times.mean(), 3),
                decimals(times.min(), 3),
                percent(times.mean(), base_times.mean()),
                percent(times.min(), base_times.min()),
            ]);
        }
        table
    }

    /// What stands behind the times. Figures of the server are means over the runs, its peak memory is the largest.
    pub(super) fn behind(&self) -> Table {
        let mut table = Table::new([
            words(self.subject()),
            figures(self.load_title()),
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
            figures("client CPU%"),
        ]);
        for row in &self.rows {
            let times: Samples = row.times_s().collect();
            let latencies = row.latencies_ms();
            let queries = self.outcome.plan.workload.timed_queries();
            table.push([
                self.name(row.target).to_owned(),
                row.load.to_string(),
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

    /// The queries with the largest median, for each target.
    pub(super) fn slowest(&self) -> Table {
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

    /// The queries for which a target takes longest, compared with the fastest other target.
    pub(super) fn ratios(&self, target: usize) -> Table {
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
}

fn percent(part: Option<f64>, whole: Option<f64>) -> String {
    decimals(part.zip(whole).map(|(part, whole)| part / whole * 100.0), 1)
}

/// Missing figures sort last.
fn key(figure: Option<f64>) -> f64 {
    figure.unwrap_or(f64::NEG_INFINITY)
}
