//! From spargebra's algebra to the logical algebra: constants become ids, variables numbers, GRAPH a scope of patterns,
//! and property paths joins, unions and closures (SPARQL 1.1 Query, section 18.2.2.4 and 18.4).

use super::dataset::Dataset;
use super::logical::{
    Aggregate, ClosurePath, Condition, Exists, GraphScope, Logical, QuadPattern, Slot, SortKey,
};
use super::service::ServicePattern;
use super::variables::{VarId, VarSet, Variables};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::expr::{QueryTerms, children, is_deterministic};
use crate::storage::{Permutation, Snapshot};
use crate::term::TermId;
use oxrdf::Term;
use spargebra::algebra::{
    AggregateExpression, Expression, GraphPattern, OrderExpression, PropertyPathExpression,
};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};
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

    /// A term of a pattern. A triple term with variables becomes a variable of its own, to be taken apart later.
    fn slot(
        &mut self,
        term: &TermPattern,
        taken_apart: &mut Vec<(VarId, TriplePattern)>,
    ) -> Result<Slot> {
        Ok(match term {
            TermPattern::Variable(v) => Slot::Var(self.variables.id(v)),
            TermPattern::BlankNode(b) => Slot::Var(self.variables.blank(b.as_str())),
            TermPattern::NamedNode(n) => self.constant(n.clone())?,
            TermPattern::Literal(l) => self.constant(l.clone())?,
            TermPattern::Triple(triple) => match ground_triple(triple) {
                Some(triple) => self.constant(triple)?,
                None => {
                    let variable = self.variables.fresh("triple");
                    taken_apart.push((variable, (**triple).clone()));
                    Slot::Var(variable)
                }
            },
        })
    }

    fn take_apart(
        &mut self,
        mut logical: Logical,
        mut triples: Vec<(VarId, TriplePattern)>,
    ) -> Result<Logical> {
        while let Some((variable, triple)) = triples.pop() {
            let parts = [
                self.slot(&triple.subject, &mut triples)?,
                self.name_slot(&triple.predicate)?,
                self.slot(&triple.object, &mut triples)?,
            ];
            logical = Logical::Destructure(Box::new(logical), variable, parts);
        }
        Ok(logical)
    }

    fn name_slot(&mut self, name: &NamedNodePattern) -> Result<Slot> {
        match name {
            NamedNodePattern::NamedNode(n) => self.constant(n.clone()),
            NamedNodePattern::Variable(v) => Ok(Slot::Var(self.variables.id(v))),
        }
    }

    fn constant(&self, term: impl Into<Term>) -> Result<Slot> {
        Ok(Slot::Const(self.terms.from_term(&term.into())?))
    }

    fn path(
        &mut self,
        start: Slot,
        path: &PropertyPathExpression,
        end: Slot,
        scope: &GraphScope,
    ) -> Result<Logical> {
        Ok(match path {
            PropertyPathExpression::NamedNode(predicate) => {
                let predicate = self.constant(predicate.clone())?;
                edge(start, predicate, end, scope, Arc::default())
            }
            PropertyPathExpression::Reverse(inner) => self.path(end, inner, start, scope)?,
            PropertyPathExpression::Sequence(first, second) => {
                let middle = Slot::Var(self.variables.fresh("path"));
                Logical::Join(vec![
                    self.path(start, first, middle, scope)?,
                    self.path(middle, second, end, scope)?,
                ])
            }
            PropertyPathExpression::Alternative(first, second) => Logical::Union(vec![
                self.path(start, first, end, scope)?,
                self.path(start, second, end, scope)?,
            ]),
            PropertyPathExpression::NegatedPropertySet(predicates) => {
                let excluded = predicates
                    .iter()
                    .map(|p| self.terms.from_term(&p.clone().into()))
                    .collect::<Result<Vec<_>>>()?;
                let predicate = Slot::Var(self.variables.fresh("path"));
                edge(start, predicate, end, scope, excluded.into())
            }
            PropertyPathExpression::ZeroOrMore(inner) => {
                self.closure(start, inner, end, scope, (true, true))?
            }
            PropertyPathExpression::OneOrMore(inner) => {
                self.closure(start, inner, end, scope, (false, true))?
            }
            PropertyPathExpression::ZeroOrOne(inner) => {
                self.closure(start, inner, end, scope, (true, false))?
            }
        })
    }

    fn closure(
        &mut self,
        start: Slot,
        inner: &PropertyPathExpression,
        end: Slot,
        scope: &GraphScope,
        (zero, many): (bool, bool),
    ) -> Result<Logical> {
        let step_from = self.variables.fresh("from");
        let step_to = self.variables.fresh("to");
        let step = self.path(Slot::Var(step_from), inner, Slot::Var(step_to), scope)?;
        Ok(Logical::Closure(ClosurePath {
            start,
            end,
            step: Box::new(step),
            step_from,
            step_to,
            zero,
            many,
            graph: scope.clone(),
        }))
    }

    /// GRAPH with a name, or with a variable that ranges over the named graphs.
    ///
    /// Most patterns carry the variable along. Those whose meaning depends on being evaluated graph by graph (paths
    /// of arbitrary length, sub-queries, those that mention the variable themselves) become the union over the graphs
    /// that there are: the variable is bound only after the pattern (SPARQL 1.1 Query, section 18.6).
    fn graph(&mut self, name: &NamedNodePattern, inner: &GraphPattern) -> Result<Logical> {
        let variable = match name {
            NamedNodePattern::NamedNode(n) => {
                let id = self.terms.from_term(&n.clone().into())?;
                return match self.has_graph(id)? {
                    true => self.pattern(inner, &GraphScope::One(id)),
                    false => Ok(Logical::Union(Vec::new())),
                };
            }
            NamedNodePattern::Variable(v) => self.variables.id(v),
        };
        if !is_evaluated_by_graph(inner) {
            let scope =
                GraphScope::Named(self.variables.fresh("graph"), self.dataset.named.clone());
            if !self.pattern(inner, &scope)?.mentioned().contains(variable) {
                let scope = GraphScope::Named(variable, self.dataset.named.clone());
                return self.pattern(inner, &scope);
            }
        }
        let mut branches = Vec::new();
        for graph in self.named_graphs()? {
            let name = Logical::Values(vec![variable], Arc::new(Batch::new(vec![vec![graph]], 1)));
            let inner = self.pattern(inner, &GraphScope::One(graph))?;
            branches.push(Logical::Join(vec![name, inner]));
        }
        Ok(Logical::Union(branches))
    }

    /// Whether a named graph is one of the data set's.
    fn has_graph(&self, graph: TermId) -> Result<bool> {
        let is_listed = self
            .dataset
            .named
            .as_ref()
            .is_none_or(|names| names.contains(&graph));
        Ok(is_listed && self.snapshot.count(Permutation::Gspo, &[graph])? > 0)
    }

    /// For a scope of named graphs, the table of their names: the place of GRAPH's variable in patterns that match no
    /// triple themselves.
    fn graph_names(&self, scope: &GraphScope) -> Result<Option<Logical>> {
        let GraphScope::Named(variable, _) = scope else {
            return Ok(None);
        };
        let names = self.named_graphs()?;
        let rows = names.len();
        let table = Arc::new(Batch::new(vec![names], rows));
        Ok(Some(Logical::Values(vec![*variable], table)))
    }

    fn named_graphs(&self) -> Result<Vec<TermId>> {
        let mut graphs = self.snapshot.graphs()?;
        if let Some(listed) = &self.dataset.named {
            graphs.retain(|g| listed.contains(g));
        }
        Ok(graphs)
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
                output: self.variables.id(variable),
                expression: aggregate,
            });
        }
        Ok(Logical::Group(Box::new(input), keys, outputs))
    }

    /// An expression that mentions an EXISTS is computed by an Extend below; others stay as they are.
    fn computed(
        &mut self,
        input: Logical,
        expression: &Expression,
        scope: &GraphScope,
    ) -> Result<(Logical, Expression)> {
        let condition = self.condition(expression, scope)?;
        if condition.exists.is_empty() {
            return Ok((input, condition.expression));
        }
        let variable = self.variables.fresh("computed");
        let name = self.variables.name(variable).clone();
        let input = Logical::Extend(Box::new(input), variable, condition);
        Ok((input, Expression::Variable(name)))
    }

    fn conjunction(
        &mut self,
        expression: &Expression,
        scope: &GraphScope,
    ) -> Result<Vec<Condition>> {
        match expression {
            Expression::And(left, right) => {
                let mut all = self.conjunction(left, scope)?;
                all.extend(self.conjunction(right, scope)?);
                Ok(all)
            }
            _ => Ok(vec![self.condition(expression, scope)?]),
        }
    }

    fn condition(&mut self, expression: &Expression, scope: &GraphScope) -> Result<Condition> {
        let mut exists = Vec::new();
        let mut variables = VarSet::EMPTY;
        let expression = self.extract(expression, scope, &mut variables, &mut exists)?;
        Ok(Condition {
            is_deterministic: is_deterministic(&expression),
            expression,
            variables,
            exists,
        })
    }

    /// The expression with each EXISTS replaced by a variable; collects the patterns and the variables mentioned.
    fn extract(
        &mut self,
        expression: &Expression,
        scope: &GraphScope,
        variables: &mut VarSet,
        exists: &mut Vec<Exists>,
    ) -> Result<Expression> {
        let mut result = expression.clone();
        match &mut result {
            Expression::Exists(pattern) => {
                let mark = self.variables.fresh("exists");
                let pattern = self.pattern(pattern, scope)?;
                exists.push(Exists { mark, pattern });
                return Ok(Expression::Variable(self.variables.name(mark).clone()));
            }
            Expression::Variable(v) | Expression::Bound(v) => {
                variables.insert(self.variables.id(v))
            }
            _ => {
                for child in super::expression::children_mut(&mut result) {
                    *child = self.extract(child, scope, variables, exists)?;
                }
            }
        }
        Ok(result)
    }
}

