//! Lines that record queries: a query a line, JSON objects, or the access log of a web server.
//!
//! Of a line only the query, its data set, its time, method and `Accept` header are read; addresses and names of clients are
//! never looked at. Access logs are in the common or combined format, with the query in the URL of a GET request (SPARQL
//! 1.1 Protocol, section 2.1.1); logs do not keep the bodies of POST requests.

use super::moment::{parse_access_log_time, parse_rfc3339};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How lines record queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// The text of a query; lines that begin with `#` are comments.
    Queries,
    /// A JSON object; that of a structured log may hold its parts in `fields`.
    Json,
    /// Common or combined access log format.
    Access,
}

/// One request as it was recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoggedRequest {
    /// Seconds since some moment that all requests share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_s: Option<f64>,
    /// The HTTP method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The media types that were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
    /// The graphs that make up the default graph.
    #[serde(
        default,
        rename = "default-graph-uri",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub default_graphs: Vec<String>,
    /// The named graphs.
    #[serde(
        default,
        rename = "named-graph-uri",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub named_graphs: Vec<String>,
    /// The text of the query.
    pub query: String,
}

/// Why a line is no request of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dropped {
    /// It is not in the format of the others.
    NotOfTheFormat,
    /// It records a request without a query.
    NoQuery,
    /// It records a request whose query was in its body.
    QueryInBody,
    /// It records an update.
    Update,
    /// It is a query that does not parse.
    Syntax,
}

impl Dropped {
    /// The words that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotOfTheFormat => "not a line of this kind of log",
            Self::NoQuery => "a request without a query",
            Self::QueryInBody => "a POST request, whose body the log does not hold",
            Self::Update => "an update",
            Self::Syntax => "a query that does not parse",
        }
    }
}

impl LogFormat {
    /// The format of a file by its first lines, some of which may be broken.
    pub fn of_lines(lines: &[String]) -> Self {
        if lines.iter().any(|line| line.trim_start().starts_with('{')) {
            Self::Json
        } else if lines.iter().any(|line| request_line(line).is_some()) {
            Self::Access
        } else {
            Self::Queries
        }
    }

    /// The request in a line; none in a blank line or a comment.
    pub fn parse(self, line: &str) -> Result<Option<LoggedRequest>, Dropped> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        match self {
            Self::Queries if line.trim_start().starts_with('#') => Ok(None),
            Self::Queries => Ok(Some(LoggedRequest {
                query: line.trim().to_owned(),
                ..LoggedRequest::default()
            })),
            Self::Json => parse_json(line).map(Some),
            Self::Access => parse_access(line).map(Some),
        }
    }
}

#[derive(Deserialize)]
struct JsonLine {
    #[serde(flatten)]
    outer: JsonParts,
    fields: Option<JsonParts>,
}

#[derive(Default, Deserialize)]
struct JsonParts {
    #[serde(alias = "text", alias = "sparql")]
    query: Option<String>,
    update: Option<String>,
    #[serde(alias = "timestamp", alias = "time_s")]
    time: Option<JsonTime>,
    method: Option<String>,
    accept: Option<String>,
    #[serde(default, rename = "default-graph-uri")]
    default_graphs: Vec<String>,
    #[serde(default, rename = "named-graph-uri")]
    named_graphs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum JsonTime {
    Seconds(f64),
    Text(String),
}

fn parse_json(line: &str) -> Result<LoggedRequest, Dropped> {
    let JsonLine { outer, fields } =
        serde_json::from_str(line).map_err(|_| Dropped::NotOfTheFormat)?;
    let parts = match (outer.query.is_some() || outer.update.is_some(), fields) {
        (false, Some(fields)) => JsonParts {
            time: fields.time.or(outer.time),
            ..fields
        },
        _ => outer,
    };
    let missing = match parts.update {
        Some(_) => Dropped::Update,
        None => Dropped::NoQuery,
    };
    Ok(LoggedRequest {
        time_s: parts.time.and_then(|time| match time {
            JsonTime::Seconds(seconds) => Some(seconds),
            JsonTime::Text(text) => parse_rfc3339(&text),
        }),
        method: parts.method,
        accept: parts.accept,
        default_graphs: parts.default_graphs,
        named_graphs: parts.named_graphs,
        query: parts.query.ok_or(missing)?,
    })
}

/// The time and the request line of an access log: `[time] "request"`. Quotes in the request are escaped.
fn request_line(line: &str) -> Option<(&str, Cow<'_, str>)> {
    let (_, rest) = line.split_once('[')?;
    let (time, rest) = rest.split_once("] \"")?;
    let mut is_escaped = false;
    let end = rest.find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    })?;
    let request = &rest[..end];
    Some(match request.contains("\\\"") {
        true => (time, request.replace("\\\"", "\"").into()),
        false => (time, request.into()),
    })
}

