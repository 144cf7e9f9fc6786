//! What a query makes anew: fresh for each solution and call, or fixed for the whole query (SPARQL 1.1 Query, sections
//! 17.4.2.9, 17.4.2.12, 17.4.2.13, 17.4.4.5 and 17.4.5.1); and IRIs resolved against its base (section 4.1.1.2).

use super::fixture::{Store, check_given};
use crate::settings::DefaultGraph;

const DATA: &str = "
    :a :n 1 . :b :n 2 . :c :n 3 . :d :n 4 .
    <http://e/deep/x> :at 1 . <http://e/y> :at 2 . <http://e/deep/z#f> :at 3 . <http://e/deep/?q> :at 4 .
    <http://e/deep/g> { :a :n 9 }";

fn integer(n: u8) -> String {
    format!("\"{n}\"^^<http://www.w3.org/2001/XMLSchema#integer>")
}

#[test]
fn calls_are_fresh_or_fixed() {
    let store = Store::new(DATA, DefaultGraph::Default);
    let [one, four, sixteen] = [1, 4, 16].map(integer);
    let [one, four, sixteen, yes] = [&*one, &*four, &*sixteen, "true"].map(|text| [text]);
    let [one, four, sixteen, yes] = [&one[..], &four[..], &sixteen[..], &yes[..]];
    check_given(
        &store,
        &[
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n BIND(UUID() AS ?u) }",
                four,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n BIND(STRUUID() AS ?u) }",
                four,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n BIND(RAND() AS ?u) }",
                four,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n BIND(BNODE() AS ?u) }",
                four,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n BIND(BNODE(\"x\") AS ?u) }",
                four,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n BIND(NOW() AS ?u) }",
                one,
            ),
            ("SELECT (COUNT(DISTINCT UUID()) AS ?c) { ?s :n ?n }", four),
            ("SELECT (COUNT(DISTINCT NOW()) AS ?c) { ?s :n ?n }", one),
            (
                "ASK { FILTER(UUID() != UUID() && STRUUID() != STRUUID()) }",
                yes,
            ),
            (
                "ASK { BIND(UUID() AS ?u) BIND(?u AS ?v) FILTER(?u = ?v && sameTerm(?u, ?u)) }",
                yes,
            ),
            (
                "ASK { BIND(BNODE(\"x\") AS ?u) BIND(BNODE(\"x\") AS ?v) FILTER(sameTerm(?u, ?v)) }",
                yes,
            ),
            (
                "ASK { BIND(BNODE(\"x\") AS ?u) BIND(BNODE(\"y\") AS ?v) FILTER(!sameTerm(?u, ?v)) }",
                yes,
            ),
            (
                "ASK { BIND(BNODE() AS ?u) BIND(BNODE() AS ?v) FILTER(!sameTerm(?u, ?v)) }",
                yes,
            ),
            (
                "ASK { BIND(NOW() AS ?t) { SELECT ?w { BIND(NOW() AS ?w) } } FILTER(?t = ?w) }",
                yes,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n . ?t :n ?m BIND(?n + RAND() AS ?u) }",
                sixteen,
            ),
            // What is bound before a join is joined as it is.
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n BIND(?n + RAND() AS ?u) ?t :n ?m }",
                four,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n BIND(UUID() AS ?u) OPTIONAL { ?t :n ?m } }",
                four,
            ),
            // A sub-query's solutions are made once, and joined with each of the others.
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n { SELECT ?u { BIND(UUID() AS ?u) } } }",
                one,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n { BIND(RAND() AS ?u) } }",
                one,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n OPTIONAL { BIND(UUID() AS ?u) } }",
                one,
            ),
            (
                "SELECT (COUNT(DISTINCT ?u) AS ?c) { ?s :n ?n { SELECT ?s ?u { ?s :n ?m BIND(UUID() AS ?u) } } }",
                four,
            ),
            (
                "ASK { { SELECT ?u { BIND(UUID() AS ?u) } } { SELECT ?v { BIND(UUID() AS ?v) } } FILTER(?u != ?v) }",
                yes,
            ),
        ],
    );
}

