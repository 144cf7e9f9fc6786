//! From spargebra's algebra to the logical algebra (SPARQL 1.1 Query, section 18.2).
//!
//! This file walks the pattern; terms, property paths, GRAPH and expressions have a file each.

mod conditions;
mod graphs;
mod paths;
mod terms;

use super::dataset::Dataset;
use super::logical::{Aggregate, GraphScope, Logical, QuadPattern, SortKey};
use super::service::ServicePattern;
use super::variables::{VarId, Variables};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::expr::QueryTerms;
use crate::storage::Snapshot;
use crate::term::TermId;
use graphs::within;
use oxrdf::Term;
use spargebra::algebra::{AggregateExpression, GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, TriplePattern};
use std::sync::Arc;

/// Converts the patterns of one query.
pub struct Converter<'a> {
    /// The variables of the query.
    pub variables: &'a mut Variables,
    /// The terms of the query.
    pub terms: &'a QueryTerms,
    /// The graphs of the query.
    pub dataset: &'a Dataset,
    /// The data, asked for the names of graphs only.
    pub snapshot: &'a Arc<Snapshot>,
}

impl Converter<'_> {
    /// The logical form of a pattern outside GRAPH.
    ///
    /// # Errors
    /// The pattern uses what this version does not support, or reading the dictionary failed.
    pub fn convert(&mut self, pattern: &GraphPattern) -> Result<Logical> {
        let scope = self.dataset.default.clone();
        self.pattern(pattern, &scope)
    }

    fn pattern(&mut self, pattern: &GraphPattern, scope: &GraphScope) -> Result<Logical> {
        Ok(match pattern {
            GraphPattern::Bgp { patterns } => self.bgp(patterns, scope)?,
            GraphPattern::Path {
                subject,
                path,
                object,
            } => {
                let mut taken_apart = Vec::new();
                let start = self.slot(subject, &mut taken_apart)?;
                let end = self.slot(object, &mut taken_apart)?;
                let path = self.path(start, path, end, scope)?;
                self.take_apart(path, taken_apart)?
            }
            GraphPattern::Join { left, right } => Logical::Join(vec![
                self.pattern(left, scope)?,
                self.pattern(right, scope)?,
            ]),
            GraphPattern::LeftJoin {
                left,
                right,
                expression,
            } => {
                let left = self.pattern(left, scope)?;
                let right = self.pattern(right, scope)?;
                let conditions = match expression {
                    Some(expression) => self.conjunction(expression, scope)?,
                    None => Vec::new(),
                };
                Logical::LeftJoin(Box::new(left), Box::new(right), conditions)
            }
            GraphPattern::Lateral { left, right } => Logical::Lateral(
                Box::new(self.pattern(left, scope)?),
                Box::new(self.pattern(right, scope)?),
            ),
            GraphPattern::Filter { expr, inner } => {
                let inner = self.pattern(inner, scope)?;
                Logical::Filter(Box::new(inner), self.conjunction(expr, scope)?)
            }
            GraphPattern::Union { left, right } => Logical::Union(vec![
                self.pattern(left, scope)?,
                self.pattern(right, scope)?,
            ]),
            GraphPattern::Graph { name, inner } => self.graph(name, inner)?,
            GraphPattern::Extend {
                inner,
                variable,
                expression,
            } => {
                let inner = self.pattern(inner, scope)?;
                let condition = self.condition(expression, scope)?;
                Logical::Extend(Box::new(inner), self.variables.id(variable), condition)
            }
            GraphPattern::Minus { left, right } => Logical::Minus(
                Box::new(self.pattern(left, scope)?),
                Box::new(self.pattern(right, scope)?),
            ),
            GraphPattern::Values {
                variables,
                bindings,
            } => {
                let values = self.values(variables, bindings)?;
                within(values, self.graph_names(scope)?)
            }
            GraphPattern::OrderBy { inner, expression } => {
                self.order_by(inner, expression, scope)?
            }
            GraphPattern::Project { inner, variables } => {
                let inner = self.pattern(inner, scope)?;
                let variables = variables.iter().map(|v| self.variables.id(v)).collect();
                Logical::Project(Box::new(inner), variables)
            }
            GraphPattern::Distinct { inner } => {
                Logical::Distinct(Box::new(self.pattern(inner, scope)?))
            }
            GraphPattern::Reduced { inner } => {
                Logical::Reduced(Box::new(self.pattern(inner, scope)?))
            }
            GraphPattern::Slice {
                inner,
                start,
                length,
            } => Logical::Slice(
                Box::new(self.pattern(inner, scope)?),
                *start as u64,
                length.map(|l| l as u64),
            ),
            GraphPattern::Group {
                inner,
                variables,
                aggregates,
            } => {
                let inner = self.pattern(inner, scope)?;
                let keys = variables.iter().map(|v| self.variables.id(v)).collect();
                self.group(inner, keys, aggregates, scope)?
            }
            GraphPattern::Service {
                name,
                inner,
                silent,
            } => {
                let endpoint = self.name_slot(name)?;
                let service = ServicePattern::new(endpoint, inner, *silent, self.variables);
                within(
                    Logical::Service(Arc::new(service)),
                    self.graph_names(scope)?,
                )
            }
        })
    }

    fn bgp(&mut self, patterns: &[TriplePattern], scope: &GraphScope) -> Result<Logical> {
        if patterns.is_empty() {
            return Ok(within(Logical::unit(), self.graph_names(scope)?));
        }
        let mut taken_apart = Vec::new();
        let mut inputs = Vec::new();
        for pattern in patterns {
            let subject = self.slot(&pattern.subject, &mut taken_apart)?;
            let object = self.slot(&pattern.object, &mut taken_apart)?;
            inputs.push(Logical::Pattern(QuadPattern {
                subject,
                predicate: self.name_slot(&pattern.predicate)?,
                object,
                graph: scope.clone(),
                excluded: Arc::default(),
            }));
        }
        self.take_apart(Logical::Join(inputs), taken_apart)
    }

    fn values(
        &mut self,
        variables: &[oxrdf::Variable],
        bindings: &[Vec<Option<GroundTerm>>],
    ) -> Result<Logical> {
        let ids: Vec<_> = variables.iter().map(|v| self.variables.id(v)).collect();
        let mut table = Batch::empty(ids.len());
        for row in bindings {
            let row = row
                .iter()
                .map(|term| match term {
                    Some(term) => self.terms.from_term(&Term::from(term.clone())),
                    None => Ok(TermId::UNBOUND),
                })
                .collect::<Result<Vec<_>>>()?;
            table.push_row(row);
        }
        Ok(Logical::Values(ids, Arc::new(table)))
    }

    fn order_by(
        &mut self,
        inner: &GraphPattern,
        keys: &[OrderExpression],
        scope: &GraphScope,
    ) -> Result<Logical> {
        let mut input = self.pattern(inner, scope)?;
        let mut sort_keys = Vec::new();
        for key in keys {
            let (expression, descending) = match key {
                OrderExpression::Asc(e) => (e, false),
                OrderExpression::Desc(e) => (e, true),
            };
            let (next, expression) = self.computed(input, expression, scope)?;
            input = next;
            sort_keys.push(SortKey {
                expression,
                descending,
            });
        }
        Ok(Logical::OrderBy(Box::new(input), sort_keys))
    }

    fn group(
        &mut self,
        mut input: Logical,
        keys: Vec<VarId>,
        aggregates: &[(oxrdf::Variable, AggregateExpression)],
        scope: &GraphScope,
    ) -> Result<Logical> {
        let mut outputs = Vec::new();
        for (variable, aggregate) in aggregates {
            let mut aggregate = aggregate.clone();
            if let AggregateExpression::FunctionCall { expr, .. } = &mut aggregate {
                let (next, expression) = self.computed(input, expr, scope)?;
                input = next;
                *expr = expression;
            }
            outputs.push(Aggregate {
                output: self.variables.aggregate(variable),
                expression: aggregate,
            });
        }
        Ok(Logical::Group(Box::new(input), keys, outputs))
    }
}
