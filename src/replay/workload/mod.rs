//! The queries of a replay in their order, split into a warm and a timed part.
//!
//! They come from a folder of `.rq` files in the order of their names, from a file of recorded requests (a query a line, JSON
//! Lines, an access log), or from a folder that an import of such a file wrote. Every query parses (SPARQL 1.1 and 1.2), so
//! that its form is known and the answer's media type can be asked for; one that does not is an error that says where it
//! is. What is sent is the text of the query, byte for byte.

pub mod describe;
pub mod import;
pub mod log;
mod moment;
pub mod structure;

use super::checksum::Expected;
use super::choice::Choice;
use super::order::SortKey;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::rdf::Compression;
use bytes::Bytes;
use hyper::Method;
use hyper::header::HeaderValue;
use log::{LogFormat, LoggedRequest};
use serde::Serialize;
use sha2::{Digest, Sha256};
use spargebra::{Query as Algebra, SparqlParser};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The file in which an import keeps its requests, as JSON Lines.
pub const RECORDED_FILE: &str = "workload.jsonl";

/// What kind of answer a query has (SPARQL 1.1 Query, section 16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryForm {
    /// A sequence of solutions.
    Select,
    /// A boolean.
    Ask,
    /// A graph made from a template.
    Construct,
    /// A graph that describes resources.
    Describe,
}

impl QueryForm {
    /// Of a query.
    pub const fn of(query: &Algebra) -> Self {
        match query {
            Algebra::Select { .. } => Self::Select,
            Algebra::Ask { .. } => Self::Ask,
            Algebra::Construct { .. } => Self::Construct,
            Algebra::Describe { .. } => Self::Describe,
        }
    }

    /// The keyword.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Select => "SELECT",
            Self::Ask => "ASK",
            Self::Construct => "CONSTRUCT",
            Self::Describe => "DESCRIBE",
        }
    }

    /// The media type that is asked for, and assumed where a server does not name one.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Select | Self::Ask => "application/sparql-results+json",
            Self::Construct | Self::Describe => "application/n-triples",
        }
    }
}

/// Whether a request warms the server or is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Sent before the clock starts.
    Warm,
    /// Sent while the clock runs.
    Timed,
}

/// One query, ready to be sent.
#[derive(Clone, Debug)]
pub struct Query {
    /// The file name without its extension, or a number in the order of first appearance.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What its answer must be.
    pub expected: Arc<Expected>,
    /// How it is sent: with GET in the URL, or with POST as a form.
    pub method: Method,
    /// The form: `query=...` and the graphs of its data set.
    pub form: Bytes,
}

/// The queries of a replay in their fixed order.
#[derive(Clone, Debug)]
pub struct Workload {
    queries: Vec<Query>,
    /// The position among the queries for each request.
    sequence: Vec<usize>,
    /// When each request was made, from any moment on.
    recorded: Vec<Duration>,
    warm: usize,
    sha256: String,
}

impl Workload {
    /// Reads a folder or a file; the first `warm` requests are the warm part.
    pub fn read(path: &Path, warm: usize) -> Result<Self> {
        let recorded = path.join(RECORDED_FILE);
        let workload = if recorded.is_file() {
            Self::read_recorded(&recorded)?
        } else if path.is_dir() {
            Self::read_folder(path)?
        } else {
            Self::read_recorded(path)?
        };
        if workload.sequence.is_empty() {
            let path = path.display();
            return Err(Error::new(
                ErrorKind::Settings,
                format!(
                    "{path} holds no queries: a workload is a folder of *.rq files or one that `kaluta replay import` \
                     wrote, or a file with a query or a JSON object a line"
                ),
            ));
        }
        if workload.sequence.len() <= warm {
            return Err(Error::new(
                ErrorKind::Settings,
                format!(
                    "{} holds {} queries and the first {warm} only warm the server, so none is left to time; \
                     name another folder with --queries or a smaller --warm",
                    path.display(),
                    workload.sequence.len()
                ),
            ));
        }
        Ok(Self { warm, ..workload })
    }

