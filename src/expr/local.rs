//! The terms that one query makes and the dictionary does not hold.
//!
//! Texts lie one after the other in an arena for each tag; a hash table over them finds a term's number again, so that
//! one term has one id within the query. A term's key is its text; a literal with a language or datatype has these after
//! a zero byte, which neither can hold, and the base direction after the language as in `en--ltr`. A triple term's key
//! is its three ids.

use crate::term::{LiteralSort, Tag, TermId, TermView};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use oxrdf::BaseDirection;
use std::hash::BuildHasher;

/// Ends the lexical form of a literal within its key.
const SEPARATOR: u8 = 0;
/// Ends the language before a base direction; no language tag holds it.
const DIRECTION_MARK: &str = "--";

/// The tag under which a term is stored; `None` for blank nodes, which have no key.
pub(super) fn tag_of(term: &TermView<'_>) -> Option<Tag> {
    Some(match term {
        TermView::Iri(_) => Tag::Iri,
        TermView::Blank { .. } => return None,
        TermView::Literal { sort, .. } => match sort {
            LiteralSort::String => Tag::String,
            LiteralSort::Lang(..) => Tag::LangString,
            LiteralSort::Typed(_) => Tag::Typed,
        },
        TermView::Triple(_) => Tag::Triple,
    })
}

/// Writes the key of a term; `key` is overwritten.
pub(super) fn encode_key(term: &TermView<'_>, key: &mut Vec<u8>) {
    key.clear();
    match term {
        TermView::Iri(iri) => key.extend_from_slice(iri.as_bytes()),
        TermView::Blank { .. } => {}
        TermView::Literal { lexical, sort } => {
            key.extend_from_slice(lexical.as_bytes());
            match sort {
                LiteralSort::String => {}
                LiteralSort::Lang(language, direction) => {
                    key.push(SEPARATOR);
                    key.extend_from_slice(language.as_bytes());
                    if let Some(direction) = direction {
                        key.extend_from_slice(DIRECTION_MARK.as_bytes());
                        key.extend_from_slice(direction_name(*direction).as_bytes());
                    }
                }
                LiteralSort::Typed(datatype) => {
                    key.push(SEPARATOR);
                    key.extend_from_slice(datatype.as_bytes());
                }
            }
        }
        TermView::Triple(ids) => {
            for id in ids {
                key.extend_from_slice(&id.to_bits().to_le_bytes());
            }
        }
    }
}

/// How a base direction is written (RDF 1.2 Concepts, section 3.4).
pub(super) const fn direction_name(direction: BaseDirection) -> &'static str {
    match direction {
        BaseDirection::Ltr => "ltr",
        BaseDirection::Rtl => "rtl",
    }
}

/// The terms of one tag.
#[derive(Default)]
struct Arena {
    bytes: Vec<u8>,
    /// Where each key ends, and for literals where its lexical form does.
    ends: Vec<(usize, usize)>,
    numbers: HashTable<u32>,
}

impl Arena {
    fn key(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |n| self.ends[n].0);
        &self.bytes[start..self.ends[number].0]
    }

    fn find(&self, hash: u64, key: &[u8]) -> Option<u32> {
        let equal = |n: &u32| self.key(*n as usize) == key;
        self.numbers.find(hash, equal).copied()
    }

    fn push(&mut self, hasher: &RandomState, hash: u64, key: &[u8], lexical_len: usize) -> u32 {
        let number = self.ends.len() as u32;
        let lexical_end = self.bytes.len() + lexical_len;
        self.bytes.extend_from_slice(key);
        self.ends.push((self.bytes.len(), lexical_end));
        let Self {
            bytes,
            ends,
            numbers,
        } = self;
        numbers.insert_unique(hash, number, |&n| {
            let start = (n as usize).checked_sub(1).map_or(0, |n| ends[n].0);
            hasher.hash_one(&bytes[start..ends[n as usize].0])
        });
        number
    }

    fn bytes_held(&self) -> usize {
        self.bytes.capacity()
            + self.ends.capacity() * size_of::<(usize, usize)>()
            + self.numbers.allocation_size()
    }
}

/// The terms that a query made, by tag.
#[derive(Default)]
pub(super) struct LocalTerms {
    arenas: [Arena; Tag::STORED.len()],
    blanks: u64,
    hasher: RandomState,
}

fn place(tag: Tag) -> Option<usize> {
    Tag::STORED.iter().position(|&t| t == tag)
}

impl LocalTerms {
    /// The hash under which a key is found.
    pub(super) fn hash_key(&self, key: &[u8]) -> u64 {
        self.hasher.hash_one(key)
    }

    /// The id of a term made before.
    pub(super) fn find(&self, tag: Tag, hash: u64, key: &[u8]) -> Option<TermId> {
        let number = self.arenas[place(tag)?].find(hash, key)?;
        Some(TermId::local(tag, u64::from(number)))
    }

    /// A new id for a term that [`Self::find`] did not find; `None` when four billion are taken.
    pub(super) fn push(&mut self, term: &TermView<'_>, hash: u64, key: &[u8]) -> Option<TermId> {
        let tag = tag_of(term)?;
        let arena = &mut self.arenas[place(tag)?];
        if arena.ends.len() >= u32::MAX as usize {
            return None;
        }
        let lexical_len = match term {
            TermView::Literal { lexical, .. } => lexical.len(),
            _ => key.len(),
        };
        let number = arena.push(&self.hasher, hash, key, lexical_len);
        Some(TermId::local(tag, u64::from(number)))
    }

    /// A blank node that was never there.
    pub(super) fn fresh_blank(&mut self) -> TermId {
        self.blanks += 1;
        TermId::local(Tag::Blank, self.blanks - 1)
    }

    /// The term of a local id, its bytes copied into `buffer`.
    pub(super) fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Option<TermView<'b>> {
        let arena = &self.arenas[place(id.tag())?];
        let number = usize::try_from(id.number()).ok()?;
        let &(end, lexical_end) = arena.ends.get(number)?;
        let key = arena.key(number);
        let lexical_len = key.len() - (end - lexical_end);
        buffer.clear();
        buffer.extend_from_slice(key);
        if id.tag() == Tag::Triple {
            let id = |n: usize| {
                let bytes = key[n * 8..n * 8 + 8].try_into().unwrap_or_default();
                TermId::from_bits(u64::from_le_bytes(bytes))
            };
            return Some(TermView::Triple([id(0), id(1), id(2)]));
        }
        let text = std::str::from_utf8(buffer).ok()?;
        let (lexical, rest) = text.split_at_checked(lexical_len)?;
        let rest = rest.get(1..).unwrap_or_default();
        Some(match id.tag() {
            Tag::Iri => TermView::Iri(text),
            tag => TermView::Literal {
                lexical,
                sort: match tag {
                    Tag::String => LiteralSort::String,
                    Tag::LangString => decode_language(rest),
                    _ => LiteralSort::Typed(rest),
                },
            },
        })
    }

    /// The bytes of memory that all this takes.
    pub(super) fn bytes_held(&self) -> usize {
        self.arenas.iter().map(Arena::bytes_held).sum()
    }
}

fn decode_language(rest: &str) -> LiteralSort<'_> {
    match rest.split_once(DIRECTION_MARK) {
        None => LiteralSort::Lang(rest, None),
        Some((language, "ltr")) => LiteralSort::Lang(language, Some(BaseDirection::Ltr)),
        Some((language, _)) => LiteralSort::Lang(language, Some(BaseDirection::Rtl)),
    }
}
