//! Distinct keys in memory, numbered as they came, and found by their bytes.

use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The distinct keys of one section, numbered as they came.
#[derive(Debug, Default)]
pub struct TermTable {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    places: HashTable<(u32, u32)>,
}

impl TermTable {
    /// The hash by which a key is found; the same in every table.
    #[inline]
    pub fn hash(key: &[u8]) -> u32 {
        foldhash::fast::FixedState::default().hash_one(key) as u32
    }

    /// The number of keys.
    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The key with a number.
    #[inline]
    pub fn key(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[number]]
    }

    /// The keys in the order of their numbers.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.key(number))
    }

    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.len() + self.ends.len() * 24
    }

    /// The number of a key; `hash` is that of [`Self::hash`].
    #[inline]
    pub fn find(&self, hash: u32, key: &[u8]) -> Option<u32> {
        let same = |&(h, number): &(u32, u32)| h == hash && self.key(number) == key;
        self.places
            .find(spread(hash), same)
            .map(|&(_, number)| number)
    }

    /// Adds a key that it does not hold, and gives its number.
    pub fn add(&mut self, hash: u32, key: &[u8]) -> u32 {
        let number = self.len();
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
        self.places
            .insert_unique(spread(hash), (hash, number), |&(h, _)| spread(h));
        number
    }

    /// The keys of two tables that share none, those of the first before those of the second. Commits wait for this, so
    /// nothing is moved twice.
    pub fn join(first: &Self, second: &Self) -> Self {
        let keys = first.ends.len() + second.ends.len();
        let mut joined = Self {
            bytes: Vec::with_capacity(first.bytes.len() + second.bytes.len()),
            ends: Vec::with_capacity(keys),
            places: HashTable::with_capacity(keys),
        };
        joined.append(first);
        joined.append(second);
        joined
    }

    /// Adds the keys of another table, none of which it holds, in their order.
    pub fn append(&mut self, other: &Self) {
        let (first, start) = (self.len(), self.bytes.len());
        self.bytes.extend_from_slice(&other.bytes);
        self.ends.extend(other.ends.iter().map(|end| start + end));
        self.places.reserve(other.places.len(), |&(h, _)| spread(h));
        for &(hash, number) in &other.places {
            let entry = (hash, first + number);
            self.places
                .insert_unique(spread(hash), entry, |&(h, _)| spread(h));
        }
    }
}

/// The table looks at the highest and the lowest bits of a hash; this fills both from 32 bits.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_both_ways_and_keep_their_order_when_tables_are_joined() {
        let mut tables = [TermTable::default(), TermTable::default()];
        let key = |i: u32| format!("key {i}").into_bytes();
        for i in 0..1000 {
            let key = key(i);
            tables[usize::from(i >= 600)].add(TermTable::hash(&key), &key);
        }
        let [mut all, rest] = tables;
        all.append(&rest);
        assert_eq!(all.len(), 1000);
        for i in 0..1000 {
            assert_eq!(all.key(i), key(i));
            assert_eq!(all.find(TermTable::hash(&key(i)), &key(i)), Some(i));
        }
        assert_eq!(all.find(TermTable::hash(b"none"), b"none"), None);
    }
}
