//! Whether an answer is the expected one, and words for how it is not.

use crate::isomorphism::{is_same_multiset, is_same_sequence};
use crate::store::{Answer, Row};
use oxrdf::{Term, Variable};
use std::collections::HashMap;

/// The rows of an answer that are shown.
const ROWS_MAX: usize = 40;

/// How strictly solutions are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As a sequence.
    Kept,
    /// As a multiset.
    Free,
    /// As a multiset from which REDUCED may have taken duplicates.
    FreeAndReduced,
}

/// Compares an answer with what is expected; the error shows both.
pub fn compare(expected: &Answer, actual: &Answer, order: Order) -> Result<(), String> {
    match (expected, actual) {
        (Answer::Boolean(e), Answer::Boolean(a)) if e == a => Ok(()),
        (Answer::Graph(e), Answer::Graph(a)) => {
            let (e, a) = (distinct(e), distinct(a));
            if is_same_multiset(&e, &a) {
                Ok(())
            } else {
                Err(difference(&e, &a))
            }
        }
        (
            Answer::Solutions {
                variables: ev,
                rows: e,
            },
            Answer::Solutions {
                variables: av,
                rows: a,
            },
        ) => {
            let Some(a) = reorder(ev, av, a) else {
                return Err(format!(
                    "expected the variables {}, got {}",
                    names(ev),
                    names(av)
                ));
            };
            let is_same = match order {
                Order::Kept => is_same_sequence(e, &a),
                Order::Free => is_same_multiset(e, &a),
                Order::FreeAndReduced => is_reduced(e, &a),
            };
            match order {
                _ if is_same => Ok(()),
                Order::Kept if is_same_multiset(e, &a) => Err(format!(
                    "the order differs; expected\n{}got\n{}",
                    show(expected),
                    show(actual)
                )),
                _ => Err(format!("{}\n{}", names(ev), difference(e, &a))),
            }
        }
        _ => Err(format!("expected\n{}got\n{}", show(expected), show(actual))),
    }
}

fn names(variables: &[Variable]) -> String {
    variables
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The rows that one side lacks, as text; rows with blank nodes are among them whatever they are called.
fn difference(expected: &[Row], actual: &[Row]) -> String {
    let list = |rows: Vec<&Row>| {
        let mut lines: Vec<_> = rows
            .iter()
            .take(ROWS_MAX)
            .map(|r| format!("    {}\n", show_row(r)))
            .collect();
        lines.sort_unstable();
        lines.concat()
    };
    let (missing, unexpected) = (surplus(expected, actual), surplus(actual, expected));
    format!(
        "  {} of {} expected rows are missing:\n{}  {} of {} rows are not expected:\n{}",
        missing.len(),
        expected.len(),
        list(missing),
        unexpected.len(),
        actual.len(),
        list(unexpected)
    )
}

/// Whether some rows can be a slice of others: as many as there must be, and none that the whole has not.
pub fn compare_slice(
    all: &[Row],
    actual: &[Row],
    offset: usize,
    limit: Option<usize>,
) -> Result<(), String> {
    let rest = all.len().saturating_sub(offset);
    let expected = rest.min(limit.unwrap_or(usize::MAX));
    if actual.len() != expected {
        return Err(format!("expected {expected} rows, got {}", actual.len()));
    }
    if actual.len() == all.len() && !is_same_multiset(all, actual) {
        return Err("the slice holds every row, and other rows than it should".into());
    }
    // Blank nodes have other names on the other side.
    let has_blank = |row: &&Row| row.iter().flatten().any(Term::is_blank_node);
    match surplus(actual, all).into_iter().find(|row| !has_blank(row)) {
        Some(row) => Err(format!(
            "the slice has a row that the whole has not: {}",
            show_row(row)
        )),
        None => Ok(()),
    }
}

/// The rows with their columns in another order of variables, if the variables are the same.
fn reorder(wanted: &[Variable], have: &[Variable], rows: &[Row]) -> Option<Vec<Row>> {
    let place = |v: &Variable| have.iter().position(|h| h == v);
    let places: Vec<usize> = wanted.iter().map(place).collect::<Option<_>>()?;
    let pick = |row: &Row| places.iter().map(|&i| row[i].clone()).collect();
    (wanted.len() == have.len()).then(|| rows.iter().map(pick).collect())
}

fn distinct(rows: &[Row]) -> Vec<Row> {
    let mut seen = std::collections::HashSet::new();
    rows.iter()
        .filter(|row| seen.insert(*row))
        .cloned()
        .collect()
}

fn counts(rows: &[Row]) -> HashMap<&Row, usize> {
    let mut counts = HashMap::new();
    for row in rows {
        *counts.entry(row).or_default() += 1;
    }
    counts
}

/// Each row at least once and at most as often as expected (SPARQL 1.1 Query, section 18.5).
fn is_reduced(expected: &[Row], actual: &[Row]) -> bool {
    let (expected, actual) = (counts(expected), counts(actual));
    expected.len() == actual.len()
        && actual
            .iter()
            .all(|(row, n)| expected.get(row).is_some_and(|e| n <= e))
}

/// The rows of an answer that another lacks, counting duplicates; blank nodes by name.
fn surplus<'r>(rows: &'r [Row], others: &[Row]) -> Vec<&'r Row> {
    let mut left = counts(others);
    let mut more = Vec::new();
    for row in rows {
        match left.get_mut(row) {
            Some(n) if *n > 0 => *n -= 1,
            _ => more.push(row),
        }
    }
    more
}

/// An answer as text, long ones cut.
pub fn show(answer: &Answer) -> String {
    let mut text = String::new();
    match answer {
        Answer::Boolean(value) => text.push_str(&format!("  {value}\n")),
        Answer::Graph(_) => text.push_str("  a graph\n"),
        Answer::Solutions { variables, .. } => text.push_str(&format!(
            "  {}
",
            names(variables)
        )),
    }
    for row in answer.rows().iter().take(ROWS_MAX) {
        text.push_str(&format!("    {}\n", show_row(row)));
    }
    if answer.rows().len() > ROWS_MAX {
        text.push_str(&format!("    ... {} rows in all\n", answer.rows().len()));
    }
    text
}

/// A row as text.
pub fn show_row(row: &Row) -> String {
    let show = |v: &Option<Term>| v.as_ref().map_or("-".to_owned(), ToString::to_string);
    row.iter().map(show).collect::<Vec<_>>().join(" ")
}
