//! What a request asks for: SPARQL 1.1 Protocol, section 2.
//!
//! A query comes as a parameter of the URL, as a form, or as the body itself; an update as a form or as the body.
//! Parameters must decode to UTF-8, and one
//! that may stand once must not stand twice. Parameters that the protocol does not know are left alone, but for those
//! whose meaning would be lost.

use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::{QueryRequest, UpdateRequest};
use axum::http::{HeaderMap, Method, header};
use percent_encoding::percent_decode;
use std::borrow::Cow;

/// A query with what the client wants to see of it.
#[derive(Debug)]
pub struct QueryCall {
    /// The query and its dataset.
    pub request: QueryRequest,
    /// Whether the plan is wanted, not the answer.
    pub explain: Option<ExplainFormat>,
    /// Whether the plan is to be run, and rows and times to be shown.
    pub analyze: bool,
}

/// How a plan is shown: the parameter `explain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainFormat {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
}

/// Which requests a resource takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// `/query`
    Queries,
    /// `/update`
    Updates,
    /// `/sparql`
    Both,
}

/// What a request wants.
#[derive(Debug)]
pub enum Call {
    /// A query to be answered.
    Query(QueryCall),
    /// An update to be made.
    Update(UpdateRequest),
}

/// Reads a request of `/query`, `/update` or `/sparql`.
///
/// # Errors
/// The request breaks the protocol, or wants what this version does not have.
pub fn parse(
    door: Door,
    method: &Method,
    url_query: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Call> {
    let mut parameters = Parameters::default();
    parameters.read(url_query.as_bytes())?;
    if matches!(*method, Method::GET | Method::HEAD) {
        if parameters.update.is_some() {
            return Err(bad("an update must be sent by POST"));
        }
        return parameters.into_call(door);
    }
    let text = || std::str::from_utf8(body).map_err(|_| bad("the body is not UTF-8"));
    match body_type(headers)?.as_str() {
        "application/x-www-form-urlencoded" => parameters.read(body)?,
        "application/sparql-query" if door != Door::Updates => {
            put_once(&mut parameters.query, "query", text()?.into())?;
        }
        "application/sparql-update" if door != Door::Queries => {
            put_once(&mut parameters.update, "update", text()?.into())?;
        }
        other => return Err(unsupported_type(door, other)),
    }
    parameters.into_call(door)
}

/// The error for a request that breaks the protocol.
pub fn bad(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadRequest, message)
}

fn unsupported_type(door: Door, found: &str) -> Error {
    let found = if found.is_empty() {
        "no Content-Type"
    } else {
        found
    };
    let direct = match door {
        Door::Queries => "a query is sent as application/sparql-query",
        Door::Updates => "an update is sent as application/sparql-update",
        Door::Both => {
            "a query is sent as application/sparql-query, an update as application/sparql-update,"
        }
    };
    Error::new(
        ErrorKind::UnsupportedMediaType,
        format!("{direct} or as application/x-www-form-urlencoded, not with {found}"),
    )
}

/// The media type of the body in lower case, empty if none is said.
///
/// # Errors
/// The header cannot be read, or says another charset than UTF-8.
pub fn body_type(headers: &HeaderMap) -> Result<String> {
    let text = |name| headers.get(name).map_or(Ok(""), |v| v.to_str());
    let unreadable = |_| bad("a header is not ASCII");
    let value = text(header::CONTENT_TYPE).map_err(unreadable)?;
    let mut parts = value.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    for (key, charset) in parts.filter_map(|p| p.split_once('=')) {
        let charset = charset.trim_matches('"');
        let is_utf8 = ["utf-8", "utf8", "us-ascii"]
            .iter()
            .any(|c| charset.eq_ignore_ascii_case(c));
        if key.trim().eq_ignore_ascii_case("charset") && !is_utf8 {
            let message = format!("a body in {charset} is not read here; send it in UTF-8");
            return Err(Error::new(ErrorKind::UnsupportedMediaType, message));
        }
    }
    Ok(name)
}

/// The parameters of a request, from its URL and perhaps a form.
#[derive(Default)]
struct Parameters {
    query: Option<String>,
    update: Option<String>,
    default_graphs: Vec<String>,
    named_graphs: Vec<String>,
    using_graphs: Vec<String>,
    using_named_graphs: Vec<String>,
    explain: Option<String>,
    analyze: Option<String>,
}

