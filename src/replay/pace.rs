//! How a run loads its server: a closed loop of threads, or an open loop in which requests have their own times.
//!
//! In an open loop a request is intended for a moment that does not depend on the answers before it, and its latency counts
//! from that moment; so a server that stalls is charged with all that came meanwhile (no coordinated omission). Equal seeds
//! give equal times.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::time::Duration;

/// A positive number in thousandths, so that it can be compared and printed exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Milli(u64);

impl Milli {
    /// The nearest number above zero.
    pub fn new(number: f64) -> Self {
        // The cast is saturating, so any number has a nearest one.
        Self(((number * 1e3).round() as u64).max(1))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

impl std::str::FromStr for Milli {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => Ok(Self::new(number)),
            Ok(_) => Err("it must be above 0".to_owned()),
            Err(e) => Err(e.to_string()),
        }
    }
}

impl fmt::Display for Milli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.get())
    }
}

/// When the requests of an open loop are to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pace {
    /// At equal distances, so many a second.
    Fixed(Milli),
    /// Independently of each other, so many a second on average.
    Poisson(Milli),
    /// As the workload recorded, so many times as fast.
    Recorded(Milli),
}

/// How a run loads its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Load {
    /// The pace of an open loop; none for a closed one.
    pub pace: Option<Pace>,
    /// The client threads, which bound the requests in flight.
    pub threads: usize,
}

impl Load {
    /// A closed loop.
    pub const fn closed(threads: usize) -> Self {
        Self {
            pace: None,
            threads,
        }
    }
}

/// The number of threads of a closed loop, the pace of an open one.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pace {
            None => write!(f, "{}", self.threads),
            Some(Pace::Fixed(rate) | Pace::Poisson(rate)) => write!(f, "{rate}/s"),
            Some(Pace::Recorded(speed)) => write!(f, "{speed}x"),
        }
    }
}

impl Pace {
    /// The word for how requests arrive.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed(_) => "fixed",
            Self::Poisson(_) => "poisson",
            Self::Recorded(_) => "recorded",
        }
    }

    /// Requests a second, or how many times as fast as recorded.
    pub fn number(self) -> f64 {
        let (Self::Fixed(number) | Self::Poisson(number) | Self::Recorded(number)) = self;
        number.get()
    }

    /// How many requests make up a time; none where the workload decides.
    pub fn count_in(self, duration: Duration) -> Option<usize> {
        match self {
            Self::Fixed(rate) | Self::Poisson(rate) => {
                Some(((rate.get() * duration.as_secs_f64()).ceil() as usize).max(1))
            }
            Self::Recorded(_) => None,
        }
    }

    /// When each of so many requests is to be sent, from the start of the clock.
    pub fn times(self, count: usize, recorded: &[Duration], seed: u64) -> Vec<Duration> {
        match self {
            Self::Fixed(rate) => (0..count)
                .map(|position| Duration::from_secs_f64(position as f64 / rate.get()))
                .collect(),
            Self::Poisson(rate) => {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                let mut now_s = 0.0;
                let mut next = || {
                    // One less a number below one is never zero, so its logarithm is finite.
                    now_s -= (1.0 - random.random::<f64>()).ln() / rate.get();
                    Duration::from_secs_f64(now_s)
                };
                (0..count).map(|_| next()).collect()
            }
            Self::Recorded(speed) => {
                let first = recorded.first().copied().unwrap_or_default();
                let since_first = recorded.iter().map(|time| time.saturating_sub(first));
                since_first
                    .take(count)
                    .map(|time| time.div_f64(speed.get()))
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times_s(pace: Pace, count: usize, recorded_s: &[u64]) -> Vec<f64> {
        let recorded: Vec<_> = recorded_s
            .iter()
            .copied()
            .map(Duration::from_secs)
            .collect();
        let times = pace.times(count, &recorded, 1);
        times.iter().map(Duration::as_secs_f64).collect()
    }

    #[test]
    fn fixed_and_recorded_times() {
        let rate = Milli::new(4.0);
        assert_eq!(times_s(Pace::Fixed(rate), 3, &[]), [0.0, 0.25, 0.5]);
        assert_eq!(
            times_s(Pace::Recorded(rate), 3, &[10, 12, 18]),
            [0.0, 0.5, 2.0]
        );
        assert_eq!(Pace::Fixed(rate).count_in(Duration::from_secs(3)), Some(12));
    }

    #[test]
    fn poisson_times_have_the_rate_and_the_spread() {
        let times = times_s(Pace::Poisson(Milli::new(50.0)), 20_000, &[]);
        let gaps: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean * 50.0 - 1.0).abs() < 0.03, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.05, "{variance}");
        assert_eq!(times, times_s(Pace::Poisson(Milli::new(50.0)), 20_000, &[]));
    }

    #[test]
    fn numbers_are_read_and_printed() {
        let check = |text: &str, wanted: Option<&str>| {
            let found = text.parse::<Milli>().ok().map(|number| number.to_string());
            assert_eq!(found.as_deref(), wanted, "{text}");
        };
        check("200", Some("200"));
        check("0.5", Some("0.5"));
        check("0", None);
        check("-1", None);
        check("inf", None);
        check("x", None);
    }
}
