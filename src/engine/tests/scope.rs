//! What a group, a filter or a sub-query sees of the variables around it (SPARQL 1.1 Query, sections 12, 18.2.1 and 18.6).

use super::fixture::{Store, check, check_given, request};
use crate::settings::DefaultGraph;

const DATA: &str = "
    :a :n 1 ; :p :b , :c ; :tag \"x\" .
    :b :n 2 ; :p :c ; :v 5 ; :tag \"y\" .
    :c :n 3 ; :p :a ; :v 2 .
    :d :n 4 ; :q :d ; :w 4 .
    :e :n 4 ; :p :d ; :v 4 , 7 ; :w 4 .
    :z :limit 2 .
    :g1 { :a :n 1 . :g1 :n 9 } :g2 { :b :n 2 }";

/// The filters of an optional group are its condition and see both sides; deeper groups are evaluated alone.
#[test]
fn the_condition_of_an_optional_part_sees_both_sides() {
    check(
        DATA,
        &[
            "SELECT * { ?s :n ?n OPTIONAL { ?x :limit ?l FILTER(?n >= ?l) } }",
            "SELECT * { ?s :n ?n OPTIONAL { FILTER(?n > 2) ?x :limit ?l } }",
            "SELECT * { ?s :n ?n OPTIONAL { { ?x :limit ?l FILTER(?n >= ?l) } } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?x :limit ?l OPTIONAL { ?s :v ?v FILTER(?n >= ?l) } } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :p ?y OPTIONAL { ?y :v ?v FILTER(?y != ?s && ?v > 2) } FILTER(?n < 3) } }",
            "SELECT * { ?s :n ?n OPTIONAL { FILTER(?n > 2) } }",
            "SELECT * { ?s :n ?n OPTIONAL { FILTER(BOUND(?n)) VALUES ?k { 1 2 } FILTER(?k < ?n) } }",
            "SELECT * { ?s :n ?n OPTIONAL { { ?s :v ?v } UNION { ?s :w ?v } FILTER(?v > ?n) } }",
            "SELECT * { ?s :n ?n OPTIONAL { SELECT ?s ?v { ?s :v ?v FILTER(!BOUND(?n)) } } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?v FILTER(?nosuch > 1) } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?v FILTER(!BOUND(?nosuch)) } }",
            "SELECT * { ?s :n ?n OPTIONAL { BIND(?n AS ?m) } }",
            "SELECT * { ?s :n ?n OPTIONAL { BIND(7 AS ?m) FILTER(?n > 2) } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?v BIND(?v + ?n AS ?m) FILTER(?n > 2) } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?v MINUS { ?s :w ?w } FILTER(?v >= ?n) } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?v } OPTIONAL { ?x :limit ?l FILTER(?v > ?l) } }",
        ],
    );
}

/// A group that begins with OPTIONAL joins it to the empty solution; what follows may then only agree.
#[test]
fn optional_parts_stand_where_they_are_written() {
    check(
        DATA,
        &[
            "SELECT * { OPTIONAL { ?s :v ?v } ?s :n ?n }",
            "SELECT * { OPTIONAL { ?s :nosuch ?v } ?s :n ?n }",
            "SELECT * { OPTIONAL { ?s :v ?v } OPTIONAL { ?s :w ?w } }",
            "SELECT * { OPTIONAL { ?s :v ?v } OPTIONAL { ?s :w ?w } ?s :n ?n }",
            "SELECT * { OPTIONAL { ?s :w ?w } { ?s :v ?v } UNION { ?t :limit ?v } }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?v } ?t :v ?v }",
            "SELECT * { ?s :n ?n OPTIONAL { ?s :v ?v } OPTIONAL { ?t :w ?v } ?t :n ?m }",
            "SELECT * { { OPTIONAL { ?s :v ?v } } ?s :n ?n }",
            "SELECT * { BIND(4 AS ?v) OPTIONAL { ?s :v ?v } }",
            "SELECT * { VALUES ?s { :a :e } OPTIONAL { ?s :v ?v } MINUS { ?s :w ?v } }",
            "EMPTY SELECT * { OPTIONAL { ?s :v ?v } FILTER(!BOUND(?s)) }",
            "SELECT * { OPTIONAL { ?s :nosuch ?v } FILTER(!BOUND(?s)) }",
            "EMPTY SELECT * { OPTIONAL { ?s :v ?v } FILTER(BOUND(?w)) }",
        ],
    );
}

