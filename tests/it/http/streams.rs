//! Long answers and broken ones: streaming, deadlines, clients that leave (cases A34 and A43).

use super::client::{Connection, ask, metric, request, target, wait_until};
use super::fixture::{ENDLESS, ENDLESS_SILENCE, Fixture};
use super::trial;
use crate::endpoint::{Endpoint, Response};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("the first bytes come before the last row", first_bytes),
        trial(
            "an error after the first byte breaks the transfer",
            broken_transfer,
        ),
        trial(
            "an error before the first byte has its status",
            early_deadline,
        ),
        trial(
            "a client that leaves in mid-answer cancels its query",
            leaving_amid,
        ),
        trial(
            "a client that leaves before the answer cancels its query",
            leaving_early,
        ),
        trial(
            "a client that stops reading is dropped at the deadline",
            stalled_client,
        ),
        trial(
            "a full queue is refused with Retry-After, and empties again",
            full_queue,
        ),
        trial(
            "five thousand queries past their deadline leave nothing behind",
            crowd,
        ),
        trial(
            "requests beyond the grace period are cancelled",
            impatient_stop,
        ),
        trial("stopping lets running requests end", graceful_stop),
        trial(
            "a service that never answers keeps no query running",
            stalled_service,
        ),
        trial("a service that fails has its own status", failing_service),
    ]
}

const STREAMED: [&str; 4] = [
    "application/sparql-results+json",
    "application/sparql-results+xml",
    "text/csv",
    "text/tab-separated-values",
];

fn first_bytes() {
    let server = Fixture::start(|settings| settings.query.timeout_ms = 0);
    for accept in STREAMED {
        for coding in ["identity", "gzip"] {
            let mut connection = Connection::open(server.address);
            let headers = [("Accept", accept), ("Accept-Encoding", coding)];
            connection.send("GET", &target(ENDLESS), &headers, None);
            let head = connection.read_head();
            assert_eq!(head.status, 200);
            assert!(
                connection.read_chunk().is_some_and(|c| !c.is_empty()),
                "{accept}"
            );
        }
    }
}

fn broken_transfer() {
    let server = Fixture::start(|settings| settings.query.timeout_ms = 300);
    let construct = ENDLESS.replace(
        "SELECT *",
        "CONSTRUCT { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } WHERE",
    );
    let check = |query: &str, accept: &str| {
        let response = ask(server.address, query, accept);
        assert_eq!(response.status, 200, "{accept}");
        assert!(!response.body.is_empty(), "{accept}");
        assert!(!response.is_whole, "{accept}: a clean end");
    };
    for accept in STREAMED {
        check(ENDLESS, accept);
    }
    // Distinct triples are few, so a server may well be silent; if it speaks, it must not end cleanly.
    let response = ask(server.address, &construct, "application/n-triples");
    assert!(response.status == 504 || !response.is_whole);
}

fn early_deadline() {
    let server = Fixture::start(|settings| settings.query.timeout_ms = 100);
    let response = ask(server.address, ENDLESS_SILENCE, "*/*");
    assert_eq!(response.status, 504, "{}", response.text());
    assert_eq!(response.json()["kind"], "deadline");
    is_quiet(&server);
}

/// Nothing runs and nothing waits.
fn is_quiet(server: &Fixture) {
    wait_until("no query runs", || {
        metric(server.address, "kaluta_queries_running") == 0
            && metric(server.address, "kaluta_queries_queued") == 0
    });
    assert_eq!(ask(server.address, "ASK {}", "text/csv").text(), "true");
}

/// Case A43 with another service that never finishes its answer: the deadline ends the query, and so does a client that
/// leaves.
fn stalled_service() {
    let far = Endpoint::start(|_| Response::Stalled);
    let query = format!("SELECT * {{ SERVICE <{}> {{ ?s ?p ?o }} }}", far.url());
    let server = |timeout_ms: u64| {
        Fixture::start(|settings| {
            settings.query.timeout_ms = timeout_ms;
            settings.service.timeout_ms = 0;
            settings.service.allow = vec![far.url()];
        })
    };
    let deadline = server(100);
    let response = ask(deadline.address, &query, "*/*");
    assert_eq!(response.status, 504, "{}", response.text());
    is_quiet(&deadline);
    let endless = server(0);
    let mut connection = Connection::open(endless.address);
    connection.send("GET", &target(&query), &[], None);
    is_running(&endless, 1);
    drop(connection);
    is_quiet(&endless);
}

