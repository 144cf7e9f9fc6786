//! The dictionary: stored terms to ids and back.
//!
//! It is a stack of [`Segment`]s. An id's number is a place in the stack: the terms of the first segment come first,
//! in the order of their keys, then those of the second. No term is in two segments.

mod key;
mod pages;
mod segment;
mod symbols;

pub use key::{decode_key, encode_key};
pub use segment::{Segment, SegmentWriter, section_of};

use crate::diagnostics::{Error, Result};
use crate::term::{Tag, TermId, TermView};
use std::ops::Range;
use std::sync::Arc;

/// A stack of segments.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    segments: Vec<Arc<Segment>>,
    /// For each stored tag, the number of the first term of each segment, and at last the number of all terms.
    starts: [Vec<u64>; Tag::STORED.len()],
}

impl Dictionary {
    /// The dictionary of these segments.
    pub fn new(segments: Vec<Arc<Segment>>) -> Self {
        let starts = Tag::STORED.map(|tag| {
            let mut sum = 0;
            let lens = segments.iter().map(|segment| segment.len(tag));
            let ends = lens.map(|len| {
                sum += len;
                sum
            });
            std::iter::once(0).chain(ends).collect()
        });
        Self { segments, starts }
    }

    fn starts(&self, tag: Tag) -> &[u64] {
        section_of(tag).map_or(&[], |section| &self.starts[section])
    }

    /// The number of its terms of a tag.
    pub fn len(&self, tag: Tag) -> u64 {
        self.starts(tag).last().copied().unwrap_or(0)
    }

    /// The bytes on disk.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes()).sum()
    }

    /// The id of the term that has this key.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn find(&self, tag: Tag, key: &[u8]) -> Result<Option<TermId>> {
        for (segment, start) in self.segments.iter().zip(self.starts(tag)) {
            if let Some(place) = segment.find(tag, key)? {
                return Ok(Some(TermId::new(tag, start + place)));
            }
        }
        Ok(None)
    }

    /// The term of a stored id; `buffer` is overwritten and lends its bytes to the answer.
    ///
    /// # Errors
    /// A segment is damaged, or the id is not of this dictionary.
    #[inline]
    pub fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>> {
        let (tag, number) = (id.tag(), id.number());
        let starts = self.starts(tag);
        let place = starts.partition_point(|&start| start <= number);
        let found = place
            .checked_sub(1)
            .and_then(|p| Some((self.segments.get(p)?, starts[p])));
        let Some((segment, start)) = found.filter(|_| !id.is_local()) else {
            return Err(Error::internal(format!("{id:?} is not in the dictionary")));
        };
        segment.key(tag, number - start, buffer)?;
        decode_key(tag, buffer).ok_or_else(|| {
            Error::corruption(format!("the dictionary's entry for {id:?} is no term"))
        })
    }

    /// The first segment that holds terms of a tag; its terms have the lowest numbers.
    fn first_segment(&self, tag: Tag) -> Option<&Arc<Segment>> {
        self.segments.iter().find(|segment| segment.len(tag) > 0)
    }

    /// The ids of this tag below which ids are in the byte order of the terms' text.
    pub fn sorted_len(&self, tag: Tag) -> u64 {
        match tag {
            // The key of a triple holds ids, whose order is not that of a text.
            Tag::Triple => 0,
            _ => self
                .first_segment(tag)
                .map_or(0, |segment| segment.len(tag)),
        }
    }

    /// Among the sorted ids of a tag, the numbers of those whose text starts with `prefix`.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn prefix_range(&self, tag: Tag, prefix: &str) -> Result<Range<u64>> {
        match self.first_segment(tag) {
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
