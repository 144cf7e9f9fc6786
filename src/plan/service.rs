//! SERVICE: the pattern that another endpoint answers, and what is known of its solutions without asking (SPARQL 1.1
//! Federated Query, sections 2 and 4).
//!
//! The pattern stays in the form of the parser, since it is sent as text. That text must mean the pattern: a FILTER,
//! OPTIONAL, MINUS or BIND that is joined with what follows is given a group of its own, or it would be read as one that
//! works on more than it does.

use super::expression::children_mut;
use super::logical::Slot;
use super::variables::{VarId, VarSet, Variables};
use oxrdf::Variable;
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};
use std::collections::BTreeSet;

/// The solutions of a triple pattern at an endpoint of which nothing is known: with a known subject, with a known
/// object, and with neither.
const TRIPLE_ROWS: [f64; 3] = [1e2, 1e4, 1e6];
/// The same for a path.
const PATH_ROWS: [f64; 3] = [1e2, 1e4, 1e6];

/// A pattern for another endpoint.
#[derive(Clone, Debug)]
pub struct ServicePattern {
    /// The endpoint.
    pub endpoint: Slot,
    /// What is asked of it.
    pub pattern: GraphPattern,
    /// The variables of its solutions, the endpoint's own not counted.
    pub outputs: VarSet,
    /// Those that every solution from the endpoint binds.
    pub bound: VarSet,
    /// Whether a failure stands for the one empty solution.
    pub silent: bool,
    /// The expected number of its solutions.
    pub rows: f64,
}

impl ServicePattern {
    /// The pattern of a SERVICE clause.
    pub fn new(
        endpoint: Slot,
        pattern: &GraphPattern,
        silent: bool,
        variables: &mut Variables,
    ) -> Self {
        let mut outputs = BTreeSet::new();
        pattern.on_in_scope_variable(|v| {
            outputs.insert(variables.id(v));
        });
        let bound = bound(pattern).into_iter().map(|v| variables.id(v));
        Self {
            endpoint,
            bound: bound.collect(),
            outputs: outputs.into_iter().collect(),
            silent,
            rows: rows(pattern),
            pattern: grouped(pattern),
        }
    }

    /// The variables of its solutions, the endpoint's too.
    pub fn variables(&self) -> VarSet {
        let mut all = self.outputs.clone();
        all.extend(&self.endpoint.var().into_iter().collect());
        all
    }

    /// The variables that every solution binds; those of a failure that SILENT ignores bind none.
    pub fn certain(&self) -> VarSet {
        match self.silent {
            true => VarSet::EMPTY,
            false => self.handed_in(),
        }
    }

    /// The variables whose bindings may be handed in by a join with this pattern itself.
    pub fn handed_in(&self) -> VarSet {
        let mut all = self.bound.clone();
        all.extend(&self.endpoint.var().into_iter().collect());
        all
    }

    /// Whether a binding of a variable is sent, so that the endpoint gives only solutions with it.
    pub fn is_sent(&self, variable: VarId) -> bool {
        self.bound.contains(variable)
            || (self.endpoint == Slot::Var(variable) && self.outputs.contains(variable))
    }

    /// What is asked, joined with bindings. They stand before the first pattern of the group, where an endpoint can
    /// begin with them; no FILTER, OPTIONAL or MINUS sees more for it where every solution binds their variables.
    pub fn with_bindings(
        &self,
        variables: &[VarId],
        names: Vec<Variable>,
        bindings: Vec<Vec<Option<GroundTerm>>>,
    ) -> GraphPattern {
        let values = GraphPattern::Values {
            variables: names,
            bindings,
        };
        let mut pattern = self.pattern.clone();
        let mut first = &mut pattern;
        let are_bound = variables.iter().all(|&v| self.bound.contains(v));
        while are_bound
            && let GraphPattern::Filter { inner: next, .. }
            | GraphPattern::LeftJoin { left: next, .. }
            | GraphPattern::Minus { left: next, .. } = first
        {
            first = next;
        }
        let right = Box::new(std::mem::take(first));
        *first = GraphPattern::Join {
            left: Box::new(values),
            right,
        };
        pattern
    }
}

/// The variables that every solution of a pattern binds.
fn bound(pattern: &GraphPattern) -> BTreeSet<&Variable> {
    let in_scope = || {
        let mut all = BTreeSet::new();
        pattern.on_in_scope_variable(|v| {
            all.insert(v);
        });
        all
    };
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Path { .. } => in_scope(),
        GraphPattern::Join { left, right } | GraphPattern::Lateral { left, right } => {
            &bound(left) | &bound(right)
        }
        GraphPattern::Union { left, right } => &bound(left) & &bound(right),
        GraphPattern::Graph { name, inner } => {
            let mut all = bound(inner);
            if let NamedNodePattern::Variable(v) = name {
                all.insert(v);
            }
            all
        }
        GraphPattern::Values {
            variables,
            bindings,
        } => {
            let is_bound = |place: usize| bindings.iter().all(|row| row[place].is_some());
            let places = variables.iter().enumerate();
            places
                .filter(|&(i, _)| is_bound(i))
                .map(|(_, v)| v)
                .collect()
        }
        GraphPattern::Project { inner, variables }
        | GraphPattern::Group {
            inner, variables, ..
        } => {
            let mut all = bound(inner);
            all.retain(|v| variables.contains(v));
            all
        }
        GraphPattern::Service { silent: true, .. } => BTreeSet::new(),
        GraphPattern::LeftJoin { left: inner, .. }
        | GraphPattern::Minus { left: inner, .. }
        | GraphPattern::Filter { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Service { inner, .. } => bound(inner),
    }
}

