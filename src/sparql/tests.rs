//! Where a syntax error is, and what its message says; what the grammar allows beyond the parser; how deep a text may be.

use super::*;

fn failure(text: &str) -> Error {
    parse_query(text, None, &Limits::default()).expect_err(text)
}

/// The query fails at this line and column, and the message has these words.
#[track_caller]
fn check(text: &str, line: u64, column: u64, words: &str) {
    let error = failure(text);
    assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
    let place = error.position().expect("a syntax error has a place");
    assert_eq!((place.line, place.column), (line, column), "{error}");
    assert!(error.message().contains(words), "{error}");
}

#[test]
fn an_error_names_its_place_and_the_usual_slip() {
    check(
        "SELECT * { ?s foaf:name ?n }",
        1,
        15,
        "PREFIX foaf: <http://xmlns.com/foaf/0.1/>",
    );
    check(
        "SELECT * { ?s nope:name ?n }",
        1,
        15,
        "prefix \"nope:\" is not declared",
    );
    check(
        "ASK { ?s ?p 1 FILTER(?p = :x) }",
        1,
        27,
        "prefix \":\" is not declared",
    );
    check("SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?o }", 1, 8, "?x");
    check(
        "SELECT ?y (COUNT(*) AS ?n) { ?x ?p ?y } GROUP BY ?x",
        1,
        8,
        "GROUP BY",
    );
    check(
        "SELECT (STR(?y) AS ?z) { ?x ?p ?y } GROUP BY ?x",
        1,
        13,
        "?y",
    );
    check(
        "ASK { { SELECT ?y { ?x ?p ?y } GROUP BY ?x } ?x ?p 2 }",
        1,
        16,
        "?y",
    );
    check("ASK { ?s ?p “x” }", 1, 13, "straight");
    check("ASK {\n  ?s ?p 1\n  ?s ?q 2 }", 3, 3, "`.`");
    check("ASK { ?s ?p ?o . ?o ?q 1 ?s ?q 2 }", 1, 26, "`.`");
    check("SELECT * { ?s ?p ?o", 1, 20, "`{` of line 1 is not closed");
    check("SELECT * { ?s ?p ?o LIMIT 5", 1, 21, "LIMIT");
    check("SELECT * { ?s ?p ?o } }", 1, 23, "no `{` is open");
    check(
        "SELECT * { ?s ?p ?o } LIMIT 5 ORDER BY ?s",
        1,
        31,
        "HAVING, ORDER BY, LIMIT",
    );
    check("INSERT DATA { <a:a> <a:b> 1 }", 1, 1, "update");
    check("SELECT * { ?s ?p \"x }", 1, 18, "string");
    check("SELECT", 1, 7, "ends too early");
    check("ASK { FILTER (?x<?a&&?b>?y) }", 1, 17, "put a space");
    check("SELECT (COUNT(MAX(?x)) AS ?n) {}", 1, 15, "sub-query");
    check(
        "ASK { FILTER(isTRIPLE(<<( 1 <a:p> 2 )>>)) }",
        1,
        27,
        "subject",
    );
    check("", 1, 1, "empty");
}