/// A filter holds for the whole of its group, wherever it stands there, and for nothing outside.
#[test]
fn filters_hold_for_their_group() {
    check(
        DATA,
        &[
            "SELECT * { FILTER(?m > 2) ?s :n ?n BIND(?n * 2 AS ?m) }",
            "SELECT * { ?s :n ?n FILTER EXISTS { ?s :v ?v } BIND(?n * 2 AS ?m) }",
            "SELECT * { ?s :n ?n FILTER NOT EXISTS { ?s :v ?m } BIND(?n + 1 AS ?m) }",
            "SELECT * { ?s :n ?n FILTER EXISTS { ?s :v ?m } BIND(?n + 3 AS ?m) }",
            "EMPTY SELECT * { ?s :n ?n { FILTER(?n > 1) } }",
            "SELECT * { ?s :n ?n { FILTER(!BOUND(?n)) } }",
            "SELECT * { FILTER(?n > 3) { ?s :n ?n } UNION { ?s :v ?n } }",
            "SELECT * { { ?s :n ?n } UNION { ?s :v ?n FILTER(?n > 4) } }",
            "SELECT * { FILTER(!BOUND(?v)) ?s :n ?n OPTIONAL { ?s :v ?v } }",
            "SELECT * { ?s :n ?n FILTER(?x = 1) BIND(1 AS ?x) }",
            "SELECT * { ?s :n ?n MINUS { ?s :v ?v FILTER(?n > 2) } }",
            "SELECT * { ?s :n ?n MINUS { ?s :v ?v FILTER(!BOUND(?n)) } }",
            "SELECT * { ?s :n ?n FILTER(?n > 2) MINUS { ?s :w ?w } }",
            "SELECT * { MINUS { ?s :n 1 } ?s :n ?n }",
            "SELECT * { ?s :n ?n MINUS { ?s :w ?w } OPTIONAL { ?s :w ?u } }",
        ],
    );
}

/// Branches, sub-queries and tables are evaluated by themselves and then joined.
#[test]
fn parts_of_a_group_are_evaluated_by_themselves() {
    check(
        DATA,
        &[
            "SELECT * { VALUES ?w { \"Abc\" } { BIND(UCASE(?w) AS ?u) } UNION { BIND(LCASE(?w) AS ?l) } }",
            "SELECT * { ?s :n ?n { BIND(?n AS ?m) } UNION { ?s :v ?m FILTER(?m > ?n) } }",
            "SELECT * { ?s :n ?n { SELECT ?v { ?s :v ?v } } FILTER(?v = ?n) }",
            "SELECT * { ?s :n ?n { SELECT ?s (COUNT(?v) AS ?c) { ?s :v ?v } GROUP BY ?s } }",
            "SELECT * { ?s :n ?n { SELECT (COUNT(?s) AS ?c) { ?s :v ?v } } }",
            "SELECT * { ?s :n ?n { SELECT ?s { ?s :v ?v } ORDER BY DESC(?v) LIMIT 1 } }",
            "SELECT * { ?s :n ?n { SELECT DISTINCT ?s { ?s :v ?v } } }",
            "SELECT * { ?s :n ?n { SELECT ?s { ?s :v ?v } } }",
            "SELECT ?s ?n { { SELECT ?s { ?s :n ?n } } ?x :limit ?n }",
            "SELECT * { VALUES ?v { \"set\" } { VALUES (?v ?w) { (UNDEF 1) (\"set\" 2) } FILTER(BOUND(?v)) } }",
            "SELECT * { VALUES ?a { :k } { VALUES ?n { 1 } OPTIONAL { ?a :nosuch ?z } FILTER(!BOUND(?a)) } }",
            "SELECT * { ?s :n ?n { VALUES ?k { 1 } OPTIONAL { ?s :v ?k } FILTER(!BOUND(?s)) } }",
            "SELECT * { ?s :n ?n { OPTIONAL { ?s :nosuch ?k } BIND(COALESCE(?s, :none) AS ?d) } }",
            "SELECT * { ?s :n ?n { SELECT ?s ?d { OPTIONAL { ?s :nosuch ?k } BIND(BOUND(?s) AS ?d) } } }",
            "SELECT * { ?s :n ?n . { ?s :v ?v MINUS { ?s :n ?n FILTER(?n > 3) } } }",
            "SELECT ?s { { SELECT ?s { ?s :v ?v } LIMIT 0 } UNION { ?s :w ?w } }",
            "SELECT * { { SELECT * { ?s :v ?v } ORDER BY ?v ?s OFFSET 1 LIMIT 2 } ?s :n ?n }",
        ],
    );
}

