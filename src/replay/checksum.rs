//! An answer as a row count and a checksum over its terms.
//!
//! Equal answers have equal checksums, whatever the order of rows, columns and members and the labels of blank nodes, which
//! are masked. Terms are compared as terms: `"1"^^xsd:integer` is not `"1.0"^^xsd:decimal`. Solutions are a multiset, a graph
//! is a set of triples. The checksum is a sum of truncated SHA-256 digests, so it may be compared between versions and
//! machines. A body that does not close its format is a failure.

use super::digest::{LiteralParts, TermBytes};
use super::failure::{Failure, FailureClass};
use super::solutions;
use super::workload::QueryForm;
use oxrdf::{Quad, TermRef, TripleRef};
use oxrdfio::{RdfFormat, RdfParser};
use serde::Serialize;
use std::collections::HashSet;

/// What is compared of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
        match form {
            QueryForm::Select | QueryForm::Ask => Self::of_results(form, media_type, body),
            QueryForm::Construct | QueryForm::Describe => Self::of_graph(media_type, body),
        }
    }

    /// Adds a row.
    pub fn add(&mut self, digest: u64) {
        self.rows += 1;
        self.checksum = self.checksum.wrapping_add(digest);
    }

    fn of_results(form: QueryForm, media_type: &str, body: &[u8]) -> Result<Self, Failure> {
        let name = media_type.split(';').next().unwrap_or_default().trim();
        if !["application/sparql-results+json", "application/json"].contains(&name) {
            return Err(unexpected(media_type, body));
        }
        let document = solutions::parse(body).map_err(malformed)?;
        let (answer, missing) = match form {
            QueryForm::Ask => (document.boolean, "no boolean in the answer to ASK"),
            _ => (document.solutions, "no solutions in the answer to SELECT"),
        };
        answer.ok_or_else(|| malformed(missing))
    }

    fn of_graph(media_type: &str, body: &[u8]) -> Result<Self, Failure> {
        let format =
            RdfFormat::from_media_type(media_type).ok_or_else(|| unexpected(media_type, body))?;
        let quads = RdfParser::from_format(format).for_slice(body);
        let distinct: HashSet<Quad> = quads.collect::<Result<_, _>>().map_err(malformed)?;
        let mut answer = Self::default();
        for quad in &distinct {
            let mut bytes = TermBytes::default();
            append_triple(TripleRef::from(quad.as_ref()), &mut bytes);
            answer.add(bytes.digest());
        }
        Ok(answer)
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

fn append_term(term: TermRef<'_>, bytes: &mut TermBytes) {
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

fn append_triple(triple: TripleRef<'_>, bytes: &mut TermBytes) {
    append_term(triple.subject.into(), bytes);
    append_term(triple.predicate.into(), bytes);
    append_term(triple.object, bytes);
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
    fn triple_terms_are_compared_part_by_part() {
        let triple = |object: &str| {
            let iri = r#"{"type":"uri","value":"http://e/1"}"#;
            let value = format!(r#"{{"subject":{iri},"predicate":{iri},"object":{object}}}"#);
            format!(r#"{{"a":{{"type":"triple","value":{value}}}}}"#)
        };
        let with = |name: &str| triple(&format!(r#"{{"type":"bnode","value":"{name}"}}"#));
        check(true, &[&with("x")], &[&with("nodeID://y")]);
        check(
            false,
            &[&with("x")],
            &[&triple(r#"{"type":"literal","value":"x"}"#)],
        );
    }

    #[test]
    fn escapes_and_base_directions_are_part_of_a_literal() {
        let literal = |more: &str| format!(r#"{{"a":{{"type":"literal",{more}}}}}"#);
        check(
            true,
            &[&literal(r#""value":"é\n""#)],
            &[&literal(r#""value":"\u00e9\u000a""#)],
        );
        let arabic = r#""value":"x","xml:lang":"ar""#;
        let directed = format!(r#"{arabic},"its:dir":"rtl""#);
        check(false, &[&literal(arabic)], &[&literal(&directed)]);
    }

    #[test]
    fn what_is_no_term_is_a_failure() {
        for broken in [
            r#"{"a":null}"#,
            r#"{"a":{"type":"uri"}}"#,
            r#"{"a":{"type":"url","value":"http://e/1"}}"#,
            r#"{"a":{"type":"uri","value":1}}"#,
            r#"{"a":{"type":"triple","value":"x"}}"#,
            r#"[]"#,
        ] {
            assert_eq!(
                json(&[broken]).unwrap_err().class,
                FailureClass::Malformed,
                "{broken}"
            );
        }
        let boolean = Answer::parse(QueryForm::Select, JSON, br#"{"head":{},"boolean":true}"#);
        assert_eq!(boolean.unwrap_err().class, FailureClass::Malformed);
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
