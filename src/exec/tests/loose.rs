//! Joins on variables that either side may leave unbound: what is looked up, what is compared, and when that ends.

use super::fixture::{Bench, id, node};
use crate::batch::Batch;
use crate::exec::join_table::JoinTable;
use crate::exec::probe::{CHECKED_PAIRS, Probe};
use crate::exec::{QueryControl, build};
use crate::plan::{JoinKind, JoinSpec, Node};
use crate::term::TermId;
use std::sync::Arc;

const ROWS: usize = 2_000;

type Value<'a> = &'a dyn Fn(usize, usize) -> TermId;

/// Runs rows past a table of rows twice, the second time cancelled. All variables are shared and loose; values are those
/// of a row and a column. Gives the pairs that were looked at each time.
fn pairs(names: &str, row: Value<'_>, partner: Value<'_>) -> [u64; 2] {
    let mut bench = Bench::new("");
    let schema = bench.vars(names);
    let join = JoinSpec {
        kind: JoinKind::Inner,
        keys: Vec::new(),
        loose: schema.clone(),
        conditions: Vec::new(),
    };
    let batch = |value: Value<'_>| {
        let column = |c| (0..ROWS).map(|i| value(i, c)).collect();
        Batch::new((0..schema.len()).map(column).collect(), ROWS)
    };
    let plan = node(Node::Table(Arc::new(batch(partner))), &schema, &[]);
    let control = QueryControl::new(None, None);
    let cx = bench.context(&plan, control.clone());
    let right = build(&plan, &cx).unwrap();
    let table = JoinTable::build(right, &schema, &join, &cx).unwrap();
    let mut probe = Probe::new(&join, &schema, &schema, &schema, &cx).unwrap();
    probe.start(batch(row));
    while probe.next(&table, &cx).unwrap().is_some() {}
    let wanted = probe.pairs;
    control.cancel();
    probe.start(batch(row));
    while let Ok(Some(_)) = probe.next(&table, &cx) {}
    [wanted, probe.pairs - wanted]
}

/// What both sides bind is looked up; only where one of them is unbound all rows are partners.
#[test]
fn bound_parts_of_loose_variables_are_looked_up() {
    let numbered = |i: usize, _: usize| id(1 + i);
    assert_eq!(pairs("a b", &numbered, &numbered)[0], ROWS as u64);
    let gap = |i: usize, _: usize| match i {
        0 => TermId::UNBOUND,
        _ => id(1 + i),
    };
    let once_bound = 2 * (ROWS as u64 - 1) + 1;
    let both_bound = ROWS as u64 - 1;
    assert_eq!(pairs("a", &gap, &gap)[0], both_bound + once_bound);
}

/// Beyond the variables that are looked up pairs are compared one by one: the query may end between them.
#[test]
fn pairs_that_do_not_fit_are_counted() {
    let same_but_last = |last: usize| {
        move |_: usize, c: usize| match c {
            4 => id(last),
            _ => id(1),
        }
    };
    let [wanted, cancelled] = pairs("a b c d e", &same_but_last(2), &same_but_last(3));
    assert_eq!(wanted, (ROWS * ROWS) as u64);
    assert!(cancelled <= CHECKED_PAIRS, "{cancelled} pairs");
}
