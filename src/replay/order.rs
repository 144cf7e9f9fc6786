//! Whether the rows of an answer are in the order that ORDER BY fixes (SPARQL 1.1 Query, section 15.1).
//!
//! Followed are the leading conditions that are projected variables. Only what the clause fixes is claimed: unbound before
//! blank nodes before IRIs before literals; IRIs by code points; among literals numbers, strings, booleans and moments by
//! `<`. Where it leaves a choice, as between a number and a text, rows may stand either way, so a complaint is never a
//! matter of taste.

use oxrdf::vocab::xsd;
use oxsdatatypes::DateTime;
use spargebra::algebra::{Expression, GraphPattern, OrderExpression};
use std::cmp::Ordering;

/// One condition: a variable of the answer and its direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The name of the variable.
    pub variable: String,
    /// Whether large values come first.
    pub is_descending: bool,
}

/// A term as far as its place in an order is fixed.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SortValue {
    /// No term.
    #[default]
    Unbound,
    /// A blank node.
    BlankNode,
    /// An IRI.
    Iri(String),
    /// A number, and how it was written.
    Number(f64, String),
    /// A literal of `xsd:string`.
    Text(String),
    /// A boolean.
    Boolean(bool),
    /// A point in time.
    Moment(DateTime),
    /// A literal that compares with no other.
    OtherLiteral,
    /// A term that compares with none.
    OtherTerm,
}

impl SortKey {
    /// The leading conditions of a query that its answer shows.
    pub fn of_pattern(pattern: &GraphPattern) -> Vec<Self> {
        match pattern {
            GraphPattern::Slice { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner } => Self::of_pattern(inner),
            GraphPattern::Project { inner, variables } => match &**inner {
                GraphPattern::OrderBy { expression, .. } => {
                    let shown = |key: &Self| variables.iter().any(|v| v.as_str() == key.variable);
                    expression
                        .iter()
                        .map_while(|condition| Self::of_condition(condition).filter(shown))
                        .collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn of_condition(condition: &OrderExpression) -> Option<Self> {
        let (OrderExpression::Asc(expression) | OrderExpression::Desc(expression)) = condition;
        match expression {
            Expression::Variable(variable) => Some(Self {
                variable: variable.as_str().to_owned(),
                is_descending: matches!(condition, OrderExpression::Desc(_)),
            }),
            _ => None,
        }
    }
}

impl SortValue {
    /// A literal without a language.
    pub fn of_literal(value: &str, datatype: Option<&str>) -> Self {
        let datatype = datatype.unwrap_or(xsd::STRING.as_str());
        let Some(name) = datatype.strip_prefix("http://www.w3.org/2001/XMLSchema#") else {
            return Self::OtherLiteral;
        };
        let known = match name {
            "string" => Some(Self::Text(value.to_owned())),
            "boolean" => match value {
                "true" | "1" => Some(Self::Boolean(true)),
                "false" | "0" => Some(Self::Boolean(false)),
                _ => None,
            },
            "dateTime" => value.parse().ok().map(Self::Moment),
            "integer" | "decimal" | "float" | "double" | "int" | "long" | "short" | "byte"
            | "nonNegativeInteger" | "positiveInteger" | "nonPositiveInteger"
            | "negativeInteger" | "unsignedInt" | "unsignedLong" | "unsignedShort"
            | "unsignedByte" => {
                let number = value.parse().ok();
                number.map(|number| Self::Number(number, value.to_owned()))
            }
            _ => None,
        };
        known.unwrap_or(Self::OtherLiteral)
    }

    fn kind(&self) -> Option<u8> {
        match self {
            Self::Unbound => Some(0),
            Self::BlankNode => Some(1),
            Self::Iri(_) => Some(2),
            Self::OtherTerm => None,
            _ => Some(3),
        }
    }

    /// How two values must stand; none where that is left open.
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Unbound, Self::Unbound) => Some(Ordering::Equal),
            (Self::Iri(a), Self::Iri(b)) | (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            (Self::Boolean(a), Self::Boolean(b)) => Some(a.cmp(b)),
            (Self::Moment(a), Self::Moment(b)) => a.partial_cmp(b),
            // Two numbers may differ by less than a double tells, so that only equal texts are surely equal.
            (Self::Number(a, a_text), Self::Number(b, b_text)) => match a.partial_cmp(b) {
                Some(Ordering::Equal) if a_text != b_text => None,
                order => order,
            },
            _ => match self.kind()?.cmp(&other.kind()?) {
                Ordering::Equal => None,
                order => Some(order),
            },
        }
    }
}

/// Follows the rows of one answer.
pub struct OrderWatch<'a> {
    keys: &'a [SortKey],
    last: Option<Vec<SortValue>>,
    rows: u64,
    wrong_row: Option<u64>,
}

impl<'a> OrderWatch<'a> {
    /// Before the first row.
    pub fn new(keys: &'a [SortKey]) -> Self {
        Self {
            keys,
            last: None,
            rows: 0,
            wrong_row: None,
        }
    }

    /// The position of a variable among the keys.
    pub fn position(&self, variable: &str) -> Option<usize> {
        self.keys.iter().position(|key| key.variable == variable)
    }

    /// The values of a row before its bindings are read.
    pub fn unbound(&self) -> Vec<SortValue> {
        vec![SortValue::Unbound; self.keys.len()]
    }

