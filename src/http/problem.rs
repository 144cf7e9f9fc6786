//! Errors as responses: problem details (RFC 9457), or plain text for who asks for text.
//!
//! The status is the kind's, see [`crate::diagnostics::ErrorKind::status`]. What went wrong inside the server stays in
//! its log; the client gets the id to find the record by.

use super::exchange::RequestId;
use crate::diagnostics::Error;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use std::fmt::Write;

/// The seconds after which a client may try again when the queue was full.
const RETRY_AFTER_S: &str = "1";

/// Who reads an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A program, or curl: JSON, put in lines so that people can read it too.
    Program,
    /// A browser, or who asks for `text/plain`: text.
    Person,
}

impl Reader {
    /// Tells them apart by what they accept.
    pub fn of(headers: &HeaderMap) -> Self {
        let accepts = |word: &str| {
            let mut values = headers.get_all(header::ACCEPT).iter();
            values.any(|v| v.to_str().is_ok_and(|v| v.contains(word)))
        };
        if accepts("text/html") || (accepts("text/plain") && !accepts("json")) {
            Self::Person
        } else {
            Self::Program
        }
    }
}

#[derive(Serialize)]
struct Problem<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    kind: &'static str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    /// The line of the text and a line with a caret, as two strings so that they stand below each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    excerpt: Vec<&'a str>,
    request: String,
}

impl<'a> Problem<'a> {
    fn of(error: &'a Error, status: StatusCode, id: RequestId) -> Self {
        let position = error.position().filter(|_| error.kind().is_public());
        Self {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            kind: error.kind().name(),
            detail: match error.kind().is_public() {
                true => error.message(),
                false => "the server failed; its log has the reason under this request's id",
            },
            line: position.map(|p| p.line),
            column: position.map(|p| p.column),
            excerpt: position.map_or(Vec::new(), |p| p.excerpt.lines().collect()),
            request: id.to_string(),
        }
    }

    fn to_text(&self) -> String {
        let mut text = format!("{} {}: {}\n", self.status, self.title, self.detail);
        if let (Some(line), Some(column)) = (self.line, self.column) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\nline {line}, column {column}:");
        }
        for line in &self.excerpt {
            let _ = writeln!(text, "  {line}");
        }
        let _ = writeln!(text, "\nrequest {}", self.request);
        text
    }

    fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_else(|_| self.to_text());
        text.push('\n');
        text
    }
}

/// The response that an error becomes.
pub fn response(error: &Error, id: RequestId, reader: Reader) -> Response {
    let kind = error.kind();
    let status = StatusCode::from_u16(kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let problem = Problem::of(error, status, id);
    let (content_type, text) = match reader {
        Reader::Program => ("application/problem+json", problem.to_json()),
        Reader::Person => ("text/plain; charset=utf-8", problem.to_text()),
    };
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_S));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{ErrorKind, TextPosition};

    fn syntax_error() -> Error {
        Error::new(ErrorKind::Syntax, "expected a dot").at(TextPosition {
            file: None,
            line: 2,
            column: 3,
            excerpt: "SELECT\n  ^".into(),
        })
    }

    #[test]
    fn programs_get_json_and_people_text() {
        let check = |accept: &[&'static str], reader: Reader| {
            let mut headers = HeaderMap::new();
            for value in accept {
                headers.append(header::ACCEPT, HeaderValue::from_static(value));
            }
            assert_eq!(Reader::of(&headers), reader, "{accept:?}");
        };
        check(&[], Reader::Program);
        check(&["*/*"], Reader::Program);
        check(
            &["text/html,application/xml;q=0.9,*/*;q=0.8"],
            Reader::Person,
        );
        check(&["text/plain"], Reader::Person);
        check(
            &["application/sparql-results+json", "text/plain"],
            Reader::Program,
        );
    }

    #[test]
    fn a_syntax_error_shows_its_place() {
        let error = syntax_error();
        let problem = Problem::of(&error, StatusCode::BAD_REQUEST, RequestId::fresh());
        let json: serde_json::Value = serde_json::from_str(&problem.to_json()).unwrap();
        assert_eq!(json["line"], 2);
        assert_eq!(json["column"], 3);
        assert_eq!(json["kind"], "syntax");
        assert_eq!(json["excerpt"][1], "  ^");
        assert!(problem.to_text().contains("  SELECT\n    ^\n"));
    }

    #[test]
    fn what_failed_inside_stays_inside() {
        let error = Error::internal("secret of /var/lib");
        let problem = Problem::of(
            &error,
            StatusCode::INTERNAL_SERVER_ERROR,
            RequestId::fresh(),
        );
        assert!(!problem.to_json().contains("secret"));
    }
}
