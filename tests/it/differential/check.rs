//! Whether the engine's answer is one that the independent engine allows.
//!
//! A slice may be any that the order leaves open, and so may rows that compare equal; all else must be the same.

use super::query::{Form, Query, SortKey};
use crate::compare::{Order, compare, compare_slice, show_row};
use crate::store::{Answer, Row};
use oxrdf::{Literal, Term, Variable};
use std::cmp::Ordering;

/// The rows among which every pair is checked for order.
const PAIRED_ROWS_MAX: usize = 150;

/// Checks an answer against the one to the same query without OFFSET and LIMIT.
pub fn check(query: &Query, unsliced: &Answer, actual: &Answer) -> Result<(), String> {
    if query.limit.is_none() && query.offset.is_none() {
        compare(unsliced, actual, Order::Free)?;
    } else {
        compare_slice(
            unsliced.rows(),
            actual.rows(),
            query.offset.unwrap_or(0),
            query.limit,
        )?;
    }
    match actual {
        Answer::Solutions { variables, rows } if matches!(query.form, Form::Select(..)) => {
            check_order(&query.order_by, variables, rows)
        }
        _ => Ok(()),
    }
}

fn check_order(keys: &[SortKey], variables: &[Variable], rows: &[Row]) -> Result<(), String> {
    let place = |key: &SortKey| variables.iter().position(|v| v.to_string() == key.variable);
    let places: Option<Vec<(usize, bool)>> = keys
        .iter()
        .map(|k| Some((place(k)?, k.is_descending)))
        .collect();
    let places = places.ok_or("a sort key is not projected")?;
    let adjacent = rows.windows(2).map(|pair| (&pair[0], &pair[1]));
    let head = &rows[..rows.len().min(PAIRED_ROWS_MAX)];
    let pairs = head
        .iter()
        .enumerate()
        .flat_map(|(i, first)| head[i + 1..].iter().map(move |second| (first, second)));
    match adjacent
        .chain(pairs)
        .find(|(first, second)| is_reversed(&places, first, second))
    {
        Some((first, second)) => Err(format!(
            "{} comes before {}",
            show_row(first),
            show_row(second)
        )),
        None => Ok(()),
    }
}

/// Whether the first row must come after the second.
fn is_reversed(places: &[(usize, bool)], first: &Row, second: &Row) -> bool {
    for &(place, is_descending) in places {
        match order(first[place].as_ref(), second[place].as_ref()) {
            Some(Ordering::Equal) => {}
            Some(order) => return (order == Ordering::Greater) != is_descending,
            None => return false,
        }
    }
    false
}

/// The order that the standard fixes (SPARQL 1.1 Query, section 15.1); `None` where it leaves it open.
fn order(left: Option<&Term>, right: Option<&Term>) -> Option<Ordering> {
    let kind = |term: Option<&Term>| match term {
        None => 0,
        Some(Term::BlankNode(_)) => 1,
        Some(Term::NamedNode(_)) => 2,
        Some(Term::Literal(_)) => 3,
        Some(Term::Triple(_)) => 4,
    };
    match (left, right) {
        _ if kind(left) != kind(right) => Some(kind(left).cmp(&kind(right))),
        _ if left == right => Some(Ordering::Equal),
        (Some(Term::NamedNode(l)), Some(Term::NamedNode(r))) => Some(l.as_str().cmp(r.as_str())),
        (Some(Term::Literal(l)), Some(Term::Literal(r))) => literal_order(l, r),
        _ => None,
    }
}

fn literal_order(left: &Literal, right: &Literal) -> Option<Ordering> {
    let datatype = |literal: &Literal| {
        literal
            .datatype()
            .as_str()
            .rsplit('#')
            .next()
            .map(str::to_owned)
    };
    match (number(left), number(right)) {
        (Some(l), Some(r)) => l.partial_cmp(&r),
        (None, None) if datatype(left) == datatype(right) => match datatype(left)?.as_str() {
            "string" | "boolean" => Some(left.value().cmp(right.value())),
            // All are in UTC and in four-digit years, so that text and time have one order.
            "dateTime" => Some(left.value().cmp(right.value())),
            _ => None,
        },
        _ => None,
    }
}

fn number(literal: &Literal) -> Option<f64> {
    let datatype = literal.datatype();
    let local = datatype
        .as_str()
        .strip_prefix("http://www.w3.org/2001/XMLSchema#")?;
    ["integer", "decimal", "double", "float"]
        .contains(&local)
        .then(|| literal.value().parse().ok())?
}
