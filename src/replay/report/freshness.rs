//! How long updates took, and how long what they did was not seen.

use super::Report;
use crate::replay::statistics::Samples;
use crate::replay::table::{Table, decimals, figures, words};
use std::fmt;

impl Report<'_> {
    /// Nothing where no updates were sent.
    pub(super) fn write_freshness(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(table) = self.freshness() else {
            return Ok(());
        };
        writeln!(
            f,
            "updates beside the queries: ms to the commit, and from there until a new query saw it; answers are not compared"
        )?;
        writeln!(f, "{table}")?;
        for row in &self.rows {
            let failed = row.updates().find_map(|update| update.failure.as_ref());
            if let Some(failure) = failed {
                writeln!(f, "{}: an update: {failure}", self.name(row.target))?;
            }
        }
        Ok(())
    }

    /// A row for each target and load; none where no updates were sent.
    pub(super) fn freshness(&self) -> Option<Table> {
        self.outcome.plan.updates.as_ref()?;
        let mut table = Table::new([
            words(self.subject()),
            figures(self.load_title()),
            figures("updates"),
            figures("failed"),
            figures("commit p50"),
            figures("p99"),
            figures("max"),
            figures("seen p50"),
            figures("p99"),
            figures("max"),
        ]);
        for row in &self.rows {
            let failed = row.updates().filter(|update| update.failure.is_some());
            let commits: Samples = row.updates().filter_map(|u| u.commit_ms()).collect();
            let unseen: Samples = row.updates().filter_map(|u| u.unseen_ms()).collect();
            let cells = |samples: &Samples| {
                [samples.median(), samples.percentile(990), samples.max()]
                    .map(|figure| decimals(figure, 2))
            };
            let names = [self.name(row.target).to_owned(), row.load.to_string()];
            let counts = [row.updates().count(), failed.count()].map(|count| count.to_string());
            let figures = cells(&commits).into_iter().chain(cells(&unseen));
            table.push(names.into_iter().chain(counts).chain(figures));
        }
        Some(table)
    }
}
