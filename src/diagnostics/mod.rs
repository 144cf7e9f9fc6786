//! Errors, lazily captured backtraces, and the log.
//!
//! This room decides what an error is, whether it carries a backtrace, and where records go; it knows nothing of
//! RDF, queries or HTTP.

pub mod backtraces;
mod error;
pub mod logging;
mod logtext;

pub use backtraces::BacktracePolicy;
pub use error::{ERROR_TARGET, Error, ErrorKind, Result, TextPosition};
