//! Own servers: programs that say where they listen, and end well, badly, or before they listen.

use super::fake::{self, Reaction};
use super::{ONE, plan, replay};
use crate::diagnostics::BacktracePolicy;
use crate::replay::report::Report;
use crate::replay::run::Service;
use crate::replay::server::ServerCommand;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A program that says it listens where a fake server does, and does `then`.
fn service(folder: &tempfile::TempDir, port: u16, then: &str) -> Service {
    let binary = folder.path().join("server");
    let script = format!("#!/bin/sh\necho \"$@\" > $0.arguments\n{then}\n");
    let script = script.replace(
        "LISTEN",
        &format!("echo listening on http://127.0.0.1:{port}/"),
    );
    // Written by another process, as a file that this one has open for writing could not be started.
    let written = Command::new("sh")
        .args(["-c", "printf %s \"$1\" > \"$0\" && chmod +x \"$0\""])
        .arg(&binary)
        .arg(script)
        .status();
    assert!(written.unwrap().success());
    Service::Own(ServerCommand {
        binary,
        location: "store".into(),
        backtrace: BacktracePolicy::WhenLogged,
    })
}

fn fake_port() -> u16 {
    let scrapes = AtomicUsize::new(0);
    let endpoint = fake::start(move |seen| {
        if seen.line.starts_with("GET /metrics ") {
            let count = scrapes.fetch_add(1, Ordering::Relaxed) * 7;
            let text = format!(
                "kaluta_backtraces_captured_total {count}\nkaluta_expression_errors_total 5\n"
            );
            return Reaction::Send(fake::response("200 OK", "text/plain", &text));
        }
        fake::solutions(&[ONE])
    });
    endpoint.addresses[0].port()
}

const ENDS_WELL: &str = "trap 'exit 0' TERM\nLISTEN\nwhile :; do sleep 0.01; done";

#[test]
fn a_server_is_started_measured_and_stopped_for_each_run() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder, fake_port(), ENDS_WELL);
    let outcome = replay(plan(vec![("a", service)]));
    assert!(outcome.is_clean(), "{}", Report::new(&outcome));
    let arguments = std::fs::read_to_string(folder.path().join("server.arguments")).unwrap();
    let wanted = "serve --location store --bind 127.0.0.1:0 --backtrace when-logged\n";
    assert_eq!(arguments, wanted);
    for run in &outcome.runs {
        assert!(run.url.ends_with("/query"));
        let counters = run.server.counters.unwrap();
        assert_eq!(
            (counters.backtraces_captured, counters.expression_errors),
            (7, 0)
        );
        if cfg!(target_os = "linux") {
            assert!(run.server.cpu_s.is_some() && run.server.peak_memory_bytes.is_some());
        }
    }
}

#[test]
fn a_server_that_ends_badly_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let then = "trap 'exit 3' TERM\necho out of luck >&2\nLISTEN\nwhile :; do sleep 0.01; done";
    let outcome = replay(plan(vec![("a", service(&folder, fake_port(), then))]));
    assert!(!outcome.is_clean());
    let bad_end = outcome.runs[0].bad_end.as_deref().unwrap();
    assert!(
        bad_end.contains('3') && bad_end.contains("out of luck"),
        "{bad_end}"
    );
}

#[test]
fn a_server_that_does_not_start_is_an_error_with_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder, 0, "echo no such store >&2");
    let error = plan(vec![("a", service)]).replay(|_, _| {}).unwrap_err();
    assert!(error.message().starts_with("measuring a: "), "{error}");
    assert!(error.message().ends_with("no such store"), "{error}");
}
