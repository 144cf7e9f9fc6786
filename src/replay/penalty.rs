//! Failures as time: a failed request counts as a multiple of the time-out, whatever it took.
//!
//! The factor is a choice, so two are worked out (PAR2 and PAR10, as in the competitions of solvers), and the ranks under
//! both stand side by side: where they agree, the choice did not decide.

use super::Outcome;
use super::failure::FailureClass;
use super::pace::Load;
use super::statistics::Samples;
use super::summary::Row;
use std::collections::BTreeMap;

/// The factors that are reported.
pub const FACTORS: [u32; 2] = [2, 10];

/// A row's times with its failures penalised.
pub struct Penalised {
    /// The position of the target.
    pub target: usize,
    /// The load.
    pub load: Load,
    /// How many requests failed, by class.
    pub failures: BTreeMap<FailureClass, usize>,
    /// For each factor the mean in milliseconds, and the rank among the targets with the same load, from one.
    pub means_ms: [(f64, usize); FACTORS.len()],
}

impl Outcome {
    /// All rows with their failures penalised; rows without requests are left out.
    pub fn penalised(&self) -> Vec<Penalised> {
        let timeout_ms = self.plan.timeout.as_secs_f64() * 1e3;
        let mut rows: Vec<_> = (self.rows().iter())
            .filter_map(|row| Penalised::of(row, timeout_ms))
            .collect();
        let keys: Vec<_> = rows.iter().map(|row| (row.load, row.means_ms)).collect();
        for row in &mut rows {
            for (factor, (mean_ms, rank)) in row.means_ms.iter_mut().enumerate() {
                let rivals = keys.iter().filter(|(load, _)| *load == row.load);
                *rank += rivals
                    .filter(|(_, means)| means[factor].0 < *mean_ms)
                    .count();
            }
        }
        rows
    }
}

impl Penalised {
    fn of(row: &Row<'_>, timeout_ms: f64) -> Option<Self> {
        let mut failures = BTreeMap::new();
        for request in row.timed() {
            if let Err(failure) = &request.outcome {
                *failures.entry(failure.class).or_default() += 1;
            }
        }
        let mut means_ms = [(0.0, 1); FACTORS.len()];
        for (factor, (mean_ms, _)) in FACTORS.iter().zip(&mut means_ms) {
            let latencies = row.timed().map(|request| match request.outcome {
                Ok(_) => request.timing.latency_ms(),
                Err(_) => timeout_ms * f64::from(*factor),
            });
            *mean_ms = latencies.collect::<Samples>().mean()?;
        }
        Some(Self {
            target: row.target,
            load: row.load,
            failures,
            means_ms,
        })
    }
}
