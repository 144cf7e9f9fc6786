//! EXISTS, LATERAL, MINUS and OPTIONAL that look outside.

use super::fixture::{Store, check, check_given};
use crate::settings::DefaultGraph;

const DATA: &str = "
    :a :n 1 ; :p :b , :c ; :tag \"x\" .
    :b :n 2 ; :p :c ; :v 5 ; :tag \"y\" .
    :c :n 3 ; :p :a ; :v 2 .
    :d :n 4 ; :q :d ; :w 4 .
    :e :n 4 ; :p :d ; :v 4 , 7 ; :w 4 .
    :z :limit 2 .";

#[test]
fn exists_sees_the_bindings_outside() {
    check(
        DATA,
        &[
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?x :limit ?l FILTER(?n > ?l) } }",
            "SELECT ?s { ?s :n ?n FILTER NOT EXISTS { ?x :limit ?l FILTER(?n > ?l) } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :v ?v FILTER(?v > ?n) } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p ?x OPTIONAL { ?x :v ?v FILTER(?v > ?n) } FILTER(BOUND(?v)) } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p ?x { ?x :v ?v FILTER(?v > ?n) } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p ?x OPTIONAL { { ?x :v ?v FILTER(?v > ?n) } } FILTER(BOUND(?v)) } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { { ?s :v ?v FILTER(?v < ?n) } UNION { ?s :q ?o FILTER(?n = 4) } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { { FILTER(?n = 1) } UNION { ?s :v ?v FILTER(?v = ?n) } } }",
            "SELECT ?s { ?s :n ?n FILTER(EXISTS { ?s :v ?v } || ?n = 1) }",
            "SELECT ?s { ?s :n ?n FILTER(!EXISTS { ?s :v ?v } && EXISTS { ?s :p ?o }) }",
            "SELECT ?s (EXISTS { ?s :v ?v FILTER(?v > ?n) } AS ?e) { ?s :n ?n }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p ?x FILTER NOT EXISTS { ?x :v ?v FILTER(?v > ?n) } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p ?x MINUS { ?x :v ?v } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { BIND(?n * 2 AS ?m) ?x :n ?m } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { VALUES ?n { 1 4 } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { VALUES (?n ?s) { (1 UNDEF) (UNDEF :c) } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { SELECT ?s { ?s :v ?v } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { SELECT ?s { ?s :v ?v } LIMIT 1 } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { SELECT ?s (COUNT(*) AS ?c) { ?s :v ?v } GROUP BY ?s HAVING(COUNT(*) > 1) } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p+ :d } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p* ?s } }",
            "SELECT ?s { ?s :n ?n OPTIONAL { ?s :v ?v } FILTER EXISTS { ?x :n ?v } }",
            "SELECT ?s { ?s :n ?n OPTIONAL { ?s :v ?v FILTER EXISTS { ?s :w ?v } } }",
            "SELECT ?s ?v { ?s :n ?n OPTIONAL { ?s :v ?v FILTER NOT EXISTS { ?x :w ?w FILTER(?w >= ?v) } } }",
            "SELECT ?s ?v { ?s :n ?n OPTIONAL { ?s :v ?v FILTER EXISTS { ?x :limit ?l FILTER(?l <= ?n) } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?x :n ?m FILTER(?m = ?n) FILTER(?x != ?s) } }",
        ],
    );
}

#[test]
fn exists_tells_unbound_rows_from_bound_ones() {
    check(
        DATA,
        &[
            "SELECT ?s { ?s :n ?n OPTIONAL { ?s :v ?v } FILTER EXISTS { ?x :limit 2 FILTER(!BOUND(?v)) } }",
            "SELECT ?s { ?s :n ?n OPTIONAL { ?s :v ?v } FILTER NOT EXISTS { ?x :limit 2 FILTER(!BOUND(?v)) } }",
            "SELECT ?s { ?s :n ?n OPTIONAL { ?s :v ?v } OPTIONAL { ?s :w ?w }
                FILTER EXISTS { ?x :limit 2 FILTER(COALESCE(?v, 0) = COALESCE(?w, 0)) } }",
            "SELECT ?s (EXISTS { ?x :limit 2 FILTER(!BOUND(?v)) } AS ?e) { ?s :n ?n OPTIONAL { ?s :v ?v } }",
            "SELECT ?s ?m { ?s :n ?n OPTIONAL { ?s :v ?v } LATERAL { BIND(COALESCE(?v, 0) AS ?m) } }",
            "SELECT ?s ?m { ?s :n ?n OPTIONAL { ?s :v ?v }
                LATERAL { SELECT ?v ?m { BIND(COALESCE(?v, 0) AS ?m) } } }",
        ],
    );
}