fn parse_access(line: &str) -> Result<LoggedRequest, Dropped> {
    let (time, request) = request_line(line).ok_or(Dropped::NotOfTheFormat)?;
    let mut words = request.split(' ');
    let method = words.next().unwrap_or_default();
    let target = words.next().ok_or(Dropped::NotOfTheFormat)?;
    let (_, parameters) = target.split_once('?').unwrap_or((target, ""));
    let mut logged = LoggedRequest {
        time_s: parse_access_log_time(time),
        method: Some(method.to_owned()),
        ..LoggedRequest::default()
    };
    let mut is_query = false;
    for (name, value) in form_urlencoded::parse(parameters.as_bytes()) {
        match &*name {
            "query" => {
                is_query = true;
                logged.query = value.into_owned();
            }
            "update" => return Err(Dropped::Update),
            "default-graph-uri" => logged.default_graphs.push(value.into_owned()),
            "named-graph-uri" => logged.named_graphs.push(value.into_owned()),
            _ => {}
        }
    }
    match (is_query, method) {
        (true, _) => Ok(logged),
        (false, "POST") => Err(Dropped::QueryInBody),
        (false, _) => Err(Dropped::NoQuery),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMBINED: &str = r#"192.0.2.7 - ann [10/Oct/2000:13:55:36 -0700] "GET /sparql?query=ASK%20%7B+%3Fs+%3Fp+%22a%22+%7D&default-graph-uri=http%3A%2F%2Fe%2Fg&apikey=s3cret HTTP/1.1" 200 2326 "http://e/me" "Agent/1""#;

    #[test]
    fn formats_are_told_by_their_lines() {
        let check = |line: &str, wanted| {
            assert_eq!(LogFormat::of_lines(&[line.to_owned()]), wanted, "{line}")
        };
        let cut = ["a line that was cut", COMBINED].map(str::to_owned);
        assert_eq!(LogFormat::of_lines(&cut), LogFormat::Access);
        check(COMBINED, LogFormat::Access);
        check(r#"{"query":"ASK {}"}"#, LogFormat::Json);
        check("ASK {}", LogFormat::Queries);
        check(r#"SELECT * { ?s ?p "[x" }"#, LogFormat::Queries);
    }

    #[test]
    fn an_access_log_gives_the_query_and_nothing_of_its_client() {
        let request = LogFormat::Access.parse(COMBINED).unwrap().unwrap();
        let wanted = LoggedRequest {
            time_s: Some(971_211_336.0),
            method: Some("GET".to_owned()),
            accept: None,
            default_graphs: vec!["http://e/g".to_owned()],
            named_graphs: Vec::new(),
            query: r#"ASK { ?s ?p "a" }"#.to_owned(),
        };
        assert_eq!(request, wanted);
        let kept = serde_json::to_string(&request).unwrap();
        for personal in ["192.0.2.7", "ann", "s3cret", "Agent", "http://e/me"] {
            assert!(!kept.contains(personal), "{kept}");
        }
        assert_eq!(LogFormat::Json.parse(&kept), Ok(Some(wanted)));
    }

    #[test]
    fn what_is_no_query_has_its_reason() {
        let access = |request: &str| {
            let line = format!(r#"h - - [10/Oct/2000:13:55:36 -0700] "{request}" 200 1"#);
            LogFormat::Access.parse(&line).unwrap_err()
        };
        assert_eq!(access("GET /favicon.ico HTTP/1.1"), Dropped::NoQuery);
        assert_eq!(access("POST /sparql HTTP/1.1"), Dropped::QueryInBody);
        assert_eq!(
            access("GET /sparql?update=CLEAR+ALL HTTP/1.1"),
            Dropped::Update
        );
        assert_eq!(access("-"), Dropped::NotOfTheFormat);
        let json = |line| LogFormat::Json.parse(line).unwrap_err();
        assert_eq!(json(r#"{"level":"INFO"}"#), Dropped::NoQuery);
        assert_eq!(json(r#"{"update":"CLEAR ALL"}"#), Dropped::Update);
        assert_eq!(json("GET"), Dropped::NotOfTheFormat);
    }

    #[test]
    fn json_lines_of_several_makes() {
        let check = |line: &str, time_s| {
            let request = LogFormat::Json.parse(line).unwrap().unwrap();
            assert_eq!(
                (&*request.query, request.time_s),
                ("ASK {}", time_s),
                "{line}"
            );
        };
        check(
            r#"{"text":"ASK {}","time":"1970-01-01T00:00:02Z","client":"x"}"#,
            Some(2.0),
        );
        check(r#"{"sparql":"ASK {}","time_s":1.5}"#, Some(1.5));
        check(
            r#"{"timestamp":"1970-01-01T00:00:02Z","fields":{"query":"ASK {}"}}"#,
            Some(2.0),
        );
    }

    #[test]
    fn blank_lines_and_comments_are_nothing() {
        for line in ["", "  ", "# a comment"] {
            assert_eq!(LogFormat::Queries.parse(line), Ok(None));
        }
        let query = LogFormat::Queries.parse(" ASK {} ").unwrap().unwrap();
        assert_eq!(query.query, "ASK {}");
    }
}