/// LATERAL runs its pattern for each solution before it, of equal ones too (SEP-0006).
#[test]
fn lateral_makes_anew_for_each_solution() {
    let one = "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    let four = "\"4\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    let count = |pattern: &str| format!("SELECT (COUNT(DISTINCT ?u) AS ?c) {{ {pattern} }}");
    check_given(
        &Store::new(DATA, DefaultGraph::Default),
        &[
            (&count("?s :n ?n LATERAL { BIND(UUID() AS ?u) }"), &[four]),
            (
                &count("?s :n ?n LATERAL { SELECT ?u { BIND(UUID() AS ?u) } }"),
                &[four],
            ),
            (
                &count("?s :n ?n LATERAL { BIND(?n * 0 + RAND() AS ?u) }"),
                &[four],
            ),
            (
                &count("{ SELECT (1 AS ?k) { ?s :n ?n } } LATERAL { BIND(?k + RAND() AS ?u) }"),
                &[four],
            ),
            (&count("?s :n ?n LATERAL { BIND(NOW() AS ?u) }"), &[one]),
            (
                &count("?s :n ?n LATERAL { BIND(UUID() AS ?u) } ?t :n ?m"),
                &[four],
            ),
        ],
    );
}

/// Templates make fresh blank nodes for each solution (section 16.2.1).
#[test]
fn template_nodes_are_fresh_for_each_solution() {
    let store = Store::new(DATA, DefaultGraph::Default);
    check_given(
        &store,
        &[
            (
                "CONSTRUCT { _:x :of ?s ; :same _:x } { ?s :n ?n FILTER(?n < 3) }",
                &["_: <of> <a>", "_: <of> <b>", "_: <same> _:", "_: <same> _:"],
            ),
            (
                "CONSTRUCT { ?n :of ?s . ?s :is ?n } { ?s :n ?n FILTER(?n < 2) }",
                &[&format!("<a> <is> {}", integer(1))],
            ),
            (
                "CONSTRUCT { ?s :is ?nosuch ; :too ?n } { ?s :n ?n FILTER(?n < 2) }",
                &[&format!("<a> <too> {}", integer(1))],
            ),
        ],
    );
}

#[test]
fn relative_iris_are_resolved_against_the_base() {
    let store = Store::new(DATA, DefaultGraph::Default);
    let [one, two, three, four, nine] = [1, 2, 3, 4, 9].map(integer);
    check_given(
        &store,
        &[
            (
                "BASE <http://e/deep/base> SELECT ?n { <x> :at ?n }",
                &[&one],
            ),
            ("BASE <http://e/deep/> SELECT ?n { <./x> :at ?n }", &[&one]),
            (
                "BASE <http://e/deep/base> SELECT ?n { <../y> :at ?n }",
                &[&two],
            ),
            (
                "BASE <http://e/deep/base> SELECT ?n { </y> :at ?n }",
                &[&two],
            ),
            ("BASE <http://e/deep/z?q> SELECT ?n { <#f> :at ?n }", &[]),
            (
                "BASE <http://e/deep/z> SELECT ?n { <#f> :at ?n }",
                &[&three],
            ),
            ("BASE <http://e/deep/> SELECT ?n { <?q> :at ?n }", &[&four]),
            (
                "BASE <http://e/> BASE <deep/> SELECT ?n { <x> :at ?n }",
                &[&one],
            ),
            (
                "BASE <http://e/deep/> PREFIX d: <> SELECT ?n { d:x :at ?n }",
                &[&one],
            ),
            (
                "BASE <http://e/deep/> SELECT ?n { ?s :at ?n FILTER(?s = IRI(\"x\")) }",
                &[&one],
            ),
            (
                "BASE <http://e/deep/> SELECT ?n FROM <g> { ?s :n ?n }",
                &[&nine],
            ),
            (
                "BASE <http://e/deep/> SELECT ?n { GRAPH <g> { ?s :n ?n } }",
                &[&nine],
            ),
        ],
    );
}
