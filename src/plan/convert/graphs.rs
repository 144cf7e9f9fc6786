//! GRAPH: patterns that carry the name of their graph along, and those that are evaluated graph by graph (SPARQL 1.1 Query,
//! section 18.6).

use super::Converter;
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::expr::children;
use crate::plan::logical::{GraphScope, Logical};
use crate::storage::Permutation;
use crate::term::TermId;
use spargebra::algebra::{Expression, GraphPattern, PropertyPathExpression};
use spargebra::term::NamedNodePattern;
use std::sync::Arc;

impl Converter<'_> {
    /// GRAPH with a name, or with a variable that ranges over the named graphs.
    ///
    /// Most patterns carry the variable along. Those whose meaning depends on being evaluated graph by graph (paths
    /// of arbitrary length, sub-queries, those that mention the variable themselves) become the union over the graphs
    /// that there are: the variable is bound only after the pattern (SPARQL 1.1 Query, section 18.6).
    pub(super) fn graph(
        &mut self,
        name: &NamedNodePattern,
        inner: &GraphPattern,
    ) -> Result<Logical> {
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
    pub(super) fn graph_names(&self, scope: &GraphScope) -> Result<Option<Logical>> {
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
}

pub(super) fn within(logical: Logical, graph_names: Option<Logical>) -> Logical {
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
