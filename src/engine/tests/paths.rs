//! Property paths: which pairs they connect, and how often (SPARQL 1.1 Query, sections 9 and 18.4).

use super::fixture::{Store, check, check_given};
use crate::settings::DefaultGraph;

const DATA: &str = "
    :a :n 1 ; :p :b , :c ; :label \"A\" .
    :b :n 2 ; :p :c ; :v 5 ; :u 5 .
    :c :n 3 ; :p :a ; :v 2 ; :u 9 .
    :d :n 4 ; :q :d ; :w 4 .
    :e :n 4 ; :p :d ; :v 4 , 7 ; :w 4 .
    :a :q :b . :b :q :e .";

/// Where the independent engine lets the empty path begin only at nodes of the graph.
#[test]
fn the_empty_path_begins_at_any_term() {
    check_given(
        &Store::new(DATA, DefaultGraph::Default),
        &[
            ("SELECT ?o { :nosuch :p* ?o }", &["<nosuch>"]),
            (
                "SELECT ?s { ?s :p? 99 }",
                &["\"99\"^^<http://www.w3.org/2001/XMLSchema#integer>"],
            ),
            ("ASK { :nosuch :p* :nosuch }", &["true"]),
            ("ASK { :nosuch :p+ :nosuch }", &["false"]),
            ("SELECT ?o { \"no node\" :p* ?o }", &["\"no node\""]),
            ("SELECT ?x { ?x :p* ?x . ?x :label ?l }", &["<a>"]),
            (
                "SELECT (COUNT(*) AS ?c) { ?s :nosuch* ?o }",
                &[&integer(13)],
            ),
            ("ASK { GRAPH :nosuch { :a :p* :a } }", &["false"]),
        ],
    );
}

/// Where both ends are variables the empty path stays at the nodes of the graph: what other patterns bind them to is
/// joined to that, and not put in their place.
#[test]
fn the_empty_path_between_variables_stays_at_nodes() {
    check_given(
        &Store::new(DATA, DefaultGraph::Default),
        &[
            ("SELECT ?o { :nosuch :p?/:q* ?o }", &[]),
            (
                "SELECT ?s ?o { VALUES ?s { :c :nosuch } ?s :nosuch* ?o }",
                &["<c> <c>"],
            ),
            (
                "SELECT ?s ?o { VALUES (?s ?o) { (:x :x) (:x :y) (:a :b) } ?s :p? ?o }",
                &["<a> <b>"],
            ),
            ("SELECT ?s { BIND(:nosuch AS ?s) ?s :p* ?o }", &[]),
            ("SELECT ?o { :c :p?/:q* ?o }", &["<a>", "<b>", "<c>", "<e>"]),
        ],
    );
}

#[test]
fn paths() {
    check(
        DATA,
        &[
            "SELECT * { ?s :p+ ?o }",
            "SELECT * { ?s :p* :d }",
            "SELECT * { :a :p* ?o }",
            "SELECT * { ?s :p? ?o }",
            "SELECT * { ?s :p+ ?s }",
            "SELECT * { ?s (:p|:q)+ :e }",
            "SELECT * { ?s !(:n|:v) ?o }",
            "SELECT DISTINCT * { ?s !(:n|^:v) ?o }",
            "SELECT * { ?s ^:p/:q ?o }",
            "SELECT * { ?s :n 1 . ?s :p+ ?o . ?o :v ?v }",
            "SELECT * { VALUES ?s { :a :zz } ?s :p* ?o }",
            "SELECT * { VALUES (?s ?o) { (:a :d) (:zz :zz) (:a :c) (:d :d) } ?s :p* ?o }",
            "SELECT * { ?s (:p/:q)* ?o . ?s :label ?l }",
            "ASK { :a :p+ :d }",
            "ASK { :a :p+ :a }",
            "SELECT * { ?s :p+ ?o . ?o :p+ ?s }",
        ],
    );
}

/// Connected by two and more ways: `:x` to `:y` by three predicates, to `:z` by two ways of two steps.
const WAYS: &str = "
    :x :p :y ; :q :y ; :r :y ; :p :m .
    :y :p :z . :m :p :z ; :q :z .
    :z :p :x .";

