//! The one error type of the project.
//!
//! An [`Error`] has a kind, a message for the person who caused it, and perhaps a place in a text and a cause.
//! It carries a backtrace only when the log will print it, see [`super::backtraces`]; converting or wrapping an
//! error never captures again. Which level and which HTTP status a kind has stands in [`ErrorKind`], nowhere else.
//! The small errors of SPARQL expressions are not of this type: see `crate::expr`.

use super::backtraces::{self, Captured};
use std::fmt;
use std::path::{Path, PathBuf};
use tracing::Level;

/// The result of everything that can fail for more than one row.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The tracing target under which errors are logged; log directives can address it.
pub const ERROR_TARGET: &str = "kaluta::error";

/// What kind of thing went wrong. Each kind has one log level and one HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A query, update or RDF document that does not parse.
    Syntax,
    /// A request that breaks the protocol: a missing or doubled parameter, a bad IRI in one.
    BadRequest,
    /// Access to something that the settings do not allow.
    Forbidden,
    /// A path, graph or file that does not exist.
    NotFound,
    /// A method that the path does not know.
    MethodNotAllowed,
    /// None of the media types that the client accepts can be produced.
    NotAcceptable,
    /// What the client said must hold of the present state does not.
    PreconditionFailed,
    /// A body larger than the settings allow.
    PayloadTooLarge,
    /// A body in a media type or encoding that is not read here.
    UnsupportedMediaType,
    /// A feature that this version does not have.
    Unsupported,
    /// Too many requests are waiting already.
    Busy,
    /// The query ran past its deadline.
    Deadline,
    /// The query needs more memory than its limit.
    MemoryLimit,
    /// The client went away, or the server shuts down.
    Cancelled,
    /// Another service that a query asks gave no answer.
    Service,
    /// A setting or command-line argument that makes no sense.
    Settings,
    /// Another process holds the store.
    Locked,
    /// The operating system refused to read or write.
    Io,
    /// There is no room on the disk, or no more that this process may take.
    DiskFull,
    /// A write failed in such a way that nobody knows what is on disk; the store is only read until it is opened again.
    WritingStopped,
    /// Data on disk that fails its checksum or contradicts itself.
    Corruption,
    /// The store was written by another version of the format.
    FormatVersion,
    /// A mistake in this program.
    Internal,
}

impl ErrorKind {
    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 23] = [
        Self::Syntax,
        Self::BadRequest,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::PreconditionFailed,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::Unsupported,
        Self::Busy,
        Self::Deadline,
        Self::MemoryLimit,
        Self::Cancelled,
        Self::Service,
        Self::Settings,
        Self::Locked,
        Self::Io,
        Self::DiskFull,
        Self::WritingStopped,
        Self::Corruption,
        Self::FormatVersion,
        Self::Internal,
    ];

    /// The name that logs, metrics and problem details use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::BadRequest => "bad-request",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not-found",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::NotAcceptable => "not-acceptable",
            Self::PreconditionFailed => "precondition-failed",
            Self::PayloadTooLarge => "payload-too-large",
            Self::UnsupportedMediaType => "unsupported-media-type",
            Self::Unsupported => "unsupported",
            Self::Busy => "busy",
            Self::Deadline => "deadline",
            Self::MemoryLimit => "memory-limit",
            Self::Cancelled => "cancelled",
            Self::Service => "service",
            Self::Settings => "settings",
            Self::Locked => "locked",
            Self::Io => "io",
            Self::DiskFull => "disk-full",
            Self::WritingStopped => "writing-stopped",
            Self::Corruption => "corruption",
            Self::FormatVersion => "format-version",
            Self::Internal => "internal",
        }
    }

    /// The level at which an error of this kind is logged: what a client or an operator did wrong, or asked too much of,
    /// is of interest while debugging, as they are told anyway; what the server could not do always is. The metrics count
    /// both.
    pub const fn level(self) -> Level {
        match self {
            Self::Syntax
            | Self::BadRequest
            | Self::Forbidden
            | Self::NotFound
            | Self::MethodNotAllowed
            | Self::NotAcceptable
            | Self::PreconditionFailed
            | Self::PayloadTooLarge
            | Self::UnsupportedMediaType
            | Self::Unsupported
            | Self::Busy
            | Self::Deadline
            | Self::MemoryLimit
            | Self::Cancelled
            | Self::Service
            | Self::Settings
            | Self::Locked
            | Self::FormatVersion => Level::DEBUG,
            Self::Io
            | Self::DiskFull
            | Self::WritingStopped
            | Self::Corruption
            | Self::Internal => Level::ERROR,
        }
    }

    /// The HTTP status that an error of this kind becomes (RFC 9110).
    pub const fn status(self) -> u16 {
        match self {
            Self::Syntax | Self::BadRequest => 400,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::PreconditionFailed => 412,
            Self::PayloadTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Unsupported => 501,
            Self::Service => 502,
            Self::Busy | Self::Cancelled => 503,
            Self::Deadline => 504,
            Self::MemoryLimit | Self::DiskFull => 507,
            Self::Settings
            | Self::Locked
            | Self::Io
            | Self::WritingStopped
            | Self::Corruption
            | Self::FormatVersion
            | Self::Internal => 500,
        }
    }

    /// Whether the message may leave the server; details of the others stay in the log.
    pub const fn is_public(self) -> bool {
        self.status() != 500 || matches!(self, Self::WritingStopped)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in a text, counted from one; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// The file, where the text came from one.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The line with a caret below the place, ready to print; empty where the text is not at hand.
    pub excerpt: String,
}

