//! Aggregates over small groups.

use super::{context, parse_pattern, show, term};
use crate::batch::Batch;
use crate::expr::aggregates::Accumulator;
use crate::term::TermId;
use oxrdf::Term;
use spargebra::algebra::{AggregateExpression, GraphPattern};

fn parse_aggregate(text: &str) -> AggregateExpression {
    let mut pattern = parse_pattern(&format!("SELECT ({text} AS ?result) {{}}"));
    loop {
        pattern = match pattern {
            GraphPattern::Extend { inner, .. } => *inner,
            GraphPattern::Group { mut aggregates, .. } => return aggregates.remove(0).1,
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// Checks an aggregate over one group with these values (an empty text is an error), fed at once, row by row, and as one
/// of three groups whose rows are mixed.
#[track_caller]
fn check(aggregate: &str, values: &[&str], expected: &str) {
    let parsed = parse_aggregate(aggregate);
    let bound = values.iter().filter(|text| !text.is_empty());
    let terms: Vec<Term> = bound.map(|text| term(text)).collect();
    for is_stored in [true, false] {
        let cx = context(&terms, is_stored);
        let id = |text: &&str| match *text {
            "" => TermId::UNBOUND,
            text => cx.terms.from_term(&term(text)).expect("an id"),
        };
        let ids: Vec<TermId> = values.iter().map(id).collect();
        let create = || Accumulator::new(&parsed, &cx).expect("known");

        let mut at_once = create();
        at_once
            .add_batch(Some(&ids), &vec![0; ids.len()], &cx)
            .expect("added");
        let result = at_once.finish(1, &cx).expect("finished");
        assert_eq!(show(result[0], &cx), expected, "{aggregate} {values:?}");

        let mut by_row = create();
        for &id in &ids {
            by_row.add_batch(Some(&[id]), &[0], &cx).expect("added");
        }
        assert_eq!(by_row.finish(1, &cx).expect("finished"), result);

        let mut mixed = create();
        for &id in &ids {
            let (ids, groups) = ([id, id, id], [2, 0, 2]);
            let distinct = aggregate.contains("DISTINCT");
            let rows = if distinct { 3 } else { 2 };
            mixed
                .add_batch(Some(&ids[..rows]), &groups[..rows], &cx)
                .expect("added");
        }
        let results = mixed.finish(4, &cx).expect("finished");
        assert_eq!([results[0], results[2]], [result[0]; 2]);
        let none = create().finish(1, &cx).expect("finished");
        assert_eq!(results[1], none[0], "a group without rows");
        assert_eq!(results[3], none[0], "a group never mentioned");
    }
}

#[test]
fn sums_promote_and_fail() {
    for (values, expected) in [
        (&[][..], "0"),
        (&["1", "2", "3"], "6"),
        (&["\"01\"^^xsd:integer"], "1"),
        (&["1.0", "2.2", "3.5", "2.2", "2.2"], "11.1"),
        (&["1", "2.0e0", "3.0"], "\"6.0E0\"^^xsd:double"),
        (&["1.0E2", "2.0E3", "3.0E4"], "\"3.21E4\"^^xsd:double"),
        (&["\"1\"^^xsd:float", "2"], "\"3.0E0\"^^xsd:float"),
        (
            &["\"5\"^^xsd:int", "987654321098765432109876"],
            "987654321098765432109881",
        ),
        (&["1", "\"2009?\""], "error"),
        (&["1", ""], "error"),
        (&["1", "_:b"], "error"),
        (&["1", "\"x\"^^xsd:integer"], "error"),
    ] {
        check("SUM(?x)", values, expected);
    }
    check("SUM(DISTINCT ?x)", &["1", "1", "2", "1.0"], "4");
}

#[test]
fn averages_divide_sums_by_counts() {
    for (values, expected) in [
        (&[][..], "0"),
        (&["1", "2", "3"], "2"),
        (&["1", "2"], "1.5"),
        (&["1.0", "2.2", "3.5", "2.2", "2.2"], "2.22"),
        (&["2E-1", "0.2"], "\"2.0E-1\"^^xsd:double"),
        (&["1", ""], "error"),
        (&["1", "_:b", "3"], "error"),
    ] {
        check("AVG(?x)", values, expected);
    }
    check("AVG(DISTINCT ?x)", &["1", "1", "2"], "1.5");
}

#[test]
fn counts_pass_errors_over() {
    check("COUNT(?x)", &[], "0");
    check("COUNT(?x)", &["1", "", "1", ":a"], "3");
    check("COUNT(DISTINCT ?x)", &["1", "", "1", ":a", "1.0"], "3");
}

#[test]
fn extremes_follow_order_by() {
    for (values, least, greatest) in [
        (&[][..], "error", "error"),
        (&["2", "1.5", "1e1"], "1.5", "\"1e1\"^^xsd:double"),
        (&["1", "_:b"], "_:b", "1"),
        (&["1", ":a", "\"x\""], ":a", "\"x\""),
        (&["\"b\"", "\"a\"@en", "\"c\"@en"], "\"a\"@en", "\"c\"@en"),
        (&["1", ""], "error", "1"),
        (
            &["\"2020-01-01\"^^xsd:date", "\"2019-06-01Z\"^^xsd:date"],
            "\"2019-06-01Z\"^^xsd:date",
            "\"2020-01-01\"^^xsd:date",
        ),
    ] {
        check("MIN(?x)", values, least);
        check("MAX(?x)", values, greatest);
        check("MAX(DISTINCT ?x)", values, greatest);
    }
}

#[test]
fn samples_are_values_of_the_group() {
    check("SAMPLE(?x)", &[], "error");
    check("SAMPLE(?x)", &["", ":a", ":b"], ":a");
}

/// GROUP_CONCAT is CONCAT by its definition (section 18.5.1.7), and CONCAT takes string literals alone (17.4.3.12).
#[test]
fn concatenation_takes_string_literals_alone() {
    for (values, expected) in [
        (&[][..], "\"\""),
        (&["\"a\"", "\"b\"@en", "\"c\"@ar--rtl"], "\"a b c\""),
        (&["\"a\"@en"], "\"a\""),
        (&["\"a\"@en", "\"b\"@en"], "\"a b\""),
        (&["\"\"", "\"\""], "\" \""),
        (&["\"a\"", ""], "error"),
        (&["\"a\"", "_:b"], "error"),
        (&["\"a\"", ":c"], "error"),
        (&["1.50"], "error"),
        (&["\"2020-01-01\"^^xsd:date"], "error"),
    ] {
        check("GROUP_CONCAT(?x)", values, expected);
    }
    check(
        "GROUP_CONCAT(?x; SEPARATOR=\", \")",
        &["\"1\"", "\"2\""],
        "\"1, 2\"",
    );
    check(
        "GROUP_CONCAT(DISTINCT ?x)",
        &["\"1\"", "\"2\"", "\"1\""],
        "\"1 2\"",
    );
}

#[test]
fn solutions_are_counted_whole() {
    let cx = context(&[], false);
    let ids = ["1", "2"].map(|t| cx.terms.from_term(&term(t)).expect("an id"));
    let column = vec![ids[0], ids[0], ids[1], TermId::UNBOUND, TermId::UNBOUND];
    let batch = Batch::new(vec![column, vec![ids[0]; 5]], 5);
    for (aggregate, expected) in [("COUNT(*)", [3, 2]), ("COUNT(DISTINCT *)", [2, 1])] {
        let mut count = Accumulator::new(&parse_aggregate(aggregate), &cx).expect("known");
        count.add_solutions(&batch, &[0, 0, 0, 1, 1]);
        let counts = count.finish(2, &cx).expect("finished");
        let counts: Vec<_> = counts.iter().filter_map(|id| id.as_integer()).collect();
        assert_eq!(counts, expected, "{aggregate}");
    }
}
