//! Random choices, the same on every machine and in every version.
//!
//! Each record draws from a stream of its own, named by the seed and the record, so records can be made in any order and
//! facts about a record can be worked out again where another one needs them. Integers only: no result depends on how a
//! platform rounds. Skewed choices favour small numbers, so the first of each class are the popular ones.

use super::record::Record;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The choices of one record.
pub struct Draw {
    source: ChaCha8Rng,
}

impl Draw {
    /// The choices that belong to `record` in the sample of `seed`.
    pub fn for_record(seed: u64, record: Record) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8] = record.class as u8;
        let mut source = ChaCha8Rng::from_seed(key);
        source.set_stream(record.number);
        Self { source }
    }

    /// A number below `bound`, all equally likely; 0 if the bound is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.source.next_u64()) * u128::from(bound);
        (product >> 64) as u64
    }

    /// A number from `first` to `last`, both included, all equally likely.
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, all equally likely.
    pub fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// A number below `bound`, skewed like Zipf's law: every octave 1, 2..3, 4..7, ... is equally likely.
    pub fn zipf(&mut self, bound: u64) -> u64 {
        let octaves = u64::from(u64::BITS - bound.leading_zeros());
        loop {
            let first = 1 << self.below(octaves);
            let rank = first + self.below(first);
            if rank <= bound {
                return rank - 1;
            }
        }
    }

    /// A number below `bound`, skewed by a power: the share of the first ones grows with `power`; 1 is no skew.
    pub fn power(&mut self, bound: u64, power: u32) -> u64 {
        let uniform = self.below(1 << 32);
        let mut share = uniform;
        for _ in 1..power {
            share = (share * uniform) >> 32;
        }
        ((u128::from(share) * u128::from(bound)) >> 32) as u64
    }

    /// How many of something: 1 with `percent` against 100, each further one with the same chance, at most `count_max`.
    pub fn run_length(&mut self, percent: u64, count_max: u64) -> u64 {
        let mut count = 1;
        while count < count_max && self.chance(percent) {
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::record::Class;

    fn check(
        draw: impl Fn(&mut Draw) -> u64,
        bound: u64,
        first_share_percent: std::ops::Range<u64>,
    ) {
        let mut choices = Draw::for_record(1, Record::new(Class::Article, 7));
        let draws = (0..10_000).map(|_| draw(&mut choices)).collect::<Vec<_>>();
        assert!(draws.iter().all(|n| *n < bound));
        let first = draws.iter().filter(|n| **n == 0).count() as u64 / 100;
        assert!(
            first_share_percent.contains(&first),
            "{first}% are the first"
        );
    }

    #[test]
    fn skews() {
        check(|d| d.below(10), 10, 8..12);
        check(|d| d.power(100, 2), 100, 8..12);
        check(|d| d.power(1000, 3), 1000, 8..12);
        check(|d| d.zipf(1000), 1000, 8..12);
        check(|d| d.zipf(1), 1, 100..101);
    }

    #[test]
    fn streams_are_stable() {
        let mut draw = Draw::for_record(42, Record::new(Class::Article, 1));
        let mut other = Draw::for_record(42, Record::new(Class::Article, 2));
        let same = (0..4).map(|_| draw.below(1000)).collect::<Vec<_>>();
        assert_ne!(same, (0..4).map(|_| other.below(1000)).collect::<Vec<_>>());
        let mut again = Draw::for_record(42, Record::new(Class::Article, 1));
        assert_eq!(same, (0..4).map(|_| again.below(1000)).collect::<Vec<_>>());
    }
}
