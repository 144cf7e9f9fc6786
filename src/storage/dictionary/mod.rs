//! The dictionary: stored terms to ids and back.
//!
//! It is a stack of segments: on disk [`Segment`]s, above them [`MemorySegment`]s of commits that are in the log alone.
//! An id's number is a place in the stack: the terms of the first segment come first, then those of the second. Those
//! of a bulk load are in the order of their keys, those of commits as they came. No term is in two segments.

mod filter;
mod key;
mod memory;
mod pages;
mod segment;
mod symbols;
mod table;

pub use key::{decode_key, encode_key};
pub use memory::MemorySegment;
pub use segment::{Segment, SegmentWriter, section_of};
pub use table::TermTable;

use crate::diagnostics::{Error, Result};
use crate::term::{Tag, TermId, TermView};
use std::ops::Range;
use std::sync::Arc;

/// A segment, wherever it is.
#[derive(Clone, Debug)]
pub enum Layer {
    /// In a file.
    File(Arc<Segment>),
    /// In memory.
    Memory(Arc<MemorySegment>),
}

impl Layer {
    fn len(&self, tag: Tag) -> u64 {
        match self {
            Self::File(segment) => segment.len(tag),
            Self::Memory(segment) => segment.len(tag),
        }
    }

    fn find(&self, tag: Tag, key: &[u8]) -> Result<Option<u64>> {
        match self {
            Self::File(segment) => segment.find(tag, key),
            Self::Memory(segment) => Ok(segment.find(tag, key)),
        }
    }

    #[inline]
    fn key(&self, tag: Tag, place: u64, key: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::File(segment) => segment.key(tag, place, key),
            Self::Memory(segment) => {
                let found = segment.key(tag, place);
                let found = found
                    .ok_or_else(|| Error::internal(format!("no {tag:?} {place} in memory")))?;
                key.clear();
                key.extend_from_slice(found);
                Ok(())
            }
        }
    }
}

/// A stack of segments.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    layers: Vec<Layer>,
    /// For each stored tag, the number of the first term of each segment, and at last the number of all terms.
    starts: [Vec<u64>; Tag::STORED.len()],
}

impl Dictionary {
    /// The dictionary of these segments.
    pub fn new(layers: Vec<Layer>) -> Self {
        let starts = Tag::STORED.map(|tag| {
            let mut sum = 0;
            let lens = layers.iter().map(|layer| layer.len(tag));
            let ends = lens.map(|len| {
                sum += len;
                sum
            });
            std::iter::once(0).chain(ends).collect()
        });
        Self { layers, starts }
    }

    /// Its segments, oldest first.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    fn starts(&self, tag: Tag) -> &[u64] {
        section_of(tag).map_or(&[], |section| &self.starts[section])
    }

    /// Prepares the segments in files for lookups of terms that they lack, until it is told to stop.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn prepare_filters(&self, mut goes_on: impl FnMut() -> bool) -> Result<()> {
        for layer in &self.layers {
            if let Layer::File(segment) = layer
                && goes_on()
            {
                segment.prepare_filters()?;
            }
        }
        Ok(())
    }

    /// The number of its terms of a tag.
    pub fn len(&self, tag: Tag) -> u64 {
        self.starts(tag).last().copied().unwrap_or(0)
    }

    /// The bytes on disk.
    pub fn bytes(&self) -> u64 {
        let files = self.layers.iter().map(|layer| match layer {
            Layer::File(segment) => segment.bytes(),
            Layer::Memory(_) => 0,
        });
        files.sum()
    }

    /// The id of the term that has this key.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn find(&self, tag: Tag, key: &[u8]) -> Result<Option<TermId>> {
        for (layer, start) in self.layers.iter().zip(self.starts(tag)) {
            if let Some(place) = layer.find(tag, key)? {
                return Ok(Some(TermId::new(tag, start + place)));
            }
        }
        Ok(None)
    }

    /// The id of the term of a segment that has so many below it there; `None` past the last. Not for triple terms,
    /// whose segments may be in several sorted pieces.
    ///
    /// # Errors
    /// The segment is damaged.
    pub fn id_of_rank(&self, layer: usize, tag: Tag, rank: u64) -> Result<Option<TermId>> {
        let (Some(Layer::File(segment)), Some(start)) =
            (self.layers.get(layer), self.starts(tag).get(layer))
        else {
            return Ok(None);
        };
        let place = segment.place_of_rank(tag, rank)?;
        Ok(place.map(|place| TermId::new(tag, start + place)))
    }

    /// Writes the key of a stored id over `key`.
    ///
    /// # Errors
    /// A segment is damaged, or the id is not of this dictionary.
    #[inline]
    pub fn key(&self, id: TermId, key: &mut Vec<u8>) -> Result<()> {
        let (tag, number) = (id.tag(), id.number());
        let starts = self.starts(tag);
        let place = starts.partition_point(|&start| start <= number);
        let found = place
            .checked_sub(1)
            .and_then(|p| Some((self.layers.get(p)?, starts[p])));
        let Some((layer, start)) = found.filter(|_| !id.is_local()) else {
            return Err(Error::internal(format!("{id:?} is not in the dictionary")));
        };
        layer.key(tag, number - start, key)
    }

    /// The term of a stored id; `buffer` is overwritten and lends its bytes to the answer.
    ///
    /// # Errors
    /// A segment is damaged, or the id is not of this dictionary.
    #[inline]
    pub fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>> {
        self.key(id, buffer)?;
        decode_key(id.tag(), buffer).ok_or_else(|| {
            Error::corruption(format!("the dictionary's entry for {id:?} is no term"))
        })
    }

    /// The first segment that holds terms of a tag, whose terms have the lowest numbers, if they are sorted.
    fn sorted_segment(&self, tag: Tag) -> Option<&Segment> {
        match self.layers.iter().find(|layer| layer.len(tag) > 0)? {
            Layer::File(segment) if segment.is_sorted(tag) => Some(segment),
            _ => None,
        }
    }

    /// The ids of this tag below which ids are in the byte order of the terms' text.
    pub fn sorted_len(&self, tag: Tag) -> u64 {
        match tag {
            // The key of a triple holds ids, whose order is not that of a text.
            Tag::Triple => 0,
            _ => self
                .sorted_segment(tag)
                .map_or(0, |segment| segment.len(tag)),
        }
    }

    /// Among the sorted ids of a tag, the numbers of those whose text starts with `prefix`.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn prefix_range(&self, tag: Tag, prefix: &str) -> Result<Range<u64>> {
        match self.sorted_segment(tag) {
            Some(segment) if tag != Tag::Triple => {
                let mut key = Vec::new();
                key::encode_prefix(tag, prefix, &mut key);
                segment.prefix_range(tag, &key)
            }
            _ => Ok(0..0),
        }
    }
}

#[cfg(test)]
mod tests;
