//! The queries of a replay: a folder of `.rq` files in the order of their names, split into a warm and a timed part.
//!
//! Every query parses (SPARQL 1.1 and 1.2), so that its form is known and the answer's media type can be asked for;
//! a file that does not is an error that names it. What is sent is the text of the file, byte for byte.

use super::checksum::Expected;
use super::order::SortKey;
use crate::diagnostics::{Error, ErrorKind, Result};
use bytes::Bytes;
use serde::Serialize;
use sha2::{Digest, Sha256};
use spargebra::{Query as Algebra, SparqlParser};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

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
    /// The file name without its extension.
    pub name: String,
    /// What its answer must be.
    pub expected: Arc<Expected>,
    /// The body of the request: `query=...`, form-encoded.
    pub body: Bytes,
}

/// The queries of a replay in their fixed order.
#[derive(Clone, Debug)]
pub struct Workload {
    queries: Vec<Query>,
    recorded: Vec<Duration>,
    warm: usize,
    sha256: String,
}

impl Workload {
    /// Reads every `*.rq` of a folder; the first `warm` of them by name are the warm part.
    pub fn read(folder: &Path, warm: usize) -> Result<Self> {
        let mut hasher = Sha256::new();
        let mut queries = Vec::new();
        for path in query_files(folder)? {
            let text = std::fs::read_to_string(&path)
                .map_err(|e| Error::io(format_args!("reading {}", path.display()), e))?;
            let query = Query::parse(&path, &text)?;
            for part in [&query.name, &text] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
            queries.push(query);
        }
        if queries.len() <= warm {
            return Err(Error::new(
                ErrorKind::Settings,
                format!(
                    "{} holds {} queries (*.rq) and the first {warm} only warm the server, so none is left to time; \
                     name another folder with --queries or a smaller --warm",
                    folder.display(),
                    queries.len()
                ),
            ));
        }
        Ok(Self {
            recorded: vec![Duration::ZERO; queries.len()],
            queries,
            warm,
            sha256: format!("{:x}", HexBytes(&hasher.finalize())),
        })
    }

    /// Every query, the warm ones first.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// The positions of the queries of a phase.
    pub fn positions(&self, phase: Phase) -> std::ops::Range<usize> {
        match phase {
            Phase::Warm => 0..self.warm,
            Phase::Timed => self.warm..self.queries.len(),
        }
    }

    /// When each query was sent where the workload was recorded, from any moment on; zero where it was not.
    pub fn recorded(&self) -> &[Duration] {
        &self.recorded
    }

    /// The SHA-256 of all names and texts, in hexadecimal digits: equal for equal workloads.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

impl Query {
    fn parse(path: &Path, text: &str) -> Result<Self> {
        let expected = match SparqlParser::new().parse_query(text) {
            Ok(algebra) => Expected::of_query(&algebra),
            Err(e) => {
                return Err(Error::new(
                    ErrorKind::Syntax,
                    format!("{} is not a SPARQL query: {e}", path.display()),
                )
                .caused_by(e));
            }
        };
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let body = form_urlencoded::Serializer::new(String::new())
            .append_pair("query", text)
            .finish();
        Ok(Self {
            name: name.into_owned(),
            expected: Arc::new(expected),
            body: body.into(),
        })
    }
}

impl Expected {
    fn of_query(query: &Algebra) -> Self {
        match query {
            Algebra::Select { pattern, .. } => Self {
                form: QueryForm::Select,
                sort_keys: SortKey::of_pattern(pattern),
            },
            Algebra::Ask { .. } => Self::of_form(QueryForm::Ask),
            Algebra::Construct { .. } => Self::of_form(QueryForm::Construct),
            Algebra::Describe { .. } => Self::of_form(QueryForm::Describe),
        }
    }
}

fn query_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| {
        Error::io(
            format_args!("reading the queries in {}", folder.display()),
            e,
        )
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|e| e == "rq") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

struct HexBytes<'a>(&'a [u8]);

impl std::fmt::LowerHex for HexBytes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
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
        assert_eq!(workload.positions(Phase::Warm), 0..1);
        assert_eq!(workload.positions(Phase::Timed), 1..4);
        assert_eq!(
            workload.queries()[1].body,
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
}
