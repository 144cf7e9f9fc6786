//! Why a request has no answer. A failure is never counted as a quick success.

use serde::Serialize;
use std::fmt;

/// The class under which a failure is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureClass {
    /// The last byte had not come when the time was up.
    Timeout,
    /// No connection, or one that broke before the head of the response.
    Connection,
    /// A status other than 200.
    Status,
    /// A body that ended before its announced or chunked end.
    Truncated,
    /// A whole body that is not what its media type says, or is in a media type that was not asked for.
    Malformed,
    /// A whole body whose rows are not in the order that the query fixes.
    Order,
}

impl FailureClass {
    /// Whether the connection broke, as it does when a server ends.
    pub const fn is_broken_connection(self) -> bool {
        matches!(self, Self::Connection | Self::Truncated)
    }

    /// The word that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::Status => "status",
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::Order => "order",
        }
    }
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Its class.
    pub class: FailureClass,
    /// What happened, for a person.
    pub detail: String,
}

impl Failure {
    /// A failure of a class.
    pub fn new(class: FailureClass, detail: impl fmt::Display) -> Self {
        Self {
            class,
            detail: detail.to_string(),
        }
    }

    /// A status other than 200, with the beginning of what the server says about it.
    pub fn status(status: u16, body: &[u8]) -> Self {
        const EXCERPT_BYTES_MAX: usize = 200;
        let excerpt = String::from_utf8_lossy(&body[..body.len().min(EXCERPT_BYTES_MAX)]);
        let words: Vec<_> = excerpt.split_whitespace().collect();
        Self::new(
            FailureClass::Status,
            format_args!("{status} {}", words.join(" ")),
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class.name(), self.detail)
    }
}