/// The place is marked in the text.
#[test]
fn slips_are_found_wherever_they_stand() {
    let prefix = "prefix \"ex:\" is not declared";
    for (marked, words) in [
        ("ASK { ?s ?p '1'^^§ex:dt }", prefix),
        ("ASK { FILTER(§ex:f(1)) }", prefix),
        ("ASK { ?s ^§ex:p*/<a:b> ?o }", prefix),
        ("ASK { GRAPH §ex:g { ?s ?p ?o } }", prefix),
        ("SELECT * FROM §ex:g { ?s ?p ?o }", prefix),
        ("DESCRIBE §ex:s", prefix),
        ("CONSTRUCT { ?s a §ex:C } { ?s ?p ?o }", prefix),
        ("# ex:no\nASK { ?s ?p 'ex:no' , §ex:o }", prefix),
        ("PREFIX a: <http://a/> ASK { ?s a:b §ex:o }", prefix),
        ("ASK { ?s ?p 1 }\n# what follows\n§ex:o", prefix),
        (
            "ASK { ?s ?p '1'^^§xsd:integer }",
            "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>",
        ),
        ("ASK { ?s ?p 'a “b” c' §?x ?y 1 }", "`.`"),
        ("ASK { ?s ?p [ ?q 1 ] §?x ?y 1 }", "`.`"),
        ("ASK { ?s ?p ( 1 2 ) §?x ?y 1 }", "`.`"),
        ("ASK { ?s ?p 'x'@en §?x ?y 1 }", "`.`"),
        ("ASK { ?s ?p 1.5 §?x ?y 1 }", "`.`"),
        ("ASK {\r\n  ?s ?p 1\r\n  §?s ?q 2 }", "`.`"),
        ("ASK { ?s ?p §‘x’ }", "straight"),
        ("ASK { FILTER(?x = §„x“) }", "straight"),
        (
            "SELECT ?s §?o (SUM(?n) AS ?t) { ?s ?p ?n, ?o } GROUP BY ?s",
            "?o",
        ),
        ("SELECT (§?n + SUM(?n) AS ?t) { ?s ?p ?n }", "?n"),
        ("ASK {\n\t?s §nope:p 1 }", "\"nope:\""),
        ("ASK { ?s ?p (1 §} )", "closes"),
        ("SELECT * { ?s ?p ?o } GROUP BY§", "ends too early"),
    ] {
        let (before, after) = marked.split_once('§').expect("a marked place");
        let line = before.matches('\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or_default();
        let column = last.chars().count() + 1;
        check(
            &format!("{before}{after}"),
            line as u64,
            column as u64,
            words,
        );
    }
}

#[test]
fn columns_count_characters_and_the_caret_stands_below() {
    let error = failure("ASK { ?é ?ü 1\n ?x ex:p 'ä' }");
    let place = error.position().expect("a place");
    assert_eq!((place.line, place.column), (2, 5));
    assert_eq!(place.excerpt, " ?x ex:p 'ä' }\n    ^");
}

#[test]
fn a_long_line_is_cut_around_the_place() {
    let text = format!(
        "ASK {{ {} ex:p 1 {} }}",
        "?s ?p 1 . ".repeat(50),
        "?s ?p 1 . ".repeat(50)
    );
    let error = failure(&text);
    let place = error.position().expect("a place");
    let (line, caret) = place.excerpt.split_once('\n').expect("two lines");
    assert!(line.chars().count() < 120, "{line}");
    assert!(
        line[caret.len() - 1..].starts_with("ex:p"),
        "{line}\n{caret}"
    );
}

#[test]
fn what_the_grammar_allows_is_read() {
    for text in [
        "ASK { ?s ?p TRUE, False FILTER(?p = \"TRUE\") }",
        "ASK { FILTER(COALESCE (?x, CONCAT\n(\"a\", \"b\"))) BIND(BNODE () AS ?b) }",
        "ASK { ?s ?p <http://e/?a=b&&c,(d)> FILTER(?s IN (?p, <http://e/(x)>) && ?x <?a && ?b> ?y) }",
        "SELECT (COUNT(?v) AS ?n) (IF(BOUND(?n), ?n + ?n, 0) AS ?m) (?m AS ?k) { ?s ?p ?v }",
        "SELECT (SUM(IF(EXISTS { SELECT (COUNT(*) AS ?n) {} }, 1, 0)) AS ?m) {}",
        "ASK { ?s <a:p> ( <<( <<( <a:s> <a:p> 1 )>> <a:p> 2 )>> ) }",
    ] {
        let outcome = parse_query(text, None, &Limits::default());
        assert!(outcome.is_ok(), "{outcome:?}");
    }
    check(
        "ASK {\n FILTER(CONCAT (1, ?x ?y)) }",
        2,
        23,
        "cannot stand here",
    );
}

#[test]
fn updates_are_read_and_their_errors_say_so() {
    let failure = |text: &str| parse_update(text, None, &Limits::default()).unwrap_err();
    for text in [
        "",
        "INSERT DATA { <a:s> <a:p> 1 }; CLEAR ALL",
        "DELETE WHERE { ?s ?p ?o }",
    ] {
        let outcome = parse_update(text, None, &Limits::default());
        assert!(outcome.is_ok(), "{outcome:?}");
    }
    for (text, words) in [
        ("ASK {}", "begins a query"),
        ("INSERT DATA { ?s ?p 1", "the update ends"),
        ("INSERT DATA", "the update ends too early"),
        ("INSERT DATA { ex:s ex:p 1 }", "prefix \"ex:\""),
    ] {
        assert!(
            failure(text).message().contains(words),
            "{:?}",
            failure(text)
        );
    }
}

#[test]
fn well_known_prefixes_are_declared_where_that_is_chosen() {
    let prologue = Prologue {
        base: None,
        has_default_prefixes: true,
    };
    let parse = |text: &str| parse_query(text, prologue, &Limits::default());
    let text = parse("ASK { ?s foaf:name ?n }").unwrap().to_string();
    assert!(text.contains("<http://xmlns.com/foaf/0.1/name>"), "{text}");
    let own = parse("PREFIX foaf: <http://e/> ASK { ?s foaf:name ?n }");
    let own = own.unwrap().to_string();
    assert!(own.contains("<http://e/name>"), "{own}");
    let error = parse("ASK { ?s foaf:name nope:x }").unwrap_err();
    assert!(error.message().contains("\"nope:\""), "{error}");
}

#[test]
fn a_base_resolves_relative_iris() {
    let query = parse_query("ASK { <s> <p> 1 }", Some("http://e/x"), &Limits::default()).unwrap();
    assert!(query.to_string().contains("<http://e/s>"), "{query}");
    let error = parse_query("ASK {}", Some("x"), &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
}

/// Text that nests as deep as the limit allows is parsed, and neither parsing nor dropping ends the process.
#[test]
fn the_deepest_allowed_text_is_parsed() {
    let around = |before: &str, open: &str, core: &str, close: &str, after: &str| {
        let build = |n| format!("{before}{}{core}{}{after}", open.repeat(n), close.repeat(n));
        let limits = Limits::default();
        let is_allowed = |t: &String| limits.check_nesting(t, &tokenize(t)).is_ok();
        let text = (1..=limits.depth_max).rev().map(build).find(is_allowed);
        let outcome = parse_query(&text.expect("one level is allowed"), None, &limits);
        assert!(
            outcome.is_ok(),
            "{before}{open}{core}{close}{after}: {outcome:?}"
        );
    };
    around("ASK {", "{", "", "}", "}");
    around("ASK {", "{ SELECT * {", "?s ?p ?o", "} }", "}");
    around("ASK {", "?s ?p ?o OPTIONAL {", "", "}", "}");
    around("ASK {", "FILTER EXISTS {", "", "}", "}");
    around("ASK {", "{} UNION ", "{}", "", "}");
    around("ASK { FILTER(", "(", "1", ")", ") }");
    around("ASK { FILTER(", "STR(", "1", ")", ") }");
    around("ASK { FILTER(", "!", "1", "", ") }");
    around("ASK { FILTER(", "1 + ", "1", "", ") }");
    around("ASK { FILTER(", "1 || ", "1", "", ") }");
    around("ASK { FILTER(", "SUBSTR(", "?x", ", 1)", ") }");
    around("ASK { ?s ", "(", "<a:b>", ")*", " ?o }");
    around("ASK { ?s ", "<a:b>/", "<a:b>", "", " ?o }");
    around("ASK { ?s ?p ", "[ ?p ", "1", " ]", " }");
    around("ASK { ?s ?p ", "( ", "1", " )", " }");
}
