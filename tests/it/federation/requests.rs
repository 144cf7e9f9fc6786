//! What is asked of an endpoint, and how often: bindings in batches, endpoints that are variables, blank nodes that stay.

use super::{count, failure, numbered, solutions, store};
use crate::endpoint::Endpoint;
use crate::store::Answer;
use kaluta::diagnostics::ErrorKind;

pub(super) fn bindings_go_in_batches() {
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

pub(super) fn one_request_where_nothing_is_shared() {
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

pub(super) fn a_limit_stops_the_requests() {
    let far = Endpoint::with_data(&numbered(5_000, "q"));
    let near = store(&numbered(5_000, "p"), &[&far], |_| {});
    let query = format!(
        "SELECT * {{ ?s :p ?n . SERVICE <{}> {{ ?s :q ?m }} }} LIMIT 5",
        far.url()
    );
    assert_eq!(count(&near, &query), 5);
    assert!(far.queries().len() <= 2, "{} requests", far.queries().len());
}

pub(super) fn variable_endpoints() {
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

pub(super) fn an_unbound_endpoint_is_an_error() {
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

pub(super) fn blank_nodes_stay_here() {
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
