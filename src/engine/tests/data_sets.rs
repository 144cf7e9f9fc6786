//! FROM, FROM NAMED, GRAPH, protocol parameters and the union default graph.

use super::fixture::{Store, check, check_given, request};
use crate::engine::QueryRequest;
use crate::settings::DefaultGraph;

const DATA: &str = "
    :a :p :b . :m :t \"default\" .
    :g1 { :a :p :b . :b :p :c . :a :q 1 . :g1 :about \"one\" }
    :g2 { :a :p :b . :c :p :d . :a :q 2 . :x :p :x }
    :g3 { :z :p :z }";

#[test]
fn graph_with_everything_inside() {
    check(
        DATA,
        &[
            "SELECT * { GRAPH ?g { ?s :p ?o } }",
            "SELECT * { GRAPH :g1 { ?s :p ?o } }",
            "SELECT * { ?s :p ?o }",
            "SELECT * { GRAPH ?g { } }",
            "SELECT * { GRAPH ?g { ?g :about ?o } }",
            "SELECT * { GRAPH ?g { ?s :p ?o OPTIONAL { ?s :q ?v } } }",
            "SELECT * { GRAPH ?g { OPTIONAL { ?s :q ?v } } }",
            "SELECT * { GRAPH ?g { ?s :p+ ?o } }",
            "SELECT * { GRAPH ?g { ?s :p ?o FILTER EXISTS { ?o :p ?x } } }",
            "SELECT * { GRAPH ?g { ?s :p ?o FILTER NOT EXISTS { ?o :p ?x } } }",
            "SELECT * { GRAPH ?g { ?s :p ?o FILTER EXISTS { ?s :p+ :c } } }",
            "SELECT * { GRAPH ?g { ?s :p ?o FILTER NOT EXISTS { ?o :p+ ?x } } }",
            "SELECT * { GRAPH ?g { ?s :p ?o OPTIONAL { ?s :q ?v FILTER EXISTS { ?o :p+ ?x } } } }",
            "SELECT * { GRAPH ?g { VALUES ?s { :a :z } ?s :p ?o } }",
            "SELECT * { GRAPH ?g { ?s :p ?o MINUS { ?s :q ?v } } }",
            "SELECT * { GRAPH ?g { { ?s :p :b } UNION { ?s :q ?v } } }",
            "SELECT * { GRAPH ?g { ?s :p ?o BIND(STR(?o) AS ?v) } }",
            "SELECT * { ?s :p ?o GRAPH ?g { ?o :p ?x } }",
            "SELECT * { ?s :p ?o FILTER EXISTS { GRAPH ?g { ?o :p ?x } } }",
            "SELECT * { GRAPH ?g { ?s :q ?v } GRAPH ?h { ?s :q ?w } }",
            "SELECT * { VALUES ?g { :g1 :nosuch } GRAPH ?g { ?s :p ?o } }",
            "SELECT ?g (COUNT(*) AS ?c) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
            "SELECT * { GRAPH ?g { ?s !:p ?o } }",
            "SELECT * { GRAPH ?g { :a :p :b } }",
        ],
    );
}

#[test]
fn from_and_from_named() {
    check(
        DATA,
        &[
            "SELECT * FROM :g1 { ?s :p ?o }",
            "SELECT * FROM :g1 FROM :g2 { ?s :p+ ?o }",
            "SELECT * FROM :g1 FROM :g2 { ?s :p* ?o . ?s :q ?v }",
            "EMPTY SELECT * FROM :g1 { GRAPH ?g { ?s :p ?o } }",
            "EMPTY SELECT * FROM NAMED :g1 { ?s :p ?o }",
            "SELECT * FROM NAMED :g1 FROM NAMED :nosuch { GRAPH ?g { ?s :p ?o } }",
            "SELECT * FROM :g2 FROM NAMED :g1 { ?s :p ?o GRAPH ?g { ?x :p ?s } }",
            "EMPTY SELECT * FROM NAMED :g1 { GRAPH :g2 { ?s :p ?o } }",
            "CONSTRUCT { ?s :r ?o } FROM :g1 FROM :g2 { ?s :p ?o }",
            "ASK FROM :g3 { ?s :p :z }",
        ],
    );
}

/// The independent engine does not merge graphs, and evaluates sub-queries and tables within GRAPH once for all graphs;
/// here the specification decides (SPARQL 1.1 Query, section 13.2 and 18.6).
#[test]
fn graphs_are_merged_and_evaluated_one_by_one() {
    let one = "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    let two = "\"2\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    let seven = "\"7\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    check_given(
        &Store::new(DATA, DefaultGraph::Default),
        &[
            (
                "SELECT ?g ?s { GRAPH ?g { ?s :p* :d } }",
                &["<g1> <d>", "<g2> <c>", "<g2> <d>", "<g3> <d>"],
            ),
            (
                "SELECT ?g ?o { GRAPH ?g { :x :p* ?o } }",
                &["<g1> <x>", "<g2> <x>", "<g3> <x>"],
            ),
            (
                "SELECT ?g ?s { GRAPH ?g { SELECT ?s { ?s :p :b } } }",
                &["<g1> <a>", "<g2> <a>"],
            ),
            (
                "SELECT ?g ?c { GRAPH ?g { SELECT (COUNT(*) AS ?c) { ?s :q ?o } } FILTER(?c > 0) }",
                &[&format!("<g1> {one}"), &format!("<g2> {one}")],
            ),
            (
                "SELECT ?g ?s { GRAPH ?g { ?s :p ?o FILTER EXISTS { SELECT ?o { ?o :p ?x } } } }",
                &["<g1> <a>", "<g2> <x>", "<g3> <z>"],
            ),
            (
                "SELECT ?g ?s { GRAPH ?g { VALUES ?s { :a } } }",
                &["<g1> <a>", "<g2> <a>", "<g3> <a>"],
            ),
            (
                "SELECT ?g ?s { GRAPH ?g { ?s :p ?o MINUS { ?x :about ?v } } }",
                &[
                    "<g1> <a>", "<g1> <b>", "<g2> <a>", "<g2> <c>", "<g2> <x>", "<g3> <z>",
                ],
            ),
            (
                "SELECT ?s FROM :g1 FROM :g2 { ?s :p ?o }",
                &["<a>", "<b>", "<c>", "<x>"],
            ),
            ("SELECT ?g FROM :g1 FROM :g2 { :a :p :b }", &["-"]),
            (
                "SELECT ?v FROM :g1 FROM :g2 { :a :p :b . ?s :q ?v }",
                &[one, two],
            ),
            (
                "SELECT (COUNT(*) AS ?c) FROM :g1 FROM :g2 { :a :p :b }",
                &[one],
            ),
            (
                "SELECT (COUNT(*) AS ?c) FROM :g1 FROM :g2 { ?s ?p ?o }",
                &[seven],
            ),
            (
                "SELECT ?s FROM :g1 FROM :g2 { ?s :p ?o FILTER EXISTS { ?o :p ?x } }",
                &["<a>", "<b>", "<x>"],
            ),
        ],
    );
}

