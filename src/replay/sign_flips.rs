//! Which of many paired differences are no accident: sign flips of whole rounds, corrected for the number of queries.
//!
//! If two servers are alike, each round's differences might as well have come with the other sign. So every pattern of
//! signs over the rounds is tried; a query differs when its own statistic is larger than the largest of all queries in
//! nearly every pattern (Westfall and Young's step of the maximum). That keeps the chance of even one false alarm among all
//! queries at the level of the test, needs no assumption about how latencies spread, and respects that the queries of one
//! round rise and fall together.

use super::bootstrap::ROUNDS_MIN;
use super::statistics::Samples;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Up to so many patterns are all tried; of more, as many are drawn.
const PATTERNS_MAX: usize = 1 << 12;

/// For each query, given its differences by round, the share of patterns in which some query differs as much as it does;
/// none for fewer rounds than an interval needs.
pub fn adjusted_p(queries: &[Vec<f64>], seed: u64) -> Option<Vec<f64>> {
    let rounds = queries.first()?.len();
    if rounds < ROUNDS_MIN {
        return None;
    }
    let roots = queries.iter().map(|differences| mean_square(differences));
    // A query that happens to vary little would rule the maximum; no pattern of signs changes this addition.
    let steadiness = roots.map(f64::sqrt).collect::<Samples>().median()?;
    let statistic = |differences: &Vec<f64>, signs: &[f64]| {
        let n = rounds as f64;
        let signed = differences.iter().zip(signs).map(|(d, sign)| d * sign);
        let mean = signed.sum::<f64>() / n;
        let variance = (mean_square(differences) - mean * mean) * n / (n - 1.0);
        mean.abs() / (variance.max(0.0).sqrt() + steadiness).max(f64::MIN_POSITIVE)
    };
    let patterns = patterns(rounds, seed);
    let unflipped = patterns.first()?;
    let observed: Vec<_> = (queries.iter())
        .map(|query| statistic(query, unflipped))
        .collect();
    let mut reached = vec![0; queries.len()];
    for signs in &patterns {
        let largest = queries
            .iter()
            .map(|query| statistic(query, signs))
            .fold(0.0, f64::max);
        for (count, observed) in reached.iter_mut().zip(&observed) {
            // The sums of other patterns come with other roundings.
            *count += usize::from(largest >= observed * (1.0 - 1e-9));
        }
    }
    let share = |count| count as f64 / patterns.len() as f64;
    Some(reached.into_iter().map(share).collect())
}

fn mean_square(differences: &[f64]) -> f64 {
    differences.iter().map(|d| d * d).sum::<f64>() / differences.len() as f64
}

/// Patterns of signs, one for each round, the one without flips first. The last round never flips, as a pattern and its
/// opposite say the same.
fn patterns(rounds: usize, seed: u64) -> Vec<Vec<f64>> {
    let sign = |is_flipped| if is_flipped { -1.0 } else { 1.0 };
    if let Some(all) = u32::try_from(rounds - 1)
        .ok()
        .and_then(|n| 1_usize.checked_shl(n))
        && all <= PATTERNS_MAX
    {
        let signs = |bits: usize| {
            (0..rounds)
                .map(|round| sign(bits >> round & 1 == 1))
                .collect()
        };
        return (0..all).map(signs).collect();
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let unflipped = vec![1.0; rounds];
    let drawn = (1..PATTERNS_MAX).map(|_| (0..rounds).map(|_| sign(random.random())).collect());
    std::iter::once(unflipped).chain(drawn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise without a direction, different for each query.
    fn noise(query: usize, rounds: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
        let scale = 0.01 * (1 + query % 7) as f64;
        (0..rounds)
            .map(|_| scale * (random.random::<f64>() + random.random::<f64>() - 1.0))
            .collect()
    }

    #[test]
    fn alike_servers_seldom_have_even_one_query_that_differs() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let alarms = (0..40).filter(|&seed| {
            let queries: Vec<_> = (0..40).map(|q| noise(q, 9, &mut random)).collect();
            adjusted_p(&queries, seed)
                .unwrap()
                .iter()
                .any(|&p| p < 0.05)
        });
        let alarms = alarms.count();
        assert!(alarms <= 5, "{alarms} of 40");
    }

    #[test]
    fn the_one_query_that_differs_is_found() {
        for rounds in [8, 9, 20, 100] {
            let mut random = ChaCha8Rng::seed_from_u64(4);
            let mut queries: Vec<_> = (0..40).map(|q| noise(q, rounds, &mut random)).collect();
            queries[13].iter_mut().for_each(|d| *d += 0.3);
            let found: Vec<_> = adjusted_p(&queries, 1)
                .unwrap()
                .into_iter()
                .enumerate()
                .filter(|&(_, p)| p < 0.05)
                .map(|(query, _)| query)
                .collect();
            assert_eq!(found, [13], "{rounds}");
        }
    }

    #[test]
    fn nothing_is_said_of_few_rounds_or_no_queries() {
        assert_eq!(adjusted_p(&[vec![1.0; 5]], 1), None);
        assert_eq!(adjusted_p(&[], 1), None);
        assert_eq!(adjusted_p(&[vec![0.0; 6]], 1), Some(vec![1.0]));
    }
}
