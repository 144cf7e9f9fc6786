//! SERVICE against endpoints of our own: what is asked and how often, what failures become, and what is never contacted.

use crate::compare::{Order, compare};
use crate::endpoint::{Bound, Endpoint, JSON, Response, XML, written};
use crate::kaluta::Kaluta;
use crate::store::{Answer, Document, Request, Row, Store};
use kaluta::diagnostics::{Error, ErrorKind};
use kaluta::engine::QueryControl;
use kaluta::settings::ServiceSettings;
use libtest_mimic::Trial;
use oxrdf::{GraphName, Literal, NamedNode, Term, Variable};
use oxrdfio::RdfFormat;
use sparesults::QueryResultsFormat;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// One trial for each promise.
pub fn trials() -> Vec<Trial> {
    let trials: [(&str, fn()); 15] = [
        ("joins_in_every_way", joins_in_every_way),
        ("bindings_go_in_batches", bindings_go_in_batches),
        (
            "one_request_where_nothing_is_shared",
            one_request_where_nothing_is_shared,
        ),
        ("a_limit_stops_the_requests", a_limit_stops_the_requests),
        ("variable_endpoints", variable_endpoints),
        (
            "an_unbound_endpoint_is_an_error",
            an_unbound_endpoint_is_an_error,
        ),
        ("blank_nodes_stay_here", blank_nodes_stay_here),
        ("both_formats_are_read", both_formats_are_read),
        ("the_text_means_the_pattern", the_text_means_the_pattern),
        ("failures_name_the_endpoint", failures_name_the_endpoint),
        (
            "silent_failures_are_one_empty_solution",
            silent_failures_are_one_empty_solution,
        ),
        (
            "silent_does_not_hide_the_limits_of_the_query",
            silent_does_not_hide_the_limits_of_the_query,
        ),
        (
            "a_stalled_endpoint_ends_with_the_deadline",
            a_stalled_endpoint_ends_with_the_deadline,
        ),
        ("only_the_list_is_contacted", only_the_list_is_contacted),
        (
            "redirects_stay_within_the_list",
            redirects_stay_within_the_list,
        ),
    ];
    let trial = |(name, run): (&str, fn())| {
        Trial::test(format!("federation::{name}"), move || {
            run();
            Ok(())
        })
    };
    trials.into_iter().map(trial).collect()
}

/// A store with data in Turtle that may ask some endpoints.
fn store(
    turtle: &str,
    endpoints: &[&Endpoint],
    change: impl FnOnce(&mut ServiceSettings),
) -> Kaluta {
    let mut settings = ServiceSettings {
        allow: endpoints.iter().map(|e| e.url()).collect(),
        ..ServiceSettings::default()
    };
    change(&mut settings);
    let mut store = Kaluta::open_with(&settings).unwrap();
    store.load(vec![turtle_document(turtle)]).unwrap();
    store
}

fn turtle_document(turtle: &str) -> Document {
    Document {
        bytes: format!("PREFIX : <http://e/> {turtle}").into_bytes(),
        format: RdfFormat::TriG,
        base: None,
        graph: GraphName::DefaultGraph,
    }
}

fn request(query: &str) -> Request {
    Request::new(format!("PREFIX : <http://e/> {query}"))
}

fn solutions(store: &Kaluta, query: &str) -> Answer {
    store
        .query(&request(query))
        .unwrap_or_else(|e| panic!("{e}\n{query}"))
}

fn count(store: &Kaluta, query: &str) -> usize {
    solutions(store, query).rows().len()
}

fn failure(store: &Kaluta, query: &str) -> Error {
    let control = QueryControl::new(Some(Duration::from_secs(60)), None);
    match store.answer(&request(query), &control) {
        Ok(answer) => panic!("{} rows in place of an error: {query}", answer.rows().len()),
        Err(error) => error,
    }
}

