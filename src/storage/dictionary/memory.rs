//! A segment of the dictionary in memory: terms of commits that are in the log and not yet in a file.
//!
//! Its terms are in the order in which they came. It is immutable; two neighbours are joined into one.

use super::segment::section_of;
use super::table::TermTable;
use crate::term::Tag;

/// Terms in memory, in the order in which they came.
#[derive(Debug, Default)]
pub struct MemorySegment {
    tables: [TermTable; Tag::STORED.len()],
}

impl MemorySegment {
    fn table(&self, tag: Tag) -> Option<&TermTable> {
        Some(&self.tables[section_of(tag)?])
    }

    /// The number of its terms of a tag.
    pub fn len(&self, tag: Tag) -> u64 {
        self.table(tag).map_or(0, |table| u64::from(table.len()))
    }

    /// Whether it has no terms.
    pub fn is_empty(&self) -> bool {
        self.tables.iter().all(|table| table.len() == 0)
    }

    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.tables.iter().map(TermTable::memory_bytes).sum()
    }

    /// The place of a key among those of a tag.
    pub fn find(&self, tag: Tag, key: &[u8]) -> Option<u64> {
        let table = self.table(tag)?;
        table.find(TermTable::hash(key), key).map(u64::from)
    }

    /// The key at a place of a tag.
    pub fn key(&self, tag: Tag, place: u64) -> Option<&[u8]> {
        let table = self.table(tag)?;
        let place = u32::try_from(place).ok().filter(|&p| p < table.len())?;
        Some(table.key(place))
    }

    /// The keys of a tag, in the order in which they came.
    pub fn keys(&self, tag: Tag) -> impl Iterator<Item = &[u8]> {
        self.table(tag).into_iter().flat_map(TermTable::keys)
    }

    /// Adds a key that it does not hold; `None` when terms of this tag are not stored, or there are too many.
    pub fn add(&mut self, tag: Tag, key: &[u8]) -> Option<u64> {
        let table = &mut self.tables[section_of(tag)?];
        let has_room = table.len() < u32::MAX;
        has_room.then(|| u64::from(table.add(TermTable::hash(key), key)))
    }

    /// Adds the terms of another segment, none of which it holds, after its own.
    pub fn append(&mut self, other: &Self) {
        for (table, others) in self.tables.iter_mut().zip(&other.tables) {
            table.append(others);
        }
    }

    /// Two neighbours as one.
    pub fn join(first: &Self, second: &Self) -> Self {
        Self {
            tables: std::array::from_fn(|tag| {
                TermTable::join(&first.tables[tag], &second.tables[tag])
            }),
        }
    }
}
