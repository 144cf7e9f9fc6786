//! LIMIT and ASK stop their input, columns that nobody wants do not change the number of rows, and the limits of a
//! query end it whatever it is busy with.

use super::fixture::{Store, request};
use crate::diagnostics::ErrorKind;
use crate::engine::{QueryAnswer, QueryControl};
use crate::settings::DefaultGraph;

/// Many people who know the next three, in a circle.
fn circle(people: usize) -> Store {
    let mut text = String::new();
    for n in 0..people {
        let knows = |step| format!(":n{}", (n + step) % people);
        text += &format!(
            ":n{n} :name \"name {n}\" ; :age {} ; :knows {} , {} , {} .\n",
            n % 90,
            knows(1),
            knows(2),
            knows(3)
        );
    }
    Store::new(&text, DefaultGraph::Default)
}

#[test]
fn limit_and_ask_stop_their_input() {
    // Three blocks of each of two scans, where everything would be sixteen.
    let store = circle(8_000);
    let queries = [
        "SELECT * { ?s :name ?n } LIMIT 5",
        "SELECT * { ?s :name ?n ; :age ?a } LIMIT 5",
        "SELECT * { ?s :name ?n FILTER(CONTAINS(?n, \"1\")) } LIMIT 5",
        "SELECT * { ?s :name ?n OPTIONAL { ?s :age ?a } } LIMIT 5",
        "SELECT * { { ?s :name ?n } UNION { ?s :age ?n } } LIMIT 5",
        "SELECT DISTINCT ?s { ?s :knows ?o } LIMIT 5",
        "ASK { ?s :name ?n }",
        "ASK { ?s :name ?n ; :age ?a }",
        "ASK { ?s ?p ?o FILTER(ISIRI(?o)) }",
    ];
    for query in queries {
        let (rows, plan) = store.reads(query);
        assert!(rows <= 6 * 1_024, "{query} read {rows} rows\n{plan}");
    }
}

#[test]
fn a_count_needs_no_columns_and_loses_no_rows() {
    let store = circle(300);
    let bodies = [
        "?s :name ?n",
        "?s :knows ?o . ?o :age ?a",
        "?s :knows ?o OPTIONAL { ?o :age 7 }",
        "?s :knows ?o . ?o :knows ?x . ?s :knows ?x",
        "?s :age ?a FILTER(?a > 50)",
        "?s :age ?a FILTER NOT EXISTS { ?s :knows :n5 }",
        "?s :age ?a MINUS { ?s :knows :n5 }",
        "{ ?s :age 5 } UNION { ?s :knows :n5 . ?s :age ?b }",
        "?s :age ?a BIND(?a + 1 AS ?b) ?t :age ?b FILTER(?b < 3)",
        "VALUES (?s ?o) { (:n1 UNDEF) (UNDEF :n4) } ?s :knows ?o",
        ":n1 :knows+ ?o",
        "{ SELECT ?s (COUNT(*) AS ?c) { ?s :knows ?o } GROUP BY ?s }",
        "{ SELECT DISTINCT ?a { ?s :age ?a } }",
        "{ SELECT ?s { ?s :age ?a } ORDER BY ?a LIMIT 7 }",
    ];
    for body in bodies {
        let rows = store.ask(&format!("SELECT * {{ {body} }}")).len();
        assert!(rows > 0, "{body}");
        let count = store.ask(&format!("SELECT (COUNT(*) AS ?c) {{ {body} }}"));
        let expected = format!("\"{rows}\"^^<http://www.w3.org/2001/XMLSchema#integer>");
        assert_eq!(count, [expected], "{body}");
    }
}

#[test]
fn limits_end_queries_of_every_kind() {
    let store = circle(3_000);
    let product = "?a :name ?x . ?b :name ?y . ?c :name ?z";
    let queries = [
        format!("SELECT * {{ {product} }} ORDER BY ?x ?z"),
        format!("SELECT ?x ?y (COUNT(*) AS ?n) {{ {product} }} GROUP BY ?x ?y ?z"),
        format!("SELECT DISTINCT ?x ?y ?z {{ {product} }}"),
        "SELECT DISTINCT ?a ?b { ?a (:knows|!:knows)* ?b }".to_owned(),
        format!(
            "SELECT ?m {{ {product} OPTIONAL {{ ?a :age ?m FILTER NOT EXISTS {{ ?q :age ?n FILTER(?n > ?m) }} }} }} ORDER BY ?m"
        ),
    ];
    for query in &queries {
        let prepared = store.engine.prepare(&request(query)).unwrap();
        let control = QueryControl::new(None, Some(4 << 20));
        let mut end = store
            .engine
            .execute(&prepared, &control)
            .map(|answer| match answer {
                QueryAnswer::Solutions(mut rows) => loop {
                    match rows.next_batch() {
                        Ok(Some(_)) => {}
                        Ok(None) => return None,
                        Err(error) => return Some(error.kind()),
                    }
                },
                _ => None,
            });
        let kind = match &mut end {
            Ok(kind) => kind.take(),
            Err(error) => Some(error.kind()),
        };
        assert_eq!(kind, Some(ErrorKind::MemoryLimit), "{query}");
    }
}