/// Something that went wrong, for the whole request or command.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    position: Option<TextPosition>,
    path: Option<PathBuf>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    backtrace: Option<Captured>,
}

impl Error {
    /// An error of a kind, with a message that says what went wrong, where, and what to do.
    ///
    /// Captures a backtrace when, and only when, a record of this kind would be printed now
    /// (or the policy says always or never).
    #[inline(never)]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            position: None,
            path: None,
            cause: None,
            backtrace: backtraces::capture_for(kind.level()),
        }))
    }

    /// The same error with its place in a text.
    #[must_use]
    pub fn at(mut self, position: TextPosition) -> Self {
        self.0.position = Some(position);
        self
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// The same error with words before its message; nothing is captured again.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// Reading or writing a path failed.
    pub fn io(what: impl fmt::Display, cause: std::io::Error) -> Self {
        use std::io::ErrorKind as Cause;
        let kind = match cause.kind() {
            Cause::StorageFull | Cause::QuotaExceeded | Cause::FileTooLarge => ErrorKind::DiskFull,
            _ => ErrorKind::Io,
        };
        Self::new(kind, format!("{what}: {cause}")).caused_by(cause)
    }

    /// The same for a file. The message names it without its folder, which only the log and the command line tell, and
    /// not a client of the server.
    pub fn io_at(what: impl fmt::Display, path: &Path, cause: std::io::Error) -> Self {
        let name = path.file_name().unwrap_or(path.as_os_str()).display();
        let mut error = Self::io(format_args!("{what} {name}"), cause);
        error.0.path = Some(path.to_path_buf());
        error
    }

    /// Reading or writing a file that the user named failed. What the user can mend (a file that is not there, is not to be
    /// read, is a directory, or does not hold what it should) is no fault of the program.
    pub fn user_file(what: impl fmt::Display, cause: std::io::Error) -> Self {
        use std::io::ErrorKind as Cause;
        let kind = match cause.kind() {
            Cause::NotFound => ErrorKind::NotFound,
            Cause::PermissionDenied | Cause::ReadOnlyFilesystem => ErrorKind::Forbidden,
            Cause::IsADirectory | Cause::NotADirectory | Cause::AlreadyExists => {
                ErrorKind::BadRequest
            }
            // What no system call said was said by who reads what is in the file.
            _ if cause.raw_os_error().is_none() => ErrorKind::Syntax,
            _ => return Self::io(what, cause),
        };
        Self::new(kind, format!("{what}: {cause}")).caused_by(cause)
    }

    /// Data on disk is damaged.
    pub fn corruption(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corruption, message)
    }

    /// A mistake in this program.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// A feature that this version does not have.
    pub fn unsupported(feature: impl fmt::Display) -> Self {
        Self::new(
            ErrorKind::Unsupported,
            format!("{feature} is not supported by this version"),
        )
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Its message, without cause and position.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Its place in a text, if it has one.
    pub fn position(&self) -> Option<&TextPosition> {
        self.0.position.as_ref()
    }

    /// Whether a backtrace was captured for it.
    pub fn has_backtrace(&self) -> bool {
        self.0.backtrace.is_some()
    }

    /// Writes the one log record of this error, with its backtrace if it has one; names are resolved only here.
    ///
    /// Call it once, where the error ends: in the HTTP response table or in `main`.
    pub fn log(&self, request_id: &str) {
        let Inner {
            kind,
            message,
            position,
            path,
            cause,
            backtrace,
        } = &*self.0;
        if !backtraces::is_printed(kind.level()) {
            return;
        }
        let place = position
            .as_ref()
            .map(|p| format!("{}:{}", p.line, p.column));
        let path = path.as_ref().map(|p| p.display().to_string());
        let cause = cause.as_ref().map(ToString::to_string);
        let backtrace = backtrace.as_ref().map(Captured::resolve);
        macro_rules! record {
            ($level:expr) => {
                tracing::event!(
                    target: ERROR_TARGET,
                    $level,
                    kind = kind.name(),
                    request = request_id,
                    position = place,
                    path = path,
                    cause = cause,
                    backtrace = backtrace,
                    "{message}"
                )
            };
        }
        match kind.level() {
            Level::ERROR => record!(Level::ERROR),
            Level::WARN => record!(Level::WARN),
            Level::INFO => record!(Level::INFO),
            Level::DEBUG => record!(Level::DEBUG),
            Level::TRACE => record!(Level::TRACE),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(p) = &self.0.position {
            if let Some(file) = &p.file {
                write!(f, "{file}: ")?;
            }
            write!(f, "line {}, column {}: ", p.line, p.column)?;
        }
        f.write_str(&self.0.message)?;
        if let Some(folder) = self.0.path.as_ref().and_then(|path| path.parent()) {
            write!(f, " (in {})", folder.display())?;
        }
        match &self.0.position {
            Some(p) if !p.excerpt.is_empty() => write!(f, "\n{}", p.excerpt),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|c| c as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_every_kind_is_listed() {
        let names: std::collections::BTreeSet<_> =
            ErrorKind::ALL.iter().map(|k| k.name()).collect();
        assert_eq!(names.len(), ErrorKind::ALL.len());
    }

    #[test]
    fn what_the_server_could_not_do_is_logged_as_an_error() {
        for kind in ErrorKind::ALL {
            let is_told = [
                ErrorKind::Settings,
                ErrorKind::Locked,
                ErrorKind::FormatVersion,
            ];
            if kind.status() == 500 && !is_told.contains(&kind) {
                assert_eq!(kind.level(), Level::ERROR, "{kind}");
            }
        }
    }

    #[test]
    fn what_the_user_can_mend_is_no_fault_of_the_program() {
        use std::io::ErrorKind as Cause;
        for (cause, kind) in [
            (Cause::NotFound.into(), ErrorKind::NotFound),
            (Cause::PermissionDenied.into(), ErrorKind::Forbidden),
            (Cause::IsADirectory.into(), ErrorKind::BadRequest),
            (std::io::Error::other("no frame"), ErrorKind::Syntax),
            (std::io::Error::from_raw_os_error(5), ErrorKind::Io),
            (std::io::Error::from_raw_os_error(28), ErrorKind::DiskFull),
        ] {
            assert_eq!(Error::user_file("reading", cause).kind(), kind);
        }
    }

    #[test]
    fn every_lack_of_room_is_a_full_disk() {
        use std::io::ErrorKind as Cause;
        for (cause, kind) in [
            (Cause::StorageFull, ErrorKind::DiskFull),
            (Cause::QuotaExceeded, ErrorKind::DiskFull),
            (Cause::FileTooLarge, ErrorKind::DiskFull),
            (Cause::PermissionDenied, ErrorKind::Io),
        ] {
            assert_eq!(Error::io("writing", cause.into()).kind(), kind, "{cause}");
        }
    }

    #[test]
    fn the_folder_of_a_file_is_no_part_of_the_message() {
        let cause = std::io::ErrorKind::StorageFull.into();
        let error = Error::io_at("cannot write", Path::new("/data/store/000017.log"), cause);
        assert!(
            error.message().starts_with("cannot write 000017.log: "),
            "{error}"
        );
        assert!(!error.message().contains("/data"), "{}", error.message());
        assert!(error.to_string().ends_with(" (in /data/store)"), "{error}");
    }

    #[test]
    fn display_names_file_line_and_column() {
        let error = Error::new(ErrorKind::Syntax, "expected a dot").at(TextPosition {
            file: Some("a.nt".into()),
            line: 3,
            column: 7,
            excerpt: String::new(),
        });
        assert_eq!(error.to_string(), "a.nt: line 3, column 7: expected a dot");
    }
}