/// SELECT * takes what is in scope: not what MINUS, EXISTS, or a sub-query that does not project it mention.
#[test]
fn select_everything_takes_what_is_in_scope() {
    check(
        DATA,
        &[
            "SELECT * { ?s :n ?n MINUS { ?s :v ?hidden } FILTER NOT EXISTS { ?s :w ?other } }",
            "SELECT * { { SELECT ?s { ?s :n ?hidden } } }",
            "SELECT * { { SELECT (?n AS ?m) { ?s :n ?n } } }",
            "SELECT * { { SELECT ?s (SUM(?v) AS ?t) { ?s :v ?v } GROUP BY ?s } }",
            "SELECT * { ?s :p [ :n ?n ] }",
            "SELECT * { ?s :p/:n ?n }",
            "SELECT * { GRAPH ?g { ?s :n ?n } }",
            "SELECT * { ?s :n ?n FILTER(?n > 1 || ?unseen) }",
            "SELECT * { ?s :n ?n BIND(?unseen AS ?m) }",
            "SELECT * { VALUES (?a ?b) { (1 UNDEF) } }",
            "SELECT * { { ?s :v ?v } UNION { ?s :w ?w } }",
            "SELECT * { }",
            "ASK { }",
        ],
    );
}

/// A label is one node within its basic graph pattern, and may not come again in another (section 5.1.1).
#[test]
fn blank_nodes_belong_to_one_basic_graph_pattern() {
    check(
        DATA,
        &[
            "SELECT * { _:x :n ?n . _:x :v ?v }",
            "SELECT * { _:x :n ?n . ?y :limit ?l . _:x :v ?v }",
            "SELECT * { _:x :n ?n FILTER(?n > 1) _:x :v ?v }",
            "SELECT * { [] :n ?n . [] :limit ?l }",
            "SELECT * { [ :n ?n ; :v ?v ] :p ?o }",
            "SELECT * { _:x :p/:v ?v . _:x :n ?n }",
            "SELECT (COUNT(*) AS ?c) { [] :p [] }",
        ],
    );
    let store = Store::new(DATA, DefaultGraph::Default);
    for query in [
        "SELECT * { _:x :n ?n OPTIONAL { _:x :v ?v } }",
        "SELECT * { { _:x :n ?n } { _:x :v ?v } }",
        "SELECT * { { _:x :n ?n } UNION { _:x :v ?v } }",
        "SELECT * { _:x :n ?n FILTER EXISTS { _:x :v ?v } }",
        "SELECT * { _:x :n ?n MINUS { _:x :v ?v } }",
        "SELECT * { _:x :n ?n GRAPH ?g { _:x :n ?v } }",
    ] {
        let refused = store.engine.prepare(&request(query));
        assert!(refused.is_err(), "{query}");
    }
}