/// What another service could not do is a bad gateway; one that may not be asked is forbidden.
fn failing_service() {
    let far = Endpoint::start(|_| Response::Whole(500, "text/plain", b"no cheese".to_vec()));
    let server = Fixture::start(|settings| settings.service.allow = vec![far.url()]);
    for (url, status, word) in [
        (far.url(), 502, "no cheese"),
        ("http://example.org/".to_owned(), 403, "service.allow"),
    ] {
        let query = format!("SELECT * {{ SERVICE <{url}> {{ ?s ?p ?o }} }}");
        let response = ask(server.address, &query, "*/*");
        assert_eq!(response.status, status, "{}", response.text());
        assert!(response.text().contains(word), "{}", response.text());
        assert!(response.text().contains(&url), "{}", response.text());
    }
}

fn is_running(server: &Fixture, count: u64) {
    wait_until("the query runs", || {
        metric(server.address, "kaluta_queries_running") == count
    });
}

fn leaving_amid() {
    let server = Fixture::start(|settings| settings.query.timeout_ms = 0);
    let mut connection = Connection::open(server.address);
    connection.send("GET", &target(ENDLESS), &[("Accept", "text/csv")], None);
    connection.read_head();
    connection.read_chunk().unwrap();
    is_running(&server, 1);
    drop(connection);
    is_quiet(&server);
}

fn leaving_early() {
    let server = Fixture::start(|settings| settings.query.timeout_ms = 0);
    let mut connection = Connection::open(server.address);
    connection.send("GET", &target(ENDLESS_SILENCE), &[], None);
    is_running(&server, 1);
    drop(connection);
    is_quiet(&server);
}

fn stalled_client() {
    let server = Fixture::start(|settings| settings.query.timeout_ms = 300);
    let mut connection = Connection::open(server.address);
    connection.send("GET", &target(ENDLESS), &[("Accept", "text/csv")], None);
    // Nothing is read while the server fills the socket and has to wait.
    is_quiet(&server);
    let response = connection.read(false);
    assert!(!response.is_whole);
}

fn full_queue() {
    let server = Fixture::start(|settings| {
        settings.query.timeout_ms = 0;
        settings.query.threads = 1;
        settings.query.queue_max = 1;
    });
    let silent = || {
        let mut connection = Connection::open(server.address);
        connection.send("GET", &target(ENDLESS_SILENCE), &[], None);
        connection
    };
    let running = silent();
    is_running(&server, 1);
    let waiting = silent();
    wait_until("a query waits", || {
        metric(server.address, "kaluta_queries_queued") == 1
    });
    let refused = ask(server.address, "ASK {}", "*/*");
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").parse::<u32>().is_ok());
    assert_eq!(refused.json()["kind"], "busy");
    assert_eq!(
        request(server.address, "GET", "/health", &[], None).status,
        200
    );
    drop((running, waiting));
    is_quiet(&server);
}

fn graceful_stop() {
    let mut server = Fixture::start(|settings| {
        settings.query.timeout_ms = 500;
        settings.http.shutdown_grace_ms = 20_000;
    });
    let mut connection = Connection::open(server.address);
    connection.send("GET", &target(ENDLESS_SILENCE), &[], None);
    is_running(&server, 1);
    server.stop();
    assert_eq!(connection.read(false).status, 504);
}

fn crowd() {
    let server = Fixture::start(|settings| settings.query.timeout_ms = 300);
    let mut crowd: Vec<_> = (0..250).map(|_| Connection::open(server.address)).collect();
    // Five thousand queries in all, whose time is over before most of them have a thread.
    for _ in 0..20 {
        for connection in &mut crowd {
            connection.send("GET", &target(ENDLESS_SILENCE), &[], None);
        }
        for connection in &mut crowd {
            assert_eq!(connection.read(false).status, 504);
        }
    }
    is_quiet(&server);
    assert_eq!(ask(server.address, "ASK {}", "text/csv").status, 200);
}

fn impatient_stop() {
    let mut server = Fixture::start(|settings| {
        settings.query.timeout_ms = 0;
        settings.http.shutdown_grace_ms = 50;
    });
    let mut connection = Connection::open(server.address);
    connection.send("GET", &target(ENDLESS_SILENCE), &[], None);
    is_running(&server, 1);
    server.stop();
    assert!(connection.is_closed());
}
