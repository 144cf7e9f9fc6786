//! The harness against servers whose behaviour is known.

mod acceptance;
mod compare;
mod fake;
#[cfg(unix)]
mod own_servers;
mod simulated;

use super::answers::Answers;
use super::failure::FailureClass;
use super::pace::Load;
use super::report::Report;
use super::run::Service;
use super::state::State;
use super::workload::Workload;
use super::{Outcome, Plan, Subject, Target};
use fake::{Reaction, Seen};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const ONE: &str = r#"{"type":"literal","value":"1"}"#;
const TWO: &str = r#"{"type":"literal","value":"2"}"#;
const INTEGER: &str =
    r#"{"type":"literal","value":"1","datatype":"http://www.w3.org/2001/XMLSchema#integer"}"#;
const DECIMAL: &str =
    r#"{"type":"literal","value":"1","datatype":"http://www.w3.org/2001/XMLSchema#decimal"}"#;

/// Six queries, of which two are warm; each names itself in its text.
fn workload() -> Workload {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=6 {
        let text = format!("SELECT ?a {{ ?a ?p \"q{number}\" }}");
        std::fs::write(folder.path().join(format!("q{number}.rq")), text).unwrap();
    }
    Workload::read(folder.path(), 2).unwrap()
}

fn plan(targets: Vec<(&str, Service)>) -> Plan {
    Plan {
        workload: workload(),
        updates: None,
        state: State::default(),
        subject: Subject::Servers,
        targets: (targets.into_iter())
            .map(|(name, service)| Target {
                name: name.to_owned(),
                service,
                updates: None,
            })
            .collect(),
        loads: [1, 2].map(Load::closed).into(),
        duration: None,
        rounds: 2,
        seed: 1,
        timeout: Duration::from_secs(30),
    }
}

/// A server that answers queries as it is told, and has no metrics.
fn foreign(react: impl Fn(&Seen) -> Reaction + Send + Sync + 'static) -> Service {
    let endpoint = fake::start(move |seen| match seen.line.starts_with("POST ") {
        true => react(seen),
        false => Reaction::Send(fake::response("404 Not Found", "text/plain", "")),
    });
    Service::Foreign(endpoint, None)
}

fn replay(plan: Plan) -> Outcome {
    let answers = Answers::default();
    plan.replay(|plan, slot| plan.run(slot, &answers)).unwrap()
}

/// Replays against a good server and one that reacts in its own way to the fourth query.
fn against_good(react: impl Fn() -> Reaction + Send + Sync + 'static, timeout_ms: u64) -> Outcome {
    let good = foreign(|_| fake::solutions(&[ONE, TWO]));
    let other = foreign(move |seen| match seen.query.contains("q4") {
        true => react(),
        false => fake::solutions(&[TWO, ONE]),
    });
    replay(Plan {
        loads: [1].map(Load::closed).into(),
        rounds: 1,
        timeout: Duration::from_millis(timeout_ms),
        ..plan(vec![("good", good), ("other", other)])
    })
}

fn check_difference(react: impl Fn() -> Reaction + Send + Sync + 'static, wanted: &str) {
    let outcome = against_good(react, 30_000);
    let found: Vec<_> = (outcome.differences().iter())
        .map(|difference| format!("{} {:?}", difference.query, difference.class))
        .collect();
    assert_eq!(found.join(", "), wanted);
    assert_eq!(outcome.is_clean(), wanted.is_empty());
}

#[test]
fn the_order_of_rows_is_no_difference() {
    check_difference(|| fake::solutions(&[TWO, ONE]), "");
}

#[test]
fn a_dropped_row_is_found() {
    check_difference(|| fake::solutions(&[ONE]), "3 RowCount");
}

#[test]
fn a_doubled_row_in_place_of_another_is_found() {
    check_difference(|| fake::solutions(&[ONE, ONE]), "3 Terms");
}

#[test]
fn a_changed_datatype_is_found() {
    check_difference(|| fake::solutions(&[INTEGER, TWO]), "3 Terms");
    let react = |term| foreign(move |_| fake::solutions(&[term]));
    let outcome = replay(plan(vec![("a", react(INTEGER)), ("b", react(DECIMAL))]));
    assert_eq!(outcome.differences().len(), 6);
}

