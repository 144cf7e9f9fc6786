//! An answer as a row count and a checksum over its terms.
//!
//! Equal answers have equal checksums, whatever the order of rows, columns and members, the format, and the labels of blank
//! nodes, which are masked. Terms are compared as terms: `"1"^^xsd:integer` is not `"1.0"^^xsd:decimal`, but a plain literal
//! is an `xsd:string` and language tags have no case (RDF 1.1 Concepts, section 3.3). Solutions are a multiset, a graph is
//! a set of triples. The checksum is a sum of truncated SHA-256 digests, so it may be compared between versions and machines.
//! A body that does not close its format is a failure.

use super::failure::{Failure, FailureClass};
use super::workload::QueryForm;
use oxrdf::{Quad, TermRef, TripleRef};
use oxrdfio::{RdfFormat, RdfParser};
use serde::Serialize;
use sha2::{Digest, Sha256};
use sparesults::{
    QueryResultsFormat, QueryResultsParser, QuerySolution, SliceQueryResultsParserOutput,
};
use std::collections::HashSet;

/// What is compared of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Answer {
    /// Solutions, or distinct triples of a graph; a boolean is one row.
    pub rows: u64,
    /// The sum of the rows' digests.
    pub checksum: u64,
}

impl Answer {
    /// Reads the whole body of an answer in the media type that the server says it is in.
    pub fn parse(form: QueryForm, media_type: &str, body: &[u8]) -> Result<Self, Failure> {
        let media_type = match media_type {
            "" => form.media_type(),
            named => named,
        };
        if form.is_graph() {
            let format = RdfFormat::from_media_type(media_type);
            Self::of_graph(format.ok_or_else(|| unexpected(media_type, body))?, body)
        } else {
            let format = QueryResultsFormat::from_media_type(media_type);
            Self::of_results(format.ok_or_else(|| unexpected(media_type, body))?, body)
        }
    }

    fn of_results(format: QueryResultsFormat, body: &[u8]) -> Result<Self, Failure> {
        let parsed = QueryResultsParser::from_format(format).for_slice(body);
        match parsed.map_err(malformed)? {
            SliceQueryResultsParserOutput::Boolean(value) => {
                Ok(Self::of_digests([digest(&[u8::from(value)])]))
            }
            SliceQueryResultsParserOutput::Solutions(solutions) => {
                let mut answer = Self::of_digests([]);
                for solution in solutions {
                    answer.add(solution_digest(&solution.map_err(malformed)?));
                }
                Ok(answer)
            }
        }
    }

    fn of_graph(format: RdfFormat, body: &[u8]) -> Result<Self, Failure> {
        let quads = RdfParser::from_format(format).for_slice(body);
        let distinct: HashSet<Quad> = quads.collect::<Result<_, _>>().map_err(malformed)?;
        Ok(Self::of_digests(distinct.iter().map(|quad| {
            let mut bytes = Vec::new();
            encode_triple(TripleRef::from(quad.as_ref()), &mut bytes);
            digest(&bytes)
        })))
    }

    fn of_digests(digests: impl IntoIterator<Item = u64>) -> Self {
        let mut answer = Self {
            rows: 0,
            checksum: 0,
        };
        digests.into_iter().for_each(|digest| answer.add(digest));
        answer
    }

    fn add(&mut self, digest: u64) {
        self.rows += 1;
        self.checksum = self.checksum.wrapping_add(digest);
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} rows, checksum {:016x}", self.rows, self.checksum)
    }
}

fn malformed(error: impl std::fmt::Display) -> Failure {
    Failure::new(FailureClass::Malformed, error)
}

fn unexpected(media_type: &str, body: &[u8]) -> Failure {
    const EXCERPT_BYTES_MAX: usize = 80;
    let excerpt = String::from_utf8_lossy(&body[..body.len().min(EXCERPT_BYTES_MAX)]);
    malformed(format_args!(
        "an answer in {media_type}, which was not asked for: {excerpt:?}"
    ))
}

