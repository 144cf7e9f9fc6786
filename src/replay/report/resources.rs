//! What the servers used while the clock ran, per run.

use super::Report;
use crate::replay::process::Resources;
use crate::replay::table::{Table, decimals, figures, words};
use std::fmt;

impl Report<'_> {
    /// Nothing where no server's process is known.
    pub(super) fn write_resources(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_known = |row: &super::Row<'_>| row.resource(|r| r.user_s).is_some();
        if !self.rows.iter().any(is_known) {
            return Ok(());
        }
        writeln!(
            f,
            "what the servers used while the clock ran, means over the runs"
        )?;
        writeln!(f, "{}", self.resources())
    }

    pub(super) fn resources(&self) -> Table {
        let count = |figure: fn(&Resources) -> Option<u64>| {
            move |resources: &Resources| figure(resources).map(|count| count as f64)
        };
        let mut table = Table::new([
            words(self.subject()),
            figures(self.load_title()),
            figures("user s"),
            figures("system s"),
            figures("mean MB"),
            figures("minor faults"),
            figures("major faults"),
            figures("waits"),
            figures("preemptions"),
            figures("read MB"),
            figures("written MB"),
        ]);
        for row in &self.rows {
            table.push([
                self.name(row.target).to_owned(),
                row.load.to_string(),
                decimals(row.resource(|r| r.user_s), 2),
                decimals(row.resource(|r| r.system_s), 2),
                decimals(row.mean_memory_bytes().map(|bytes| bytes / 1e6), 0),
                decimals(row.resource(count(|r| r.minor_faults)), 0),
                decimals(row.resource(count(|r| r.major_faults)), 0),
                decimals(row.resource(count(|r| r.voluntary_switches)), 0),
                decimals(row.resource(count(|r| r.involuntary_switches)), 0),
                decimals(row.resource(count(|r| r.read_bytes)).map(|b| b / 1e6), 1),
                decimals(row.resource(count(|r| r.written_bytes)).map(|b| b / 1e6), 1),
            ]);
        }
        table
    }
}