    /// One query.
    pub fn of_text(text: &str) -> Result<Self> {
        let request = LoggedRequest {
            query: text.to_owned(),
            ..LoggedRequest::default()
        };
        let mut hasher = Sha256::new();
        hash(&mut hasher, text);
        Ok(Self {
            queries: vec![Query::new("1".to_owned(), request)?],
            sequence: vec![0],
            recorded: vec![Duration::ZERO],
            warm: 0,
            sha256: hexadecimal(hasher),
        })
    }

    fn read_folder(folder: &Path) -> Result<Self> {
        let mut hasher = Sha256::new();
        let mut queries = Vec::new();
        for path in files(folder, "rq")? {
            let text = std::fs::read_to_string(&path)
                .map_err(|e| Error::user_file(format_args!("reading {}", path.display()), e))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let request = LoggedRequest {
                query: text,
                ..LoggedRequest::default()
            };
            let query = Query::new(name.into_owned(), request)
                .map_err(|e| e.context(format_args!("{}", path.display())))?;
            hash(&mut hasher, &query.name);
            hash(&mut hasher, &query.text);
            queries.push(query);
        }
        Ok(Self {
            sequence: (0..queries.len()).collect(),
            recorded: vec![Duration::ZERO; queries.len()],
            queries,
            warm: 0,
            sha256: hexadecimal(hasher),
        })
    }

    /// Equal queries on equal data sets, sent alike, are one query, however often they were asked.
    fn read_recorded(path: &Path) -> Result<Self> {
        let mut hasher = Sha256::new();
        let mut positions = HashMap::new();
        let (mut queries, mut sequence, mut recorded) = (Vec::new(), Vec::new(), Vec::new());
        for (number, request) in logged_requests(path)? {
            hash(&mut hasher, &request.query);
            for more in request.method.iter().chain(&request.accept) {
                hash(&mut hasher, more);
            }
            recorded.push(time(request.time_s.unwrap_or_default()));
            let key = (
                request.query.clone(),
                request.default_graphs.clone(),
                request.named_graphs.clone(),
                request.method.clone(),
                request.accept.clone(),
            );
            let position = *positions.entry(key).or_insert(queries.len());
            if position == queries.len() {
                let name = format!("{:05}", position + 1);
                let query = Query::new(name, request)
                    .map_err(|e| e.context(format_args!("{}, line {number}", path.display())))?;
                queries.push(query);
            }
            sequence.push(position);
        }
        Ok(Self {
            queries,
            sequence,
            recorded,
            warm: 0,
            sha256: hexadecimal(hasher),
        })
    }

    /// Every different query.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// The position of its query for each request of a phase, in their order.
    pub fn requests(&self, phase: Phase) -> &[usize] {
        &self.sequence[self.range(phase)]
    }

    /// The position of its query for each request of both phases, in their order.
    pub fn all_requests(&self) -> &[usize] {
        &self.sequence
    }

    /// When each request of a phase was made where the workload was recorded, from any moment on; zero where it was not.
    pub fn recorded(&self, phase: Phase) -> &[Duration] {
        &self.recorded[self.range(phase)]
    }

    /// The positions of the queries that are timed.
    pub fn timed_queries(&self) -> BTreeSet<usize> {
        self.requests(Phase::Timed).iter().copied().collect()
    }

    /// The SHA-256 of all names and texts, in hexadecimal digits: equal for equal workloads.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    fn range(&self, phase: Phase) -> std::ops::Range<usize> {
        match phase {
            Phase::Warm => 0..self.warm,
            Phase::Timed => self.warm..self.sequence.len(),
        }
    }
}

