//! When a backtrace is captured, and how it is turned into text.
//!
//! Capturing costs some ten microseconds and turning it into text a millisecond, so both happen only for a record
//! that will be printed: [`capture_for`] asks `tracing` before it captures, and names are resolved by
//! [`Captured::resolve`] alone, which is called while the record is written. A policy can override the question,
//! so that the saving can be measured.

use super::error::ERROR_TARGET;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use tracing::Level;

/// The setting `backtrace`: when errors capture one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum BacktracePolicy {
    /// When the log level will print the error.
    #[default]
    WhenLogged,
    /// For every error, expression errors too, printed or not.
    Always,
    /// Never, not even for errors that are printed.
    Never,
}

static POLICY: AtomicU8 = AtomicU8::new(BacktracePolicy::WhenLogged as u8);
static CAPTURED: AtomicU64 = AtomicU64::new(0);

/// Sets the policy for the whole process.
pub fn set_policy(policy: BacktracePolicy) {
    POLICY.store(policy as u8, Ordering::Relaxed);
}

/// The policy in force.
#[inline]
pub fn policy() -> BacktracePolicy {
    match POLICY.load(Ordering::Relaxed) {
        p if p == BacktracePolicy::Always as u8 => BacktracePolicy::Always,
        p if p == BacktracePolicy::Never as u8 => BacktracePolicy::Never,
        _ => BacktracePolicy::WhenLogged,
    }
}

/// How many backtraces this process has captured.
pub fn captured_total() -> u64 {
    CAPTURED.load(Ordering::Relaxed)
}

/// Whether a record at this level under [`ERROR_TARGET`] is printed now.
pub fn is_printed(level: Level) -> bool {
    match level {
        Level::ERROR => tracing::enabled!(target: ERROR_TARGET, Level::ERROR),
        Level::WARN => tracing::enabled!(target: ERROR_TARGET, Level::WARN),
        Level::INFO => tracing::enabled!(target: ERROR_TARGET, Level::INFO),
        Level::DEBUG => tracing::enabled!(target: ERROR_TARGET, Level::DEBUG),
        Level::TRACE => tracing::enabled!(target: ERROR_TARGET, Level::TRACE),
    }
}

/// A backtrace as addresses, not yet as names.
pub struct Captured(backtrace::Backtrace);

/// Captures a backtrace if the policy wants one for a record of this level.
#[inline]
pub fn capture_for(level: Level) -> Option<Captured> {
    let wanted = match policy() {
        BacktracePolicy::WhenLogged => is_printed(level),
        BacktracePolicy::Always => true,
        BacktracePolicy::Never => false,
    };
    wanted.then(capture)
}

/// Captures a backtrace and counts it.
#[cold]
#[inline(never)]
pub fn capture() -> Captured {
    CAPTURED.fetch_add(1, Ordering::Relaxed);
    Captured(backtrace::Backtrace::new_unresolved())
}

impl Captured {
    /// The frames as text, one a line, innermost first: from the function that raised the error to where its thread or
    /// its task began. What lies before (the capture) and after (the runtime) is the same for all and left out.
    pub fn resolve(&self) -> String {
        let mut resolved = self.0.clone();
        resolved.resolve();
        let symbols: Vec<Symbol> = resolved
            .frames()
            .iter()
            .flat_map(|f| f.symbols())
            .filter_map(Symbol::of)
            .collect();
        let near = &symbols[..symbols.len().min(CAPTURE_FRAMES_MAX)];
        let start = near.iter().rposition(|s| s.is_capture).map_or(0, |i| i + 1);
        let raised = &symbols[start..];
        let end = raised.iter().position(|s| s.is_runtime);
        let mut text = String::new();
        for symbol in &raised[..end.unwrap_or(raised.len())] {
            text.push_str(&symbol.text);
            text.push('\n');
        }
        text
    }
}

/// The frames of a capture itself are among the first so many.
const CAPTURE_FRAMES_MAX: usize = 16;

/// One line of a backtrace.
struct Symbol {
    text: String,
    is_capture: bool,
    is_runtime: bool,
}

impl Symbol {
    fn of(symbol: &backtrace::BacktraceSymbol) -> Option<Self> {
        let mut text = format!("{:#}", symbol.name()?);
        let is_runtime = ["__rust_begin_short_backtrace", "tokio::runtime::task::"]
            .iter()
            .any(|word| text.contains(word));
        let path = symbol.filename().unwrap_or_else(|| Path::new(""));
        if let (Some(file), Some(line)) = (path.file_name(), symbol.lineno()) {
            // Writing to a string cannot fail.
            let _ = write!(text, " ({}:{line})", file.to_string_lossy());
        }
        let own = ["src/diagnostics/backtraces.rs", "src/diagnostics/error.rs"];
        Some(Self {
            text,
            is_capture: own.iter().any(|file| path.ends_with(file)),
            is_runtime,
        })
    }
}
