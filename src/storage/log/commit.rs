//! What a commit changed, as the payload of a record.
//!
//! ```text
//!  the number of the next blank node
//!  for each stored tag: the number of its first new term | how many | each key: its length, its bytes
//!  how many quads were inserted | each quad: a step for each column from the quad before
//!  how many quads were deleted  | likewise
//! ```
//!
//! All numbers are those of [`super::varint`].

use super::varint;
use crate::storage::dictionary::{Dictionary, MemorySegment};
use crate::storage::permutation::Quad;
use crate::storage::run::Run;
use crate::storage::run::{QuadSet, Sign};
use crate::term::{Tag, TermId};

/// What a commit changed.
#[derive(Debug)]
pub struct LoggedCommit {
    /// Its number.
    pub sequence: u64,
    /// The number of the next blank node.
    pub next_blank: u64,
    /// Its new terms.
    pub terms: MemorySegment,
    /// The number of the first of them, for each stored tag.
    pub first_terms: [u64; Tag::STORED.len()],
    /// Its quads.
    pub run: Run,
}

impl LoggedCommit {
    /// The numbers that the first new terms have above a dictionary.
    pub fn first_terms(dictionary: &Dictionary) -> [u64; Tag::STORED.len()] {
        Tag::STORED.map(|tag| dictionary.len(tag))
    }

    /// Appends the payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        varint::encode(self.next_blank, out);
        for (tag, first) in Tag::STORED.into_iter().zip(self.first_terms) {
            varint::encode(first, out);
            varint::encode(self.terms.len(tag), out);
            for key in self.terms.keys(tag) {
                varint::encode(key.len() as u64, out);
                out.extend_from_slice(key);
            }
        }
        for sign in [Sign::Inserted, Sign::Deleted] {
            let quads = self.run.quads(sign);
            varint::encode(quads.len() as u64, out);
            let mut last = [0; 4];
            for quad in quads {
                for (last, id) in last.iter_mut().zip(quad) {
                    varint::encode_step(*last, id.to_bits(), out);
                    *last = id.to_bits();
                }
            }
        }
    }

    /// Reads a payload; `None` when it is none.
    pub fn decode(sequence: u64, mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let next_blank = varint::decode(bytes)?;
        let mut terms = MemorySegment::default();
        let mut first_terms = [0; Tag::STORED.len()];
        for (first, tag) in first_terms.iter_mut().zip(Tag::STORED) {
            *first = varint::decode(bytes)?;
            for _ in 0..varint::decode(bytes)? {
                let len = usize::try_from(varint::decode(bytes)?).ok()?;
                let (key, rest) = bytes.split_at_checked(len)?;
                *bytes = rest;
                terms.add(tag, key)?;
            }
        }
        let mut set = || Some(QuadSet::in_memory(decode_quads(bytes)?));
        let (inserted, deleted) = (set()?, set()?);
        bytes.is_empty().then_some(Self {
            sequence,
            next_blank,
            terms,
            first_terms,
            run: Run { inserted, deleted },
        })
    }
}

fn decode_quads(bytes: &mut &[u8]) -> Option<Vec<Quad>> {
    let len = varint::decode(bytes)?;
    let mut quads: Vec<Quad> = Vec::new();
    let mut last = [0; 4];
    for _ in 0..len {
        for last in &mut last {
            *last = varint::decode_step(*last, bytes)?;
        }
        let quad = last.map(TermId::from_bits);
        if quads.last().is_some_and(|before| *before >= quad) {
            return None;
        }
        quads.push(quad);
    }
    Some(quads)
}
