//! Which keys a segment does certainly not hold, in memory.
//!
//! New terms are looked for in every segment before they are added. Two bytes for each key spare nearly all of these
//! searches: of the keys that are not there, one in two hundred is taken for one that may be.

use super::table::TermTable;

const BITS_PER_KEY: u64 = 16;
const PROBES: u32 = 3;

/// A Bloom filter of keys.
#[derive(Debug)]
pub struct Filter {
    bits: Vec<u64>,
}

impl Filter {
    /// A filter with room for some keys.
    pub fn new(keys: u64) -> Self {
        let words = (keys * BITS_PER_KEY / 64).next_power_of_two();
        Self {
            bits: vec![0; words as usize],
        }
    }

    /// The words and bits of a key.
    fn places(&self, key: &[u8]) -> impl Iterator<Item = (usize, u64)> + use<> {
        let hash = u64::from(TermTable::hash(key)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let (start, step) = (hash >> 32, hash << 1 | 1);
        let mask = self.bits.len() as u64 * 64 - 1;
        (0..u64::from(PROBES)).map(move |probe| {
            let bit = start.wrapping_add(step.wrapping_mul(probe) >> 7) & mask;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    /// Adds a key.
    pub fn add(&mut self, key: &[u8]) {
        for (word, bit) in self.places(key) {
            self.bits[word] |= bit;
        }
    }

    /// Whether the key may have been added; `false` is certain.
    pub fn may_hold(&self, key: &[u8]) -> bool {
        let mut places = self.places(key);
        places.all(|(word, bit)| self.bits[word] & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_were_added_pass_and_few_others_do() {
        for count in [0, 1, 100, 50_000_u64] {
            let key = |i: u64| format!("http://example.org/{i}").into_bytes();
            let mut filter = Filter::new(count);
            (0..count).for_each(|i| filter.add(&key(i)));
            assert!((0..count).all(|i| filter.may_hold(&key(i))));
            let passed = (count..count + 50_000).filter(|&i| filter.may_hold(&key(i)));
            assert!(passed.count() < 50_000 / 50, "{count}");
        }
    }
}