impl Query {
    fn new(name: String, request: LoggedRequest) -> Result<Self> {
        let mut expected = Expected::of_query(&parse_query(&request.query)?);
        let accept = request.accept.as_deref();
        expected.accept = accept.and_then(|accept| HeaderValue::from_str(accept).ok());
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("query", &request.query);
        for graph in &request.default_graphs {
            form.append_pair("default-graph-uri", graph);
        }
        for graph in &request.named_graphs {
            form.append_pair("named-graph-uri", graph);
        }
        Ok(Self {
            name,
            expected: Arc::new(expected),
            method: match request.method.as_deref() {
                Some("GET" | "HEAD") => Method::GET,
                _ => Method::POST,
            },
            form: form.finish().into(),
            text: request.query,
        })
    }
}

impl Expected {
    fn of_query(query: &Algebra) -> Self {
        let sort_keys = match query {
            Algebra::Select { pattern, .. } => SortKey::of_pattern(pattern),
            _ => Vec::new(),
        };
        Self {
            form: QueryForm::of(query),
            sort_keys,
            choice: Choice::of_query(query),
            accept: None,
        }
    }
}

/// Parses a query with the prefixes that it declares.
pub fn parse_query(text: &str) -> Result<Algebra> {
    SparqlParser::new().parse_query(text).map_err(|e| {
        Error::new(
            ErrorKind::Syntax,
            format!("this is not a SPARQL query: {e}"),
        )
        .caused_by(e)
    })
}

/// The lines of a file, decompressed as its name says. Bytes that are no text are replaced.
fn log_lines(path: &Path) -> Result<impl Iterator<Item = Result<String>>> {
    let failed = |path: &Path, e| Error::user_file(format_args!("reading {}", path.display()), e);
    let file = File::open(path).map_err(|e| failed(path, e))?;
    let reader = Compression::of_path(path).reader(file);
    let lines = BufReader::new(reader.map_err(|e| failed(path, e))?).split(b'\n');
    let path = path.to_owned();
    Ok(lines.map(move |line| {
        let line = line.map_err(|e| failed(&path, e))?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }))
}

/// The format of a file, by its first lines, and all its lines.
fn recognised_lines(path: &Path) -> Result<(LogFormat, impl Iterator<Item = Result<String>>)> {
    const LOOKED_AT: usize = 10;
    let mut lines = log_lines(path)?;
    let first = lines.by_ref().take(LOOKED_AT).collect::<Result<Vec<_>>>()?;
    let format = LogFormat::of_lines(&first);
    Ok((format, first.into_iter().map(Ok).chain(lines)))
}

/// The requests of a file with the numbers of their lines; every line must be one.
fn logged_requests(path: &Path) -> Result<Vec<(usize, LoggedRequest)>> {
    let (format, lines) = recognised_lines(path)?;
    let mut requests = Vec::new();
    for (position, line) in lines.enumerate() {
        let line = line?;
        let request = format.parse(&line).map_err(|dropped| {
            Error::new(
                ErrorKind::Syntax,
                format!(
                    "{}, line {}: {}; `kaluta replay import` makes a workload of the lines that can be replayed",
                    path.display(),
                    position + 1,
                    dropped.name()
                ),
            )
        })?;
        requests.extend(request.map(|request| (position + 1, request)));
    }
    Ok(requests)
}

