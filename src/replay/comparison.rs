//! How much longer one server takes than another, and how sure that is.
//!
//! Compared are pairs of runs with the same round and number of threads, over the queries that both answered in every
//! pair. Each pair gives one ratio for each figure; the mean of their logarithms and its interval over the pairs is the
//! effect. The headline, fixed in advance, is the geometric mean of the latencies.

use super::bootstrap::Interval;
use super::sign_flips;
use super::statistics::{GEOMETRIC_MEAN_FLOOR_MS, Samples};
use std::collections::{BTreeMap, BTreeSet};

/// The share of false alarms that is put up with, over all queries of one comparison.
pub const FALSE_ALARMS_MAX: f64 = 0.05;

/// One run, as far as it is compared.
#[derive(Clone, Debug, Default)]
pub struct Block<'a> {
    /// The latency of each query that was answered, by its name; the median where it was sent more than once, so
    /// that a stall of the machine does not speak for the query it met.
    pub latencies_ms: BTreeMap<&'a str, f64>,
    /// What the server spent on cores.
    pub server_cpu_s: Option<f64>,
}

/// A ratio of two servers' figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The geometric mean of the ratios of all pairs.
    pub ratio: f64,
    /// Where the true ratio lies; none with too few pairs.
    pub interval: Option<Interval>,
}

/// What an effect allows to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval lies below one.
    Faster,
    /// The whole interval lies above one.
    Slower,
    /// The interval holds one.
    NoDifference,
    /// There are too few pairs for an interval.
    TooFewRounds,
}

/// One query's part in a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryEffect<'a> {
    /// Its name.
    pub query: &'a str,
    /// The geometric mean of its ratios.
    pub ratio: f64,
    /// The chance of such a ratio anywhere among the queries of two servers that are alike.
    pub adjusted_p: Option<f64>,
}

/// Two servers compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison<'a> {
    /// How many pairs of runs there are.
    pub pairs: usize,
    /// Of the geometric means over the queries.
    pub geometric_mean: Effect,
    /// Of the sums over the queries.
    pub total: Effect,
    /// Of the medians over the queries.
    pub median: Effect,
    /// Of the server's CPU time, all queries included.
    pub server_cpu: Option<Effect>,
    /// Each query, by name.
    pub queries: Vec<QueryEffect<'a>>,
}

impl<'a> Comparison<'a> {
    /// Compares the second block of each pair with the first; none if no query was answered in all of them.
    pub fn new(pairs: &[(Block<'a>, Block<'a>)], seed: u64) -> Option<Self> {
        let names = answered_in_all(pairs);
        let differences: Vec<Vec<f64>> = (names.iter())
            .map(|name| pairs.iter().map(|pair| difference(pair, name)).collect())
            .collect();
        if differences.is_empty() {
            return None;
        }
        let by_pair = |figure: fn(&Samples) -> Option<f64>| {
            let logarithm = |block: &Block<'_>| {
                let latencies = names.iter().map(|name| latency_ms(block, name));
                figure(&latencies.collect()).map(f64::ln)
            };
            let of_pair =
                |(base, other): &(Block<'_>, Block<'_>)| Some(logarithm(other)? - logarithm(base)?);
            Effect::of(pairs.iter().map(of_pair).collect(), seed)
        };
        let adjusted = sign_flips::adjusted_p(&differences, seed);
        let queries = names
            .iter()
            .enumerate()
            .map(|(position, &query)| QueryEffect {
                query,
                ratio: mean(&differences[position]).exp(),
                adjusted_p: adjusted.as_ref().map(|all| all[position]),
            });
        Some(Self {
            pairs: pairs.len(),
            geometric_mean: by_pair(|latencies| latencies.geometric_mean(GEOMETRIC_MEAN_FLOOR_MS))?,
            total: by_pair(Samples::sum)?,
            median: by_pair(Samples::median)?,
            server_cpu: Effect::of(pairs.iter().map(server_cpu).collect(), seed),
            queries: queries.collect(),
        })
    }

    /// The queries that differ beyond chance, the largest effects first.
    pub fn different_queries(&self) -> Vec<&QueryEffect<'a>> {
        let is_found =
            |query: &&QueryEffect<'_>| query.adjusted_p.is_some_and(|p| p < FALSE_ALARMS_MAX);
        let mut found: Vec<_> = self.queries.iter().filter(is_found).collect();
        let size = |query: &QueryEffect<'_>| query.ratio.ln().abs();
        found.sort_by(|a, b| f64::total_cmp(&size(b), &size(a)));
        found
    }
}

impl Effect {
    /// From the logarithm of each pair's ratio; none if one of them is missing.
    fn of(logarithms: Option<Vec<f64>>, seed: u64) -> Option<Self> {
        let logarithms = logarithms.filter(|all| all.iter().all(|l| l.is_finite()))?;
        Some(Self {
            ratio: mean(&logarithms).exp(),
            interval: Interval::of_rounds(&logarithms, seed).map(|i| i.map(f64::exp)),
        })
    }

