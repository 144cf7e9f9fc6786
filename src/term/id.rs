//! The eight bytes that stand for a term.
//!
//! ```text
//!   63     60 59                                                        0
//!  +---------+----------------------------------------------------------+
//!  |  tag    |  payload                                                 |
//!  +---------+----------------------------------------------------------+
//!  unbound    0 = no value; 1 = the default graph, which has no term
//!  blank      [local bit 59] number
//!  iri        [local bit 59] number in the dictionary's IRIs
//!  boolean .. gYear   the value and its lexical form, see `inline`
//!  string, lang, typed   [local bit 59] number in the dictionary's literals of that sort
//!  triple     [local bit 59] number in the dictionary's triple terms
//! ```
//!
//! Two ids of one store and one query are equal exactly when their terms are: same lexical form, same datatype, same
//! language and direction. Tags are ordered as ORDER BY wants kinds of terms (SPARQL 1.1 Query, section 15.1). The
//! local bit marks terms that a query made and the dictionary does not hold; such ids mean nothing outside that query.

use std::fmt;

/// What a [`TermId`] holds, in its top four bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Tag {
    /// No value, or the default graph.
    Unbound = 0,
    /// A blank node.
    Blank = 1,
    /// An IRI, in the dictionary.
    Iri = 2,
    /// An inline `xsd:boolean`.
    Boolean = 3,
    /// An inline `xsd:integer`.
    Integer = 4,
    /// An inline `xsd:decimal`.
    Decimal = 5,
    /// An inline `xsd:double`.
    Double = 6,
    /// An inline `xsd:float`.
    Float = 7,
    /// An inline `xsd:dateTime`.
    DateTime = 8,
    /// An inline `xsd:date`.
    Date = 9,
    /// An inline `xsd:gYear`.
    GYear = 10,
    /// An `xsd:string`, in the dictionary.
    String = 11,
    /// A language-tagged string, with or without base direction, in the dictionary.
    LangString = 12,
    /// A literal of any other datatype, or one whose value does not fit inline, in the dictionary.
    Typed = 13,
    /// A triple term (RDF 1.2), in the dictionary.
    Triple = 15,
}

impl Tag {
    /// The tags whose terms stand in the dictionary, in order.
    pub const STORED: [Self; 5] = [
        Self::Iri,
        Self::String,
        Self::LangString,
        Self::Typed,
        Self::Triple,
    ];

    const fn from_bits(bits: u64) -> Self {
        match bits {
            0 => Self::Unbound,
            1 => Self::Blank,
            2 => Self::Iri,
            3 => Self::Boolean,
            4 => Self::Integer,
            5 => Self::Decimal,
            6 => Self::Double,
            7 => Self::Float,
            8 => Self::DateTime,
            9 => Self::Date,
            10 => Self::GYear,
            11 => Self::String,
            12 => Self::LangString,
            15 => Self::Triple,
            _ => Self::Typed,
        }
    }

    /// Whether terms of this tag stand in the dictionary.
    pub const fn is_stored(self) -> bool {
        matches!(
            self,
            Self::Iri | Self::String | Self::LangString | Self::Typed | Self::Triple
        )
    }

    /// Whether this is a literal of any sort.
    pub const fn is_literal(self) -> bool {
        (self as u8) >= Self::Boolean as u8 && (self as u8) <= Self::Typed as u8
    }
}

/// A term in eight bytes; see the drawing at the head of this file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct TermId(u64);

impl TermId {
    /// No value: an unbound variable, or the result of an expression that raised an error.
    pub const UNBOUND: Self = Self(0);
    /// The graph column of quads in the default graph.
    pub const DEFAULT_GRAPH: Self = Self(1);
    /// The smallest id; a lower bound for seeks.
    pub const MIN: Self = Self(0);
    /// The largest id; an upper bound for seeks.
    pub const MAX: Self = Self(u64::MAX);

    const TAG_SHIFT: u32 = 60;
    const LOCAL_BIT: u64 = 1 << 59;
    /// The bits below the tag.
    pub const PAYLOAD_MASK: u64 = (1 << Self::TAG_SHIFT) - 1;

    /// An id of a tag and a payload of at most 60 bits.
    #[inline]
    pub const fn new(tag: Tag, payload: u64) -> Self {
        debug_assert!(payload <= Self::PAYLOAD_MASK);
        Self((tag as u64) << Self::TAG_SHIFT | payload)
    }

    /// An id for the `number`-th term that a query made.
    #[inline]
    pub const fn local(tag: Tag, number: u64) -> Self {
        Self::new(tag, number | Self::LOCAL_BIT)
    }

    /// The eight bytes as a number, for storage.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// The reverse of [`Self::to_bits`].
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// What kind of term it stands for.
    #[inline]
    pub const fn tag(self) -> Tag {
        Tag::from_bits(self.0 >> Self::TAG_SHIFT)
    }

    /// The bits below the tag.
    #[inline]
    pub const fn payload(self) -> u64 {
        self.0 & Self::PAYLOAD_MASK
    }

    /// Whether it has a value.
    #[inline]
    pub const fn is_bound(self) -> bool {
        self.0 != 0
    }

    /// Whether it stands for a term that a query made.
    #[inline]
    pub const fn is_local(self) -> bool {
        self.0 & Self::LOCAL_BIT != 0
            && (self.tag().is_stored() || matches!(self.tag(), Tag::Blank))
    }

    /// The number in the dictionary (or of the blank node), without the local bit.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0 & (Self::LOCAL_BIT - 1)
    }
}

impl fmt::Debug for TermId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("unbound"),
            1 => f.write_str("default-graph"),
            _ if self.is_local() => write!(f, "{:?}#local{}", self.tag(), self.number()),
            _ => write!(f, "{:?}#{}", self.tag(), self.payload()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_and_number_come_back() {
        for tag in Tag::STORED {
            let id = TermId::new(tag, 42);
            assert_eq!((id.tag(), id.number(), id.is_local()), (tag, 42, false));
            let id = TermId::local(tag, 42);
            assert_eq!((id.tag(), id.number(), id.is_local()), (tag, 42, true));
        }
    }

    #[test]
    fn kinds_are_ordered_as_order_by_wants() {
        let ids = [
            TermId::UNBOUND,
            TermId::new(Tag::Blank, 7),
            TermId::new(Tag::Iri, 3),
            TermId::new(Tag::Integer, 1),
            TermId::new(Tag::Triple, 0),
        ];
        assert!(ids.is_sorted());
    }
}