#[test]
fn what_a_query_leaves_open_is_told_and_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let text = "SELECT ?a { ?a ?p ?o } LIMIT 1";
    std::fs::write(folder.path().join("q1.rq"), text).unwrap();
    let of = |terms: &'static [&str]| foreign(move |_| fake::solutions(terms));
    let against = |terms| {
        replay(Plan {
            workload: Workload::read(folder.path(), 0).unwrap(),
            ..plan(vec![("a", of(&[ONE])), ("b", of(terms))])
        })
    };
    let outcome = against(&[TWO]);
    let text = Report::new(&outcome).to_string();
    assert!(
        text.contains("q1: terms differ, which the query leaves open"),
        "{text}"
    );
    assert!(outcome.is_clean());
    assert_eq!(outcome.pairs(0, 1, None)[0].0.latencies_ms.len(), 1);
    assert!(!against(&[ONE, TWO]).is_clean());
}

#[test]
fn labels_of_blank_nodes_are_no_difference() {
    let next = AtomicUsize::new(0);
    let react = foreign(move |_| {
        let label = next.fetch_add(1, Ordering::Relaxed);
        fake::solutions(&[&format!(r#"{{"type":"bnode","value":"b{label}"}}"#)])
    });
    assert!(replay(plan(vec![("a", react)])).is_clean());
}

#[test]
fn an_answer_that_changes_from_run_to_run_is_found() {
    let served = AtomicUsize::new(0);
    let react = foreign(move |_| match served.fetch_add(1, Ordering::Relaxed) {
        ..6 => fake::solutions(&[ONE]),
        _ => fake::solutions(&[TWO]),
    });
    assert_eq!(replay(plan(vec![("a", react)])).differences().len(), 6);
}

fn check_failure(
    react: impl Fn() -> Reaction + Send + Sync + 'static,
    timeout_ms: u64,
    class: FailureClass,
    detail: &str,
) {
    let outcome = against_good(react, timeout_ms);
    let failures = outcome.failures();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(
        (failures[0].class, failures[0].query, failures[0].target),
        (class, 3, 1)
    );
    assert!(
        failures[0].detail.contains(detail),
        "{}",
        failures[0].detail
    );
    assert!(outcome.differences().is_empty());
    assert!(!outcome.is_clean());
    let text = Report::new(&outcome).to_string();
    assert!(text.contains("other *"), "{text}");
    assert!(
        text.contains(&format!("q4: other {}", class.name())),
        "{text}"
    );
}

const CHUNKED: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/sparql-results+json\r\n\
    transfer-encoding: chunked\r\n\r\n";

fn chunk(text: &str) -> Vec<u8> {
    format!("{CHUNKED}{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

#[test]
fn a_whole_chunked_answer_without_its_last_chunk_is_truncated() {
    let react = || Reaction::SendAndClose(chunk(&fake::results(&[ONE, TWO])));
    check_failure(react, 30_000, FailureClass::Truncated, "");
}

#[test]
fn a_clean_end_of_a_json_text_that_does_not_close_is_malformed() {
    let mut bytes = chunk(&fake::results(&[ONE, TWO])[..60]);
    bytes.extend_from_slice(b"0\r\n\r\n");
    let react = move || Reaction::Send(bytes.clone());
    check_failure(react, 30_000, FailureClass::Malformed, "");
}

#[test]
fn a_body_shorter_than_its_length_is_truncated() {
    let mut bytes = fake::response(
        "200 OK",
        "application/sparql-results+json",
        &fake::results(&[ONE]),
    );
    bytes.pop();
    let react = move || Reaction::SendAndClose(bytes.clone());
    check_failure(react, 30_000, FailureClass::Truncated, "");
}

#[test]
fn a_stall_before_the_head_is_a_timeout() {
    check_failure(
        || Reaction::Stall(Vec::new()),
        300,
        FailureClass::Timeout,
        "0.3 s",
    );
}

#[test]
fn a_stall_within_the_body_is_a_timeout() {
    let react = || Reaction::Stall(chunk(&fake::results(&[ONE, TWO])));
    check_failure(react, 300, FailureClass::Timeout, "0.3 s");
}

#[test]
fn an_error_status_is_a_failure_with_the_words_of_the_server() {
    let react = || Reaction::Send(fake::response("500 Oh", "text/plain", "out of\nmemory"));
    check_failure(react, 30_000, FailureClass::Status, "500 out of memory");
}

#[test]
fn a_connection_closed_in_place_of_an_answer_is_a_failure() {
    let react = || Reaction::SendAndClose(Vec::new());
    check_failure(react, 30_000, FailureClass::Connection, "");
}

#[test]
fn a_server_that_closes_after_each_answer_fails_nothing() {
    let bytes = fake::response(
        "200 OK",
        "application/sparql-results+json",
        &fake::results(&[ONE]),
    );
    let react = foreign(move |_| Reaction::SendAndClose(bytes.clone()));
    assert!(replay(plan(vec![("a", react)])).is_clean());
}

#[test]
fn a_request_that_had_to_be_sent_twice_is_told() {
    let served = AtomicUsize::new(0);
    let react = foreign(move |_| match served.fetch_add(1, Ordering::Relaxed) {
        3 => Reaction::SendAndClose(Vec::new()),
        _ => fake::solutions(&[ONE]),
    });
    let outcome = replay(Plan {
        loads: [1].map(Load::closed).into(),
        rounds: 1,
        ..plan(vec![("a", react)])
    });
    assert!(outcome.is_clean());
    let resent = |request: &&super::run::Request| request.timing.resent;
    let queries: Vec<_> = outcome.runs[0]
        .timed()
        .filter(resent)
        .map(|r| r.timing.query)
        .collect();
    assert_eq!(queries, [3]);
    let text = Report::new(&outcome).to_string();
    assert!(text.contains("1 requests were sent twice"), "{text}");
}

#[tokio::test]
async fn an_update_is_never_sent_twice() {
    use super::client::Client;
    use super::world::RealWorld;
    let sent = AtomicUsize::new(0);
    let (endpoint, seen) =
        fake::start_watched(move |_| match sent.fetch_add(1, Ordering::Relaxed) {
            0 => Reaction::Send(fake::response("204 No Content", "text/plain", "")),
            _ => Reaction::SendAndClose(Vec::new()),
        });
    let mut client = Client::new(RealWorld, endpoint, Duration::from_secs(30));
    let update = "update=CLEAR+ALL".into();
    assert!(client.post_update(&update).await.failure.is_none());
    let exchange = client.post_update(&update).await;
    assert_eq!(
        exchange.failure.map(|f| f.class),
        Some(FailureClass::Connection)
    );
    assert!(!exchange.head.resent);
    assert_eq!(seen.try_iter().count(), 2);
}

#[test]
fn nobody_listening_fails_every_request() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let service = Service::Foreign(super::endpoint::Endpoint::parse(&url).unwrap(), None);
    let outcome = replay(plan(vec![("a", service)]));
    let failures = outcome.failures();
    assert_eq!(failures.len(), 6);
    assert!(
        failures
            .iter()
            .all(|f| f.class == FailureClass::Connection && f.count == 4)
    );
}

#[test]
fn every_query_is_sent_once_a_run_the_warm_ones_first() {
    let (endpoint, seen) = fake::start_watched(|_| fake::solutions(&[ONE]));
    let outcome = replay(Plan {
        loads: [3].map(Load::closed).into(),
        rounds: 2,
        ..plan(vec![("a", Service::Foreign(endpoint, None))])
    });
    let sent: Vec<_> = seen
        .try_iter()
        .filter(|seen| seen.line.starts_with("POST"))
        .collect();
    for run in sent.chunks(6) {
        let mut names: Vec<_> = run.iter().map(|seen| &seen.query[19..21]).collect();
        names[..2].sort_unstable();
        names[2..].sort_unstable();
        assert_eq!(names, ["q1", "q2", "q3", "q4", "q5", "q6"]);
    }
    assert_eq!(sent.len(), 12);
    assert_eq!(sent[0].line, "POST /query?x=y HTTP/1.1");
    assert!(
        sent[0]
            .head
            .contains("accept: application/sparql-results+json\r\n")
    );
    assert!(
        sent[0]
            .head
            .contains("content-type: application/x-www-form-urlencoded\r\n")
    );
    for run in &outcome.runs {
        assert_eq!(run.server_name.as_deref(), Some("fake"));
        assert_eq!(run.requests.len(), 6);
        assert_eq!(run.timed().count(), 4);
        let end_of_warm = run.requests[..2].iter().map(|r| r.timing.last_byte).max();
        assert!(run.timed().all(|r| Some(r.timing.start) >= end_of_warm));
    }
}

#[test]
fn a_recorded_method_and_accept_header_are_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recorded.jsonl");
    let lines = [
        r#"{"query":"SELECT ?a { ?a ?p 1 }","method":"GET","accept":"text/tab-separated-values"}"#,
        r#"{"query":"SELECT ?a { ?a ?p 1 }","method":"POST","accept":"text/csv"}"#,
    ];
    std::fs::write(&path, lines.join("\n")).unwrap();
    let (endpoint, seen) = fake::start_watched(|seen| {
        let (media_type, body) = match seen.line.starts_with("GET ") {
            true => ("text/tab-separated-values", "?a\n1\n"),
            false => ("text/csv", "a\n1\n"),
        };
        Reaction::Send(fake::response("200 OK", media_type, body))
    });
    let outcome = replay(Plan {
        workload: Workload::read(&path, 0).unwrap(),
        loads: [1].map(Load::closed).into(),
        rounds: 1,
        ..plan(vec![("a", Service::Foreign(endpoint, None))])
    });
    assert!(outcome.is_clean());
    assert_eq!(outcome.unread(), 1);
    let rows: Vec<_> = (outcome.runs[0].requests.iter())
        .map(|request| request.outcome.as_ref().unwrap().rows)
        .collect();
    assert_eq!(rows, [1, 0]);
    let queries: Vec<_> = seen
        .try_iter()
        .filter(|seen| !seen.line.contains("metrics"))
        .collect();
    let query = "SELECT+%3Fa+%7B+%3Fa+%3Fp+1+%7D";
    let line = format!("GET /query?x=y&query={query} HTTP/1.1");
    assert_eq!(queries[0].line, line);
    assert!(
        queries[0]
            .head
            .contains("accept: text/tab-separated-values\r\n")
    );
    assert!(
        queries[1].line.starts_with("POST ") && queries[1].head.contains("accept: text/csv\r\n")
    );
    let text = Report::new(&outcome).to_string();
    assert!(
        text.contains("1 answers came in formats that are not read"),
        "{text}"
    );
}

#[test]
fn threads_send_side_by_side() {
    let barrier = std::sync::Barrier::new(2);
    let react = foreign(move |_| {
        // With one thread after the other, the first would wait here for ever.
        barrier.wait();
        fake::solutions(&[ONE])
    });
    let outcome = replay(Plan {
        loads: [2].map(Load::closed).into(),
        ..plan(vec![("a", react)])
    });
    assert!(outcome.is_clean());
}

#[test]
fn latencies_are_those_of_the_server() {
    let react = |delay_ms: u64| {
        foreign(move |seen| {
            let is_slow = seen.query.contains("q5");
            // The other queries take so long that noise cannot make them the worst.
            std::thread::sleep(Duration::from_millis(if is_slow { delay_ms } else { 5 }));
            fake::solutions(&[ONE])
        })
    };
    let outcome = replay(plan(vec![("quick", react(10)), ("slow", react(400))]));
    let of_q5 = |target: usize| outcome.medians_ms()[2].by_target[target].unwrap();
    assert!(of_q5(0) >= 10.0);
    assert!(of_q5(1) >= 400.0);
    let text = Report::new(&outcome).to_string();
    assert!(text.starts_with("endpoint  threads"), "{text}");
    let slowest = text
        .split("slowest queries")
        .nth(1)
        .unwrap()
        .lines()
        .nth(2)
        .unwrap();
    assert!(slowest.starts_with("q5"), "{text}");
    let worst = text
        .split("slow to the fastest")
        .nth(1)
        .unwrap()
        .lines()
        .nth(2)
        .unwrap();
    assert!(worst.starts_with("q5"), "{text}");
}

#[test]
fn every_measurement_is_written() {
    let react = |seen: &Seen| match seen.query.contains("q6") {
        true => Reaction::Send(fake::response("400 Bad", "text/plain", "no")),
        false => fake::solutions(&[ONE]),
    };
    let outcome = replay(plan(vec![("a", foreign(react)), ("b", foreign(react))]));
    let mut written = Vec::new();
    outcome.write_json(&mut written).unwrap();
    let records: Vec<serde_json::Value> = (String::from_utf8(written).unwrap().lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut counts = BTreeMap::<_, usize>::new();
    for record in &records {
        *counts
            .entry(record["record"].as_str().unwrap())
            .or_default() += 1;
    }
    let runs = 2 * 2 * 2;
    assert_eq!(
        counts,
        [("replay", 1), ("request", runs * 6), ("run", runs)].into()
    );
    assert_eq!(records[0]["queries"][1]["name"], "q2");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("measurements.jsonl");
    outcome
        .write_json(&mut std::fs::File::create(&path).unwrap())
        .unwrap();
    let read = super::recorded::Recorded::read(&path).unwrap();
    assert_eq!(
        (&*read.targets, read.failed("b")),
        (&["a".to_owned(), "b".to_owned()][..], 4)
    );
    let requests = || {
        records
            .iter()
            .filter(|record| record["record"] == "request")
    };
    for request in requests() {
        let moment = |name: &str| request[name].as_f64().unwrap();
        assert!(moment("intended_start_us") <= moment("start_us"));
        assert!(moment("start_us") <= moment("first_byte_us"));
        assert!(moment("first_byte_us") <= moment("last_byte_us"));
        let names = [
            "endpoint", "round", "seed", "phase", "query", "status", "bytes", "rows", "checksum",
        ];
        assert!(names.iter().all(|name| request.get(name).is_some()));
        let is_failed = request["query"] == "q6";
        assert_eq!(
            request["failure"]["class"] == "status",
            is_failed,
            "{request}"
        );
        assert_eq!(request["rows"] == 1, !is_failed, "{request}");
        assert_eq!(
            request["checksum"].as_str().is_some_and(|c| c.len() == 16),
            !is_failed
        );
    }
}

#[test]
fn rows_against_the_order_of_the_query_are_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=2 {
        let text = format!("SELECT ?a {{ ?a ?p \"q{number}\" }} ORDER BY ?a");
        std::fs::write(folder.path().join(format!("q{number}.rq")), text).unwrap();
    }
    let replay = |rows: &'static [&str]| {
        let react = foreign(move |_| fake::solutions(rows));
        replay(Plan {
            workload: Workload::read(folder.path(), 1).unwrap(),
            ..plan(vec![("a", react)])
        })
    };
    assert!(replay(&[ONE, TWO]).is_clean());
    let failures = replay(&[TWO, ONE]).failures();
    assert!(failures.iter().all(|f| f.class == FailureClass::Order) && failures.len() == 2);
}

#[test]
fn a_large_answer_is_checked_without_being_kept() {
    let rows = vec![ONE; 400_000];
    let body = fake::response(
        "200 OK",
        "application/sparql-results+json",
        &fake::results(&rows),
    );
    let react = foreign(move |_| Reaction::Send(body.clone()));
    let outcome = replay(Plan {
        workload: Workload::read(small_folder().path(), 0).unwrap(),
        loads: [1].map(Load::closed).into(),
        rounds: 1,
        ..plan(vec![("a", react)])
    });
    let request = &outcome.runs[0].requests[0];
    assert!(request.timing.bytes > super::intake::KEPT_BYTES_MAX as u64);
    assert_eq!(request.outcome.as_ref().unwrap().rows, 400_000);
}

fn small_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("q.rq"), "SELECT * { ?s ?p ?o }").unwrap();
    folder
}
