//! Which algorithms typical queries get.

use super::fixture::Data;

/// Checks that a plan's text has each of these parts, in this order, and none of the words after `not`.
fn check(data: &Data, query: &str, parts: &[&str], not: &[&str]) {
    let text = data.explain(query);
    let mut rest = &text[..];
    for part in parts {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => panic!("{query}\nhas no {part} there:\n{text}"),
        }
    }
    for word in not {
        assert!(!text.contains(word), "{query}\nhas a {word}:\n{text}");
    }
}

#[test]
fn typical_queries() {
    let data = Data::people();
    let cases: [(&str, &[&str], &[&str]); 20] = [
        (
            "SELECT * { ?s :knows ?f SERVICE :e { ?s :q ?n } }",
            &["SeededJoin", "Scan", "Service <e> for ?s"],
            &[],
        ),
        (
            "SELECT * { ?s :knows ?f OPTIONAL { SERVICE SILENT :e { ?s :q ?n } } }",
            &["SeededLeftJoin", "Scan", "ServiceSilent <e> for ?s"],
            &[],
        ),
        (
            "SELECT * { SERVICE ?e { ?s :q ?n } ?s :knows ?f ; :at ?e }",
            &["SeededJoin", "Service ?e for ?s"],
            &[],
        ),
        // An endpoint that is sure to give few solutions is asked first, and its answer looked up here.
        (
            "SELECT * { ?s :name ?n SERVICE :e { SELECT ?s { ?s :q ?m } LIMIT 5 } }",
            &["IndexJoin on ?s", "Service <e>"],
            &["for ?s"],
        ),
        // MINUS takes away by the variables that its right side binds, and a silent failure binds none.
        (
            "SELECT * { ?s :knows ?f MINUS { SERVICE SILENT :e { ?s :q ?n } } }",
            &["HashMinus", "ServiceSilent <e>"],
            &["for ?s"],
        ),
        (
            "SELECT * { ?s :knows ?f OPTIONAL { SERVICE :e { ?s :q ?n } FILTER(?n > ?f) } }",
            &["SeededLeftJoin", "1 conditions", "Service <e> for ?s"],
            &[],
        ),
        (
            "SELECT ?n { ?s :name ?n . ?s :age ?a }",
            &["MergeJoin on ?s"],
            &["HashJoin"],
        ),
        (
            "SELECT ?n { :n0 :knows ?f . ?f :name ?n }",
            &["IndexJoin on ?f"],
            &["HashJoin"],
        ),
        (
            "SELECT ?n { ?s :knows ?f . ?f :name ?n . FILTER(?n > \"5\") }",
            &["Filter", "IndexJoin"],
            &[],
        ),
        (
            "SELECT ?s { ?s :name ?n ; :age ?a FILTER(?a > 80) }",
            &["MergeJoin", "Filter", "Scan"],
            &[],
        ),
        (
            "SELECT * { ?s :age ?a OPTIONAL { ?s :knows ?f } FILTER(?a > 80) }",
            &["LeftJoin", "Filter", "Scan"],
            &[],
        ),
        (
            "SELECT (COUNT(*) AS ?c) { ?s :age ?a }",
            &["ScanCount"],
            &["Group"],
        ),
        (
            "SELECT (COUNT(?a) AS ?c) { ?s :age ?a }",
            &["ScanCount"],
            &["Group"],
        ),
        (
            "SELECT (COUNT(?x) AS ?c) { ?s :age ?a }",
            &["Group"],
            &["ScanCount"],
        ),
        (
            "SELECT (COUNT(DISTINCT ?a) AS ?c) { ?s :age ?a }",
            &["Group"],
            &["ScanCount"],
        ),
        (
            "SELECT (COUNT(*) AS ?c) { ?s :age ?a FILTER(?a > 1) }",
            &["Group", "Filter"],
            &["ScanCount"],
        ),
        (
            "SELECT ?s { ?s :age ?a } ORDER BY ?a LIMIT 5 OFFSET 2",
            &["Slice offset 2 limit 5", "OrderBy", "first 7"],
            &[],
        ),
        (
            "SELECT DISTINCT ?a { ?s :age ?a } ORDER BY ?a LIMIT 5",
            &["Slice", "Distinct", "OrderBy"],
            &["first"],
        ),
        (
            "SELECT ?s { ?s :age ?a FILTER NOT EXISTS { ?s :knows ?f } }",
            &["AntiJoin"],
            &["Mark"],
        ),
        (
            "SELECT ?s { ?s :nosuch ?a . ?s :age ?b }",
            &["Table", "0 rows"],
            &[],
        ),
    ];
    for (query, parts, not) in cases {
        check(&data, query, parts, not);
    }
}