/// Subjects `:s0` to `:s(n - 1)`, each with a number.
fn numbered(n: usize, predicate: &str) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        writeln!(text, ":s{i} :{predicate} {i} .").unwrap();
        text
    })
}

/// Every query over two endpoints gives what it gives with all data in one store, its SERVICE clauses taken off.
fn joins_in_every_way() {
    let far_data = ":a :q 1 , 2 . :b :q 3 . :c :r 4 . :d :q 5 ; :r 6 . :a :t :d . _:x :q 7 .";
    let near_data =
        ":a :p :x . :b :p :y , :z . :e :p :x . :c :p :c . :x :l 3 . :y :l 1 . :b :m 3 .";
    let far = Endpoint::with_data(far_data);
    let near = store(near_data, &[&far], |_| {});
    let mut all = Kaluta::open().unwrap();
    all.load(vec![turtle_document(&format!("{far_data} {near_data}"))])
        .unwrap();
    for pattern in [
        "?s :p ?o . SERVICE S { ?s :q ?n }",
        "SERVICE S { ?s :q ?n } ?s :p ?o",
        "SERVICE S { ?s :q ?n }",
        "?s :p ?o OPTIONAL { SERVICE S { ?s :q ?n } }",
        "?s :p ?o OPTIONAL { SERVICE S { ?s :q ?n } FILTER(?n > 1) }",
        "?s :p ?o OPTIONAL { ?s :m ?n } SERVICE S { ?s :q ?n }",
        "?s :p ?o OPTIONAL { ?s :m ?n } OPTIONAL { SERVICE S { ?s :q ?n } }",
        "?s :p ?o MINUS { SERVICE S { ?s :q ?n } }",
        "?s :p ?o FILTER EXISTS { SERVICE S { ?s :q ?n } }",
        "?s :p ?o FILTER NOT EXISTS { SERVICE S { ?s :q ?n } }",
        "{ ?s :p ?o } UNION { SERVICE S { ?s :q ?o } }",
        "?s :p ?o { SELECT ?s (COUNT(?n) AS ?c) { SERVICE S { ?s :q ?n } } GROUP BY ?s }",
        "?s :p ?o SERVICE S { SELECT ?s (MAX(?n) AS ?m) { ?s :q ?n } GROUP BY ?s }",
        "?s :p ?o SERVICE S { SELECT ?s ?n { ?s :q ?n } ORDER BY ?n LIMIT 2 }",
        "?s :p ?o SERVICE S { { ?s :q ?n } UNION { ?s :r ?n } }",
        "?s :p ?o SERVICE S { ?s :q ?n OPTIONAL { ?s :t ?t } }",
        "?s :p ?o SERVICE S { ?s :q ?n FILTER(?n > 1) BIND(?n + 1 AS ?m) }",
        "?s :p ?o SERVICE S { VALUES (?s ?w) { (:a 1) (UNDEF 2) } ?s :q ?n }",
        "?s :p ?o LATERAL { SERVICE S { ?s :q ?n } }",
        "?o :l ?n . SERVICE S { ?s :q ?n }",
        "?s :p ?o . ?o :l ?n . SERVICE S { ?s :q ?n }",
        "?s :p ?o SERVICE S { :a :q 1 }",
        "SERVICE S { ?s :q ?n } FILTER(?n > 2)",
        "?s :p ?o SERVICE S { ?s ?p ?n } FILTER(?p = :q)",
        "SERVICE S { ?s :q ?n } OPTIONAL { ?s :p ?o . ?o :l ?n }",
        "?s :p ?o SERVICE S { ?s (:t/:q)|:q ?n }",
    ] {
        let query =
            |service: &str| format!("SELECT * {{ {} }}", pattern.replace("SERVICE S", service));
        let expected = solutions(&all, &query(""));
        let asked = solutions(&near, &query(&format!("SERVICE <{}>", far.url())));
        compare(&expected, &asked, Order::Free).unwrap_or_else(|e| panic!("{e}\n{pattern}"));
        let silent = solutions(&near, &query(&format!("SERVICE SILENT <{}>", far.url())));
        compare(&expected, &silent, Order::Free)
            .unwrap_or_else(|e| panic!("{e}\nSILENT {pattern}"));
    }
}

