//! How many rows, and how many distinct values of each variable: the numbers that the choice of plans rests on.
//!
//! Ranges are counted exactly and predicates have exact statistics; joins are estimated from these under the usual
//! assumptions (independence, containment of the smaller set of values).

use super::expression::children_mut;
use super::logical::{QuadPattern, Slot};
use super::variables::{VarId, VarSet};
use crate::storage::Snapshot;
use spargebra::algebra::{Expression, Function};

/// Expected rows and, for each variable, expected distinct values.
#[derive(Clone, Debug, Default)]
pub struct Estimate {
    /// The expected number of rows.
    pub rows: f64,
    distinct: Vec<(VarId, f64)>,
}

impl Estimate {
    /// Rows of which nothing is known but their number: each value may be different.
    pub fn of_rows(rows: f64, variables: &VarSet) -> Self {
        Self {
            rows,
            distinct: variables.iter().map(|v| (v, rows)).collect(),
        }
    }

    /// The rows of a pattern, `rows` of them, with distinct counts from the statistics.
    pub fn of_pattern(pattern: &QuadPattern, rows: f64, snapshot: &Snapshot) -> Self {
        let totals = snapshot.statistics();
        let (subjects, predicates, objects) = match pattern.predicate {
            Slot::Const(p) => match snapshot.predicate(p) {
                Some(s) => (s.distinct_subjects, 1, s.distinct_objects),
                None => (0, 1, 0),
            },
            Slot::Var(_) => (
                totals.distinct_subjects,
                totals.distinct_predicates,
                totals.distinct_objects,
            ),
        };
        let mut distinct = Vec::new();
        let slots = [
            (pattern.subject, subjects),
            (pattern.predicate, predicates),
            (pattern.object, objects),
        ];
        for (slot, count) in slots {
            if let Slot::Var(v) = slot {
                distinct.push((v, (count as f64).min(rows).max(1.0)));
            }
        }
        for v in pattern.variables().iter() {
            if !distinct.iter().any(|&(known, _)| known == v) {
                distinct.push((v, rows.max(1.0)));
            }
        }
        Self { rows, distinct }
    }

    /// The expected number of distinct values of a variable.
    pub fn distinct(&self, variable: VarId) -> f64 {
        let known = self.distinct.iter().find(|(v, _)| *v == variable);
        known.map_or(self.rows, |&(_, d)| d).max(1.0)
    }

    /// The join of two estimates on their shared variables.
    pub fn join(&self, other: &Self) -> Self {
        let mut selectivities: Vec<f64> = self
            .distinct
            .iter()
            .filter(|(v, _)| other.distinct.iter().any(|(w, _)| v == w))
            .map(|&(v, _)| 1.0 / self.distinct(v).max(other.distinct(v)))
            .collect();
        // Several shared variables are seldom independent: each further one counts with a smaller exponent.
        selectivities.sort_by(f64::total_cmp);
        let mut exponent = 1.0;
        let mut rows = self.rows * other.rows;
        for selectivity in selectivities {
            rows *= selectivity.powf(exponent);
            exponent /= 2.0;
        }
        let mut joined = Self {
            rows,
            distinct: Vec::new(),
        };
        for &(v, d) in self.distinct.iter().chain(&other.distinct) {
            match joined.distinct.iter_mut().find(|(known, _)| *known == v) {
                Some((_, known)) => *known = known.min(d),
                None => joined.distinct.push((v, d)),
            }
        }
        joined.capped()
    }

    /// The same with a share of the rows.
    #[must_use]
    pub fn scaled(&self, share: f64) -> Self {
        let mut scaled = self.clone();
        scaled.rows *= share;
        scaled.capped()
    }

    fn capped(mut self) -> Self {
        for (_, d) in &mut self.distinct {
            *d = d.min(self.rows).max(1.0);
        }
        self
    }
}

/// The share of rows for which a condition is expected to hold.
pub fn selectivity(expression: &Expression) -> f64 {
    match expression {
        Expression::And(a, b) => selectivity(a) * selectivity(b),
        Expression::Or(a, b) => (selectivity(a) + selectivity(b)).min(1.0),
        Expression::Not(inner) => (1.0 - selectivity(inner)).max(0.1),
        Expression::Equal(..) | Expression::SameTerm(..) => 0.05,
        Expression::In(_, list) => (0.05 * list.len() as f64).min(0.5),
        Expression::Greater(..)
        | Expression::GreaterOrEqual(..)
        | Expression::Less(..)
        | Expression::LessOrEqual(..) => 0.3,
        Expression::FunctionCall(function, _) => match function {
            Function::Regex | Function::Contains => 0.1,
            Function::StrStarts | Function::StrEnds => 0.05,
            _ => 0.5,
        },
        _ => 0.5,
    }
}

/// The expected time to test a condition on a row, in nanoseconds: functions on text have to fetch it.
pub fn test_ns(expression: &Expression) -> f64 {
    let calls = functions(&mut expression.clone());
    let on_text = |function: &Function| {
        !matches!(
            function,
            Function::IsIri | Function::IsBlank | Function::IsLiteral | Function::IsNumeric
        )
    };
    6.0 + 400.0 * calls.iter().filter(|f| on_text(f)).count() as f64
}

/// The functions that an expression calls.
fn functions(expression: &mut Expression) -> Vec<Function> {
    let mut found = Vec::new();
    let mut open = vec![expression];
    while let Some(next) = open.pop() {
        if let Expression::FunctionCall(function, _) = next {
            found.push(function.clone());
        }
        open.extend(children_mut(next));
    }
    found
}