fn edge(
    start: Slot,
    predicate: Slot,
    end: Slot,
    scope: &GraphScope,
    excluded: Arc<[TermId]>,
) -> Logical {
    Logical::Pattern(QuadPattern {
        subject: start,
        predicate,
        object: end,
        graph: scope.clone(),
        excluded,
    })
}

fn within(logical: Logical, graph_names: Option<Logical>) -> Logical {
    match graph_names {
        Some(names) => Logical::Join(vec![names, logical]),
        None => logical,
    }
}

/// Whether a pattern below GRAPH ?g has to be evaluated for one graph at a time.
fn is_evaluated_by_graph(pattern: &GraphPattern) -> bool {
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Values { .. } | GraphPattern::Service { .. } => {
            false
        }
        GraphPattern::Path { path, .. } => has_closure(path),
        GraphPattern::Join { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Lateral { left, right } => {
            is_evaluated_by_graph(left) || is_evaluated_by_graph(right)
        }
        GraphPattern::LeftJoin {
            left,
            right,
            expression,
        } => {
            is_evaluated_by_graph(left)
                || is_evaluated_by_graph(right)
                || expression.as_ref().is_some_and(asks_by_graph)
        }
        GraphPattern::Filter {
            inner,
            expr: expression,
        }
        | GraphPattern::Extend {
            inner, expression, ..
        } => is_evaluated_by_graph(inner) || asks_by_graph(expression),
        _ => true,
    }
}

