//! What failures of an endpoint become: errors that name it, one empty solution where they are silent, and never a wait
//! beyond the limits of the query.

use super::{count, failure, request, solutions, store};
use crate::endpoint::{Bound, Endpoint, JSON, Response, XML};
use kaluta::diagnostics::ErrorKind;
use kaluta::engine::QueryControl;
use std::time::{Duration, Instant};

/// Endpoints that fail, each in its way, and a word of what is told.
fn failing() -> Vec<(Endpoint, &'static str)> {
    let whole = |status, media_type, body: &'static str| {
        Endpoint::start(move |_| Response::Whole(status, media_type, body.into()))
    };
    vec![
        (
            whole(500, "text/plain", "out of\n cheese"),
            "500 Internal Server Error: out of cheese",
        ),
        (whole(404, "text/html", ""), "404"),
        (whole(303, "text/html", ""), "303"),
        (whole(200, "text/html", "<html>"), "text/html"),
        (whole(200, "text/csv", "s\r\n"), "text/csv"),
        (whole(200, JSON, "{\"head\":"), "damaged"),
        (whole(200, XML, "<sparql"), "damaged"),
        (
            whole(200, JSON, "{\"head\":{},\"boolean\":true}"),
            "boolean",
        ),
        (Endpoint::start(|_| Response::BrokenOff), "breaks off"),
    ]
}

pub(super) fn failures_name_the_endpoint() {
    for (far, words) in failing() {
        let near = store(":a :p 1 .", &[&far], |_| {});
        for pattern in ["SERVICE S { ?s :q ?n }", "?s :p ?n SERVICE S { ?s :q ?m }"] {
            let pattern = pattern.replace("SERVICE S", &format!("SERVICE <{}>", far.url()));
            let error = failure(&near, &format!("SELECT * {{ {pattern} }}"));
            assert_eq!(
                (error.kind(), error.kind().status()),
                (ErrorKind::Service, 502),
                "{error}"
            );
            let text = error.to_string();
            for word in [words, &far.url(), "SERVICE SILENT"] {
                assert!(text.contains(word), "{word} is missing in: {text}");
            }
        }
    }
    // Nobody listens on the port of an endpoint that is gone.
    let bound = Bound::new();
    let url = bound.url();
    drop(bound);
    let near = store("", &[], |s| s.allow = vec![url.clone()]);
    let error = failure(
        &near,
        &format!("SELECT * {{ SERVICE <{url}> {{ ?s :q ?n }} }}"),
    );
    assert_eq!(error.kind(), ErrorKind::Service, "{error}");
    assert!(
        error.to_string().contains("connecting to 127.0.0.1"),
        "{error}"
    );
}

pub(super) fn silent_failures_are_one_empty_solution() {
    let data = "_:y :p 1 . :a :p 2 . :b :p 3 .";
    for (far, _) in failing() {
        let near = store(data, &[&far], |s| s.bindings_max = 1);
        for (pattern, rows) in [
            ("SERVICE S { ?s :q ?n }", 1),
            ("?s :p ?n SERVICE S { ?s :q ?m }", 3),
            ("?s :p ?n OPTIONAL { SERVICE S { ?s :q ?m } }", 3),
            ("?s :p ?n MINUS { SERVICE S { ?s :q ?m } }", 3),
            ("?s :p ?n FILTER EXISTS { SERVICE S { ?s :q ?m } }", 3),
            ("?s :p ?n { SERVICE S { ?s :q ?m } FILTER(BOUND(?s)) }", 0),
            (
                "?s :p ?n OPTIONAL { SERVICE S { ?s :q ?m } FILTER(BOUND(?m)) }",
                3,
            ),
            (
                "?s :p ?n OPTIONAL { SERVICE S { ?s :q ?m } BIND(1 AS ?k) } FILTER(?k = 1)",
                3,
            ),
            ("BIND(<S> AS ?e) ?s :p ?n SERVICE SILENT ?e { ?s :q ?m }", 3),
        ] {
            let before = far.queries().len();
            let silent = format!("SERVICE SILENT <{}>", far.url());
            let pattern = pattern.replace("SERVICE S ", &format!("{silent} "));
            let pattern = pattern.replace("<S>", &format!("<{}>", far.url()));
            assert_eq!(
                count(&near, &format!("SELECT * {{ {pattern} }}")),
                rows,
                "{pattern}"
            );
            assert_eq!(
                far.queries().len() - before,
                1,
                "what failed is not tried again: {pattern}"
            );
        }
    }
    // A failure after some solutions: they are forgotten.
    let number = std::sync::atomic::AtomicUsize::new(0);
    let far = Endpoint::start(move |_| {
        match number.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0 => Response::Whole(200, JSON, br#"{"head":{"vars":["s","m"]},"results":{"bindings":[{"s":{"type":"uri","value":"http://e/a"},"m":{"type":"uri","value":"http://e/m"}}]}}"#.to_vec()),
            _ => Response::Whole(500, "text/plain", Vec::new()),
        }
    });
    let near = store(data, &[&far], |s| s.bindings_max = 1);
    let query = format!(
        "SELECT ?m {{ ?s :p ?n SERVICE SILENT <{}> {{ ?s :q ?m }} }}",
        far.url()
    );
    let answer = solutions(&near, &query);
    assert_eq!(answer.rows(), vec![vec![None]; 3]);
    assert_eq!(far.queries().len(), 2);
}

pub(super) fn silent_does_not_hide_the_limits_of_the_query() {
    let far = Endpoint::start(|_| Response::Whole(200, JSON, vec![b' '; 4 << 20]));
    let near = store("", &[&far], |_| {});
    let query = request(&format!(
        "SELECT * {{ SERVICE SILENT <{}> {{ ?s :q ?n }} }}",
        far.url()
    ));
    let error = near
        .answer(&query, &QueryControl::new(None, Some(1 << 20)))
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::MemoryLimit, "{error}");
}

/// Case A43: an endpoint that never finishes its answer keeps nobody waiting.
pub(super) fn a_stalled_endpoint_ends_with_the_deadline() {
    let far = Endpoint::start(|_| Response::Stalled);
    let query = |silent: &str| {
        request(&format!(
            "SELECT * {{ SERVICE {silent} <{}> {{ ?s :q ?n }} }}",
            far.url()
        ))
    };
    let near = store("", &[&far], |s| s.timeout_ms = 0);
    for silent in ["", "SILENT"] {
        let start = Instant::now();
        let control = QueryControl::new(Some(Duration::from_millis(100)), None);
        let error = near.answer(&query(silent), &control).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Deadline, "{error}");
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "it went on for {:?}",
            start.elapsed()
        );
    }
    // Somebody cancels the query while it waits.
    let control = QueryControl::new(None, None);
    let error = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| near.answer(&query(""), &control).err().unwrap());
        while far.queries().len() < 3 {
            std::thread::yield_now();
        }
        control.cancel();
        waiting.join().unwrap()
    });
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    // The service's own limit is a failure of the service.
    let near = store("", &[&far], |s| s.timeout_ms = 50);
    let error = near
        .answer(&query(""), &QueryControl::new(None, None))
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Service, "{error}");
    assert!(error.to_string().contains("service.timeout_ms"), "{error}");
    let answer = near
        .answer(&query("SILENT"), &QueryControl::new(None, None))
        .unwrap();
    assert_eq!(answer.rows().len(), 1);
}
