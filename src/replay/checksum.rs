//! An answer as a row count and a checksum over its terms.
//!
//! Equal answers have equal checksums, whatever the order of rows, columns and members and the labels of blank nodes, which
//! are masked. Terms are compared as terms: `"1"^^xsd:integer` is not `"1.0"^^xsd:decimal`. Solutions are a multiset, a graph
//! is a set of triples. The checksum is a sum of truncated SHA-256 digests, so it may be compared between versions and
//! machines. A body that does not close its format is a failure, and so is one whose rows are not in the order asked for.
//! A body is read as a stream, in memory that does not grow with it.

use super::answer_terms::append_triple;
use super::choice::Choice;
use super::digest::TermBytes;
use super::distinct::Distinct;
use super::failure::{Failure, FailureClass};
use super::order::{OrderWatch, SortKey};
use super::results;
use super::solutions::{self, Document};
use super::workload::QueryForm;
use foldhash::quality::FixedState;
use hyper::header::HeaderValue;
use oxrdf::TripleRef;
use oxrdfio::{RdfFormat, RdfParser};
use serde::Serialize;
use sparesults::QueryResultsFormat;
use std::hash::BuildHasher;
use std::io::Read;

/// What an answer must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The kind of the answer.
    pub form: QueryForm,
    /// The order of its rows.
    pub sort_keys: Vec<SortKey>,
    /// What the server may choose.
    pub choice: Choice,
    /// The `Accept` header, where it is not the usual one of the form.
    pub accept: Option<HeaderValue>,
}

impl Expected {
    /// An answer whose rows come in any order.
    pub fn of_form(form: QueryForm) -> Self {
        Self {
            form,
            sort_keys: Vec::new(),
            choice: Choice::Nothing,
            accept: None,
        }
    }

    /// The `Accept` header of the request.
    pub fn accept(&self) -> HeaderValue {
        let usual = HeaderValue::from_static(self.form.media_type());
        self.accept.clone().unwrap_or(usual)
    }
}

/// What is compared of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Answer {
    /// Solutions, or distinct triples of a graph; a boolean is one row.
    pub rows: u64,
    /// The sum of the rows' digests.
    pub checksum: u64,
    /// Whether it came in a format that is not read here, so that it is only known to be whole.
    pub is_unread: bool,
}

impl Answer {
    /// Reads the whole body of an answer in the media type that the server says it is in.
    pub fn read(expected: &Expected, media_type: &str, body: impl Read) -> Result<Self, Failure> {
        let media_type = match media_type {
            "" => expected.form.media_type(),
            named => named,
        };
        match expected.form {
            QueryForm::Select | QueryForm::Ask => Self::of_results(expected, media_type, body),
            QueryForm::Construct | QueryForm::Describe => {
                Self::of_graph(expected, media_type, body)
            }
        }
    }

    /// Adds a row.
    pub fn add(&mut self, digest: u64) {
        self.rows += 1;
        self.checksum = self.checksum.wrapping_add(digest);
    }

    fn of_results(expected: &Expected, media_type: &str, body: impl Read) -> Result<Self, Failure> {
        let mut watch = OrderWatch::new(&expected.sort_keys);
        let document: Document = match results_format(media_type) {
            Some(QueryResultsFormat::Json) => {
                solutions::parse(body, &mut watch).map_err(malformed)?
            }
            Some(format) if expected.accept.is_some() && format != QueryResultsFormat::Csv => {
                results::parse(format, body, &mut watch).map_err(malformed)?
            }
            _ => return unread(expected, media_type, body),
        };
        if let Some(row) = watch.wrong_row() {
            return Err(Failure::new(
                FailureClass::Order,
                format_args!("row {row} belongs before the row in front of it"),
            ));
        }
        let (answer, missing) = match expected.form {
            QueryForm::Ask => (document.boolean, "no boolean in the answer to ASK"),
            _ => (document.solutions, "no solutions in the answer to SELECT"),
        };
        answer.ok_or_else(|| malformed(missing))
    }

    fn of_graph(expected: &Expected, media_type: &str, body: impl Read) -> Result<Self, Failure> {
        let Some(format) = RdfFormat::from_media_type(media_type) else {
            return unread(expected, media_type, body);
        };
        let hasher = FixedState::default();
        let mut distinct = Distinct::default();
        for quad in RdfParser::from_format(format).for_reader(body) {
            let quad = quad.map_err(malformed)?;
            let mut bytes = TermBytes::default();
            append_triple(TripleRef::from(quad.as_ref()), &mut bytes);
            distinct
                .add(hasher.hash_one(&quad), bytes.digest())
                .map_err(uncounted)?;
        }
        distinct.finish().map_err(uncounted)
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.is_unread {
            true => f.write_str("whole, in a format that is not read"),
            false => write!(f, "{} rows, checksum {:016x}", self.rows, self.checksum),
        }
    }
}

fn malformed(error: impl std::fmt::Display) -> Failure {
    Failure::new(FailureClass::Malformed, error)
}

fn uncounted(error: std::io::Error) -> Failure {
    malformed(format_args!("its triples could not be counted: {error}"))
}

