//! Answers in the SPARQL 1.1 Query Results JSON Format (with the terms of 1.2), read row by row into digests.
//!
//! What is checked is what a comparison needs: the whole text is one JSON value, and every binding is a term. IRIs and
//! labels of blank nodes are taken as they come, since servers differ in what they let through there.

use super::checksum::Answer;
use super::digest::{LiteralParts, TermBytes, digest, solution_digest};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Reads a document of either kind.
pub fn parse(body: &[u8]) -> Result<Document, serde_json::Error> {
    let parsed: RawDocument = serde_json::from_slice(body)?;
    Ok(Document {
        solutions: parsed.results.map(|results| results.bindings.0),
        boolean: parsed.boolean.map(|boolean| {
            let mut answer = Answer::default();
            answer.add(digest(&[u8::from(boolean)]));
            answer
        }),
    })
}

/// What a document holds.
pub struct Document {
    /// A sequence of solutions.
    pub solutions: Option<Answer>,
    /// A boolean.
    pub boolean: Option<Answer>,
}

#[derive(serde::Deserialize)]
struct RawDocument {
    results: Option<Results>,
    boolean: Option<bool>,
}

#[derive(serde::Deserialize)]
struct Results {
    bindings: Solutions,
}

/// All rows of `bindings`, each forgotten once it is added.
struct Solutions(Answer);

impl<'de> Deserialize<'de> for Solutions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(SolutionsVisitor)
    }
}

struct SolutionsVisitor;

impl<'de> Visitor<'de> for SolutionsVisitor {
    type Value = Solutions;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of solutions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Solutions, A::Error> {
        let mut answer = Answer::default();
        while let Some(SolutionDigest(digest)) = rows.next_element()? {
            answer.add(digest);
        }
        Ok(Solutions(answer))
    }
}

struct SolutionDigest(u64);

impl<'de> Deserialize<'de> for SolutionDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SolutionVisitor)
    }
}

struct SolutionVisitor;

impl<'de> Visitor<'de> for SolutionVisitor {
    type Value = SolutionDigest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a solution")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut bindings: A) -> Result<SolutionDigest, A::Error> {
        let mut digests = Vec::new();
        while let Some((variable, term)) = bindings.next_entry::<Cow<'de, str>, JsonTerm<'de>>()? {
            let mut bytes = TermBytes::default();
            bytes.variable(&variable);
            term.append_to(&mut bytes)
                .map_err(serde::de::Error::custom)?;
            digests.push(bytes.digest());
        }
        Ok(SolutionDigest(solution_digest(digests)))
    }
}

#[derive(serde::Deserialize)]
struct JsonTerm<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    value: JsonValue<'a>,
    #[serde(borrow)]
    datatype: Option<Cow<'a, str>>,
    #[serde(rename = "xml:lang", borrow)]
    language: Option<Cow<'a, str>>,
    #[serde(rename = "its:dir", borrow)]
    direction: Option<Cow<'a, str>>,
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum JsonValue<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Triple(#[serde(borrow)] Box<JsonTriple<'a>>),
}

#[derive(serde::Deserialize)]
struct JsonTriple<'a> {
    #[serde(borrow)]
    subject: JsonTerm<'a>,
    #[serde(borrow)]
    predicate: JsonTerm<'a>,
    #[serde(borrow)]
    object: JsonTerm<'a>,
}

impl JsonTerm<'_> {
    fn append_to(&self, bytes: &mut TermBytes) -> Result<(), String> {
        match (&*self.kind, &self.value) {
            ("uri", JsonValue::Text(iri)) => bytes.iri(iri),
            ("bnode", JsonValue::Text(_)) => bytes.blank_node(),
            ("literal" | "typed-literal", JsonValue::Text(value)) => bytes.literal(LiteralParts {
                value,
                datatype: self.datatype.as_deref(),
                language: self.language.as_deref(),
                direction: self.direction.as_deref(),
            }),
            ("triple", JsonValue::Triple(triple)) => {
                bytes.triple_term();
                triple.subject.append_to(bytes)?;
                triple.predicate.append_to(bytes)?;
                triple.object.append_to(bytes)?;
            }
            (kind, _) => {
                return Err(format!(
                    "a binding of type {kind:?} with a value that is none"
                ));
            }
        }
        Ok(())
    }
}