impl Parameters {
    fn read(&mut self, encoded: &[u8]) -> Result<()> {
        for pair in encoded.split(|&b| b == b'&').filter(|p| !p.is_empty()) {
            let end = pair.iter().position(|&b| b == b'=').unwrap_or(pair.len());
            let name = decode(&pair[..end])?;
            let value = || decode(pair.get(end + 1..).unwrap_or_default());
            match name.as_str() {
                "query" => put_once(&mut self.query, "query", value()?)?,
                "update" => put_once(&mut self.update, "update", value()?)?,
                "default-graph-uri" => self.default_graphs.push(value()?),
                "named-graph-uri" => self.named_graphs.push(value()?),
                "explain" => put_once(&mut self.explain, "explain", value()?)?,
                "analyze" => put_once(&mut self.analyze, "analyze", value()?)?,
                "union-default-graph" => {
                    return Err(Error::unsupported(
                        "the parameter union-default-graph (the server's setting query.default_graph says it for all queries)",
                    ));
                }
                "using-graph-uri" => self.using_graphs.push(value()?),
                "using-named-graph-uri" => self.using_named_graphs.push(value()?),
                _ => {}
            }
        }
        Ok(())
    }

    fn into_call(self, door: Door) -> Result<Call> {
        match (&self.query, &self.update) {
            (Some(_), Some(_)) => Err(bad("a request is a query or an update, not both")),
            (None, None) => Err(bad(match door {
                Door::Updates => {
                    "the update is missing: send the form parameter update, or the update as the body of a POST with Content-Type application/sparql-update"
                }
                _ => {
                    "the query is missing: add the parameter query, or send the query as the body of a POST with Content-Type application/sparql-query"
                }
            })),
            (Some(_), None) if door == Door::Updates => Err(bad("a query goes to /query")),
            (None, Some(_)) if door == Door::Queries => Err(bad("an update goes to /update")),
            (Some(_), None) => self.into_query().map(Call::Query),
            (None, Some(_)) => self.into_update().map(Call::Update),
        }
    }

    fn into_query(self) -> Result<QueryCall> {
        if !self.using_graphs.is_empty() || !self.using_named_graphs.is_empty() {
            return Err(bad(
                "using-graph-uri and using-named-graph-uri belong to updates; a query has default-graph-uri and named-graph-uri",
            ));
        }
        let text = self.query.unwrap_or_default();
        if text.trim().is_empty() {
            return Err(bad("the query is empty"));
        }
        Ok(QueryCall {
            request: QueryRequest {
                text,
                base: None,
                default_graphs: self.default_graphs,
                named_graphs: self.named_graphs,
            },
            explain: self.explain.as_deref().map(explain_format).transpose()?,
            analyze: self.analyze.as_deref().is_some_and(|v| v != "false"),
        })
    }

    fn into_update(self) -> Result<UpdateRequest> {
        if !self.default_graphs.is_empty() || !self.named_graphs.is_empty() {
            return Err(bad(
                "default-graph-uri and named-graph-uri belong to queries; an update has using-graph-uri and using-named-graph-uri",
            ));
        }
        Ok(UpdateRequest {
            text: self.update.unwrap_or_default(),
            base: None,
            using_graphs: self.using_graphs,
            using_named_graphs: self.using_named_graphs,
        })
    }
}

fn explain_format(value: &str) -> Result<ExplainFormat> {
    match value {
        "text" | "" | "true" => Ok(ExplainFormat::Text),
        "json" => Ok(ExplainFormat::Json),
        other => Err(bad(format!("explain is text or json, not {other}"))),
    }
}

fn put_once(place: &mut Option<String>, name: &str, value: String) -> Result<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(bad(format!("the parameter {name} is given twice"))),
    }
}

