//! The order of ORDER BY: total, and as the specification wants it.

use super::{context, show, term};
use crate::expr::compare::{compare, order_of_moments};
use crate::expr::order_cmp;
use crate::expr::value::Value;
use crate::term::TermId;
use oxrdf::Term;
use proptest::prelude::*;
use std::cmp::Ordering;

/// In ascending order; terms of one line are equal.
const LADDER: &[&[&str]] = &[
    &[""],
    &["_:b"],
    &[":a"],
    &[":ab"],
    &[":b"],
    &["false", "\"0\"^^xsd:boolean"],
    &["true"],
    &["\"NaN\"^^xsd:double"],
    &["\"-INF\"^^xsd:float"],
    &["-3"],
    &["1", "1.0", "\"01\"^^xsd:integer", "1e0", "\"1\"^^xsd:byte"],
    &["1.5"],
    &["12345678901234567890.5"],
    &["12345678901234567891"],
    &["987654321098765432109876"],
    &["\"2019-12-31T00:00:00Z\"^^xsd:dateTime"],
    &[
        "\"2019-12-31T24:00:00Z\"^^xsd:dateTime",
        "\"2020-01-01T00:00:00Z\"^^xsd:dateTime",
        "\"2020-01-01T02:00:00+02:00\"^^xsd:dateTime",
        "\"2020-01-01T00:00:00.0000Z\"^^xsd:dateTime",
    ],
    &["\"1999-01-01\"^^xsd:date"],
    &["\"2020-01-01\"^^xsd:date"],
    &["\"2001\"^^xsd:gYear"],
    &["\"10:00:00\"^^xsd:time"],
    &["\"P1D\"^^xsd:duration", "\"PT24H\"^^xsd:dayTimeDuration"],
    &["\"P1Y\"^^xsd:yearMonthDuration"],
    &["\"\""],
    &["\"a\""],
    &["\"a\"@de"],
    &["\"a\"@en"],
    &["\"a\"@en--ltr"],
    &["\"a\"@en--rtl"],
    &["\"ab\""],
    &["\"b\"@en"],
    &["\"2020-13-01\"^^xsd:date"],
    &["\"x\"^^:dt"],
    &["\"x\"^^xsd:integer"],
    &["<<( :a :b 1 )>>"],
    &["<<( :a :b 2 )>>"],
];

#[test]
fn kinds_and_values_are_ordered() {
    let texts = LADDER.iter().flat_map(|step| step.iter());
    let terms: Vec<Term> = texts.filter(|t| !t.is_empty()).map(|t| term(t)).collect();
    for (is_stored, half) in [(true, false), (false, false), (true, true)] {
        let stored = if half {
            &terms[..terms.len() / 2]
        } else {
            &terms
        };
        let cx = context(stored, is_stored);
        let id = |text: &str| match text {
            "" => TermId::UNBOUND,
            text => cx.terms.from_term(&term(text)).expect("an id"),
        };
        let steps = LADDER.iter().enumerate();
        let ids: Vec<(usize, TermId)> = steps
            .flat_map(|(n, step)| step.iter().map(move |t| (n, *t)))
            .map(|(n, t)| (n, id(t)))
            .collect();
        for &(m, a) in &ids {
            for &(n, b) in &ids {
                let order = order_cmp(a, b, &cx.terms);
                assert_eq!(order, m.cmp(&n), "{} {}", show(a, &cx), show(b, &cx));
            }
        }
        cx.terms.check().expect("no failure");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_is_total(
        texts in prop::collection::vec("\"[\\x00ab]{0,3}\"(@en|@en--ltr|@de|\\^\\^:dt)?", 3),
        stored in 0_usize..4,
    ) {
        let texts: Vec<String> = texts.iter().map(|t| t.replace('\0', "\\u0000")).collect();
        let terms: Vec<Term> = texts.iter().map(|t| term(t)).collect();
        let cx = context(&terms[..stored.min(3)], true);
        let ids: Vec<TermId> = terms.iter().map(|t| cx.terms.from_term(t).expect("an id")).collect();
        let cmp = |a: usize, b: usize| order_cmp(ids[a], ids[b], &cx.terms);
        prop_assert_eq!(cmp(0, 1), cmp(1, 0).reverse());
        prop_assert_eq!(cmp(0, 1) == Ordering::Equal, ids[0] == ids[1]);
        if cmp(0, 1).is_le() && cmp(1, 2).is_le() {
            prop_assert!(cmp(0, 2).is_le());
        }
    }
}

const MOMENTS: [&str; 14] = [
    "\"2020-01-01\"^^xsd:date",
    "\"2020-01-01Z\"^^xsd:date",
    "\"2020-01-02\"^^xsd:date",
    "\"2020-01-01+14:00\"^^xsd:date",
    "\"2019-12-31-11:00\"^^xsd:date",
    "\"2020-01-01T00:00:00\"^^xsd:dateTime",
    "\"2019-12-31T24:00:00Z\"^^xsd:dateTime",
    "\"2020-01-01T02:00:00+02:00\"^^xsd:dateTime",
    "\"2020-01-02T15:00:00.5Z\"^^xsd:dateTime",
    "\"2020\"^^xsd:gYear",
    "\"2020Z\"^^xsd:gYear",
    "\"2021+01:00\"^^xsd:gYear",
    "\"2020-01\"^^xsd:gYearMonth",
    "\"x\"",
];

#[test]
fn the_ids_of_moments_are_ordered_as_their_values_are() {
    let cx = context(&[], true);
    let ids = MOMENTS.map(|text| cx.terms.from_term(&term(text)).expect("an id"));
    let mut told = 0;
    for (a, b) in ids.iter().flat_map(|&a| ids.map(|b| (a, b))) {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let left = Value::decode(a, &cx.terms, &mut left).expect("a value");
        let right = Value::decode(b, &cx.terms, &mut right).expect("a value");
        let by_ids = order_of_moments(a, b);
        told += usize::from(by_ids.is_some());
        if a.tag() == b.tag() && a.as_date_fields().is_some() {
            assert_eq!(
                by_ids,
                compare(&left, &right),
                "{} {}",
                show(a, &cx),
                show(b, &cx)
            );
        } else {
            assert_eq!(by_ids, None, "{} {}", show(a, &cx), show(b, &cx));
        }
    }
    assert!(told > 30, "{told}");
}