/// Aggregates in expressions, in HAVING and in ORDER BY; groups by expressions (sections 11 and 18.2.4).
#[test]
fn aggregates_stand_in_expressions() {
    check(
        DATA,
        &[
            "SELECT ?n (COUNT(?s) * 2 + 1 AS ?c) { ?s :n ?n } GROUP BY ?n",
            "SELECT (SUM(?n) / COUNT(?n) AS ?m) (AVG(?n) AS ?a) { ?s :n ?n }",
            "SELECT (IF(COUNT(?v) = 0, \"none\", STR(MAX(?v))) AS ?m) ?s { ?s :n ?n OPTIONAL { ?s :v ?v } } GROUP BY ?s",
            "SELECT ?half (COUNT(*) AS ?c) { ?s :n ?n } GROUP BY (?n > 2 AS ?half)",
            "SELECT (COUNT(*) AS ?c) { ?s :n ?n } GROUP BY (?n > 2)",
            "SELECT (COUNT(*) AS ?c) { ?s :n ?n } GROUP BY STR(?n)",
            "SELECT ?v (COUNT(*) AS ?c) { ?s :n ?n OPTIONAL { ?s :v ?v } } GROUP BY ?v",
            "SELECT ?e (COUNT(*) AS ?c) { ?s :tag|:n ?o } GROUP BY (?o + 1 AS ?e)",
            "SELECT ?n { ?s :n ?n } GROUP BY ?n HAVING (COUNT(*) > 1)",
            "SELECT ?n { ?s :n ?n OPTIONAL { ?s :v ?v } } GROUP BY ?n HAVING (SUM(?v) > 4) (COUNT(*) < 3)",
            "SELECT ?n { ?s :n ?n } GROUP BY ?n HAVING (?n > 2 && COUNT(*) > 1)",
            "EMPTY SELECT (COUNT(*) AS ?c) { ?s :nosuch ?n } HAVING (COUNT(*) > 0)",
            "SELECT (COUNT(*) AS ?c) { ?s :nosuch ?n } HAVING (COUNT(*) = 0)",
            "EMPTY SELECT ?s (MAX(?n) AS ?m) { ?s :nosuch ?n } GROUP BY ?s",
            "SELECT (MAX(?n) AS ?m) (SUM(?n) AS ?t) (COUNT(DISTINCT ?n) AS ?c) { ?s :nosuch ?n }",
            "SELECT ?s (SUM(?v) AS ?t) { ?s :n ?n OPTIONAL { ?s :v ?v } } GROUP BY ?s",
            "SELECT (COUNT(DISTINCT ?n) AS ?c) (SUM(DISTINCT ?n) AS ?t) (AVG(DISTINCT ?n) AS ?a) { ?s :n ?n }",
            "SELECT (SUM(?c) AS ?t) { SELECT ?n (COUNT(*) AS ?c) { ?s :n ?n } GROUP BY ?n }",
            "SELECT (COUNT(*) AS ?c) { ?s :n ?n FILTER EXISTS { SELECT ?s { ?s :v ?v } GROUP BY ?s HAVING(COUNT(*) > 1) } }",
            "SELECT ?n (COUNT(*) AS ?c) { ?s :n ?n } GROUP BY ?n ORDER BY DESC(COUNT(*)) ?n LIMIT 1",
            "SELECT ?x { ?s :n ?n } GROUP BY ?x",
            "SELECT (GROUP_CONCAT(?t; SEPARATOR=\"\") AS ?g) { { SELECT ?t { ?s :tag ?t } ORDER BY ?t } }",
        ],
    );
}

/// Errors are not counted (section 18.5.1.2), and what the head defines can be used behind it (section 18.2.4.4); the
/// independent engine leaves the count unbound, and does not read the second.
#[test]
fn errors_are_not_counted_and_heads_build_on_themselves() {
    let integer = |n: u8| format!("\"{n}\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    check_given(
        &Store::new(DATA, DefaultGraph::Default),
        &[
            (
                "SELECT ?s (COUNT(?v + \"x\") AS ?t) { ?s :v ?v FILTER(?v > 4) } GROUP BY ?s",
                &[
                    &format!("<b> {}", integer(0)),
                    &format!("<e> {}", integer(0)),
                ],
            ),
            (
                "SELECT (COUNT(*) AS ?c) (?c + 1 AS ?d) { ?s :n ?n }",
                &[&format!("{} {}", integer(5), integer(6))],
            ),
        ],
    );
}

/// DISTINCT, REDUCED, ORDER BY and slices come in this order (section 15).
#[test]
fn modifiers_come_in_their_order() {
    check(
        DATA,
        &[
            "SELECT DISTINCT ?n { ?s :n ?n . ?t :v ?v } LIMIT 10",
            "SELECT DISTINCT ?n { ?s :n ?n . ?t :v ?v } ORDER BY DESC(?n) LIMIT 2 OFFSET 1",
            "SELECT ?s { ?s :n ?n } ORDER BY DESC(?n) ?s LIMIT 2",
            "SELECT (?n * 2 AS ?m) { ?s :n ?n } ORDER BY DESC(?m) LIMIT 1",
            "SELECT DISTINCT (?n > 2 AS ?m) { ?s :n ?n } ORDER BY ?m LIMIT 1",
            "SELECT * { ?s :n ?n } ORDER BY (?n * -1) DESC(?s) LIMIT 2",
            "EMPTY SELECT * { ?s :n ?n } ORDER BY ?s LIMIT 0",
            "EMPTY SELECT * { ?s :n ?n } ORDER BY ?s OFFSET 5",
            "SELECT ?s { ?s :n ?n } ORDER BY (EXISTS { ?s :v ?v }) DESC(?n) ?s LIMIT 3",
            "SELECT * { { SELECT DISTINCT ?n { ?s :n ?n } ORDER BY ?n LIMIT 2 } ?t :n ?n }",
        ],
    );
}