/// Whether an EXISTS within an expression has to be evaluated for one graph at a time.
fn asks_by_graph(expression: &Expression) -> bool {
    match expression {
        Expression::Exists(pattern) => is_evaluated_by_graph(pattern),
        _ => children(expression).into_iter().any(asks_by_graph),
    }
}

fn has_closure(path: &PropertyPathExpression) -> bool {
    match path {
        PropertyPathExpression::NamedNode(_) | PropertyPathExpression::NegatedPropertySet(_) => {
            false
        }
        PropertyPathExpression::Reverse(inner) => has_closure(inner),
        PropertyPathExpression::Sequence(a, b) | PropertyPathExpression::Alternative(a, b) => {
            has_closure(a) || has_closure(b)
        }
        _ => true,
    }
}

fn ground_triple(triple: &TriplePattern) -> Option<oxrdf::Triple> {
    let subject = match &triple.subject {
        TermPattern::NamedNode(n) => n.clone(),
        _ => return None,
    };
    let NamedNodePattern::NamedNode(predicate) = &triple.predicate else {
        return None;
    };
    let object: Term = match &triple.object {
        TermPattern::NamedNode(n) => n.clone().into(),
        TermPattern::Literal(l) => l.clone().into(),
        TermPattern::Triple(t) => ground_triple(t)?.into(),
        _ => return None,
    };
    Some(oxrdf::Triple::new(subject, predicate.clone(), object))
}
