//! How much of its answer a query leaves to the server, so that two right answers may differ.
//!
//! LIMIT and OFFSET without an order that fixes every row choose among rows (SPARQL 1.1 Query, section 15.5), REDUCED how
//! often a row comes (15.3.2), DESCRIBE what describes a resource (16.4), SAMPLE and GROUP_CONCAT a value or an order of values
//! (18.5.1), and RAND, UUID, STRUUID and NOW give other values each time (17.4).

use super::agreement::DifferenceClass;
use super::order::SortKey;
use super::workload::structure::{Structure, inputs};
use serde::{Deserialize, Serialize};
use spargebra::Query as Algebra;
use spargebra::algebra::GraphPattern;

/// What a server may choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Nothing: the solutions are fixed.
    #[default]
    Nothing,
    /// The terms, but not how many rows there are.
    Terms,
    /// Which rows these are, if there are as many as LIMIT lets through.
    RowsAtLimit(u64),
    /// Everything.
    Everything,
}

const CHOOSING_FUNCTIONS: [&str; 6] = ["RAND", "UUID", "STRUUID", "NOW", "SAMPLE", "GROUP_CONCAT"];

impl Choice {
    /// What a query leaves open.
    pub fn of_query(query: &Algebra) -> Self {
        let pattern = match query {
            Algebra::Select { pattern, .. } | Algebra::Ask { pattern, .. } => pattern,
            Algebra::Construct { pattern, .. } if chooses_rows(pattern) => return Self::Everything,
            Algebra::Construct { .. } => return Self::Nothing,
            Algebra::Describe { .. } => return Self::Everything,
        };
        let (choice, inner) = match pattern {
            GraphPattern::Slice {
                inner,
                start,
                length,
            } => (of_slice(inner, *start, *length), &**inner),
            _ => (Self::Nothing, pattern),
        };
        if chooses_rows(inner) {
            Self::Everything
        } else if choice == Self::Nothing && chooses_terms(query) {
            Self::Terms
        } else {
            choice
        }
    }

    /// Whether answers with these numbers of rows, which differ in such a way, may all be right.
    pub fn allows(self, class: DifferenceClass, rows: u64) -> bool {
        match self {
            Self::Nothing => false,
            Self::Terms => class == DifferenceClass::Terms,
            Self::RowsAtLimit(limit) => class == DifferenceClass::Terms && rows == limit,
            Self::Everything => true,
        }
    }
}

/// The choice of a LIMIT or OFFSET around everything else.
fn of_slice(inner: &GraphPattern, start: usize, length: Option<usize>) -> Choice {
    if is_ordered_wholly(inner) {
        return Choice::Nothing;
    }
    match (start, length) {
        (0, Some(limit)) => Choice::RowsAtLimit(limit as u64),
        _ => Choice::Terms,
    }
}

/// Whether rows that compare as equal are equal, since every variable of the answer is a sort key.
fn is_ordered_wholly(pattern: &GraphPattern) -> bool {
    let keys = SortKey::of_pattern(pattern);
    let mut shown = pattern;
    while let GraphPattern::Distinct { inner } | GraphPattern::Reduced { inner } = shown {
        shown = inner;
    }
    let GraphPattern::Project { variables, .. } = shown else {
        return false;
    };
    variables
        .iter()
        .all(|variable| keys.iter().any(|key| key.variable == variable.as_str()))
}

fn chooses_rows(pattern: &GraphPattern) -> bool {
    match pattern {
        GraphPattern::Reduced { .. } => true,
        GraphPattern::Slice { inner, .. } if !is_ordered_wholly(inner) => true,
        pattern => inputs(pattern).into_iter().any(chooses_rows),
    }
}

fn chooses_terms(query: &Algebra) -> bool {
    let structure = Structure::of(query);
    CHOOSING_FUNCTIONS
        .iter()
        .any(|function| structure.has_word(function))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargebra::SparqlParser;

    #[test]
    fn what_queries_leave_open() {
        let check = |text: &str, wanted: Choice| {
            let query = SparqlParser::new().parse_query(text).unwrap();
            assert_eq!(Choice::of_query(&query), wanted, "{text}");
        };
        check("SELECT * { ?s ?p ?o }", Choice::Nothing);
        check("SELECT * { ?s ?p ?o } LIMIT 5", Choice::RowsAtLimit(5));
        check("SELECT * { ?s ?p ?o } OFFSET 2 LIMIT 5", Choice::Terms);
        check(
            "SELECT ?s ?o { ?s ?p ?o } ORDER BY ?s LIMIT 5",
            Choice::RowsAtLimit(5),
        );
        check(
            "SELECT ?s ?o { ?s ?p ?o } ORDER BY ?s DESC(?o) LIMIT 5",
            Choice::Nothing,
        );
        check(
            "SELECT DISTINCT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 5",
            Choice::Nothing,
        );
        check(
            "SELECT ?s { ?s ?p ?o { SELECT ?s { ?s ?p 1 } LIMIT 5 } }",
            Choice::Everything,
        );
        check("SELECT REDUCED ?s { ?s ?p ?o }", Choice::Everything);
        check(
            "SELECT (SAMPLE(?o) AS ?x) { ?s ?p ?o } GROUP BY ?s",
            Choice::Terms,
        );
        check(
            "SELECT (GROUP_CONCAT(?o) AS ?x) { ?s ?p ?o }",
            Choice::Terms,
        );
        check("SELECT ?x { BIND(RAND() AS ?x) }", Choice::Terms);
        check("SELECT ?now ?x { ?now ?x \"NOW RAND()\" }", Choice::Nothing);
        check("ASK { ?s ?p ?o }", Choice::Nothing);
        check("CONSTRUCT WHERE { ?s ?p ?o }", Choice::Nothing);
        check("CONSTRUCT WHERE { ?s ?p ?o } LIMIT 5", Choice::Everything);
        check("DESCRIBE <http://e/>", Choice::Everything);
    }

    #[test]
    fn a_choice_is_made_at_the_limit_only() {
        let check = |choice: Choice, class, rows, wanted| {
            assert_eq!(
                choice.allows(class, rows),
                wanted,
                "{choice:?} {class:?} {rows}"
            );
        };
        use DifferenceClass::{RowCount, Terms};
        check(Choice::Nothing, Terms, 5, false);
        check(Choice::RowsAtLimit(5), Terms, 5, true);
        check(Choice::RowsAtLimit(5), Terms, 4, false);
        check(Choice::RowsAtLimit(5), RowCount, 5, false);
        check(Choice::Terms, RowCount, 5, false);
        check(Choice::Everything, RowCount, 5, true);
    }
}
