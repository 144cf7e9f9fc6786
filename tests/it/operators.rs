//! How often each operator occurred in the plans of the queries that tests compared.

use kaluta::engine::Explanation;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts by operator, from many threads.
#[derive(Default)]
pub struct Operators(Mutex<BTreeMap<&'static str, usize>>);

impl Operators {
    /// Counts the operators of a plan, each once.
    pub fn count(&self, plan: &Explanation) {
        let mut names = Vec::new();
        collect(plan, &mut names);
        names.sort_unstable();
        names.dedup();
        let mut counts = self.lock();
        for name in names {
            *counts.entry(name).or_default() += 1;
        }
    }

    /// Those of some operators that no plan had.
    pub fn missing(&self, names: &[&'static str]) -> Vec<&'static str> {
        let counts = self.lock();
        let is_missing = |name: &&&'static str| !counts.contains_key(**name);
        names.iter().filter(is_missing).copied().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn collect(plan: &Explanation, names: &mut Vec<&'static str>) {
    names.push(plan.operator);
    for input in &plan.inputs {
        collect(input, names);
    }
}

/// A table, an operator a row; nothing where nothing was counted.
impl fmt::Display for Operators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.lock();
        if counts.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n{:<24}{:>16}", "operator", "compared plans")?;
        for (name, count) in &*counts {
            writeln!(f, "{name:<24}{count:>16}")?;
        }
        Ok(())
    }
}
