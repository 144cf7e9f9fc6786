//! Confidence intervals for a mean over rounds, by the studentised bootstrap.
//!
//! What is drawn again and again are rounds, not requests: the requests of one round share its machine, its process and its
//! moment, so they are no independent witnesses. Each drawn mean is measured in its own standard error, and the interval
//! reaches as far to both sides as 99 of 100 draws stray, which keeps the promised share of intervals over the truth even
//! with few rounds. One comparison in a hundred of two that are alike may be called a difference: with one in twenty, every
//! fourth series of twenty would have two or more. Equal values and seeds give equal intervals.

use super::statistics::Samples;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// With fewer rounds than this even their whole range misses the truth more often than one time in twenty.
pub const ROUNDS_MIN: usize = 6;

const DRAWS: usize = 2000;
const CONFIDENCE_PER_MILLE: usize = 990;
/// The error of drawn values is taken as this share of that of all values at least.
const DRAWN_ERROR_MIN: f64 = 0.25;

/// A mean and the range in which the true one lies, with 99% confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The mean of the values.
    pub mean: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The interval around the mean of values, one for each round; none for fewer than [`ROUNDS_MIN`].
    pub fn of_rounds(values: &[f64], seed: u64) -> Option<Self> {
        if values.len() < ROUNDS_MIN {
            return None;
        }
        let (mean, error) = mean_and_error(values);
        // Differences of rounding alone are none, and where the values are all the same the interval is a point.
        if error <= mean.abs() * 1e-12 {
            return Some(Self {
                low: mean,
                mean,
                high: mean,
            });
        }
        // Coarse values, such as ticks of a clock, may all be drawn alike, which says nothing about their error.
        let error_min = error * DRAWN_ERROR_MIN;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut drawn = vec![0.0; values.len()];
        let draws: Samples = (0..DRAWS)
            .map(|_| {
                drawn.fill_with(|| values.choose(&mut random).copied().unwrap_or(mean));
                let (drawn_mean, drawn_error) = mean_and_error(&drawn);
                (drawn_mean - mean).abs() / drawn_error.max(error_min)
            })
            .collect();
        let reach = draws.percentile(CONFIDENCE_PER_MILLE)? * error;
        Some(Self {
            low: mean - reach,
            mean,
            high: mean + reach,
        })
    }

    /// Whether a value lies within.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The interval of another scale that rises with this one.
    #[must_use]
    pub fn map(&self, scale: impl Fn(f64) -> f64) -> Self {
        Self {
            low: scale(self.low),
            mean: scale(self.mean),
            high: scale(self.high),
        }
    }
}

/// The mean and its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Nearly normal values around a mean of zero: the sum of twelve uniform ones, less six.
    fn normal(random: &mut ChaCha8Rng) -> f64 {
        (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
    }

    #[test]
    fn nearly_all_intervals_hold_the_truth() {
        for rounds in [6, 12] {
            let mut random = ChaCha8Rng::seed_from_u64(5);
            let trials = 200;
            let held = (0..trials).filter(|&seed| {
                let values: Vec<_> = (0..rounds).map(|_| normal(&mut random)).collect();
                Interval::of_rounds(&values, seed).is_some_and(|i| i.holds(0.0))
            });
            let share = held.count() as f64 / trials as f64;
            assert!((0.97..=1.0).contains(&share), "{rounds}: {share}");
        }
    }

    #[test]
    fn a_mean_that_is_no_zero_is_found() {
        let values = [0.04, 0.06, 0.05, 0.055, 0.045, 0.05];
        let interval = Interval::of_rounds(&values, 1).unwrap();
        assert!(!interval.holds(0.0) && interval.holds(0.05), "{interval:?}");
        assert_eq!(Some(interval), Interval::of_rounds(&values, 1));
    }

    #[test]
    fn few_values_have_no_interval_and_equal_ones_a_point() {
        assert_eq!(Interval::of_rounds(&[1.0; 5], 1), None);
        let point = Interval::of_rounds(&[1.0; 6], 1).unwrap();
        assert_eq!((point.low, point.high), (1.0, 1.0));
    }

    #[test]
    fn coarse_values_have_a_finite_interval() {
        let interval = Interval::of_rounds(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 1).unwrap();
        assert!(interval.holds(0.0) && interval.high < 1.0, "{interval:?}");
    }
}
