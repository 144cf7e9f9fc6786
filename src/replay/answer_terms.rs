//! Terms of answers as bytes for their digest, and as values for the order of rows.

use super::digest::{LiteralParts, TermBytes};
use super::order::SortValue;
use oxrdf::{TermRef, TripleRef};

/// Appends a term.
pub fn append_term(term: TermRef<'_>, bytes: &mut TermBytes) {
    match term {
        TermRef::NamedNode(iri) => bytes.iri(iri.as_str()),
        TermRef::BlankNode(_) => bytes.blank_node(),
        TermRef::Literal(literal) => {
            let direction = literal.direction().map(|direction| direction.to_string());
            bytes.literal(LiteralParts {
                value: literal.value(),
                datatype: Some(literal.datatype().as_str()),
                language: literal.language(),
                direction: direction.as_deref(),
            });
        }
        TermRef::Triple(triple) => {
            bytes.triple_term();
            append_triple(triple.as_ref(), bytes);
        }
    }
}

/// Appends the terms of a triple.
pub fn append_triple(triple: TripleRef<'_>, bytes: &mut TermBytes) {
    append_term(triple.subject.into(), bytes);
    append_term(triple.predicate.into(), bytes);
    append_term(triple.object, bytes);
}

/// A term as far as its place in an order is fixed.
pub fn sort_value(term: TermRef<'_>) -> SortValue {
    match term {
        TermRef::NamedNode(iri) => SortValue::Iri(iri.as_str().to_owned()),
        TermRef::BlankNode(_) => SortValue::BlankNode,
        TermRef::Literal(literal) if literal.language().is_some() => SortValue::OtherLiteral,
        TermRef::Literal(literal) => {
            SortValue::of_literal(literal.value(), Some(literal.datatype().as_str()))
        }
        TermRef::Triple(_) => SortValue::OtherTerm,
    }
}
