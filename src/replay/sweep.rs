//! The highest rate that a server holds: doubled until it fails, then halved in between.
//!
//! A server that falls behind answers each request later than the one before, so a run holds its rate when latencies,
//! counted from the intended start, do not grow: at 99 answers for 100 requests they grow by a hundredth of the time. Each
//! step is taken by all servers in turn, so that what changes slowly on the machine meets them alike.

use super::Outcome;
use super::course::Timing;
use super::pace::{Milli, Pace};
use super::run::Run;
use super::statistics::Samples;

/// The steps after the first rate that fails; six narrow the gap to a sixty-fourth of the rate.
const HALVINGS: usize = 6;
const DOUBLINGS_MAX: usize = 24;
/// A gap of less than this share of the rate is narrow enough.
const GAP_MIN: f64 = 0.02;

/// By how much of the run's time the latency may grow from its first to its last quarter.
const GROWTH_MAX: f64 = 0.0075;
/// A growth that may be noise, however short the run is.
const NOISE_MS: f64 = 20.0;

/// The search for one server's rate.
#[derive(Clone, Debug)]
pub struct Search {
    held: Option<f64>,
    failed: Option<f64>,
    next: f64,
    steps_left: usize,
}

impl Search {
    /// A search that starts with a rate.
    pub fn from_rate(rate: f64) -> Self {
        Self {
            held: None,
            failed: None,
            next: rate,
            steps_left: DOUBLINGS_MAX,
        }
    }

    /// The rate to be tried next; none when the search is over.
    pub fn next(&self) -> Option<Milli> {
        (self.steps_left > 0).then(|| Milli::new(self.next))
    }

    /// Learns whether the rate was held.
    pub fn learn(&mut self, holds: bool) {
        self.steps_left -= 1;
        match holds {
            true => self.held = Some(self.next),
            false => {
                if self.failed.is_none() {
                    self.steps_left = HALVINGS;
                }
                self.failed = Some(self.next);
            }
        }
        self.next = match (self.held, self.failed) {
            (Some(held), Some(failed)) => {
                if failed - held < GAP_MIN * failed {
                    self.steps_left = 0;
                }
                f64::midpoint(held, failed)
            }
            (Some(held), None) => held * 2.0,
            (None, _) => self.next / 2.0,
        };
    }
}

impl Run {
    /// Whether an open loop's requests were answered as they came, all of them well.
    pub fn holds(&self) -> bool {
        let mut timings: Vec<_> = self.timed().map(|request| &request.timing).collect();
        timings.sort_by_key(|timing| timing.intended_start);
        let quarter = timings.len().div_ceil(4);
        let median_ms = |part: &[&Timing]| {
            let latencies = part.iter().map(|timing| timing.latency_ms());
            latencies.collect::<Samples>().median()
        };
        let first = median_ms(&timings[..quarter]);
        let last = median_ms(&timings[timings.len() - quarter..]);
        let (Some(first), Some(last), [start, .., end]) = (first, last, &*timings) else {
            return false;
        };
        let span_ms = (end.intended_start - start.intended_start).as_secs_f64() * 1e3;
        last - first <= (GROWTH_MAX * span_ms).max(NOISE_MS)
            && self.timed().all(|request| request.outcome.is_ok())
    }
}

impl Outcome {
    /// For each target the highest rate that it held in all of its runs, if there is one.
    pub fn rates_held(&self) -> Vec<Option<Milli>> {
        let of = |target| {
            let runs = || {
                self.runs
                    .iter()
                    .filter(move |run| run.slot.target == target)
            };
            let held = |run: &Run| match run.slot.load.pace {
                Some(Pace::Fixed(rate) | Pace::Poisson(rate)) => {
                    let same = runs().filter(|other| other.slot.load == run.slot.load);
                    same.into_iter().all(Run::holds).then_some(rate)
                }
                _ => None,
            };
            runs().filter_map(held).max()
        };
        (0..self.plan.targets.len()).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_found_from_below_and_from_above() {
        for (start, truth) in [(10.0, 437.0), (10.0, 11.0), (500.0, 3.0), (8.0, 8.0)] {
            let mut search = Search::from_rate(start);
            let mut steps = 0;
            let mut best = 0.0_f64;
            while let Some(rate) = search.next() {
                let holds = rate.get() <= truth;
                if holds {
                    best = best.max(rate.get());
                }
                search.learn(holds);
                steps += 1;
            }
            assert!(
                best > truth * 0.95 || start > truth,
                "{start}, {truth}: {best}"
            );
            assert!(steps < 20, "{steps}");
        }
    }

    #[test]
    fn a_server_that_holds_nothing_ends_the_search() {
        let mut search = Search::from_rate(10.0);
        let mut steps = 0;
        while search.next().is_some() {
            search.learn(false);
            steps += 1;
        }
        assert_eq!(steps, HALVINGS + 1);
    }
}