/// Decodes `+` and `%` (WHATWG URL, section 5.1), strictly to UTF-8.
///
/// # Errors
/// It is not UTF-8.
pub fn decode(encoded: &[u8]) -> Result<String> {
    let spaced: Cow<'_, [u8]> = match encoded.contains(&b'+') {
        true => encoded
            .iter()
            .map(|&b| if b == b'+' { b' ' } else { b })
            .collect(),
        false => encoded.into(),
    };
    let bytes: Vec<u8> = percent_decode(&spaced).collect();
    String::from_utf8(bytes).map_err(|_| bad("a parameter does not decode to UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "application/x-www-form-urlencoded";
    const DIRECT: &str = "application/sparql-query";

    fn call(method: Method, url: &str, content_type: &str, body: &str) -> Result<QueryCall> {
        let mut headers = HeaderMap::new();
        if !content_type.is_empty() {
            headers.insert(header::CONTENT_TYPE, content_type.parse().unwrap());
        }
        match parse(Door::Queries, &method, url, &headers, body.as_bytes())? {
            Call::Query(call) => Ok(call),
            Call::Update(_) => panic!("an update at the door of queries"),
        }
    }

    fn update(door: Door, url: &str, content_type: &str, body: &str) -> Result<UpdateRequest> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, content_type.parse().unwrap());
        match parse(door, &Method::POST, url, &headers, body.as_bytes())? {
            Call::Update(call) => Ok(call),
            Call::Query(_) => panic!("a query where an update is expected"),
        }
    }

    #[test]
    fn updates() {
        for door in [Door::Updates, Door::Both] {
            for (url, content_type, body) in [
                (
                    "using-graph-uri=http://e/1",
                    FORM,
                    "update=CLEAR+ALL&using-named-graph-uri=http://e/2",
                ),
                (
                    "using-graph-uri=http://e/1&using-named-graph-uri=http://e/2",
                    "application/sparql-update; charset=UTF-8",
                    "CLEAR ALL",
                ),
            ] {
                let call = update(door, url, content_type, body).unwrap();
                assert_eq!(call.text, "CLEAR ALL");
                assert_eq!(call.using_graphs, ["http://e/1"]);
                assert_eq!(call.using_named_graphs, ["http://e/2"]);
            }
            for (url, content_type, body, status) in [
                ("", FORM, "", 400),
                ("", FORM, "update=CLEAR+ALL&update=CLEAR+ALL", 400),
                ("", FORM, "update=CLEAR+ALL&query=ASK{}", 400),
                ("default-graph-uri=http://e/", FORM, "update=CLEAR+ALL", 400),
                ("", FORM, "update=%FF", 400),
                (
                    "",
                    "application/sparql-update; charset=UTF-16",
                    "CLEAR ALL",
                    415,
                ),
                ("", "text/plain", "CLEAR ALL", 415),
            ] {
                let error = update(door, url, content_type, body).unwrap_err();
                assert_eq!(error.kind().status(), status, "{url} {content_type} {body}");
            }
        }
        let check = |content_type, body, status| {
            let error = update(Door::Updates, "", content_type, body).unwrap_err();
            assert_eq!(error.kind().status(), status);
        };
        check(FORM, "query=ASK{}", 400);
        check(DIRECT, "ASK{}", 415);
    }

    #[test]
    fn every_way_to_send_a_query() {
        let check = |method, url: &str, content_type: &str, body: &str| {
            let call = call(method, url, content_type, body).unwrap();
            assert_eq!(call.request.text, "ASK { ?s + ?o }");
        };
        check(Method::GET, "query=ASK+%7B+?s%20%2B+?o+}", "", "");
        check(Method::HEAD, "a=b&query=ASK+%7B+?s%20%2B+?o+}&", "", "");
        check(Method::POST, "", FORM, "query=ASK+%7B+?s%20%2B+?o+}");
        check(
            Method::POST,
            "",
            "Application/X-WWW-Form-Urlencoded; charset=UTF-8",
            "query=ASK+{+?s+%2B+?o+}",
        );
        check(Method::POST, "", DIRECT, "ASK { ?s + ?o }");
        check(
            Method::POST,
            "",
            "application/SPARQL-query;charset=\"utf-8\"",
            "ASK { ?s + ?o }",
        );
    }

    #[test]
    fn graphs_come_from_url_and_form() {
        let call = call(
            Method::POST,
            "default-graph-uri=http://e/1&named-graph-uri=http%3A%2F%2Fe%2F2",
            FORM,
            "query=ASK{}&default-graph-uri=http://e/3&explain=json&analyze=true",
        )
        .unwrap();
        assert_eq!(call.request.default_graphs, ["http://e/1", "http://e/3"]);
        assert_eq!(call.request.named_graphs, ["http://e/2"]);
        assert_eq!(
            (call.explain, call.analyze),
            (Some(ExplainFormat::Json), true)
        );
    }

    #[test]
    fn what_is_refused() {
        let check = |method, url: &str, content_type: &str, body: &str, status: u16| {
            let error = call(method, url, content_type, body).unwrap_err();
            assert_eq!(
                error.kind().status(),
                status,
                "{url} {content_type} {body}: {error}"
            );
        };
        check(Method::GET, "", "", "", 400);
        check(Method::GET, "query=", "", "", 400);
        check(Method::GET, "query=ASK{}&query=ASK{}", "", "", 400);
        check(Method::GET, "update=CLEAR+ALL", "", "", 400);
        check(Method::GET, "query=%FF", "", "", 400);
        check(Method::GET, "query=ASK{}&explain=xml", "", "", 400);
        check(
            Method::GET,
            "query=ASK{}&using-graph-uri=http://e/",
            "",
            "",
            400,
        );
        check(Method::GET, "query=ASK{}&union-default-graph", "", "", 501);
        check(Method::POST, "", FORM, "", 400);
        check(Method::POST, "", DIRECT, "", 400);
        check(Method::POST, "", DIRECT, "  ", 400);
        check(Method::POST, "query=ASK{}", DIRECT, "ASK{}", 400);
        check(Method::POST, "query=ASK{}", FORM, "query=ASK{}", 400);
        check(Method::POST, "", FORM, "query=ASK{}&update=CLEAR+ALL", 400);
        check(Method::POST, "", FORM, "update=CLEAR+ALL", 400);
        check(
            Method::POST,
            "",
            "application/sparql-update",
            "CLEAR ALL",
            415,
        );
        check(Method::POST, "", "text/plain", "ASK{}", 415);
        check(Method::POST, "", "", "ASK{}", 415);
        check(
            Method::POST,
            "",
            "application/sparql-query; charset=latin-1",
            "ASK{}",
            415,
        );
    }
}