fn bindings_go_in_batches() {
    let far = Endpoint::with_data(&numbered(300, "q"));
    let check = |bindings_max: usize, wanted: usize| {
        let near = store(&numbered(250, "p"), &[&far], |s| {
            s.bindings_max = bindings_max
        });
        let before = far.queries().len();
        let query = format!(
            "SELECT * {{ ?s :p ?n . SERVICE <{}> {{ ?s :q ?m }} }}",
            far.url()
        );
        assert_eq!(count(&near, &query), 250);
        assert_eq!(
            far.queries().len() - before,
            wanted,
            "batches of {bindings_max}"
        );
    };
    check(100, 3);
    // The join hands in few bindings first, so that a LIMIT asks little: hence one more.
    check(50, 6);
    check(0, 2);
    let last = far.queries().pop().unwrap();
    assert_eq!(last.matches("<http://e/s").count(), 250 - 64, "{last}");
}

fn one_request_where_nothing_is_shared() {
    let far = Endpoint::with_data(&numbered(3, "q"));
    let near = store(&numbered(250, "p"), &[&far], |_| {});
    let url = far.url();
    assert_eq!(
        count(
            &near,
            &format!("SELECT ?s {{ ?s :p ?n . SERVICE <{url}> {{ ?t :q ?m }} }}")
        ),
        750
    );
    assert_eq!(far.queries().len(), 1, "{:?}", far.queries());
    // Equal bindings are sent once.
    let query = format!("SELECT * {{ ?s :p ?n . BIND(:s1 AS ?t) SERVICE <{url}> {{ ?t :q ?m }} }}");
    assert_eq!(count(&near, &query), 250);
    let sent = far.queries().pop().unwrap();
    assert_eq!(sent.matches("<http://e/s1>").count(), 1, "{sent}");
}

fn a_limit_stops_the_requests() {
    let far = Endpoint::with_data(&numbered(5_000, "q"));
    let near = store(&numbered(5_000, "p"), &[&far], |_| {});
    let query = format!(
        "SELECT * {{ ?s :p ?n . SERVICE <{}> {{ ?s :q ?m }} }} LIMIT 5",
        far.url()
    );
    assert_eq!(count(&near, &query), 5);
    assert!(far.queries().len() <= 2, "{} requests", far.queries().len());
}

fn variable_endpoints() {
    let one = Endpoint::with_data(":a :q 1 . :b :q 2 . :c :q 3 .");
    let two = Endpoint::with_data(":a :q 10 .");
    let (first, second) = (one.url(), two.url());
    let data = format!(
        ":one :at <{first}> . :two :at <{second}> . :a :in :one , :two . :b :in :one . :c :in :two . :d :in :none ."
    );
    let near = store(&data, &[&one, &two], |_| {});
    let check = |rows: usize, requests: usize, pattern: &str| {
        let before = one.queries().len() + two.queries().len();
        assert_eq!(
            count(&near, &format!("SELECT * {{ {pattern} }}")),
            rows,
            "{pattern}"
        );
        let after = one.queries().len() + two.queries().len();
        assert_eq!(after - before, requests, "{pattern}");
    };
    check(4, 2, "?w :at ?e SERVICE ?e { ?s :q ?n }");
    check(4, 2, "SERVICE ?e { ?s :q ?n } ?w :at ?e");
    check(3, 2, "?s :in ?w . ?w :at ?e SERVICE ?e { ?s :q ?n }");
    check(
        5,
        2,
        "?s :in ?w OPTIONAL { ?w :at ?e SERVICE ?e { ?s :q ?n } }",
    );
    check(
        5,
        2,
        "?s :in ?w OPTIONAL { ?w :at ?e OPTIONAL { SERVICE ?e { ?s :q ?n } } }",
    );
    check(
        4,
        2,
        "?s :in ?w OPTIONAL { ?w :at ?e } SERVICE SILENT ?e { SELECT ?s { ?s :q ?n } }",
    );
    check(
        3,
        1,
        &format!("VALUES ?e {{ <{first}> }} SERVICE ?e {{ ?s :q ?n }}"),
    );
    check(
        3,
        1,
        &format!("BIND(<{first}> AS ?e) SERVICE ?e {{ ?s :q ?n }}"),
    );
    check(
        3,
        1,
        &format!("BIND(<{first}> AS ?e) {{ SERVICE ?e {{ ?s :q ?n }} FILTER(?n > 0) }}"),
    );
    check(2, 2, "?w :at ?e FILTER EXISTS { SERVICE ?e { ?s :q ?n } }");
    check(4, 2, "?w :at ?e LATERAL { SERVICE ?e { ?s :q ?n } }");
    check(
        4,
        4,
        "?w :at ?e { SERVICE ?e { ?s :q ?n } } UNION { SERVICE ?e { ?s :none ?n } }",
    );
}

