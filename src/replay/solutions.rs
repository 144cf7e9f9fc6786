//! Answers in the SPARQL 1.1 Query Results JSON Format (with the terms of 1.2), read row by row into digests.
//!
//! What is checked is what a comparison needs: the whole text is one JSON value, and every binding is a term. IRIs and
//! labels of blank nodes are taken as they come, since servers differ in what they let through there.

use super::checksum::Answer;
use super::digest::{LiteralParts, TermBytes, digest, solution_digest};
use super::order::{OrderWatch, SortValue};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::io::{BufReader, Read};

/// Reads a document of either kind, and follows the order of its rows.
pub fn parse(body: impl Read, watch: &mut OrderWatch<'_>) -> Result<Document, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(body));
    let document = DocumentSeed(watch).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(document)
}

/// What a document holds.
#[derive(Default)]
pub struct Document {
    /// A sequence of solutions.
    pub solutions: Option<Answer>,
    /// A boolean.
    pub boolean: Option<Answer>,
}

struct DocumentSeed<'w, 'k>(&'w mut OrderWatch<'k>);

impl<'de> DeserializeSeed<'de> for DocumentSeed<'_, '_> {
    type Value = Document;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Document, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for DocumentSeed<'_, '_> {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SPARQL results")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Document, A::Error> {
        let mut document = Document::default();
        while let Some(name) = members.next_key::<String>()? {
            match &*name {
                "results" => document.solutions = members.next_value_seed(ResultsSeed(self.0))?,
                "boolean" => document.boolean = Some(boolean(members.next_value()?)),
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(document)
    }
}

/// The answer to ASK.
pub fn boolean(value: bool) -> Answer {
    let mut answer = Answer::default();
    answer.add(digest(&[u8::from(value)]));
    answer
}

struct ResultsSeed<'w, 'k>(&'w mut OrderWatch<'k>);

impl<'de> DeserializeSeed<'de> for ResultsSeed<'_, '_> {
    type Value = Option<Answer>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ResultsSeed<'_, '_> {
    type Value = Option<Answer>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with bindings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut answer = None;
        while let Some(name) = members.next_key::<String>()? {
            match &*name {
                "bindings" => answer = Some(members.next_value_seed(SolutionsSeed(self.0))?),
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(answer)
    }
}

/// All rows of `bindings`, each forgotten once it is added.
struct SolutionsSeed<'w, 'k>(&'w mut OrderWatch<'k>);

impl<'de> DeserializeSeed<'de> for SolutionsSeed<'_, '_> {
    type Value = Answer;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Answer, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for SolutionsSeed<'_, '_> {
    type Value = Answer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of solutions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Answer, A::Error> {
        let mut answer = Answer::default();
        while let Some(digest) = rows.next_element_seed(SolutionSeed(self.0))? {
            answer.add(digest);
        }
        Ok(answer)
    }
}

struct SolutionSeed<'w, 'k>(&'w mut OrderWatch<'k>);

impl<'de> DeserializeSeed<'de> for SolutionSeed<'_, '_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for SolutionSeed<'_, '_> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a solution")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut bindings: A) -> Result<u64, A::Error> {
        let mut digests = Vec::new();
        let mut sort_values = self.0.unbound();
        while let Some((variable, term)) = bindings.next_entry::<Cow<'de, str>, JsonTerm<'de>>()? {
            let mut bytes = TermBytes::default();
            bytes.variable(&variable);
            term.append_to(&mut bytes)
                .map_err(serde::de::Error::custom)?;
            digests.push(bytes.digest());
            if let Some(position) = self.0.position(&variable) {
                sort_values[position] = term.sort_value();
            }
        }
        self.0.follow(sort_values);
        Ok(solution_digest(digests))
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

    fn sort_value(&self) -> SortValue {
        match (&*self.kind, &self.value, &self.language) {
            ("uri", JsonValue::Text(iri), _) => SortValue::Iri(iri.to_string()),
            ("bnode", ..) => SortValue::BlankNode,
            ("literal" | "typed-literal", JsonValue::Text(value), None) => {
                SortValue::of_literal(value, self.datatype.as_deref())
            }
            ("literal", ..) => SortValue::OtherLiteral,
            _ => SortValue::OtherTerm,
        }
    }
}