/// How many solutions a pattern is expected to have at an endpoint of which nothing is known.
fn rows(pattern: &GraphPattern) -> f64 {
    match pattern {
        GraphPattern::Bgp { patterns } => {
            let each = patterns.iter().map(triple_rows);
            each.reduce(f64::min).unwrap_or(1.0)
        }
        GraphPattern::Path {
            subject, object, ..
        } => rows_between(subject, object, PATH_ROWS),
        GraphPattern::Join { left, right } | GraphPattern::Lateral { left, right } => {
            rows(left).min(rows(right))
        }
        GraphPattern::Union { left, right } => rows(left) + rows(right),
        GraphPattern::Values { bindings, .. } => bindings.len() as f64,
        GraphPattern::Filter { inner, .. } => rows(inner) / 2.0,
        GraphPattern::Group {
            inner, variables, ..
        } => match variables.is_empty() {
            true => 1.0,
            false => rows(inner) / 10.0,
        },
        GraphPattern::Slice { inner, length, .. } => {
            length.map_or(rows(inner), |length| rows(inner).min(length as f64))
        }
        GraphPattern::LeftJoin { left: inner, .. }
        | GraphPattern::Minus { left: inner, .. }
        | GraphPattern::Graph { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Service { inner, .. } => rows(inner),
    }
}

fn triple_rows(triple: &TriplePattern) -> f64 {
    rows_between(&triple.subject, &triple.object, TRIPLE_ROWS)
}

fn rows_between(subject: &TermPattern, object: &TermPattern, rows: [f64; 3]) -> f64 {
    let is_known =
        |term: &TermPattern| matches!(term, TermPattern::NamedNode(_) | TermPattern::Literal(_));
    match (is_known(subject), is_known(object)) {
        (true, _) => rows[0],
        (false, true) => rows[1],
        (false, false) => rows[2],
    }
}

/// The same pattern such that its text is read as it.
fn grouped(pattern: &GraphPattern) -> GraphPattern {
    let mut pattern = pattern.clone();
    group(&mut pattern);
    pattern
}

fn group(pattern: &mut GraphPattern) {
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => {}
        GraphPattern::Join { left, right } => {
            group(left);
            group(right);
            if is_step(left) {
                embrace(left);
            }
        }
        GraphPattern::Minus { left, right } | GraphPattern::Lateral { left, right } => {
            group(left);
            group(right);
            embrace_filter(left);
        }
        GraphPattern::LeftJoin {
            left,
            right,
            expression,
        } => {
            group(left);
            group(right);
            embrace_filter(left);
            embrace_filter(right);
            expression.iter_mut().for_each(group_within);
        }
        GraphPattern::Union { left, right } => {
            group(left);
            group(right);
        }
        GraphPattern::Filter { expr, inner } => {
            group(inner);
            group_within(expr);
        }
        GraphPattern::Extend {
            inner, expression, ..
        } => {
            group(inner);
            embrace_filter(inner);
            group_within(expression);
        }
        GraphPattern::Graph { inner, .. }
        | GraphPattern::Service { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Group { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. } => group(inner),
    }
}

/// The patterns of EXISTS within an expression.
fn group_within(expression: &mut Expression) {
    match expression {
        Expression::Exists(pattern) => group(pattern),
        _ => children_mut(expression).into_iter().for_each(group_within),
    }
}

/// Whether a pattern is written as one that works on what stands before it in its group.
fn is_step(pattern: &GraphPattern) -> bool {
    matches!(
        pattern,
        GraphPattern::Filter { .. }
            | GraphPattern::LeftJoin { .. }
            | GraphPattern::Minus { .. }
            | GraphPattern::Extend { .. }
            | GraphPattern::Lateral { .. }
    )
}

fn embrace_filter(pattern: &mut GraphPattern) {
    if matches!(pattern, GraphPattern::Filter { .. }) {
        embrace(pattern);
    }
}

/// Puts a step into braces: as the right side of a join with nothing it is written so.
fn embrace(pattern: &mut GraphPattern) {
    *pattern = GraphPattern::Join {
        left: Box::default(),
        right: Box::new(std::mem::take(pattern)),
    };
}