fn an_unbound_endpoint_is_an_error() {
    let near = store(":a :p 1 .", &[], |_| {});
    for (pattern, words) in [
        ("SERVICE ?e { ?s :q ?n }", "bind it before"),
        ("?s :p ?n SERVICE ?e { ?s :q ?n }", "bind it before"),
        ("?s :p ?e SERVICE ?e { ?s :q ?n }", "is no IRI"),
    ] {
        let error = failure(&near, &format!("SELECT * {{ {pattern} }}"));
        assert_eq!(error.kind(), ErrorKind::Service, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains("SERVICE"), "{error}");
    }
    assert_eq!(
        count(
            &near,
            "SELECT * { ?s :p ?n SERVICE SILENT ?e { ?s :q ?m } }"
        ),
        1
    );
}

fn blank_nodes_stay_here() {
    let far = Endpoint::with_data("_:x :q 1 . :a :q 2 . :b :q [] .");
    let near = store("_:y :p 1 . :a :p 2 .", &[&far], |_| {});
    let url = far.url();
    assert_eq!(
        count(
            &near,
            &format!("SELECT * {{ ?s :p ?n SERVICE <{url}> {{ ?s :q ?m }} }}")
        ),
        1
    );
    let sent = far.queries().pop().unwrap();
    assert!(!sent.contains("_:"), "{sent}");
    // One node in one answer stays one; it is never one of this store's, nor of another answer.
    let query = format!(
        "SELECT * {{ SERVICE <{url}> {{ ?s :q ?m . ?s ?p ?m FILTER(isBlank(?s)) }} SERVICE <{url}> {{ ?t :q ?m FILTER(isBlank(?t)) }} }}"
    );
    let Answer::Solutions { variables, rows } = solutions(&near, &query) else {
        panic!("solutions are expected");
    };
    let place = |name: &str| variables.iter().position(|v| v.as_str() == name).unwrap();
    assert_eq!(rows.len(), 1);
    assert_ne!(rows[0][place("s")], rows[0][place("t")]);
    // Only blank nodes: nothing to ask.
    let near = store("_:y :p 1 .", &[&far], |_| {});
    let before = far.queries().len();
    assert_eq!(
        count(
            &near,
            &format!("SELECT * {{ ?s :p ?n SERVICE <{url}> {{ ?s :q ?m }} }}")
        ),
        0
    );
    assert_eq!(far.queries().len(), before);
}

