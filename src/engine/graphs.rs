//! Whole graphs, and the dataset as a whole.

use super::{Engine, Rows};
use crate::diagnostics::Result;
use crate::exec::{self, ExecContext, QueryControl};
use crate::expr::ExprContext;
use crate::plan::{self, Dataset, GraphScope, PlannedQuery};
use crate::storage::Snapshot;
use crate::term::{TermId, TermStore};
use crate::update::{self, GraphChoice};
use oxrdf::Variable;
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TriplePattern};
use std::sync::Arc;

/// What some graphs hold.
pub struct GraphContent {
    /// Their statements: three columns for one graph, four for several, the last the graph.
    pub rows: Rows,
    /// The number of the store's state that they are of.
    pub sequence: u64,
}

impl Engine {
    /// Every quad: four columns, the last the graph, [`TermId::DEFAULT_GRAPH`] for the default one.
    ///
    /// # Errors
    /// The store failed.
    pub fn dump(&self) -> Result<Rows> {
        everything(self.store.snapshot(), QueryControl::new(None, None))
    }

    /// What some graphs hold, or nothing when a named graph does not exist.
    ///
    /// # Errors
    /// The store failed.
    pub fn graph(
        &self,
        choice: &GraphChoice,
        control: &QueryControl,
    ) -> Result<Option<GraphContent>> {
        let snapshot = self.store.snapshot();
        let sequence = snapshot.sequence();
        if !update::exists(&snapshot, choice)? {
            return Ok(None);
        }
        let control = control.clone();
        let rows = match choice {
            GraphChoice::All => everything(snapshot, control)?,
            GraphChoice::AllNamed => statements(snapshot, Some(variable("graph").into()), control)?,
            GraphChoice::Named(iri) => statements(snapshot, Some(iri.clone().into()), control)?,
            GraphChoice::Default => statements(snapshot, None, control)?,
        };
        Ok(Some(GraphContent { rows, sequence }))
    }
}

fn everything(snapshot: Arc<Snapshot>, control: QueryControl) -> Result<Rows> {
    let expressions = ExprContext::new(Arc::clone(&snapshot) as Arc<dyn TermStore>, None);
    start(plan::everything(), snapshot, expressions, control)
}

/// The statements of the default graph, or of those that a name or variable stands for.
fn statements(
    snapshot: Arc<Snapshot>,
    graph: Option<NamedNodePattern>,
    control: QueryControl,
) -> Result<Rows> {
    let [subject, predicate, object] = ["subject", "predicate", "object"].map(variable);
    let mut wanted = vec![subject.clone(), predicate.clone(), object.clone()];
    let triples = GraphPattern::Bgp {
        patterns: vec![TriplePattern {
            subject: subject.into(),
            predicate: predicate.into(),
            object: object.into(),
        }],
    };
    let pattern = match graph {
        None => triples,
        Some(name) => {
            if let NamedNodePattern::Variable(variable) = &name {
                wanted.push(variable.clone());
            }
            GraphPattern::Graph {
                name,
                inner: Box::new(triples),
            }
        }
    };
    let expressions = ExprContext::new(Arc::clone(&snapshot) as Arc<dyn TermStore>, None);
    let dataset = Dataset {
        default: GraphScope::One(TermId::DEFAULT_GRAPH),
        named: None,
    };
    let planned = plan::plan(
        &pattern,
        Some(&wanted),
        &dataset,
        &expressions.terms,
        &snapshot,
        plan::Options::default(),
    )?;
    start(planned, snapshot, expressions, control)
}

fn start(
    planned: PlannedQuery,
    snapshot: Arc<Snapshot>,
    expressions: ExprContext,
    control: QueryControl,
) -> Result<Rows> {
    let cx = ExecContext::new(snapshot, expressions, &planned, control, false);
    let operator = exec::build(&planned.plan, &cx)?;
    let names = cx.variables.names(&planned.plan.schema);
    Ok(Rows::new(names, operator, cx))
}

fn variable(name: &str) -> Variable {
    Variable::new_unchecked(name)
}
