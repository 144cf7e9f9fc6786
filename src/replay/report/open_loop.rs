//! What an open loop shows: which rates were held, and latencies from the intended start beside those from the sending.

use super::Report;
use crate::replay::table::{Table, decimals, figures, words};
use std::fmt;

/// A request sent later than this after its moment is called late.
const DELAY_MAX_MS: f64 = 1.0;

impl Report<'_> {
    /// Nothing for closed loops.
    pub(super) fn write_open_loop(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pace().is_none() {
            return Ok(());
        }
        writeln!(
            f,
            "latencies in ms from the intended start (as above), and from the sending; at most {} requests in flight",
            self.outcome
                .plan
                .loads
                .first()
                .map_or(0, |load| load.threads)
        )?;
        writeln!(f, "{}", self.open_loop())?;
        for (target, rate) in self
            .outcome
            .plan
            .targets
            .iter()
            .zip(self.outcome.rates_held())
        {
            match rate {
                Some(rate) => writeln!(f, "{} held {rate} requests a second", target.name)?,
                None => writeln!(f, "{} held none of these rates", target.name)?,
            }
        }
        writeln!(f)
    }

    fn open_loop(&self) -> Table {
        let mut table = Table::new([
            words(self.subject()),
            figures(self.load_title()),
            figures("answers/s"),
            figures("runs held"),
            figures("late %"),
            figures("p50"),
            figures("p99"),
            figures("max"),
            figures("sent p50"),
            figures("sent p99"),
            figures("sent max"),
        ]);
        for row in &self.rows {
            let (latencies, services) = (row.latencies_ms(), row.services_ms());
            let (held, runs) = row.held();
            let late = row.delays_ms().share_above(DELAY_MAX_MS);
            table.push([
                self.name(row.target).to_owned(),
                row.load.to_string(),
                decimals(row.throughput_per_s(), 1),
                format!("{held} of {runs}"),
                decimals(late.map(|share| share * 100.0), 1),
                decimals(latencies.median(), 2),
                decimals(latencies.percentile(990), 2),
                decimals(latencies.max(), 2),
                decimals(services.median(), 2),
                decimals(services.percentile(990), 2),
                decimals(services.max(), 2),
            ]);
        }
        table
    }
}