    /// Takes the values of the next row.
    pub fn follow(&mut self, row: Vec<SortValue>) {
        self.rows += 1;
        if self.keys.is_empty() || self.wrong_row.is_some() {
            return;
        }
        if let Some(last) = &self.last
            && self.is_wrong(last, &row)
        {
            self.wrong_row = Some(self.rows);
        }
        self.last = Some(row);
    }

    fn is_wrong(&self, last: &[SortValue], row: &[SortValue]) -> bool {
        for ((key, before), after) in self.keys.iter().zip(last).zip(row) {
            let order = match key.is_descending {
                true => after.order(before),
                false => before.order(after),
            };
            match order {
                Some(Ordering::Equal) => {}
                Some(order) => return order == Ordering::Greater,
                None => return false,
            }
        }
        false
    }

    /// The first row, counted from one, that must stand before the one in front of it.
    pub fn wrong_row(&self) -> Option<u64> {
        self.wrong_row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargebra::{Query, SparqlParser};

    fn keys(query: &str) -> Vec<SortKey> {
        match SparqlParser::new().parse_query(query).unwrap() {
            Query::Select { pattern, .. } => SortKey::of_pattern(&pattern),
            _ => panic!("{query}"),
        }
    }

    #[test]
    fn conditions_are_followed_as_far_as_the_answer_shows_them() {
        let check = |query: &str, wanted: &[(&str, bool)]| {
            let keys = keys(query);
            let found: Vec<_> = keys
                .iter()
                .map(|k| (&*k.variable, k.is_descending))
                .collect();
            assert_eq!(found, wanted, "{query}");
        };
        check(
            "SELECT * { ?a ?b ?c } ORDER BY ?a DESC(?b) LIMIT 3",
            &[("a", false), ("b", true)],
        );
        check(
            "SELECT DISTINCT ?a { ?a ?b ?c } ORDER BY DESC(?a) ?b",
            &[("a", true)],
        );
        check("SELECT ?a { ?a ?b ?c } ORDER BY STR(?a) ?a", &[]);
        check("SELECT ?a { ?a ?b ?c } ORDER BY ?b ?a", &[]);
        check("SELECT ?a { { SELECT ?a { ?a ?b ?c } ORDER BY ?a } }", &[]);
        check(
            "SELECT ?a (COUNT(*) AS ?n) { ?a ?b ?c } GROUP BY ?a ORDER BY DESC(?n) LIMIT 2",
            &[("n", true)],
        );
    }

    /// The first wrong row among values of one condition, in either direction.
    fn check(values: &[SortValue], ascending: Option<u64>, descending: Option<u64>) {
        for (is_descending, wanted) in [(false, ascending), (true, descending)] {
            let keys = [SortKey {
                variable: "a".to_owned(),
                is_descending,
            }];
            let mut watch = OrderWatch::new(&keys);
            values
                .iter()
                .for_each(|value| watch.follow(vec![value.clone()]));
            assert_eq!(
                watch.wrong_row(),
                wanted,
                "{values:?}, descending: {is_descending}"
            );
        }
    }

    fn typed(value: &str, datatype: &str) -> SortValue {
        let datatype = format!("http://www.w3.org/2001/XMLSchema#{datatype}");
        SortValue::of_literal(value, Some(&datatype))
    }

    #[test]
    fn what_the_clause_fixes_is_claimed() {
        let text = |value: &str| SortValue::of_literal(value, None);
        let iri = |value: &str| SortValue::Iri(value.to_owned());
        check(&[text("a"), text("b"), text("B")], Some(3), Some(2));
        check(
            &[typed("9", "integer"), typed("10.5", "decimal")],
            None,
            Some(2),
        );
        check(
            &[typed("1e3", "double"), typed("-INF", "float")],
            Some(2),
            None,
        );
        check(
            &[typed("false", "boolean"), typed("1", "boolean")],
            None,
            Some(2),
        );
        let moment = |hour: u32| typed(&format!("2020-01-01T{hour:02}:00:00Z"), "dateTime");
        check(&[moment(1), moment(2)], None, Some(2));
        let kinds = [
            SortValue::Unbound,
            SortValue::BlankNode,
            iri("b"),
            text("a"),
        ];
        check(&kinds, None, Some(2));
        check(&[iri("b"), iri("a")], Some(2), None);
    }

    #[test]
    fn what_it_leaves_open_is_not() {
        let pairs = [
            (typed("1", "integer"), typed("1.0", "decimal")),
            (typed("1", "integer"), typed("x", "string")),
            (typed("NaN", "double"), typed("1", "integer")),
            (
                typed("9007199254740993", "integer"),
                typed("9007199254740992", "integer"),
            ),
            (typed("2020-01-01", "date"), typed("2019-01-01", "date")),
            (SortValue::BlankNode, SortValue::BlankNode),
            (SortValue::OtherTerm, SortValue::Unbound),
            (typed("2009?", "integer"), typed("1", "integer")),
        ];
        for (a, b) in pairs {
            check(&[a.clone(), b.clone(), a], None, None);
        }
    }

    #[test]
    fn a_later_condition_decides_among_equals_only() {
        let keys = keys("SELECT * { ?a ?b ?c } ORDER BY ?a ?b");
        let wrong = |rows: &[(&str, &str)]| {
            let mut watch = OrderWatch::new(&keys);
            for (a, b) in rows {
                watch.follow(vec![
                    SortValue::of_literal(a, None),
                    SortValue::of_literal(b, None),
                ]);
            }
            watch.wrong_row()
        };
        assert_eq!(wrong(&[("x", "2"), ("y", "1"), ("y", "3")]), None);
        assert_eq!(wrong(&[("x", "2"), ("x", "1")]), Some(2));
    }
}
