//! Errors of SPARQL expressions: small, copyable, and made in one place.
//!
//! A query over real data meets them by the hundred thousand (a comparison with a dirty value, a cast that fails), so
//! [`raise`] costs one branch while nobody watches. Someone watches when the backtrace policy is `always`, which then
//! captures like a server that creates an exception per error would, or when TRACE is enabled for [`EXPR_TARGET`]: equal
//! errors of one query are logged the first few times and then counted in one closing line, so that no information about
//! which errors occurred is lost. In batches an error is the unbound id (SPARQL 1.1 Query, section 17.2).

use super::context::ExprContext;
use super::walk;
use crate::diagnostics::backtraces::{self, BacktracePolicy};
use crate::diagnostics::{Error, Result};
use spargebra::algebra::Expression;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::Level;

/// The tracing target under which expression errors are logged, at TRACE.
pub const EXPR_TARGET: &str = "kaluta::expr";

/// How many equal errors of one query are logged one by one.
const LOGGED_MAX: u64 = 3;

static RAISED: AtomicU64 = AtomicU64::new(0);

/// How many expression errors the finished queries of this process have raised.
pub fn raised_total() -> u64 {
    RAISED.load(Ordering::Relaxed)
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExprErrorKind {
    /// A variable without a value.
    Unbound,
    /// An operand of a kind that the operator or function does not take.
    Type,
    /// Two operands whose values cannot be compared.
    Incomparable,
    /// A literal whose lexical form is not one of its datatype.
    IllTyped,
    /// A cast that the value does not allow.
    Cast,
    /// An integer or decimal divided by zero.
    DivisionByZero,
    /// A result beyond what its datatype holds here.
    Overflow,
    /// An argument of the right kind but outside the function's domain.
    Argument,
    /// A regular expression or its flags that do not parse.
    Regex,
    /// COALESCE found nothing without an error.
    NothingToCoalesce,
    /// A function that this server does not have.
    UnknownFunction,
}

impl ExprErrorKind {
    /// The name that logs use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unbound => "unbound",
            Self::Type => "type",
            Self::Incomparable => "incomparable",
            Self::IllTyped => "ill-typed",
            Self::Cast => "cast",
            Self::DivisionByZero => "division-by-zero",
            Self::Overflow => "overflow",
            Self::Argument => "argument",
            Self::Regex => "regex",
            Self::NothingToCoalesce => "nothing-to-coalesce",
            Self::UnknownFunction => "unknown-function",
        }
    }
}

impl fmt::Display for ExprErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which sub-expression: the number of its expression within the query, and its place there in pre-order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub(super) source: u32,
    pub(super) node: u32,
}

/// An expression without a value: why, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprError {
    kind: ExprErrorKind,
    place: Place,
}

impl ExprError {
    /// Why there is no value.
    pub fn kind(self) -> ExprErrorKind {
        self.kind
    }

    /// Which sub-expression has none.
    pub fn place(self) -> Place {
        self.place
    }
}

/// Makes an expression error; nothing else does.
#[inline]
pub fn raise(kind: ExprErrorKind, place: Place, cx: &ExprContext) -> ExprError {
    let error = ExprError { kind, place };
    cx.errors.raised.set(cx.errors.raised.get() + 1);
    cx.errors.last.set(Some(error));
    if cx.errors.watched.get() {
        cx.errors.observe(error);
    }
    error
}

/// Raises an error that a memo remembers, as if the expression had been worked out once more.
#[inline]
pub(super) fn raise_again(error: ExprError, times: u32, cx: &ExprContext) {
    for _ in 0..times {
        raise(error.kind, error.place, cx);
    }
}

/// What ends the evaluation of one row, or of the whole query.
#[derive(Debug)]
pub(super) enum Fault {
    /// The expression has no value for this row.
    Expression(ExprError),
    /// The query cannot go on.
    Query(Error),
}

/// The result for one row.
pub(super) type Outcome<T> = std::result::Result<T, Fault>;