#[test]
fn parameters_of_the_protocol_win() {
    let store = Store::new(DATA, DefaultGraph::Default);
    let of = |defaults: &[&str], named: &[&str], query: &str| {
        let names = |list: &[&str]| list.iter().map(|n| format!("http://e/{n}")).collect();
        store.request(&QueryRequest {
            default_graphs: names(defaults),
            named_graphs: names(named),
            ..request(query)
        })
    };
    let query = "SELECT ?s FROM :g1 { ?s :p ?o }";
    assert_eq!(of(&["g3"], &[], query), ["<z>"]);
    assert_eq!(of(&[], &["g3"], query), [""; 0]);
    assert_eq!(
        of(
            &["g1"],
            &["g3"],
            "SELECT ?s FROM NAMED :g2 { GRAPH ?g { ?s :p ?o } }"
        ),
        ["<z>"]
    );
}

#[test]
fn a_union_default_graph_has_each_triple_once() {
    let store = Store::new(DATA, DefaultGraph::Union);
    let count = |n: u8| format!("\"{n}\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    check_given(
        &store,
        &[
            ("SELECT ?o { :a :p ?o }", &["<b>"]),
            ("SELECT ?g { GRAPH ?g { :a :p :b } }", &["<g1>", "<g2>"]),
            ("SELECT (COUNT(*) AS ?c) { :a :p :b }", &[&count(1)]),
            ("SELECT (COUNT(*) AS ?c) { ?s :p ?o }", &[&count(5)]),
            (
                "SELECT (COUNT(*) AS ?c) { :a :p :b . :a :q ?v }",
                &[&count(2)],
            ),
            (
                "SELECT ?v { ?s :about ?x . :a :p :b . :a :q ?v }",
                &[&count(1), &count(2)],
            ),
            ("SELECT ?o { :a :p+ ?o }", &["<b>", "<c>", "<d>"]),
            (
                "SELECT ?p { VALUES (?s ?o) { (:a :b) } ?s ?p ?o }",
                &["<p>"],
            ),
            (
                "SELECT ?o { VALUES ?s { :a } OPTIONAL { ?s :p ?o } }",
                &["<b>"],
            ),
            ("DESCRIBE :z", &["<z> <p> <z>"]),
        ],
    );
}
