//! When a server is warm by a rule and not by feeling: its warm queries are asked over and over until their median latency
//! stays.

use super::statistics::Samples;
use serde::Serialize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Barrier;

/// By which share the median may differ from that of the pass before.
const DRIFT_MAX: f64 = 0.02;
/// So often in a row.
const PASSES_ALIKE: usize = 3;
/// After so many passes nothing more is expected.
const PASSES_MAX: usize = 50;

/// The passes over the warm queries, by all client threads together.
pub struct Settling {
    gate: Barrier,
    passes: Mutex<Passes>,
}

#[derive(Default)]
struct Passes {
    /// Of the pass that is under way.
    latencies_ms: Vec<f64>,
    medians_ms: Vec<f64>,
}

/// How the warm part ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Settled {
    /// How many passes it took.
    pub passes: usize,
    /// Whether the times stayed in the end.
    pub is_steady: bool,
}

impl Settling {
    /// For so many client threads.
    pub fn new(threads: usize) -> Self {
        Self {
            gate: Barrier::new(threads),
            passes: Mutex::default(),
        }
    }

    /// Ends a thread's part of a pass, and waits for those of the others; then one of them calls `rewind`. Whether the
    /// warm part is over.
    pub async fn end_pass(
        &self,
        latencies_ms: impl Iterator<Item = f64>,
        rewind: impl FnOnce(),
    ) -> bool {
        self.lock().latencies_ms.extend(latencies_ms);
        if self.gate.wait().await.is_leader() {
            self.lock().close();
            rewind();
        }
        self.gate.wait().await;
        self.lock().settled().is_some()
    }

    /// How the warm part ended; none while it is under way.
    pub fn settled(&self) -> Option<Settled> {
        self.lock().settled()
    }

    fn lock(&self) -> MutexGuard<'_, Passes> {
        // A list is whole after each of its operations, whatever happened to the thread that held it.
        self.passes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Passes {
    fn close(&mut self) {
        let latencies: Samples = self.latencies_ms.drain(..).collect();
        // Where nothing was answered there is nothing to wait for.
        self.medians_ms.push(latencies.median().unwrap_or_default());
    }

    fn settled(&self) -> Option<Settled> {
        let passes = self.medians_ms.len();
        let is_alike = |pair: &[f64]| (pair[1] - pair[0]).abs() <= DRIFT_MAX * pair[0];
        let drifts = self.medians_ms.windows(2).rev();
        let is_steady = drifts.take_while(|pair| is_alike(pair)).count() >= PASSES_ALIKE;
        (is_steady || passes >= PASSES_MAX).then_some(Settled { passes, is_steady })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_stay_end_the_warm_part() {
        let settled = |medians_ms: &[f64]| {
            let passes = Passes {
                medians_ms: medians_ms.to_vec(),
                ..Passes::default()
            };
            passes.settled().map(|settled| settled.is_steady)
        };
        assert_eq!(settled(&[]), None);
        assert_eq!(settled(&[9.0, 5.0, 5.05, 5.0]), None);
        assert_eq!(settled(&[9.0, 5.0, 5.05, 5.0, 4.95]), Some(true));
        assert_eq!(settled(&[5.0, 5.0, 5.0, 6.0, 6.0, 6.0]), None);
        assert_eq!(settled(&[0.0; 4]), Some(true));
        let restless: Vec<_> = (0..50).map(|n| f64::from(n % 2 + 1)).collect();
        assert_eq!(settled(&restless), Some(false));
    }
}