fn time(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

fn hash(hasher: &mut Sha256, part: &str) {
    hasher.update((part.len() as u64).to_le_bytes());
    hasher.update(part);
}

fn hexadecimal(hasher: Sha256) -> String {
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The files of a folder with an extension, in the order of their names.
pub(super) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let failed = |e| {
        Error::user_file(
            format_args!("reading the *.{extension} files in {}", folder.display()),
            e,
        )
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|e| e == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn queries_are_sorted_by_name_and_know_their_form() {
        let folder = folder(&[
            ("4.rq", "DESCRIBE <http://e/a>"),
            ("2.rq", "ASK { ?s ?p \"a&b\" }"),
            ("1.rq", "SELECT * { ?s ?p ?o }"),
            ("3.rq", "CONSTRUCT WHERE { ?s ?p ?o }"),
            ("README.md", "no query"),
        ]);
        let workload = Workload::read(folder.path(), 1).unwrap();
        let found: Vec<_> = workload
            .queries()
            .iter()
            .map(|q| (q.name.as_str(), q.expected.form))
            .collect();
        let wanted = [
            ("1", QueryForm::Select),
            ("2", QueryForm::Ask),
            ("3", QueryForm::Construct),
            ("4", QueryForm::Describe),
        ];
        assert_eq!(found, wanted);
        assert_eq!(workload.requests(Phase::Warm), [0]);
        assert_eq!(workload.requests(Phase::Timed), [1, 2, 3]);
        assert_eq!(
            workload.queries()[1].form,
            "query=ASK+%7B+%3Fs+%3Fp+%22a%26b%22+%7D"
        );
    }

    #[test]
    fn a_query_that_does_not_parse_is_named() {
        let folder = folder(&[("1.rq", "ASK {}"), ("broken.rq", "SELECT WHERE")]);
        let error = Workload::read(folder.path(), 0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax);
        assert!(error.message().contains("broken.rq"), "{error}");
    }

    #[test]
    fn nothing_left_to_time_is_an_error() {
        let folder = folder(&[("1.rq", "ASK {}")]);
        assert_eq!(
            Workload::read(folder.path(), 1).unwrap_err().kind(),
            ErrorKind::Settings
        );
    }

    #[test]
    fn the_hash_depends_on_names_and_texts() {
        let hash = |files: &[(&str, &str)]| Workload::read(folder(files).path(), 0).unwrap().sha256;
        let first = hash(&[("1.rq", "ASK {}")]);
        assert_eq!(first.len(), 64);
        assert_eq!(first, hash(&[("1.rq", "ASK {}")]));
        assert_ne!(first, hash(&[("2.rq", "ASK {}")]));
        assert_ne!(first, hash(&[("1.rq", "ASK { }")]));
    }

    #[test]
    fn equal_lines_are_one_query() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            let path = folder.path().join("queries.jsonl");
            std::fs::write(&path, text).unwrap();
            Workload::read(&path, 1)
        };
        let one = r#"{"query":"ASK {}","time_s":2}"#;
        let two = r#"{"query":"ASK {}","default-graph-uri":["http://e/"],"time_s":2.5}"#;
        let workload = read(&format!("{one}\n{two}\n\n{one}\n")).unwrap();
        assert_eq!(workload.queries().len(), 2);
        assert_eq!(workload.requests(Phase::Timed), [1, 0]);
        assert_eq!(
            workload.queries()[1].form,
            "query=ASK+%7B%7D&default-graph-uri=http%3A%2F%2Fe%2F"
        );
        let others = [
            r#"{"query":"ASK {}","method":"GET"}"#,
            r#"{"query":"ASK {}","accept":"text/csv"}"#,
        ];
        let workload = read(&format!("{one}\n{}\n{}\n", others[0], others[1])).unwrap();
        let sent = |q: &Query| (q.method.clone(), q.expected.accept());
        let json = "application/sparql-results+json";
        let wanted = [
            (Method::POST, json),
            (Method::GET, json),
            (Method::POST, "text/csv"),
        ];
        let wanted = wanted.map(|(method, accept)| (method, HeaderValue::from_static(accept)));
        assert_eq!(
            workload.queries().iter().map(sent).collect::<Vec<_>>(),
            wanted
        );
        let error = read(&format!("{one}\n{one}\nASK {{}}\n")).unwrap_err();
        assert!(error.message().contains("queries.jsonl, line 3"), "{error}");
        let error = read(&format!("{one}\n{{\"query\":\"ASK\"}}\n")).unwrap_err();
        assert!(error.message().contains("queries.jsonl, line 2"), "{error}");
    }
}
