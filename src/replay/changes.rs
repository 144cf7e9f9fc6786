//! What changed between two replays, and how sure that is.

use super::agreement::DifferenceClass;
use super::comparison::{Comparison, Verdict};
use super::recorded::Recorded;
use super::report::effects;
use super::table::{Table, words};
use std::collections::BTreeSet;
use std::fmt;

/// Equal files give equal reports.
const SEED: u64 = 1;

/// The changes of all endpoints that both replays measured.
pub struct Changes<'a> {
    changes: Vec<Change<'a>>,
    warnings: Vec<String>,
}

/// What must be alike so that only the endpoints differ.
struct Condition {
    /// Its name in the file.
    key: &'static str,
    /// What a warning calls it.
    name: &'static str,
    /// Whether its values may be shown.
    is_short: bool,
}

const CONDITIONS: [Condition; 11] = [
    Condition::long(
        "workload_sha256",
        "workloads (queries of equal names are compared)",
    ),
    Condition::long("machine", "machines"),
    Condition::long("data", "data sets"),
    Condition::long("loads", "threads or rates"),
    Condition::short("load", "load models"),
    Condition::short("state", "states of the servers"),
    Condition::short("duration_s", "durations"),
    Condition::short("warm_queries", "numbers of warm queries"),
    Condition::short("updates_per_s", "rates of updates"),
    Condition::short("timeout_s", "time-outs"),
    Condition::short("seed", "seeds"),
];

impl Condition {
    const fn long(key: &'static str, name: &'static str) -> Self {
        Self {
            key,
            name,
            is_short: false,
        }
    }

    const fn short(key: &'static str, name: &'static str) -> Self {
        Self {
            key,
            name,
            is_short: true,
        }
    }

    /// A warning where it is not the same.
    fn unlike(&self, before: &Recorded, after: &Recorded) -> Option<String> {
        let [old, new] = [before, after].map(|replay| replay.condition(self.key));
        let name = self.name;
        (old != new).then(|| match self.is_short {
            true => format!("the {name} are not the same: {old} and {new}"),
            false => format!("the {name} are not the same"),
        })
    }
}

/// One endpoint's changes.
struct Change<'a> {
    before: &'a str,
    after: &'a str,
    comparison: Option<Comparison<'a>>,
    /// The queries whose answers are not the same.
    disputed: BTreeSet<&'a str>,
    failed_before: usize,
    failed_after: usize,
}

impl<'a> Changes<'a> {
    /// Endpoints are paired by name; two replays of one endpoint each are paired whatever the names.
    pub fn between(before: &'a Recorded, after: &'a Recorded) -> Self {
        let mut pairs: Vec<(&str, &str)> = (before.targets.iter())
            .filter(|name| after.targets.contains(name))
            .map(|name| (&**name, &**name))
            .collect();
        if let ([], [old], [new]) = (&*pairs, &*before.targets, &*after.targets) {
            pairs.push((old, new));
        }
        let changes = pairs
            .into_iter()
            .map(|names| Change::of(before, after, names));
        let mut warnings: Vec<_> = (CONDITIONS.iter())
            .filter_map(|condition| condition.unlike(before, after))
            .collect();
        if before.has_updates() || after.has_updates() {
            warnings.push("updates were sent, so answers are not compared".to_owned());
        }
        let changes: Vec<_> = changes.collect();
        if changes.is_empty() {
            warnings.push("the replays have no endpoint in common".to_owned());
        }
        Self { changes, warnings }
    }

    /// Whether an endpoint is slower by more than so many percent, which chance does not explain as far as that can be
    /// told, or has new failures or other answers; or nothing could be compared.
    pub fn are_worse_by(&self, percent: f64) -> bool {
        self.changes.is_empty()
            || self
                .changes
                .iter()
                .any(|change| change.is_worse_by(percent))
    }
}

impl<'a> Change<'a> {
    fn of(before: &'a Recorded, after: &'a Recorded, (old, new): (&'a str, &'a str)) -> Self {
        let disputed = match before.has_updates() || after.has_updates() {
            true => BTreeSet::new(),
            false => disputed(before, after, (old, new)),
        };
        let mut others = after.blocks(new, &disputed);
        let pairs: Vec<_> = (before.blocks(old, &disputed).into_iter())
            .filter_map(|(key, block)| Some((block, others.remove(&key)?)))
            .collect();
        Self {
            before: old,
            after: new,
            comparison: Comparison::new(&pairs, SEED),
            disputed,
            failed_before: before.failed(old),
            failed_after: after.failed(new),
        }
    }

    fn is_worse_by(&self, percent: f64) -> bool {
        let is_slower = self.comparison.as_ref().is_none_or(|comparison| {
            let effect = comparison.geometric_mean;
            let is_chance = matches!(effect.verdict(), Verdict::NoDifference | Verdict::Faster);
            !is_chance && effect.ratio > 1.0 + percent / 100.0
        });
        is_slower || !self.disputed.is_empty() || self.failed_after > self.failed_before
    }
}

/// The queries with other answers than before, though there can be only one.
fn disputed<'a>(
    before: &'a Recorded,
    after: &Recorded,
    (old, new): (&str, &str),
) -> BTreeSet<&'a str> {
    let old_answers = before.answers(old);
    let new_answers = after.answers(new);
    let is_disputed = |query: &str, answers: &BTreeSet<&(u64, String)>| {
        let Some(others) = new_answers.get(query).filter(|others| *others != answers) else {
            return false;
        };
        let mut rows = answers.union(others).map(|(rows, _)| *rows);
        let first = rows.next().unwrap_or_default();
        let class = match rows.all(|rows| rows == first) {
            true => DifferenceClass::Terms,
            false => DifferenceClass::RowCount,
        };
        !before.choice(query).allows(class, first)
    };
    old_answers
        .iter()
        .filter(|(query, answers)| is_disputed(query, answers))
        .map(|(query, _)| *query)
        .collect()
}

impl fmt::Display for Changes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        writeln!(
            f,
            "changes in percent, with 99% intervals over pairs of runs; the geometric mean decides"
        )?;
        let names = [words("before"), words("after")];
        let mut table = Table::new(names.into_iter().chain(effects::columns()));
        for change in &self.changes {
            if let Some(comparison) = &change.comparison {
                let names = [change.before.to_owned(), change.after.to_owned()];
                table.push(names.into_iter().chain(effects::cells(comparison)));
            }
        }
        writeln!(f, "{table}")?;
        self.changes.iter().try_for_each(|change| change.write(f))
    }
}

impl Change<'_> {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.after;
        match &self.comparison {
            Some(comparison) => {
                effects::write_different_queries(f, comparison, name, "before")?;
            }
            None => writeln!(
                f,
                "{name}: there is no query that every run of both answered alike"
            )?,
        }
        if self.failed_before + self.failed_after > 0 {
            let (before, after) = (self.failed_before, self.failed_after);
            writeln!(f, "{name}: {after} requests failed, {before} before")?;
        }
        if !self.disputed.is_empty() {
            let queries: Vec<_> = self.disputed.iter().copied().collect();
            writeln!(
                f,
                "{name}: other answers than before to {}",
                queries.join(", ")
            )?;
        }
        Ok(())
    }
}
