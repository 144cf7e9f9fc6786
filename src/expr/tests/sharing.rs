//! What is shared between rows: remembered results, blank node labels, errors, counts of work.

use super::{Batch, Compiled, context, parse, term};
use crate::term::TermId;
use oxrdf::Variable;

/// A batch of the columns ?x and ?y with these values.
pub(super) fn table(rows: &[(&str, &str)], cx: &super::ExprContext) -> Batch {
    let id = |text: &str| match text {
        "" => TermId::UNBOUND,
        text => cx.terms.from_term(&term(text)).expect("an id"),
    };
    let x = rows.iter().map(|r| id(r.0)).collect();
    let y = rows.iter().map(|r| id(r.1)).collect();
    Batch::new(vec![x, y], rows.len())
}

pub(super) fn xy() -> Vec<Variable> {
    ["x", "y"].map(Variable::new_unchecked).to_vec()
}

#[test]
fn an_expression_over_one_variable_is_worked_out_once_per_distinct_id() {
    let cx = context(&[], false);
    let rows: Vec<_> = ["\"a\"", "\"b\"", "\"c\""]
        .iter()
        .cycle()
        .take(300)
        .map(|&x| (x, "1"))
        .collect();
    let batch = table(&rows, &cx);
    for (expression, kept, worked) in [
        ("REGEX(?x, \"^[ab]\")", 200, 3),
        ("REGEX(?x, \"a\") || REGEX(?x, \"b\")", 200, 3),
        ("!CONTAINS(?x, \"a\")", 200, 3),
        ("?y = 1 && REGEX(?x, \"a\")", 100, 3),
        ("REGEX(?x, \"a\") && ?y = 2", 0, 0),
        ("?x = \"a\"", 100, 0),
        ("?y < 2", 300, 0),
    ] {
        let mut compiled = Compiled::new(&parse(expression), &xy(), &cx).expect("compiles");
        let places = compiled.filter(&batch, &cx).expect("no failure");
        assert_eq!(
            (places.len(), compiled.worked()),
            (kept, worked),
            "{expression}"
        );
    }
}

#[test]
fn prefixes_are_ranges_of_a_sorted_dictionary() {
    let texts = [
        "\"ab\"",
        "\"abc\"",
        "\"b\"",
        "\"abx\"@en",
        "\"b\"@en",
        "\"ab\"^^:dt",
        ":ab",
        ":b",
        "1",
    ];
    let terms = texts.map(term);
    for stored in [&terms[..], &terms[..4], &[]] {
        let cx = context(stored, true);
        let rows = texts.map(|x| (x, "1"));
        let batch = table(&rows, &cx);
        for (expression, kept, worked) in [
            ("STRSTARTS(?x, \"ab\")", 3, 1),
            ("REGEX(?x, \"^ab\")", 3, 1),
            ("REGEX(?x, \"^ab.\")", 2, 4),
            ("STRSTARTS(STR(?x), \"ab\")", 4, 1),
            ("STRSTARTS(STR(?x), \"http://e/a\")", 1, 1),
        ] {
            let mut compiled = Compiled::new(&parse(expression), &xy(), &cx).expect("compiles");
            let before = cx.errors.raised();
            let places = compiled.filter(&batch, &cx).expect("no failure");
            assert_eq!(places.len(), kept, "{expression}");
            if stored.len() == terms.len() {
                assert_eq!(compiled.worked(), worked, "{expression}");
            }
            let errors = if expression.contains("STR(") { 0 } else { 4 };
            assert_eq!(cx.errors.raised() - before, errors, "{expression}");
        }
    }
}

#[test]
fn errors_are_counted_for_each_row_whether_remembered_or_not() {
    let cx = context(&[], false);
    let rows = [("\"2009?\"", "1"); 50];
    let batch = table(&rows, &cx);
    for (expression, each) in [
        ("xsd:integer(?x)", 1),
        ("COALESCE(xsd:integer(?x), 0)", 1),
        ("COALESCE(xsd:integer(?x), xsd:date(?x), 0)", 2),
        ("?x > 5", 1),
        ("xsd:integer(?x) + ?y", 1),
        ("1/0", 1),
        ("COALESCE(1/0, 1)", 0),
        ("?none", 1),
        ("BOUND(?x)", 0),
    ] {
        let before = cx.errors.raised();
        let mut compiled = Compiled::new(&parse(expression), &xy(), &cx).expect("compiles");
        compiled.evaluate(&batch, &cx).expect("no failure");
        compiled.evaluate(&batch, &cx).expect("no failure");
        assert_eq!(cx.errors.raised() - before, each * 100, "{expression}");
    }
}

#[test]
fn blank_node_labels_hold_within_one_solution() {
    let cx = context(&[], false);
    let batch = table(&[("\"l\"", "\"l\""), ("\"l\"", "\"m\"")], &cx);
    let scope = cx.new_scope();
    let evaluate = |expression: &str, scope| {
        let parsed = parse(expression);
        let mut compiled = Compiled::in_scope(&parsed, &xy(), scope, &cx).expect("compiles");
        compiled.evaluate(&batch, &cx).expect("no failure")
    };
    let x = evaluate("BNODE(?x)", scope);
    let y = evaluate("BNODE(?y)", scope);
    assert_eq!(x[0], y[0], "one label, one solution");
    assert_ne!(x[0], x[1], "one label, two solutions");
    assert_ne!(x[1], y[1], "two labels");
    let other = evaluate("BNODE(?x)", cx.new_scope());
    assert_ne!(x[0], other[0], "another sequence of solutions");
    let fresh = evaluate("BNODE()", scope);
    assert_ne!(fresh[0], fresh[1], "no label");
}

#[test]
fn one_term_has_one_id_within_the_query() {
    let cx = context(&[term("\"ab\""), term("2")], true);
    let batch = table(&[("\"a\"", "\"b\""), ("\"\"", "\"ab\"")], &cx);
    let mut compiled = Compiled::new(&parse("CONCAT(?x, ?y)"), &xy(), &cx).expect("compiles");
    let ids = compiled.evaluate(&batch, &cx).expect("no failure");
    assert_eq!(ids[0], ids[1]);
    assert!(!ids[0].is_local(), "the dictionary's own id");
    let mut compiled = Compiled::new(&parse("CONCAT(?y, ?x)"), &xy(), &cx).expect("compiles");
    let local = compiled.evaluate(&batch, &cx).expect("no failure");
    assert!(local[0].is_local(), "a term of the query");
    assert_eq!(local[1], ids[0]);
}