fn both_formats_are_read() {
    let variables = || vec![Variable::new_unchecked("s"), Variable::new_unchecked("n")];
    let rows: Vec<Row> = vec![
        vec![
            Some(NamedNode::new_unchecked("http://e/a").into()),
            Some(Literal::new_language_tagged_literal_unchecked("x<&>\u{e9}\"", "en").into()),
        ],
        vec![Some(NamedNode::new_unchecked("http://e/b").into()), None],
        vec![None, Some(Term::from(Literal::from(7)))],
    ];
    for (format, media_type) in [
        (QueryResultsFormat::Json, JSON),
        (QueryResultsFormat::Xml, XML),
        (QueryResultsFormat::Json, "application/json;charset=utf-8"),
    ] {
        let body = written(format, variables(), &rows);
        let far = Endpoint::start(move |_| Response::Whole(200, media_type, body.clone()));
        let near = store("", &[&far], |_| {});
        let query = format!("SELECT ?s ?n {{ SERVICE <{}> {{ ?s :q ?n }} }}", far.url());
        let expected = Answer::Solutions {
            variables: variables(),
            rows: rows.clone(),
        };
        compare(&expected, &solutions(&near, &query), Order::Kept).unwrap();
    }
}

/// A filter of an inner group must not become one of the whole when the pattern is written as text.
fn the_text_means_the_pattern() {
    let data = ":a :p 1 ; :q 2 . :b :p 3 ; :q 1 . :c :p 5 .";
    let near_data = ":a :k 1 . :b :k 2 . :c :k 3 .";
    let far = Endpoint::with_data(&format!("{data} {near_data}"));
    let near = store(near_data, &[&far], |_| {});
    let mut all = Kaluta::open().unwrap();
    all.load(vec![turtle_document(&format!("{data} {near_data}"))])
        .unwrap();
    for pattern in [
        "{ ?s :p ?x FILTER(!BOUND(?y)) } ?s :q ?y",
        "?s :q ?y { ?s :p ?x FILTER(!BOUND(?y)) }",
        "{ { ?s :p ?x FILTER(!BOUND(?y)) } OPTIONAL { ?s :q ?y } }",
        "?s :p ?x OPTIONAL { { ?s :q ?y FILTER(BOUND(?x)) } }",
        "?s :p ?x OPTIONAL { ?s :q ?y FILTER(?x < ?y) }",
        "{ ?s :p ?x OPTIONAL { ?s :q ?y } } { ?s ?r ?y }",
        "{ { ?s :p ?x } MINUS { ?s :q ?x } } { ?s :p ?x }",
        "{ { ?s :p ?x FILTER(?x > 1) } MINUS { ?s :q ?y } }",
        "{ { ?s :p ?x BIND(?y AS ?z) } { ?s :q ?y } }",
        "{ ?s :p ?x FILTER NOT EXISTS { { ?s :q ?y FILTER(!BOUND(?x)) } ?s ?r ?x } }",
        "{ { ?s :p ?x FILTER(?x > 1) } { ?s :p ?x FILTER(?x < 5) } }",
        "SELECT DISTINCT ?s { ?s ?r ?x } ORDER BY ?s LIMIT 2 OFFSET 1",
        "SELECT ?s (SUM(?x) AS ?y) { ?s ?r ?x } GROUP BY ?s HAVING (?y > 3)",
        "VALUES (?s ?y) { (:a UNDEF) (UNDEF 1) } ?s :q ?y",
        "?s :p ?x BIND(CONCAT(\"a\\\"\\n\", STR(?x)) AS ?z)",
    ] {
        for body in ["SERVICE S { PATTERN }", "?s :k ?k SERVICE S { PATTERN }"] {
            let query = |service: &str| {
                let body = body
                    .replace("PATTERN", pattern)
                    .replace("SERVICE S", service);
                format!("SELECT * {{ {body} }}")
            };
            let expected = solutions(&all, &query(""));
            let asked = solutions(&near, &query(&format!("SERVICE <{}>", far.url())));
            compare(&expected, &asked, Order::Free)
                .unwrap_or_else(|e| panic!("{e}\n{body}\n{pattern}\n{:?}", far.queries().last()));
        }
    }
}

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

