//! What errors cost and what the log tells, by the capture counter and the log of a server in a process of its own
//! (the counter and the log levels belong to the whole process).

use super::client::{ask, metric, request, wait_until};
use super::program::{Served, store_with};
use super::trial;
use kaluta::diagnostics::logging::{LogFormat, subscriber};
use kaluta::diagnostics::{Error, ErrorKind, Result, TextPosition, backtraces};
use libtest_mimic::Trial;
use std::fmt::Write;
use std::net::SocketAddr;

pub fn trials() -> Vec<Trial> {
    vec![
        trial(
            "nothing is captured for errors that are not printed",
            silent_levels,
        ),
        trial(
            "a raised level logs the same errors with their backtraces",
            raised_level,
        ),
        trial("always and never do what they say", policies),
        trial(
            "an error passed through conversions has one capture",
            conversions,
        ),
        trial(
            "equal expression errors are counted in one closing line",
            expression_errors,
        ),
    ]
}

const SYNTAX_ERROR: &str = "SELECT * { ?s ?p }";

/// A number and a text in turn, so that adding one to each raises an error for every second of them.
const ROWS: usize = 300;
const SUMS: &str = "SELECT (COUNT(?sum) AS ?n) { ?a <http://e/p> ?x . ?b <http://e/p> ?y . BIND(?x + ?y AS ?sum) }";

fn dirty_data() -> String {
    let mut text = String::new();
    for i in 0..ROWS {
        let datatype = if i % 2 == 0 {
            "^^<http://www.w3.org/2001/XMLSchema#integer>"
        } else {
            ""
        };
        writeln!(text, "<http://e/s{i}> <http://e/p> \"{i}\"{datatype} .").unwrap();
    }
    text
}

fn captured(address: SocketAddr) -> u64 {
    metric(address, "kaluta_backtraces_captured_total")
}

fn raised(address: SocketAddr) -> u64 {
    metric(address, "kaluta_expression_errors_total")
}

/// Every sort of error that a client can cause.
fn provoke(address: SocketAddr) {
    assert_eq!(ask(address, SYNTAX_ERROR, "*/*").status, 400);
    assert_eq!(ask(address, "ASK {}", "image/png").status, 406);
    assert_eq!(request(address, "GET", "/nowhere", &[], None).status, 404);
    let sums = ask(address, SUMS, "text/csv");
    let even = ROWS.div_ceil(2);
    assert_eq!(sums.text().trim(), format!("n\r\n{}", even * even));
}

fn silent_levels() {
    let folder = store_with(&dirty_data());
    let served = Served::start(
        &folder.path().join("store"),
        &["--log", "error", "--timeout-s", "1"],
    );
    provoke(served.address);
    let late = ask(served.address, super::fixture::ENDLESS_SILENCE, "*/*");
    assert_eq!(late.status, 504);
    assert!(raised(served.address) >= (ROWS * ROWS / 2) as u64);
    assert_eq!(captured(served.address), 0);
    let (_, errors) = served.stop("TERM");
    assert!(!errors.contains("kaluta::error"), "{errors}");
}

fn raised_level() {
    let folder = store_with(&dirty_data());
    let served = Served::start(&folder.path().join("store"), &[]);
    provoke(served.address);
    assert_eq!(captured(served.address), 0);
    let put = request(served.address, "PUT", "/admin/log", &[], Some(" \n"));
    assert_eq!(put.status, 400);
    assert!(
        put.text().contains("warn,kaluta::error=debug"),
        "{}",
        put.text()
    );
    let put = request(
        served.address,
        "PUT",
        "/admin/log",
        &[],
        Some("info,kaluta::error=debug"),
    );
    assert_eq!(put.status, 200);
    let problem = ask(served.address, SYNTAX_ERROR, "*/*");
    assert_eq!(captured(served.address), 1);
    let id = problem.header("x-request-id").to_owned();
    wait_until("the record is written", || served.errors().contains(&id));
    let put = request(served.address, "PUT", "/admin/log", &[], Some("info"));
    assert_eq!(put.status, 200);
    provoke(served.address);
    assert_eq!(captured(served.address), 1);
    let (_, errors) = served.stop("TERM");
    let record = errors
        .lines()
        .position(|l| l.contains("DEBUG kaluta::error:"))
        .expect("a record");
    let record: Vec<_> = errors.lines().skip(record).collect();
    assert!(
        record[0].contains(problem.header("x-request-id")),
        "{}",
        record[0]
    );
    let frames = record
        .iter()
        .skip(1)
        .take_while(|l| l.starts_with("      at "));
    assert!(
        frames.clone().any(|l| l.contains("parse_query")),
        "{errors}"
    );
    assert_eq!(errors.matches("kind=\"syntax\"").count(), 1, "{errors}");
}

fn policies() {
    let folder = store_with(&dirty_data());
    let store = folder.path().join("store");
    let served = Served::start(&store, &["--backtrace", "always", "--log", "error"]);
    provoke(served.address);
    assert!(captured(served.address) >= raised(served.address) + 3);
    assert!(raised(served.address) > 0);
    drop(served);
    let served = Served::start(&store, &["--backtrace", "never", "--log", "debug"]);
    provoke(served.address);
    assert_eq!(captured(served.address), 0);
    let (_, errors) = served.stop("TERM");
    assert!(
        errors.contains("kind=\"syntax\"") && !errors.contains("      at "),
        "{errors}"
    );
}

fn expression_errors() {
    let folder = store_with(&dirty_data());
    let served = Served::start(
        &folder.path().join("store"),
        &["--log", "info,kaluta::expr=trace"],
    );
    provoke(served.address);
    let raised = raised(served.address);
    let captured = captured(served.address);
    let (_, errors) = served.stop("TERM");
    let records = errors
        .lines()
        .filter(|l| l.contains("kaluta::expr"))
        .count();
    assert!(
        records > 0 && records < 50,
        "{records} records of {raised} errors"
    );
    assert!(
        captured > 0 && captured < 50,
        "{captured} captured of {raised}"
    );
}

fn conversions() {
    fn fail() -> Result<()> {
        Err(Error::new(ErrorKind::Syntax, "no such thing"))
    }
    let place = TextPosition {
        file: None,
        line: 1,
        column: 1,
        excerpt: String::new(),
    };
    // The directives hold for this thread alone, and no other thread of these tests prints errors.
    let (printing, _) = subscriber("kaluta::error=debug", LogFormat::Text, std::io::sink).unwrap();
    let before = backtraces::captured_total();
    let error = tracing::subscriber::with_default(printing, || {
        let error = fail()
            .map_err(|e| e.context("reading a query"))
            .unwrap_err();
        error.at(place).caused_by(std::io::Error::other("cause"))
    });
    assert!(error.has_backtrace());
    assert_eq!(backtraces::captured_total() - before, 1);
}