    /// What may be said.
    pub fn verdict(&self) -> Verdict {
        match self.interval {
            None => Verdict::TooFewRounds,
            Some(interval) if interval.high < 1.0 => Verdict::Faster,
            Some(interval) if interval.low > 1.0 => Verdict::Slower,
            Some(_) => Verdict::NoDifference,
        }
    }
}

/// The effect in percent more or less than the base, with its interval.
impl std::fmt::Display for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |ratio: f64| (ratio - 1.0) * 100.0;
        write!(f, "{:+.1}", percent(self.ratio))?;
        if let Some(interval) = &self.interval {
            let interval = interval.map(percent);
            write!(f, " [{:+.1}, {:+.1}]", interval.low, interval.high)?;
        }
        Ok(())
    }
}

impl Verdict {
    /// The words that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::NoDifference => "no difference",
            Self::TooFewRounds => "too few rounds",
        }
    }
}

/// The median of each query's latencies in one run.
pub fn medians<'a, L: IntoIterator<Item = f64>>(
    latencies_ms: impl IntoIterator<Item = (&'a str, L)>,
) -> BTreeMap<&'a str, f64> {
    let median = |(name, all): (_, L)| Some((name, all.into_iter().collect::<Samples>().median()?));
    latencies_ms.into_iter().filter_map(median).collect()
}

fn answered_in_all<'a>(pairs: &[(Block<'a>, Block<'a>)]) -> BTreeSet<&'a str> {
    let names = |block: &Block<'a>| block.latencies_ms.keys().copied().collect::<BTreeSet<_>>();
    pairs
        .iter()
        .flat_map(|(base, other)| [names(base), names(other)])
        .reduce(|all, names| &all & &names)
        .unwrap_or_default()
}

fn latency_ms(block: &Block<'_>, name: &str) -> f64 {
    let found = block.latencies_ms.get(name).copied();
    found.unwrap_or_default().max(GEOMETRIC_MEAN_FLOOR_MS)
}

fn difference((base, other): &(Block<'_>, Block<'_>), name: &str) -> f64 {
    latency_ms(other, name).ln() - latency_ms(base, name).ln()
}

fn server_cpu((base, other): &(Block<'_>, Block<'_>)) -> Option<f64> {
    Some(other.server_cpu_s?.ln() - base.server_cpu_s?.ln())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

    /// A run whose latencies vary by a tenth, after a factor.
    fn block(factor: f64, random: &mut ChaCha8Rng) -> Block<'static> {
        let latency = |(i, &name): (usize, &&'static str)| {
            let noise = 1.0 + 0.1 * (random.random::<f64>() - 0.5);
            (name, factor * 2.0_f64.powi(i as i32) * noise)
        };
        Block {
            latencies_ms: NAMES.iter().enumerate().map(latency).collect(),
            server_cpu_s: Some(factor),
        }
    }

    fn pairs(count: usize, factor: f64, seed: u64) -> Vec<(Block<'static>, Block<'static>)> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut pair = || (block(1.0, &mut random), block(factor, &mut random));
        (0..count).map(|_| pair()).collect()
    }

    #[test]
    fn verdicts() {
        let check = |count, factor, wanted| {
            let comparison = Comparison::new(&pairs(count, factor, 1), 1).unwrap();
            assert_eq!(
                comparison.geometric_mean.verdict(),
                wanted,
                "{comparison:?}"
            );
        };
        check(9, 1.1, Verdict::Slower);
        check(9, 0.9, Verdict::Faster);
        check(9, 1.0, Verdict::NoDifference);
        check(3, 1.1, Verdict::TooFewRounds);
    }

    #[test]
    fn alike_ones_show_no_difference_and_five_percent_are_found_in_19_of_20() {
        let share = |factor, wanted| {
            let found = (0..40).filter(|&seed| {
                let comparison = Comparison::new(&pairs(12, factor, seed), seed).unwrap();
                comparison.geometric_mean.verdict() == wanted
            });
            found.count()
        };
        assert!(share(1.0, Verdict::NoDifference) >= 36);
        assert!(share(1.05, Verdict::Slower) >= 38);
    }

    #[test]
    fn all_figures_are_ratios_to_the_base() {
        let fixed = |factor: f64| Block {
            latencies_ms: [("a", 1.0 * factor), ("b", 4.0 * factor)].into(),
            server_cpu_s: Some(factor),
        };
        let pairs = vec![(fixed(1.0), fixed(2.0)); 6];
        let comparison = Comparison::new(&pairs, 1).unwrap();
        let effects = [
            comparison.geometric_mean,
            comparison.total,
            comparison.median,
            comparison.server_cpu.unwrap(),
        ];
        for effect in effects {
            assert_eq!(effect.to_string(), "+100.0 [+100.0, +100.0]");
        }
        assert_eq!(comparison.different_queries().len(), 2);
    }

    #[test]
    fn a_query_that_failed_once_is_left_out() {
        let mut pairs = pairs(6, 1.0, 1);
        pairs[3].1.latencies_ms.remove("c");
        let comparison = Comparison::new(&pairs, 1).unwrap();
        let names: Vec<_> = comparison.queries.iter().map(|q| q.query).collect();
        assert_eq!(names, ["a", "b", "d", "e"]);
        assert_eq!(Comparison::new(&[], 1), None);
    }
}