fn failures_name_the_endpoint() {
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

fn silent_failures_are_one_empty_solution() {
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

fn silent_does_not_hide_the_limits_of_the_query() {
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
fn a_stalled_endpoint_ends_with_the_deadline() {
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

fn only_the_list_is_contacted() {
    let far = Endpoint::with_data(":a :q 1 .");
    let port = far.url().rsplit(':').next().unwrap().to_owned();
    let check = |allow: &[&str], private: &[&str], url: &str, wanted: Result<(), &str>| {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        let near = store("", &[], |s| {
            s.allow = owned(allow);
            s.private_hosts = owned(private);
        });
        let before = far.queries().len();
        let query = format!("SELECT * {{ SERVICE <{url}> {{ ?s :q ?n }} }}");
        match wanted {
            Ok(()) => assert_eq!(count(&near, &query), 1, "{allow:?} {url}"),
            Err(words) => {
                let error = failure(&near, &query);
                assert_eq!(error.kind(), ErrorKind::Forbidden, "{error}");
                assert!(error.to_string().contains(words), "{error}");
                assert!(error.to_string().contains(url), "{error}");
                assert_eq!(far.queries().len(), before, "{url} was contacted");
                let query = query.replace("SERVICE", "SERVICE SILENT");
                assert_eq!(count(&near, &query), 1, "{allow:?} {url}");
                assert_eq!(far.queries().len(), before, "{url} was contacted");
            }
        }
    };
    let number = far.url();
    let name = format!("http://localhost:{port}");
    let all = number.replace("sparql", "*");
    check(&[], &[], &number, Err("service.allow"));
    check(&[&number], &[], &number, Ok(()));
    check(&[&all], &[], &number, Ok(()));
    check(&[&number], &[], &name, Err("service.allow"));
    check(&[&name], &[], &name, Ok(()));
    check(
        &[&number],
        &[],
        &format!("{number}?x=y"),
        Err("service.allow"),
    );
    // An entry for everything, and one of another name, open no private address.
    check(&["*"], &[], &number, Err("service.private_hosts"));
    check(&["*"], &[], &name, Err("service.private_hosts"));
    check(&["*"], &["localhost"], &name, Ok(()));
    check(&["*"], &["127.0.0.1"], &number, Ok(()));
    check(
        &["*"],
        &[],
        &number.replace("127.0.0.1", "2130706433"),
        Err("service.private_hosts"),
    );
    check(&["*"], &[], "https://example.org/sparql", Err("https"));
    check(&["*"], &[], "ftp://example.org/a", Err("only http://"));
    check(&["*"], &[], "file:///etc/hosts", Err("no URL"));
}

fn redirects_stay_within_the_list() {
    let last = Endpoint::with_data(":a :q 1 .");
    for status in [301, 302, 307, 308] {
        let target = last.url();
        let first = Endpoint::start(move |_| Response::Redirect(status, target.clone()));
        let query = format!("SELECT * {{ SERVICE <{}> {{ ?s :q ?n }} }}", first.url());
        let before = last.queries().len();
        let near = store("", &[&first], |_| {});
        let error = failure(&near, &query);
        assert_eq!(error.kind(), ErrorKind::Forbidden, "{error}");
        assert!(error.to_string().contains(&last.url()), "{error}");
        assert_eq!(last.queries().len(), before);
        let near = store("", &[&first, &last], |_| {});
        assert_eq!(count(&near, &query), 1);
        assert_eq!(last.queries().len(), before + 1);
    }
    let round = Endpoint::start(|_| Response::Redirect(307, "/sparql".to_owned()));
    let near = store("", &[&round], |_| {});
    let error = failure(
        &near,
        &format!("SELECT * {{ SERVICE <{}> {{ ?s :q ?n }} }}", round.url()),
    );
    assert!(error.to_string().contains("redirects"), "{error}");
    assert!(
        round.queries().len() <= 5,
        "{} requests",
        round.queries().len()
    );
}
