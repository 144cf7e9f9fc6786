//! Expression errors in the log: nothing while nobody watches, the first equal ones and a closing line at TRACE.
//!
//! The backtrace policy and the levels that are watched are one for the process, so one test goes through all of it, in
//! a process of its own.

use super::sharing::{table, xy};
use super::{Compiled, context, parse};
use crate::diagnostics::BacktracePolicy::{self, Always, Never, WhenLogged};
use crate::diagnostics::backtraces::{captured_total, set_policy};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use tracing::Level;
use tracing_subscriber::fmt::MakeWriter;

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Runs a query's worth of errors under a policy and a level: what is logged, and how many backtraces are captured.
fn run(policy: BacktracePolicy, level: Level, expression: &str, rows: usize) -> (String, u64) {
    let log = Log::default();
    // While there is just one, `tracing` asks the subscriber of whichever thread comes first, and others run beside this.
    let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::new());
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    set_policy(policy);
    let captured = captured_total();
    tracing::subscriber::with_default(subscriber, || {
        let cx = context(&[], false);
        let batch = table(&vec![("\"2009?\"", "1"); rows], &cx);
        let mut compiled = Compiled::new(&parse(expression), &xy(), &cx).expect("compiles");
        compiled.evaluate(&batch, &cx).expect("no failure");
    });
    let captured = captured_total() - captured;
    set_policy(WhenLogged);
    let log = log.0.lock().unwrap_or_else(PoisonError::into_inner);
    (String::from_utf8_lossy(&log).into_owned(), captured)
}

#[test]
fn errors_are_logged_the_first_times_and_then_counted() {
    let alone = "expr::tests::raising::errors_are_logged_when_alone";
    let output = std::process::Command::new(std::env::current_exe().expect("a test has a file"))
        .args([alone, "--exact", "--ignored"])
        .output()
        .expect("the test runs again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

#[test]
#[ignore = "runs in a process of its own, see above"]
fn errors_are_logged_when_alone() {
    const CAST: &str = "xsd:integer(?x) + xsd:integer(?none)";
    let (log, _) = run(WhenLogged, Level::TRACE, CAST, 500);
    let lines = log
        .lines()
        .filter(|line| line.contains(": expression error"));
    assert_eq!(lines.count(), 3, "{log}");
    assert!(log.contains("kind=\"cast\""), "{log}");
    assert!(
        log.contains("http://www.w3.org/2001/XMLSchema#integer>(?x)"),
        "{log}"
    );
    assert!(log.contains("times=500"), "{log}");
    assert!(
        log.contains("casts::cast"),
        "the backtrace names the function: {log}"
    );
    assert!(log.contains("kaluta::expr"), "{log}");

    let (log, _) = run(WhenLogged, Level::DEBUG, CAST, 500);
    assert_eq!(log, "", "below its level nothing is logged");

    let (log, _) = run(Never, Level::TRACE, CAST, 2);
    assert_eq!(log.matches("expression error").count(), 2, "{log}");
    assert!(!log.contains("backtrace="), "{log}");

    let (log, captured) = run(Always, Level::INFO, CAST, 50);
    assert_eq!(log, "");
    assert!(
        captured >= 50,
        "a backtrace for every error, not {captured}"
    );

    let (log, _) = run(WhenLogged, Level::DEBUG, ":unknown(?x)", 5);
    assert_eq!(log.matches("not known here").count(), 1, "{log}");
}
