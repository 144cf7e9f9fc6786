//! The tables of a report that say how sure it is: differences with intervals, single queries, failures penalised.

use super::{Report, effects};
use crate::replay::bootstrap::{Interval, ROUNDS_MIN};
use crate::replay::comparison::Comparison;
use crate::replay::pace::Load;
use crate::replay::penalty::FACTORS;
use crate::replay::statistics::GEOMETRIC_MEAN_FLOOR_MS;
use crate::replay::summary::Row;
use crate::replay::table::{Table, decimals, figures, words};
use std::fmt;

impl Report<'_> {
    /// How the other targets differ from the first.
    pub(super) fn write_differences(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = &self.outcome.plan;
        if plan.targets.len() < 2 {
            return Ok(());
        }
        writeln!(
            f,
            "difference from {} in percent, with 99% intervals over pairs of runs; the geometric mean decides",
            self.name(0)
        )?;
        writeln!(f, "{}", self.differences())?;
        let runs = plan.rounds * plan.loads.len();
        if runs < ROUNDS_MIN {
            return writeln!(
                f,
                "intervals need {ROUNDS_MIN} pairs of runs, here are {runs}; raise --repeats\n"
            );
        }
        (1..plan.targets.len()).try_for_each(|target| self.write_different_queries(f, target))
    }

    pub(super) fn comparison(&self, target: usize, load: Option<Load>) -> Option<Comparison<'_>> {
        let pairs = self.outcome.pairs(0, target, load);
        Comparison::new(&pairs, self.outcome.plan.seed)
    }

    pub(super) fn differences(&self) -> Table {
        let names = [words(self.subject()), words(self.load_title())];
        let mut table = Table::new(names.into_iter().chain(effects::columns()));
        let ladder = &self.outcome.plan.loads;
        let single = ladder.iter().map(|&load| Some(load));
        let all = (ladder.len() > 1).then_some(None);
        let cells: Vec<_> = single.chain(all).collect();
        for target in 1..self.outcome.plan.targets.len() {
            for &load in &cells {
                let Some(comparison) = self.comparison(target, load) else {
                    continue;
                };
                let load = load.map_or_else(|| "all".to_owned(), |load| load.to_string());
                let names = [self.name(target).to_owned(), load];
                table.push(names.into_iter().chain(effects::cells(&comparison)));
            }
        }
        table
    }

    fn write_different_queries(&self, f: &mut fmt::Formatter<'_>, target: usize) -> fmt::Result {
        match self.comparison(target, None) {
            Some(comparison) => {
                let (name, base) = (self.name(target), self.name(0));
                effects::write_different_queries(f, &comparison, name, base)
            }
            None => Ok(()),
        }
    }

    /// The figures of each row with intervals over its rounds, where there are enough.
    pub(super) fn write_intervals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.outcome.plan.rounds < ROUNDS_MIN {
            return Ok(());
        }
        let mut table = Table::new([
            words(self.subject()),
            figures(self.load_title()),
            figures("geomean ms"),
            figures("median ms"),
            figures("total s"),
        ]);
        for row in &self.rows {
            let cell = |figures: Vec<f64>, decimals: usize| match Interval::of_rounds(
                &figures,
                self.outcome.plan.seed,
            ) {
                Some(Interval { low, mean, high }) => {
                    // No time is below zero, so the interval need not go there either.
                    let low = low.max(0.0);
                    format!("{mean:.decimals$} [{low:.decimals$}, {high:.decimals$}]")
                }
                None => "-".to_owned(),
            };
            table.push([
                self.name(row.target).to_owned(),
                row.load.to_string(),
                cell(
                    by_round(row, |s| s.geometric_mean(GEOMETRIC_MEAN_FLOOR_MS)),
                    3,
                ),
                cell(by_round(row, |s| s.median()), 3),
                cell(row.times_s().collect(), 3),
            ]);
        }
        writeln!(f, "means over the rounds, with 99% intervals")?;
        writeln!(f, "{table}")
    }

    /// The rows with their failures penalised, if any request failed.
    pub(super) fn write_penalties(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(table) = self.penalties() else {
            return Ok(());
        };
        writeln!(
            f,
            "mean latencies, each failure as 2 and as 10 times the time-out"
        )?;
        writeln!(f, "{table}")
    }

    /// The failures by class, and what they cost; none if no request failed.
    pub(super) fn penalties(&self) -> Option<Table> {
        let rows = self.outcome.penalised();
        if rows.iter().all(|row| row.failures.is_empty()) {
            return None;
        }
        let factors = FACTORS
            .iter()
            .flat_map(|factor| [figures(format!("PAR{factor} ms")), figures("rank")]);
        let columns = [words(self.subject()), figures(self.load_title())]
            .into_iter()
            .chain(factors);
        let mut table = Table::new(columns.chain([words("failures")]));
        for row in rows {
            let failures: Vec<_> = (row.failures.iter())
                .map(|(class, count)| format!("{count} {}", class.name()))
                .collect();
            let means = (row.means_ms.iter())
                .flat_map(|&(mean, rank)| [decimals(Some(mean), 2), rank.to_string()]);
            let names = [self.name(row.target).to_owned(), row.load.to_string()];
            table.push(names.into_iter().chain(means).chain([failures.join(", ")]));
        }
        Some(table)
    }
}

fn by_round(
    row: &Row<'_>,
    figure: impl Fn(&crate::replay::statistics::Samples) -> Option<f64>,
) -> Vec<f64> {
    row.rounds_ms()
        .filter_map(|samples| figure(&samples))
        .collect()
}
