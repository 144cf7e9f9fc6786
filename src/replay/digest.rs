//! The bytes of a term, and the digest of such bytes.
//!
//! Two terms have equal bytes exactly when they are equal, where blank nodes are masked, a plain literal is an `xsd:string`,
//! and language tags have no case (RDF 1.1 Concepts, section 3.3; RDF 1.2 for base directions and triple terms).

use oxrdf::vocab::xsd;
use sha2::{Digest, Sha256};

/// The first eight bytes of the SHA-256.
pub fn digest(bytes: &[u8]) -> u64 {
    let full = Sha256::digest(bytes);
    full.iter()
        .take(8)
        .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

/// The digest of a solution: of the sum over its bindings, as the order of the columns does not matter.
pub fn solution_digest(bindings: impl IntoIterator<Item = u64>) -> u64 {
    let sum = bindings.into_iter().fold(0, u64::wrapping_add);
    digest(&sum.to_le_bytes())
}

/// A literal in parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiteralParts<'a> {
    /// The lexical form.
    pub value: &'a str,
    /// The datatype IRI; where there is none and no language, `xsd:string`.
    pub datatype: Option<&'a str>,
    /// The language tag, which implies the datatype.
    pub language: Option<&'a str>,
    /// The base direction.
    pub direction: Option<&'a str>,
}

/// Terms as bytes, one after the other.
#[derive(Default)]
pub struct TermBytes(Vec<u8>);

impl TermBytes {
    /// Appends the name of a variable.
    pub fn variable(&mut self, name: &str) {
        self.text(b'?', name);
    }

    /// Appends an IRI.
    pub fn iri(&mut self, iri: &str) {
        self.text(b'I', iri);
    }

    /// Appends a blank node.
    pub fn blank_node(&mut self) {
        self.0.push(b'B');
    }

    /// Appends a literal.
    pub fn literal(&mut self, literal: LiteralParts<'_>) {
        self.text(b'L', literal.value);
        match literal.language {
            Some(language) => self.text(b'@', &language.to_ascii_lowercase()),
            None => self.text(b'^', literal.datatype.unwrap_or(xsd::STRING.as_str())),
        }
        if let Some(direction) = literal.direction {
            self.text(b'-', direction);
        }
    }

    /// Appends the sign of a triple term, whose three terms follow.
    pub fn triple_term(&mut self) {
        self.0.push(b'T');
    }

    /// The digest of all that was appended.
    pub fn digest(&self) -> u64 {
        digest(&self.0)
    }

    fn text(&mut self, tag: u8, text: &str) {
        self.0.push(tag);
        self.0.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.0.extend_from_slice(text.as_bytes());
    }
}
