//! What XML cannot carry: characters that it has no way to write, and predicates that are no element names.
//!
//! The serializer of RDF/XML writes such statements all the same, to documents that no parser takes.

use crate::diagnostics::{Error, ErrorKind, Result};
use oxrdf::{Quad, Term};

/// The first characters of names (XML 1.0, rule NameStartChar), without the colon.
const NAME_STARTS: [(char, char); 15] = [
    ('A', 'Z'),
    ('_', '_'),
    ('a', 'z'),
    ('\u{C0}', '\u{D6}'),
    ('\u{D8}', '\u{F6}'),
    ('\u{F8}', '\u{2FF}'),
    ('\u{370}', '\u{37D}'),
    ('\u{37F}', '\u{1FFF}'),
    ('\u{200C}', '\u{200D}'),
    ('\u{2070}', '\u{218F}'),
    ('\u{2C00}', '\u{2FEF}'),
    ('\u{3001}', '\u{D7FF}'),
    ('\u{F900}', '\u{FDCF}'),
    ('\u{FDF0}', '\u{FFFD}'),
    ('\u{10000}', '\u{EFFFF}'),
];

/// The further characters of names (XML 1.0, rule NameChar).
const NAME_CHARS: [(char, char); 6] = [
    ('-', '-'),
    ('.', '.'),
    ('0', '9'),
    ('\u{B7}', '\u{B7}'),
    ('\u{300}', '\u{36F}'),
    ('\u{203F}', '\u{2040}'),
];

fn is_among(c: char, ranges: &[(char, char)]) -> bool {
    ranges
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&c))
}

/// # Errors
/// RDF/XML cannot carry the statement.
pub fn check(quad: &Quad) -> Result<()> {
    let predicate = quad.predicate.as_str();
    if !ends_in_name(predicate) {
        return Err(refused(format_args!(
            "the predicate <{predicate}>, which ends in no name of XML"
        )));
    }
    check_object(&quad.object)
}

fn check_object(object: &Term) -> Result<()> {
    match object {
        Term::Literal(literal) => match literal.value().contains(is_forbidden) {
            true => Err(refused(format_args!("a control character"))),
            false => Ok(()),
        },
        Term::Triple(triple) if !ends_in_name(triple.predicate.as_str()) => {
            Err(refused(format_args!(
                "the predicate {}, which ends in no name of XML",
                triple.predicate
            )))
        }
        Term::Triple(triple) => check_object(&triple.object),
        Term::NamedNode(_) | Term::BlankNode(_) => Ok(()),
    }
}

/// Whether a character is none of XML 1.0 (section 2.2).
fn is_forbidden(c: char) -> bool {
    c < ' ' && !matches!(c, '\t' | '\n' | '\r') || matches!(c, '\u{FFFE}' | '\u{FFFF}')
}

/// Whether an IRI can be cut in two so that the second part is a name without colon.
fn ends_in_name(iri: &str) -> bool {
    let is_name_char = |c: &char| is_among(*c, &NAME_STARTS) || is_among(*c, &NAME_CHARS);
    let mut tail = iri.chars().rev().take_while(is_name_char);
    tail.any(|c| is_among(c, &NAME_STARTS))
}

fn refused(what: std::fmt::Arguments<'_>) -> Error {
    Error::new(
        ErrorKind::NotAcceptable,
        format!("the answer holds {what}, which RDF/XML cannot carry; ask for Turtle or N-Triples"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_end_in_names() {
        for iri in [
            "http://e/p",
            "http://e/p1",
            "http://e/1p",
            "http://e/é-1.2",
            "urn:_",
        ] {
            assert!(ends_in_name(iri), "{iri}");
        }
        for iri in [
            "http://e/",
            "http://e/1",
            "http://e/p#",
            "http://e/p%20",
            "http://e/-1",
        ] {
            assert!(!ends_in_name(iri), "{iri}");
        }
    }
}
