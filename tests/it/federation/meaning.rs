//! What SERVICE means: the same as the patterns over all data in one store, whatever the text and the format that it
//! travels in.

use super::{solutions, store, turtle_document};
use crate::compare::{Order, compare};
use crate::endpoint::{Endpoint, JSON, Response, XML, written};
use crate::kaluta::Kaluta;
use crate::store::{Answer, Row, Store};
use oxrdf::{Literal, NamedNode, Term, Variable};
use sparesults::QueryResultsFormat;

/// Every query over two endpoints gives what it gives with all data in one store, its SERVICE clauses taken off.
pub(super) fn joins_in_every_way() {
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

pub(super) fn both_formats_are_read() {
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
pub(super) fn the_text_means_the_pattern() {
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
