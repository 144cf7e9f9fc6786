//! How many tests of each suite came out how.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

/// How a test came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Passed,
    Failed,
    Excepted,
    NotApplicable,
}

/// Counts by suite, from many threads.
#[derive(Default)]
pub struct Tally(Mutex<BTreeMap<String, BTreeMap<Outcome, usize>>>);

impl Tally {
    pub fn count(&self, suite: &str, outcome: Outcome) {
        let mut suites = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        *suites
            .entry(suite.to_owned())
            .or_default()
            .entry(outcome)
            .or_default() += 1;
    }
}

/// A table, a suite a row; nothing where nothing was counted.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suites = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if suites.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "{:<30}{:>8}{:>8}{:>10}{:>16}",
            "suite", "passed", "failed", "excepted", "not applicable"
        )?;
        for (suite, outcomes) in &*suites {
            let n = |outcome| outcomes.get(&outcome).copied().unwrap_or(0);
            writeln!(
                f,
                "{suite:<30}{:>8}{:>8}{:>10}{:>16}",
                n(Outcome::Passed),
                n(Outcome::Failed),
                n(Outcome::Excepted),
                n(Outcome::NotApplicable)
            )?;
        }
        Ok(())
    }
}
