//! Own servers: programs that say where they listen, and end well, badly, or before they listen.

use super::fake::{self, Reaction};
use super::{ONE, Plan, plan, replay};
use crate::replay::answers::Answers;
use crate::replay::pace::Load;
use crate::replay::report::Report;
use crate::replay::run::Service;
use crate::replay::server::ServerCommand;
use rustix::process::{Pid, Signal, kill_process};
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
        options: vec!["--backtrace".to_owned(), "never".to_owned()],
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
    let wanted = "serve --location store --bind 127.0.0.1:0 --backtrace never\n";
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
    let plan = plan(vec![("a", service)]);
    let error = plan
        .replay(|plan, slot| plan.run(slot, &Answers::default()))
        .unwrap_err();
    assert!(error.message().starts_with("measuring a: "), "{error}");
    assert!(error.message().ends_with("no such store"), "{error}");
}

#[test]
fn a_server_that_is_killed_during_a_run_is_replaced_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("server.pid");
    let asked = AtomicUsize::new(0);
    let endpoint = fake::start({
        let pid_file = pid_file.clone();
        move |seen| {
            // The client asks a second time on a new connection, where a dead server would not answer either.
            let earlier = match seen.query.contains("q4") {
                true => asked.fetch_add(1, Ordering::Relaxed),
                false => 2,
            };
            if earlier == 0 {
                let pid = std::fs::read_to_string(&pid_file).unwrap();
                let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
                kill_process(pid, Signal::KILL).unwrap();
            }
            if earlier < 2 {
                return Reaction::SendAndClose(Vec::new());
            }
            match seen.line.starts_with("POST ") {
                true => fake::solutions(&[ONE]),
                false => Reaction::Send(fake::response("404 Not Found", "text/plain", "")),
            }
        }
    });
    let then = format!("echo $$ > $0.pid\n{ENDS_WELL}");
    let service = service(&folder, endpoint.addresses[0].port(), &then);
    let outcome = replay(Plan {
        loads: vec![Load::closed(1)],
        rounds: 2,
        ..plan(vec![("a", service)])
    });
    let breakdowns: Vec<_> = outcome
        .runs
        .iter()
        .map(|run| run.breakdowns.len())
        .collect();
    assert_eq!(breakdowns, [1, 0]);
    assert!(outcome.runs[0].breakdowns[0].contains("signal: 9"));
    assert_eq!(outcome.runs[0].server.cpu_s, None);
    // One request was lost; it counts twice and ten times the time-out, and all others came.
    let failures = outcome.failures();
    assert_eq!((failures.len(), failures[0].count), (1, 1), "{failures:?}");
    assert_eq!(outcome.runs[0].requests.len(), 6);
    let penalised = &outcome.penalised()[0];
    let means_s = penalised
        .means_ms
        .map(|(mean_ms, _)| (mean_ms / 1e3).floor());
    assert_eq!(means_s, [7.0, 37.0]);
}
