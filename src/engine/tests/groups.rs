//! OPTIONAL chains, BIND, VALUES with UNDEF, sub-queries and filters in groups.

use super::fixture::{Store, check, check_given};
use crate::settings::DefaultGraph;

const DATA: &str = "
    :a :n 1 ; :p :b , :c ; :label \"A\" .
    :b :n 2 ; :p :c ; :v 5 ; :u 5 .
    :c :n 3 ; :p :a ; :v 2 ; :u 9 .
    :d :n 4 ; :q :d ; :w 4 .
    :e :n 4 ; :p :d ; :v 4 , 7 ; :w 4 .
    :a :q :b . :b :q :e .";

#[test]
fn optional_parts_may_share_variables() {
    check(
        DATA,
        &[
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x } OPTIONAL { ?s :u ?x } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x } OPTIONAL { ?t :u ?x } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x OPTIONAL { ?s :u ?x } } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x } ?s :u ?x }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x } ?s :w ?w }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x } ?t :u ?x }",
            "SELECT * { OPTIONAL { ?s :v ?x } ?s :n ?n }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x FILTER(?x > ?n) } OPTIONAL { ?s :w ?y FILTER(!BOUND(?x)) } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :p ?t OPTIONAL { ?t :v ?x } } FILTER(!BOUND(?x)) }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x } FILTER(?x > 3) }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x } FILTER(BOUND(?x) || ?n = 1) }",
            "SELECT * { ?s :n ?n OPTIONAL { { ?s :v ?x } UNION { ?s :w ?x } } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?a :label ?l FILTER(?n > 2) } }",
            "SELECT * { ?s :n ?n OPTIONAL { SELECT ?s ?x { ?s :v ?x } ORDER BY DESC(?x) LIMIT 2 } }",
            "SELECT * { ?s :n ?n OPTIONAL { SELECT ?s (MAX(?x) AS ?m) { ?s :v ?x } GROUP BY ?s } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?x } { SELECT ?s { ?s :p ?o } ORDER BY ?s LIMIT 3 } }",
        ],
    );
}

#[test]
fn filters_within_a_join_are_kept() {
    check(
        DATA,
        &[
            "SELECT * { :a :p ?x . ?x :v ?v FILTER(?v > 3) }",
            "SELECT * { ?s :label ?l . ?s :n ?n FILTER(?n < 2) }",
            "EMPTY SELECT * { ?s :label ?l . ?s :n ?n FILTER(?n > 2) }",
            "SELECT * { :a :p ?x . ?x :p ?y . ?y :n ?n FILTER(?n > 1) FILTER(?y != :a) }",
            "SELECT * { VALUES ?s { :a :b } ?s :n ?n FILTER(?n > 1) }",
            "SELECT * { VALUES ?s { :a :b } { SELECT ?s ?n { ?s :n ?n } } FILTER(?n > 1) }",
            "SELECT * { ?s :n ?n . { ?s :v ?v } UNION { ?s :w ?v } FILTER(?v > 4) }",
        ],
    );
}

#[test]
fn bind_and_values_meet_patterns() {
    check(
        DATA,
        &[
            "SELECT * { BIND(:a AS ?s) ?s :p ?o }",
            "SELECT * { BIND(IRI(CONCAT(\"http://e/\", \"b\")) AS ?s) ?s :p ?o }",
            "SELECT * { ?s :n ?n BIND(?n + 1 AS ?m) ?t :n ?m }",
            "SELECT * { ?s :n ?n BIND(?nothing AS ?m) OPTIONAL { ?s :v ?m } }",
            "SELECT * { ?s :n ?n { BIND(?n AS ?m) } }",
            "SELECT * { VALUES (?s ?o) { (:a UNDEF) (UNDEF :c) (:d :d) } ?s :p ?o }",
            "SELECT * { ?s :n ?n VALUES (?s ?n) { (:a UNDEF) (UNDEF 4) (UNDEF UNDEF) } }",
            "SELECT * { VALUES (?s ?x) { (:b UNDEF) (UNDEF 4) } OPTIONAL { ?s :v ?x } }",
            "SELECT * { ?s :n ?n OPTIONAL { VALUES (?n ?k) { (1 UNDEF) (4 \"four\") } } }",
            "SELECT * { { VALUES (?s ?x) { (:b UNDEF) (:c 2) } FILTER(!BOUND(?x)) } ?s :v ?x }",
            "SELECT * { ?s :v ?x { VALUES (?s ?x) { (:b UNDEF) (:c 2) } FILTER(!BOUND(?x)) } }",
            "SELECT * { ?s :v ?x . ?s :n ?n { { ?s :p ?o } UNION { ?s :w ?x } FILTER(!BOUND(?x)) } }",
            "SELECT * { ?s :v ?x OPTIONAL { { ?s :p ?o } UNION { ?s :w ?x } FILTER(!BOUND(?x)) } }",
            "SELECT * { ?s :v ?x { { VALUES (?s ?x) { (:b UNDEF) (:e 4) } } OPTIONAL { ?s :u ?x } } }",
            "SELECT * { VALUES () { () () } ?s :label ?l }",
            "EMPTY SELECT * { VALUES ?s { } ?s :n ?n }",
        ],
    );
}

#[test]
fn sub_queries_and_groups() {
    check(
        DATA,
        &[
            "SELECT ?nosuch (COUNT(*) AS ?c) { ?s :n ?n } GROUP BY ?nosuch",
            "SELECT (COUNT(*) AS ?c) { ?s :nosuch ?n }",
            "EMPTY SELECT (COUNT(*) AS ?c) { ?s :nosuch ?n } GROUP BY ?s",
            "SELECT ?n (COUNT(?x) AS ?c) (SUM(?x) AS ?t) { ?s :n ?n OPTIONAL { ?s :v ?x } } GROUP BY ?n",
            "SELECT (COUNT(*) AS ?c) { ?s :n ?n FILTER(?n > 2) }",
            "SELECT (COUNT(?s) AS ?c) { ?s :n 4 }",
            "SELECT (COUNT(DISTINCT ?s) AS ?c) { ?s :p ?o }",
            "SELECT (COUNT(?x) AS ?c) { ?s :n ?n }",
            "SELECT ?c ?s { { SELECT (COUNT(*) AS ?c) { ?x :u ?o } } ?s :n ?c }",
            "SELECT DISTINCT ?o { ?s :p|:q ?o }",
            "SELECT DISTINCT * { { ?s :p ?o } UNION { ?s :q ?o } }",
            "SELECT ?n (EXISTS { ?t :u ?n } AS ?e) { ?s :n ?n }",
            "SELECT (1 + 1 AS ?two) { }",
            "SELECT * { { } UNION { ?s :label ?l } }",
            "SELECT ?s ?m { ?s :n ?n . { SELECT ?s (MIN(?x) AS ?m) { ?s :v ?x } GROUP BY ?s HAVING(MIN(?x) > 2) } }",
        ],
    );
}

#[test]
fn hidden_variables_are_not_counted() {
    let store = Store::new(DATA, DefaultGraph::Default);
    let one = "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    check_given(
        &store,
        &[
            (
                "SELECT (COUNT(DISTINCT *) AS ?c) { ?s :label ?l . ?s :p [] }",
                &[one],
            ),
            (
                "SELECT (COUNT(DISTINCT *) AS ?c) { ?s :label ?l . ?s :p/:n|:q/:n ?n FILTER(?n = 2) }",
                &[one],
            ),
        ],
    );
}