/// The digest of a solution: of the sum over its bindings, so that the order of the columns does not matter.
fn solution_digest(solution: &QuerySolution) -> u64 {
    let mut sum = 0_u64;
    let mut bytes = Vec::new();
    for (variable, term) in solution {
        bytes.clear();
        encode_text(b'?', variable.as_str(), &mut bytes);
        encode_term(term.as_ref(), &mut bytes);
        sum = sum.wrapping_add(digest(&bytes));
    }
    digest(&sum.to_le_bytes())
}

fn digest(bytes: &[u8]) -> u64 {
    let full = Sha256::digest(bytes);
    full.iter()
        .take(8)
        .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

/// Appends bytes that are equal exactly when the terms are, blank nodes aside.
fn encode_term(term: TermRef<'_>, bytes: &mut Vec<u8>) {
    match term {
        TermRef::NamedNode(iri) => encode_text(b'I', iri.as_str(), bytes),
        TermRef::BlankNode(_) => bytes.push(b'B'),
        TermRef::Literal(literal) => {
            encode_text(b'L', literal.value(), bytes);
            match literal.language() {
                Some(language) => encode_text(b'@', &language.to_ascii_lowercase(), bytes),
                None => encode_text(b'^', literal.datatype().as_str(), bytes),
            }
            if let Some(direction) = literal.direction() {
                encode_text(b'-', &direction.to_string(), bytes);
            }
        }
        TermRef::Triple(triple) => {
            bytes.push(b'T');
            encode_triple(triple.as_ref(), bytes);
        }
    }
}

fn encode_triple(triple: TripleRef<'_>, bytes: &mut Vec<u8>) {
    encode_term(triple.subject.into(), bytes);
    encode_term(triple.predicate.into(), bytes);
    encode_term(triple.object, bytes);
}

fn encode_text(tag: u8, text: &str, bytes: &mut Vec<u8>) {
    bytes.push(tag);
    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "application/sparql-results+json";

    fn json(rows: &[&str]) -> Result<Answer, Failure> {
        let body = format!(
            r#"{{"head":{{"vars":["a","b"]}},"results":{{"bindings":[{}]}}}}"#,
            rows.join(",")
        );
        Answer::parse(QueryForm::Select, JSON, body.as_bytes())
    }

    /// Two bodies of one query, and whether they are the same answer.
    fn check(same: bool, left: &[&str], right: &[&str]) {
        let (left_answer, right_answer) = (json(left).unwrap(), json(right).unwrap());
        assert_eq!(left_answer == right_answer, same, "{left:?} and {right:?}");
    }

    const IRI: &str = r#"{"a":{"type":"uri","value":"http://e/1"}}"#;
    const PLAIN: &str = r#"{"a":{"type":"literal","value":"1"}}"#;
    const BLANK: &str = r#"{"a":{"type":"bnode","value":"x"}}"#;

    fn typed(value: &str, datatype: &str) -> String {
        let datatype = format!("http://www.w3.org/2001/XMLSchema#{datatype}");
        format!(r#"{{"a":{{"type":"typed-literal","value":"{value}","datatype":"{datatype}"}}}}"#)
    }

    #[test]
    fn order_and_labels_do_not_matter() {
        check(true, &[IRI, PLAIN], &[PLAIN, IRI]);
        check(true, &[BLANK], &[r#"{"a":{"type":"bnode","value":"y"}}"#]);
        let pair =
            r#"{"a":{"type":"uri","value":"http://e/1"},"b":{"type":"literal","value":"1"}}"#;
        let turned =
            r#"{"b":{"value":"1","type":"literal"},"a":{"value":"http://e/1","type":"uri"}}"#;
        check(true, &[pair], &[turned]);
    }

    #[test]
    fn rows_are_counted_and_terms_compared() {
        check(false, &[IRI, IRI], &[IRI]);
        check(false, &["{}"], &[]);
        check(false, &[IRI, PLAIN], &[IRI, IRI]);
        check(
            false,
            &[IRI],
            &[r#"{"b":{"type":"uri","value":"http://e/1"}}"#],
        );
        check(
            false,
            &[IRI],
            &[r#"{"a":{"type":"literal","value":"http://e/1"}}"#],
        );
        check(
            false,
            &[&typed("1", "integer")],
            &[&typed("1.0", "decimal")],
        );
        check(false, &[&typed("1", "integer")], &[&typed("01", "integer")]);
        check(false, &[&typed("1", "integer")], &[PLAIN]);
        check(true, &[&typed("1", "string")], &[PLAIN]);
        let tagged =
            |tag| format!(r#"{{"a":{{"type":"literal","value":"1","xml:lang":"{tag}"}}}}"#);
        check(true, &[&tagged("en-GB")], &[&tagged("en-gb")]);
        check(false, &[&tagged("en")], &[&tagged("de")]);
        check(false, &[&tagged("en")], &[PLAIN]);
    }

    #[test]
    fn a_body_cut_anywhere_is_a_failure() {
        let body =
            format!(r#"{{"head":{{"vars":["a"]}},"results":{{"bindings":[{IRI},{PLAIN}]}}}}"#);
        let parse = |body: &str| Answer::parse(QueryForm::Select, JSON, body.as_bytes());
        assert_eq!(parse(&body).unwrap().rows, 2);
        for end in 0..body.len() {
            let failure = parse(&body[..end]).unwrap_err();
            assert_eq!(failure.class, FailureClass::Malformed, "{}", &body[..end]);
        }
        assert!(parse(&format!("{body}}}")).is_err());
    }

    #[test]
    fn booleans() {
        let ask = |value| {
            let body = format!(r#"{{"head":{{"link":[]}},"boolean":{value}}}"#);
            Answer::parse(QueryForm::Ask, JSON, body.as_bytes())
        };
        assert_eq!(ask("true").unwrap().rows, 1);
        assert_ne!(ask("true").unwrap(), ask("false").unwrap());
        assert!(ask("tru").is_err());
    }

    #[test]
    fn a_graph_is_a_set_of_triples_in_any_format() {
        let graph = |media_type, body: &str| {
            Answer::parse(QueryForm::Construct, media_type, body.as_bytes()).unwrap()
        };
        let one = "<http://e/s> <http://e/p> \"1\" .\n";
        let two = "_:a <http://e/p> <<( <http://e/s> <http://e/p> _:b )>> .\n";
        let triples = graph("application/n-triples", &format!("{one}{two}{one}"));
        assert_eq!(triples.rows, 2);
        let relabelled = two.replace("_:a", "_:c").replace("_:b", "_:d");
        assert_eq!(triples, graph("", &format!("{relabelled}{one}")));
        let turtle = "@prefix e: <http://e/> . e:s e:p \"1\" . _:z e:p <<( e:s e:p _:y )>> .";
        assert_eq!(triples, graph("text/turtle;charset=utf-8", turtle));
        let broken = Answer::parse(QueryForm::Construct, "", b"<http://e/s> <http://e/p> ");
        assert_eq!(broken.unwrap_err().class, FailureClass::Malformed);
    }

    #[test]
    fn a_page_for_people_is_no_answer() {
        let failure = Answer::parse(QueryForm::Select, "text/html", b"<h1>Busy</h1>").unwrap_err();
        assert_eq!(failure.class, FailureClass::Malformed);
        assert!(failure.detail.contains("<h1>Busy"), "{failure}");
    }

    #[test]
    fn the_checksum_never_changes() {
        // Worked out from the description above by other means.
        let answer = json(&[IRI, PLAIN]).unwrap();
        assert_eq!(format!("{answer}"), "2 rows, checksum 22c9d2923d7b038e");
    }
}