#[test]
fn lateral_substitutes() {
    check(
        DATA,
        &[
            "SELECT ?s ?x { ?s :n ?n LATERAL { SELECT ?s ?x { ?s :p ?x } ORDER BY ?x LIMIT 1 } }",
            "SELECT ?s ?c { ?s :n ?n LATERAL { SELECT (COUNT(*) AS ?c) { ?s :p ?x } } }",
            "SELECT ?s ?c { ?s :n ?n LATERAL { SELECT ?s (COUNT(*) AS ?c) { ?s :p ?x } GROUP BY ?s } }",
            "SELECT ?s ?m { ?s :n ?n LATERAL { BIND(?n + 1 AS ?m) } }",
            "SELECT ?s ?v { ?s :n ?n LATERAL { OPTIONAL { ?s :v ?v FILTER(?v > ?n) } } }",
            "SELECT ?s ?v { ?s :n ?n LATERAL { { ?s :v ?v FILTER(?v > ?n) } UNION { ?s :w ?v } } }",
        ],
    );
}

#[test]
fn minus_needs_a_shared_variable() {
    check(
        DATA,
        &[
            "SELECT ?s { ?s :n ?n MINUS { ?x :limit 2 } }",
            "SELECT ?s { ?s :n ?n MINUS { ?s :v ?v } }",
            "SELECT ?s { ?s :n ?n MINUS { ?s :v ?v FILTER(?v > ?n) } }",
            "SELECT ?s { ?s :n ?n OPTIONAL { ?s :v ?v } MINUS { ?x :w ?v } }",
            "SELECT ?s { ?s :n ?n OPTIONAL { ?s :v ?v } MINUS { ?s :n 4 . OPTIONAL { ?s :w ?v } } }",
            "SELECT ?s { ?s :n ?n MINUS { { ?s :v ?v } UNION { ?x :w ?n } } }",
            "SELECT ?s { ?s :n ?n MINUS { VALUES (?s ?n) { (:a UNDEF) (UNDEF 4) (:b 7) } } }",
            "EMPTY SELECT ?s { ?s :n ?n MINUS { ?s :n ?n } }",
            "SELECT ?s ?x { ?s :p ?x MINUS { ?s :p ?y . ?y :q ?y } }",
            "SELECT ?s { { ?s :n ?n MINUS { ?s :v ?v } } ?s :p ?v }",
        ],
    );
}

/// A BIND of a variable that is bound outside has to agree with it, as any other binding inside has.
#[test]
fn exists_may_bind_what_is_bound_outside() {
    check_given(
        &Store::new(DATA, DefaultGraph::Default),
        &[
            (
                "SELECT ?s { ?s :n ?n FILTER EXISTS { BIND(1 AS ?n) } }",
                &["<a>"],
            ),
            (
                "SELECT ?s { ?s :n ?n FILTER NOT EXISTS { ?x :limit ?l BIND(?l AS ?n) } }",
                &["<a>", "<c>", "<d>", "<e>"],
            ),
        ],
    );
}

/// The independent engine lets the empty path begin only at nodes of the graph; the specification lets it begin at any
/// term (SPARQL 1.1 Query, section 18.4, ZeroLengthPath).
#[test]
fn a_substituted_term_has_an_empty_path() {
    check_given(
        &Store::new(DATA, DefaultGraph::Default),
        &[(
            "SELECT ?s { VALUES ?v { 99 } ?s :n 1 FILTER EXISTS { ?v :p* ?v } }",
            &["<a>"],
        )],
    );
}

/// Each group within an EXISTS starts from the solution outside (SPARQL 1.2 Query, translation of group graph patterns:
/// "Let G := ContextSolution"), so both sides of a MINUS bind that solution's variables. SPARQL 1.1, section 18.6, put
/// terms in their place, after which the sides shared nothing and MINUS took nothing away: an error of that text
/// (w3c/sparql-query, issue 75).
#[test]
fn minus_within_exists_shares_what_is_bound_outside() {
    check(
        DATA,
        &[
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p ?x MINUS { ?s :v ?v } } }",
            "SELECT ?s { ?s :n ?n FILTER NOT EXISTS { ?s :p ?x MINUS { ?s :v ?v } } }",
            "EMPTY SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :n ?n MINUS { ?s :n ?n } } }",
            "EMPTY SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p ?x MINUS { } } }",
            "EMPTY SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p ?x MINUS { ?z :limit 2 } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?s :p ?x MINUS { ?z :limit 3 } } }",
            "EMPTY SELECT ?s { ?s :n ?n FILTER EXISTS { { ?x :limit 2 MINUS { ?y :w 4 } } UNION { ?x :limit 3 } } }",
            "EMPTY SELECT ?s { ?s :n ?n FILTER EXISTS { FILTER EXISTS { ?x :limit 2 MINUS { ?y :w 4 } } } }",
            "SELECT ?s { ?s :n ?n FILTER EXISTS { ?x :limit 2 MINUS { ?y :w ?n } } }",
        ],
    );
}