fn results_format(media_type: &str) -> Option<QueryResultsFormat> {
    match media_type.split(';').next().unwrap_or_default().trim() {
        "application/json" => Some(QueryResultsFormat::Json),
        name => QueryResultsFormat::from_media_type(name),
    }
}

/// An answer in another format: taken as it is where the request named formats of its own, else a failure.
fn unread(expected: &Expected, media_type: &str, mut body: impl Read) -> Result<Answer, Failure> {
    if expected.accept.is_none() {
        return Err(unexpected(media_type, body));
    }
    // What flows through a check is to be taken to its end.
    std::io::copy(&mut body, &mut std::io::sink()).map_err(malformed)?;
    Ok(Answer {
        is_unread: true,
        ..Answer::default()
    })
}

fn unexpected(media_type: &str, body: impl Read) -> Failure {
    const EXCERPT_BYTES_MAX: u64 = 80;
    let mut excerpt = Vec::new();
    // What cannot be read is no part of the excerpt.
    let _ = body.take(EXCERPT_BYTES_MAX).read_to_end(&mut excerpt);
    let excerpt = String::from_utf8_lossy(&excerpt);
    malformed(format_args!(
        "an answer in {media_type}, which was not asked for: {excerpt:?}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "application/sparql-results+json";

    fn read(form: QueryForm, media_type: &str, body: &[u8]) -> Result<Answer, Failure> {
        Answer::read(&Expected::of_form(form), media_type, body)
    }

    fn json(rows: &[&str]) -> Result<Answer, Failure> {
        let body = format!(
            r#"{{"head":{{"vars":["a","b"]}},"results":{{"bindings":[{}]}}}}"#,
            rows.join(",")
        );
        read(QueryForm::Select, JSON, body.as_bytes())
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
        let parse = |body: &str| read(QueryForm::Select, JSON, body.as_bytes());
        assert_eq!(parse(&body).unwrap().rows, 2);
        for end in 0..body.len() {
            let failure = parse(&body[..end]).unwrap_err();
            assert_eq!(failure.class, FailureClass::Malformed, "{}", &body[..end]);
        }
        assert!(parse(&format!("{body}}}")).is_err());
    }

    #[test]
    fn rows_that_are_not_in_the_order_asked_for_are_a_failure() {
        let expected = Expected {
            sort_keys: vec![SortKey {
                variable: "a".to_owned(),
                is_descending: false,
            }],
            ..Expected::of_form(QueryForm::Select)
        };
        let check = |rows: &[&str], wanted: Option<FailureClass>| {
            let rows = rows.join(",");
            let body = format!(r#"{{"results":{{"bindings":[{rows}]}}}}"#);
            let found = Answer::read(&expected, JSON, body.as_bytes());
            assert_eq!(found.err().map(|failure| failure.class), wanted, "{body}");
        };
        let (one, two) = (typed("1", "integer"), typed("2", "decimal"));
        check(&["{}", BLANK, IRI, &one, &two], None);
        check(&[&two, &one], Some(FailureClass::Order));
        check(&[PLAIN, IRI], Some(FailureClass::Order));
        check(&[IRI, "{}"], Some(FailureClass::Order));
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
        let boolean = read(QueryForm::Select, JSON, br#"{"head":{},"boolean":true}"#);
        assert_eq!(boolean.unwrap_err().class, FailureClass::Malformed);
    }

    #[test]
    fn booleans() {
        let ask = |value| {
            let body = format!(r#"{{"head":{{"link":[]}},"boolean":{value}}}"#);
            read(QueryForm::Ask, JSON, body.as_bytes())
        };
        assert_eq!(ask("true").unwrap().rows, 1);
        assert_ne!(ask("true").unwrap(), ask("false").unwrap());
        assert!(ask("tru").is_err());
    }

    #[test]
    fn a_graph_is_a_set_of_triples_in_any_format() {
        let graph = |media_type, body: &str| {
            read(QueryForm::Construct, media_type, body.as_bytes()).unwrap()
        };
        let one = "<http://e/s> <http://e/p> \"1\" .\n";
        let two = "_:a <http://e/p> <<( <http://e/s> <http://e/p> _:b )>> .\n";
        let triples = graph("application/n-triples", &format!("{one}{two}{one}"));
        assert_eq!(triples.rows, 2);
        let relabelled = two.replace("_:a", "_:c").replace("_:b", "_:d");
        assert_eq!(triples, graph("", &format!("{relabelled}{one}")));
        let turtle = "@prefix e: <http://e/> . e:s e:p \"1\" . _:z e:p <<( e:s e:p _:y )>> .";
        assert_eq!(triples, graph("text/turtle;charset=utf-8", turtle));
        let broken = read(QueryForm::Construct, "", b"<http://e/s> <http://e/p> ");
        assert_eq!(broken.unwrap_err().class, FailureClass::Malformed);
    }

    #[test]
    fn a_page_for_people_is_no_answer() {
        let failure = read(QueryForm::Select, "text/html", b"<h1>Busy</h1>").unwrap_err();
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