/// Sequences and alternatives are joins and unions, so each way is a solution of its own (section 18.4).
///
/// So it is with a negated property set: section 18.4 does not say how often its solutions come, but section 9.3 does of
/// every path: what its equivalent pattern would name and the query does not is projected away, and duplicates
/// stay. The equivalent pattern is a triple with a variable for the predicate. Only `*`, `+` and `?` are said not to count
/// ways (section 9.4).
#[test]
fn each_way_of_a_path_without_closure_is_a_solution() {
    let store = Store::new(WAYS, DefaultGraph::Default);
    check_given(
        &store,
        &[
            ("SELECT ?o { :x :p|:q ?o }", &["<m>", "<y>", "<y>"]),
            ("SELECT ?o { :x :p/:p ?o }", &["<z>", "<z>"]),
            ("SELECT ?o { :x :p/(:p|:q) ?o }", &["<z>", "<z>", "<z>"]),
            ("SELECT ?s { ?s ^(:p|:q) :x }", &["<m>", "<y>", "<y>"]),
            ("SELECT ?o { :x !:p ?o }", &["<y>", "<y>"]),
            (
                "SELECT ?o { :x !(:nosuch) ?o }",
                &["<m>", "<y>", "<y>", "<y>"],
            ),
            ("SELECT ?s { ?s !(:p|:nosuch) :y }", &["<x>", "<x>"]),
            ("SELECT ?o { ?o !^:p :x }", &["<y>", "<y>"]),
            ("SELECT (COUNT(*) AS ?c) { :x !:p :y }", &[&integer(2)]),
            (
                "SELECT (COUNT(*) AS ?c) { :x (:p|:q|:r) :y }",
                &[&integer(3)],
            ),
            (
                "SELECT (COUNT(*) AS ?c) { :x !(:p|^:q) :y }",
                &[&integer(2)],
            ),
            ("SELECT (COUNT(*) AS ?c) { ?s !:p ?o }", &[&integer(3)]),
            (
                "SELECT (COUNT(*) AS ?c) { VALUES (?s ?o) { (:x :y) } ?s !:p ?o }",
                &[&integer(2)],
            ),
        ],
    );
}

/// Closures give pairs, each once, however many ways there are between them (section 9.4).
#[test]
fn each_pair_of_a_closure_is_one_solution() {
    let store = Store::new(WAYS, DefaultGraph::Default);
    check_given(
        &store,
        &[
            ("SELECT ?o { :x (:p|:q)? ?o }", &["<m>", "<x>", "<y>"]),
            ("SELECT ?o { :x (!:r)? ?o }", &["<m>", "<x>", "<y>"]),
            (
                "SELECT ?o { :x (:p/:p)+ ?o }",
                &["<m>", "<x>", "<y>", "<z>"],
            ),
            (
                "SELECT ?o { :x (!:nosuch)+ ?o }",
                &["<m>", "<x>", "<y>", "<z>"],
            ),
            (
                "SELECT ?o { :x (:p|:q|:r)* ?o }",
                &["<m>", "<x>", "<y>", "<z>"],
            ),
            (
                "SELECT ?o { :x :p+/:p ?o }",
                &["<m>", "<x>", "<y>", "<z>", "<z>"],
            ),
            (
                "SELECT (COUNT(*) AS ?c) { ?s (:p|:q)+ ?o }",
                &[&integer(16)],
            ),
            (
                "SELECT (COUNT(*) AS ?c) { :x (:p|:q|:r)+ :y }",
                &[&integer(1)],
            ),
            ("SELECT (COUNT(*) AS ?c) { ?x (:p|:q)? ?x }", &[&integer(4)]),
            ("SELECT ?o { :x ((:q|:r)+|:p) ?o }", &["<m>", "<y>", "<y>"]),
            ("SELECT ?o { :x (:p*)* ?o }", &["<m>", "<x>", "<y>", "<z>"]),
            ("SELECT ?o { :x (:p?)+ ?o }", &["<m>", "<x>", "<y>", "<z>"]),
            ("SELECT ?o { :x ^:p* ?o }", &["<m>", "<x>", "<y>", "<z>"]),
        ],
    );
}

/// A ring with a shortcut from every node, walked from one end, from the other, from both and from none.
#[test]
fn a_large_ring_is_walked_without_recursion() {
    const NODES: u32 = 60_000;
    let text: String = (0..NODES)
        .map(|n| format!(":n{n} :p :n{} , :n{} .\n", (n + 1) % NODES, (n * 7) % NODES))
        .collect();
    let store = Store::new(&text, DefaultGraph::Default);
    check_given(
        &store,
        &[
            ("SELECT (COUNT(*) AS ?c) { :n5 :p+ ?o }", &[&integer(NODES)]),
            ("SELECT (COUNT(*) AS ?c) { ?s :p* :n5 }", &[&integer(NODES)]),
            ("ASK { :n5 :p+ :n5 }", &["true"]),
            ("ASK { :n5 :p+ :nosuch }", &["false"]),
            (
                "SELECT (COUNT(*) AS ?c) { SELECT * { ?s :p+ ?o } LIMIT 70000 }",
                &[&integer(70_000)],
            ),
        ],
    );
}

fn integer(n: u32) -> String {
    format!("\"{n}\"^^<http://www.w3.org/2001/XMLSchema#integer>")
}
