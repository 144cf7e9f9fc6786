//! DELETE and INSERT by the solutions of a pattern (SPARQL 1.1 Update, section 3.1.3).
//!
//! The pattern is run on the state before the operation; all deletions happen before any insertion. A template quad
//! whose variable is unbound, or which would be no valid quad, is left out, and the others of its solution are not.

use super::Surroundings;
use super::changes::Changes;
use super::terms::SolutionTerms;
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::exec::{self, BoxedOperator, ExecContext, Template, template_variables};
use crate::expr::ExprContext;
use crate::plan::{self, Dataset, GraphScope};
use crate::storage::Quad;
use crate::term::{Tag, TermId, TermStore};
use oxiri::Iri;
use oxrdf::Variable;
use spargebra::algebra::{GraphPattern, QueryDataset};
use spargebra::term::{GraphNamePattern, GroundQuadPattern, QuadPattern, TriplePattern};
use std::rc::Rc;
use std::sync::Arc;

/// The quads to delete and to insert for each solution.
pub struct Templates {
    delete: Vec<(TriplePattern, GraphNamePattern)>,
    insert: Vec<(TriplePattern, GraphNamePattern)>,
}

impl Templates {
    /// Those of an operation.
    pub fn new(delete: Vec<GroundQuadPattern>, insert: Vec<QuadPattern>) -> Self {
        let delete = delete.into_iter().map(|quad| {
            let triple = TriplePattern {
                subject: quad.subject.into(),
                predicate: quad.predicate,
                object: quad.object.into(),
            };
            (triple, quad.graph_name)
        });
        let insert = insert.into_iter().map(|quad| {
            let triple = TriplePattern {
                subject: quad.subject,
                predicate: quad.predicate,
                object: quad.object,
            };
            (triple, quad.graph_name)
        });
        Self {
            delete: delete.collect(),
            insert: insert.collect(),
        }
    }

    fn variables(&self) -> Vec<Variable> {
        let quads = || self.delete.iter().chain(&self.insert);
        let mut found = template_variables(quads().map(|(triple, _)| triple));
        for (_, graph) in quads() {
            if let GraphNamePattern::Variable(v) = graph
                && !found.contains(v)
            {
                found.push(v.clone());
            }
        }
        found
    }
}

/// Changes quads by the solutions of a pattern.
///
/// # Errors
/// The pattern cannot be run, the request is over a limit, or the store failed.
pub fn modify(
    changes: &mut Changes,
    templates: &Templates,
    pattern: &GraphPattern,
    using: Option<&QueryDataset>,
    surroundings: &Surroundings,
    base: Option<&Iri<String>>,
) -> Result<()> {
    let state = changes.state()?;
    let expressions = ExprContext::new(Arc::clone(&state) as Arc<dyn TermStore>, base.cloned());
    let dataset = Dataset::resolve(
        &surroundings.using_graphs,
        &surroundings.using_named_graphs,
        using,
        GraphScope::One(TermId::DEFAULT_GRAPH),
        &expressions.terms,
    )?;
    let wanted = templates.variables();
    let planned = plan::plan(
        pattern,
        Some(&wanted),
        &dataset,
        &expressions.terms,
        &state,
        plan::Options::default(),
    )?;
    let cx = ExecContext::new(
        state,
        expressions,
        &planned,
        changes.control().clone(),
        false,
    );
    let solutions = exec::build(&planned.plan, &cx)?;
    let names = cx.variables.names(&planned.plan.schema);
    let delete = QuadTemplate::compile(&templates.delete, &names, &cx)?;
    let insert = QuadTemplate::compile(&templates.insert, &names, &cx)?;
    let inserted = delete_and_collect(changes, solutions, &delete, &insert, &cx)?;
    cx.expressions.finish()?;
    for quad in inserted {
        changes.insert(quad)?;
    }
    Ok(())
}

/// Deletes what the solutions say, and gives what they say to insert.
fn delete_and_collect(
    changes: &mut Changes,
    mut solutions: BoxedOperator,
    delete: &QuadTemplate,
    insert: &QuadTemplate,
    cx: &Rc<ExecContext>,
) -> Result<Vec<Quad>> {
    let mut stored = SolutionTerms::new(&cx.expressions.terms);
    let mut inserted: Vec<Quad> = Vec::new();
    let mut charge = cx.charge(0)?;
    while let Some(batch) = solutions.next()? {
        for row in 0..batch.rows() {
            delete.fill(&batch, row, cx, |quad| {
                // What only the query made is nowhere in the store.
                match quad.iter().any(|id| id.is_local()) {
                    true => Ok(()),
                    false => changes.delete(quad),
                }
            })?;
            insert.fill(&batch, row, cx, |mut quad| {
                for id in &mut quad {
                    *id = stored.store(changes, *id)?;
                }
                inserted.push(quad);
                Ok(())
            })?;
        }
        charge.grow_to(inserted.capacity() * size_of::<Quad>())?;
        changes.check()?;
    }
    Ok(inserted)
}

/// A template of quads: one of triples, and the graph of each.
struct QuadTemplate {
    triples: Template,
    graphs: Vec<Graph>,
}

enum Graph {
    Const(TermId),
    Column(usize),
    /// A variable that the solutions do not have.
    Unbound,
}

impl QuadTemplate {
    fn compile(
        quads: &[(TriplePattern, GraphNamePattern)],
        variables: &[Variable],
        cx: &ExecContext,
    ) -> Result<Self> {
        let graph = |name: &GraphNamePattern| {
            Ok(match name {
                GraphNamePattern::DefaultGraph => Graph::Const(TermId::DEFAULT_GRAPH),
                GraphNamePattern::NamedNode(iri) => {
                    Graph::Const(cx.expressions.terms.from_term(&iri.clone().into())?)
                }
                GraphNamePattern::Variable(v) => match variables.iter().position(|w| w == v) {
                    Some(place) => Graph::Column(place),
                    None => Graph::Unbound,
                },
            })
        };
        Ok(Self {
            triples: Template::compile(quads.iter().map(|(triple, _)| triple), variables, cx)?,
            graphs: quads
                .iter()
                .map(|(_, name)| graph(name))
                .collect::<Result<_>>()?,
        })
    }

    /// Gives the quads that one solution makes.
    fn fill(
        &self,
        batch: &Batch,
        row: usize,
        cx: &ExecContext,
        mut give: impl FnMut(Quad) -> Result<()>,
    ) -> Result<()> {
        for made in self.triples.fill(batch, row, cx) {
            let (place, [subject, predicate, object]) = made?;
            let graph = match self.graphs[place] {
                Graph::Const(id) => id,
                Graph::Column(column) => batch.column(column)[row],
                Graph::Unbound => TermId::UNBOUND,
            };
            if graph == TermId::DEFAULT_GRAPH || graph.tag() == Tag::Iri {
                give([subject, predicate, object, graph])?;
            }
        }
        Ok(())
    }
}
