//! A term as text, borrowed from wherever the text lies.
//!
//! [`TermView`] is what leaves the dictionary and what result writers read; no allocation is made per term.

use super::TermId;
use oxrdf::BaseDirection;

/// A term, its text borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermView<'a> {
    /// An IRI.
    Iri(&'a str),
    /// A blank node, by its number; `local` ones were made by the query.
    Blank {
        /// Its number.
        number: u64,
        /// Whether the query made it.
        local: bool,
    },
    /// A literal.
    Literal {
        /// Its lexical form.
        lexical: &'a str,
        /// Its datatype or language.
        sort: LiteralSort<'a>,
    },
    /// A triple term, its parts as ids.
    Triple([TermId; 3]),
}

/// What a literal has beside its lexical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralSort<'a> {
    /// Nothing: the datatype is `xsd:string`.
    String,
    /// A language tag, and in RDF 1.2 perhaps a base direction.
    Lang(&'a str, Option<BaseDirection>),
    /// A datatype IRI.
    Typed(&'a str),
}
