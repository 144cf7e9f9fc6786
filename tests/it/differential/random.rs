//! Choices that a seed decides.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of choices.
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number, both ends included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        self.0.random_range(least..=most)
    }

    /// True so many times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.between(1, 100) <= percent
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.between(0, choices.len() - 1)]
    }

    /// An index, each as often as its weight says.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.between(1, weights.iter().sum());
        for (i, weight) in weights.iter().enumerate() {
            if left <= *weight {
                return i;
            }
            left -= weight;
        }
        0
    }
}
