//! What follows the braces: VALUES, HAVING, ORDER BY and slices, in queries of every form and in sub-queries (SPARQL 1.1
//! Query, sections 10.2, 15 and 16).

use super::fixture::check;

const DATA: &str = "
    :a :n 1 ; :p :b , :c . :b :n 2 ; :p :c ; :v 5 . :c :n 3 ; :p :a ; :v 2 .
    :d :n 4 ; :w 4 . :e :n 4 ; :p :d ; :v 4 , 7 ; :w 4 .";

#[test]
fn values_behind_the_braces_join_the_whole() {
    check(
        DATA,
        &[
            "SELECT * { ?s :n ?n } VALUES ?s { :a :c :zz }",
            "SELECT * { ?s :n ?n } VALUES (?s ?n) { (:a UNDEF) (UNDEF 4) (:b 7) }",
            "SELECT ?s { ?s :n ?n OPTIONAL { ?s :v ?v } } VALUES ?v { 5 7 }",
            "SELECT ?n (COUNT(*) AS ?c) { ?s :n ?n } GROUP BY ?n VALUES ?n { 4 9 }",
            "SELECT ?n (COUNT(*) AS ?c) { ?s :n ?n } GROUP BY ?n HAVING (COUNT(*) > 1) VALUES ?n { 4 1 }",
            "SELECT ?s { ?s :n ?n } ORDER BY DESC(?n) ?s LIMIT 2 VALUES ?s { :a :d }",
            "SELECT * { ?s :n ?n { SELECT ?s ?v { ?s :v ?v } VALUES ?v { 5 4 } } }",
            "SELECT * { ?s :n ?n { SELECT ?s { ?s :p ?o } VALUES (?s ?o) { (:a UNDEF) (UNDEF :d) } } }",
            "CONSTRUCT { ?s :is ?n } { ?s :n ?n } VALUES ?s { :a :b }",
            "CONSTRUCT WHERE { ?s :n ?n } VALUES ?n { 4 }",
            "ASK { ?s :n ?n } VALUES ?n { 3 }",
            "ASK { ?s :n ?n } VALUES ?n { 33 }",
            "EMPTY SELECT * { ?s :n ?n } VALUES ?s { }",
        ],
    );
}

#[test]
fn modifiers_belong_to_every_form() {
    check(
        DATA,
        &[
            "CONSTRUCT { ?s :is ?n } { ?s :n ?n } ORDER BY ?n LIMIT 2",
            "CONSTRUCT { ?s :is ?n } { ?s :n ?n } ORDER BY DESC(?n) ?s OFFSET 3",
            "CONSTRUCT { ?s :has ?c } { SELECT ?s (COUNT(?v) AS ?c) { ?s :n ?n OPTIONAL { ?s :v ?v } } GROUP BY ?s }",
            "CONSTRUCT { ?s :p ?o . ?o :q ?s } { ?s :p ?o FILTER(?s != :a) }",
            "EMPTY CONSTRUCT { ?s :is ?n } { ?s :n ?n } LIMIT 0",
            "SELECT ?s { ?s :n ?n } ORDER BY ?nosuch DESC(?n) ?s LIMIT 2",
            "SELECT ?s ?v { ?s :n ?n OPTIONAL { ?s :v ?v } } ORDER BY ?v ?s LIMIT 4",
            "SELECT ?s ?v { ?s :n ?n OPTIONAL { ?s :v ?v } } ORDER BY DESC(?v) ?s LIMIT 2",
            "SELECT ?s { ?s :n ?n } ORDER BY (?n + ?nosuch) DESC(?s) LIMIT 2",
            "SELECT ?s (?n + 1 AS ?m) { ?s :n ?n } ORDER BY DESC(?m) ?s LIMIT 3",
            "SELECT ?n { ?s :n ?n } GROUP BY ?n ORDER BY DESC(MIN(STR(?s))) LIMIT 2",
            "SELECT ?n (SAMPLE(?n) AS ?m) { ?s :n ?n } GROUP BY ?n HAVING (?n > 1) ORDER BY ?n OFFSET 1",
            "SELECT REDUCED ?x { VALUES ?x { 1 2 } }",
            "SELECT DISTINCT ?o { ?s :p ?o } ORDER BY DESC(?o) LIMIT 2",
            "SELECT DISTINCT ?s ?o { ?s :p|:v ?o } ORDER BY ?s ?o OFFSET 2 LIMIT 3",
            "SELECT (COUNT(DISTINCT ?o) AS ?c) { { SELECT ?o { ?s :p ?o } ORDER BY ?o LIMIT 3 } }",
            "SELECT * { { SELECT ?s { ?s :n ?n } ORDER BY DESC(?n) DESC(?s) LIMIT 1 } { SELECT ?s ?v { ?s :v ?v } ORDER BY ?v } }",
            "SELECT * { ?s :n ?n OPTIONAL { SELECT ?s (COUNT(*) AS ?c) { ?s :v ?v } GROUP BY ?s HAVING (COUNT(*) > 1) } }",
            "SELECT * { ?s :n ?n MINUS { SELECT ?s { ?s :v ?v } ORDER BY DESC(?v) LIMIT 1 } }",
            "SELECT * { ?s :n ?n FILTER NOT EXISTS { SELECT ?s { ?s :v ?v } GROUP BY ?s HAVING (COUNT(*) > 1) } }",
        ],
    );
}
