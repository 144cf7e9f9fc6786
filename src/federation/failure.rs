//! Why there is no answer: the endpoint's fault, which SILENT ignores, or the end of the query itself, which it does not
//! (SPARQL 1.1 Federated Query, section 2.3).

use crate::diagnostics::{Error, ErrorKind};
use std::fmt;

/// Why a request was not answered.
#[derive(Debug)]
pub enum AskError {
    /// The query was cancelled, is past its deadline, or needs too much memory.
    Query(Error),
    /// The endpoint may not be asked, or gave no answer.
    Service(Failure),
}

impl From<Error> for AskError {
    fn from(error: Error) -> Self {
        Self::Query(error)
    }
}

impl From<Failure> for AskError {
    fn from(failure: Failure) -> Self {
        Self::Service(failure)
    }
}

/// Why an endpoint gave no answer. It is no [`Error`] yet, since SILENT may ignore it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    kind: ErrorKind,
    message: String,
}

impl Failure {
    /// The endpoint may not be asked.
    pub fn forbidden(what: impl fmt::Display) -> Self {
        Self {
            kind: ErrorKind::Forbidden,
            message: what.to_string(),
        }
    }

    /// The endpoint was asked, or was to be asked, and there is no answer.
    pub fn unanswered(what: impl fmt::Display) -> Self {
        Self {
            kind: ErrorKind::Service,
            message: what.to_string(),
        }
    }

    /// The error that ends the request, for the operation (SERVICE or LOAD) and for the endpoint as the request names it.
    pub fn into_error(self, operation: &str, endpoint: &str) -> Error {
        let hint = match self.kind {
            ErrorKind::Forbidden => String::new(),
            _ => format!("; mend it there, or write {operation} SILENT to go on without it"),
        };
        Error::new(
            self.kind,
            format!("{operation} {endpoint}: {}{hint}", self.message),
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