impl From<ExprError> for Fault {
    fn from(error: ExprError) -> Self {
        Self::Expression(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Query(error)
    }
}

/// Tells an expression error, which a functional form may catch, from the end of the query.
pub(super) fn catch<T>(outcome: Outcome<T>) -> Result<std::result::Result<T, ExprError>> {
    match outcome {
        Ok(value) => Ok(Ok(value)),
        Err(Fault::Expression(error)) => Ok(Err(error)),
        Err(Fault::Query(error)) => Err(error),
    }
}

/// A text that errors point into.
enum Source {
    Expression(Box<Expression>),
    Text(String),
}

/// The expression errors of one query.
#[derive(Default)]
pub struct ErrorTally {
    raised: Cell<u64>,
    last: Cell<Option<ExprError>>,
    reported: Cell<u64>,
    watched: Cell<bool>,
    sources: RefCell<Vec<Source>>,
    equal: RefCell<BTreeMap<ExprError, u64>>,
}

impl ErrorTally {
    /// How many errors the query has raised so far.
    pub fn raised(&self) -> u64 {
        self.raised.get()
    }

    /// The error raised last.
    pub(super) fn last(&self) -> Option<ExprError> {
        self.last.get()
    }

    /// Asks anew whether somebody watches; done once per batch, so that a level changed at run time counts soon.
    #[inline]
    pub(super) fn refresh(&self) {
        self.watched
            .set(backtraces::policy() == BacktracePolicy::Always || is_logged());
    }

    /// Does something whose errors are not those of a row, such as folding constants.
    pub(super) fn quietly<T>(&self, work: impl FnOnce() -> T) -> T {
        let (raised, watched) = (self.raised.get(), self.watched.replace(false));
        let result = work();
        self.raised.set(raised);
        self.watched.set(watched);
        result
    }

    /// Registers an expression; its sub-expressions are numbered in pre-order.
    pub(super) fn register(&self, expression: &Expression) -> u32 {
        self.register_source(Source::Expression(Box::new(expression.clone())))
    }

    /// Registers a text that is no expression of the algebra, such as an aggregate.
    pub(super) fn register_text(&self, text: String) -> Place {
        let source = self.register_source(Source::Text(text));
        Place { source, node: 0 }
    }

    fn register_source(&self, source: Source) -> u32 {
        let mut sources = self.sources.borrow_mut();
        sources.push(source);
        sources.len() as u32 - 1
    }

    /// The text of the sub-expression at a place.
    fn text(&self, place: Place) -> String {
        match self.sources.borrow().get(place.source as usize) {
            Some(Source::Expression(root)) => walk::nth(root, place.node as usize)
                .map(ToString::to_string)
                .unwrap_or_default(),
            Some(Source::Text(text)) => text.clone(),
            None => String::new(),
        }
    }

    #[cold]
    #[inline(never)]
    fn observe(&self, error: ExprError) {
        let is_recorded = is_logged() && self.count(error) <= LOGGED_MAX;
        let captured = match backtraces::policy() {
            BacktracePolicy::Always => Some(backtraces::capture()),
            BacktracePolicy::WhenLogged if is_recorded => Some(backtraces::capture()),
            _ => None,
        };
        if is_recorded {
            tracing::event!(
                target: EXPR_TARGET,
                Level::TRACE,
                kind = error.kind.name(),
                at = self.text(error.place),
                backtrace = captured.map(|c| c.resolve()),
                "expression error"
            );
        }
    }

    fn count(&self, error: ExprError) -> u64 {
        let mut equal = self.equal.borrow_mut();
        let times = equal.entry(error).or_default();
        *times += 1;
        *times
    }

    /// Ends the count: writes one line for each error that occurred more often than it was logged, and adds to
    /// [`raised_total`]. Dropping does the same; what was reported is not reported again.
    pub fn finish(&self) {
        let raised = self.raised.get();
        RAISED.fetch_add(raised - self.reported.replace(raised), Ordering::Relaxed);
        for (error, times) in self.equal.take() {
            if times > LOGGED_MAX {
                tracing::event!(
                    target: EXPR_TARGET,
                    Level::TRACE,
                    kind = error.kind.name(),
                    at = self.text(error.place),
                    times,
                    "equal expression errors in this query"
                );
            }
        }
    }
}

impl Drop for ErrorTally {
    fn drop(&mut self) {
        self.finish();
    }
}

fn is_logged() -> bool {
    tracing::enabled!(target: EXPR_TARGET, Level::TRACE)
}
