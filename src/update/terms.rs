//! From terms to ids of the store.
//!
//! Blank node labels belong to one document or one INSERT DATA (SPARQL 1.1 Update, section 3.1.1): each label is a new
//! node. Solutions may hold terms that only the query made; those get an id of the store when they are written.

use super::changes::Changes;
use crate::diagnostics::Result;
use crate::expr::{QueryTerms, view_literal};
use crate::storage::Quad;
use crate::term::{LiteralSort, TermId, TermView};
use oxrdf::{Literal, NamedNode, NamedOrBlankNode, Term};
use spargebra::term::{GraphName, GroundQuad, GroundTerm};
use std::collections::HashMap;

/// The terms of one document; its blank nodes are its own.
#[derive(Default)]
pub struct DocumentTerms {
    labels: HashMap<String, TermId>,
}

impl DocumentTerms {
    /// The ids of a quad of INSERT DATA.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn data(&mut self, changes: &mut Changes, quad: &spargebra::term::Quad) -> Result<Quad> {
        let graph = match &quad.graph_name {
            GraphName::DefaultGraph => TermId::DEFAULT_GRAPH,
            GraphName::NamedNode(iri) => intern_iri(changes, iri)?,
        };
        let [s, p, o] = self.triple(changes, &quad.subject, &quad.predicate, &quad.object)?;
        Ok([s, p, o, graph])
    }

    /// The ids of a quad that was parsed.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn parsed(&mut self, changes: &mut Changes, quad: &oxrdf::Quad) -> Result<Quad> {
        let graph = match &quad.graph_name {
            oxrdf::GraphName::DefaultGraph => TermId::DEFAULT_GRAPH,
            oxrdf::GraphName::NamedNode(iri) => intern_iri(changes, iri)?,
            oxrdf::GraphName::BlankNode(node) => self.blank(changes, node.as_str()),
        };
        let [s, p, o] = self.triple(changes, &quad.subject, &quad.predicate, &quad.object)?;
        Ok([s, p, o, graph])
    }

    fn triple(
        &mut self,
        changes: &mut Changes,
        subject: &NamedOrBlankNode,
        predicate: &NamedNode,
        object: &Term,
    ) -> Result<[TermId; 3]> {
        let subject = match subject {
            NamedOrBlankNode::NamedNode(iri) => intern_iri(changes, iri)?,
            NamedOrBlankNode::BlankNode(node) => self.blank(changes, node.as_str()),
        };
        let predicate = intern_iri(changes, predicate)?;
        let object = match object {
            Term::NamedNode(iri) => intern_iri(changes, iri)?,
            Term::BlankNode(node) => self.blank(changes, node.as_str()),
            Term::Literal(literal) => match inline(literal) {
                Some(id) => id,
                None => changes.intern(&view_literal(literal))?,
            },
            Term::Triple(triple) => {
                let parts =
                    self.triple(changes, &triple.subject, &triple.predicate, &triple.object)?;
                changes.intern(&TermView::Triple(parts))?
            }
        };
        Ok([subject, predicate, object])
    }

    fn blank(&mut self, changes: &mut Changes, label: &str) -> TermId {
        if let Some(id) = self.labels.get(label) {
            return *id;
        }
        let id = changes.fresh_blank();
        self.labels.insert(label.to_owned(), id);
        id
    }
}

fn intern_iri(changes: &mut Changes, iri: &NamedNode) -> Result<TermId> {
    changes.intern(&TermView::Iri(iri.as_str()))
}

/// The id of a literal that needs no dictionary.
fn inline(literal: &Literal) -> Option<TermId> {
    match view_literal(literal) {
        TermView::Literal {
            lexical,
            sort: LiteralSort::Typed(datatype),
        } => TermId::encode_inline(lexical, datatype),
        _ => None,
    }
}

/// The ids of a quad of DELETE DATA; none if one of its terms is nowhere, and so it is not there either.
///
/// # Errors
/// Reading the dictionary failed.
pub fn lookup_quad(changes: &Changes, quad: &GroundQuad) -> Result<Option<Quad>> {
    let graph = match &quad.graph_name {
        GraphName::DefaultGraph => Some(TermId::DEFAULT_GRAPH),
        GraphName::NamedNode(iri) => lookup_iri(changes, iri)?,
    };
    let triple = lookup_triple(changes, &quad.subject, &quad.predicate, &quad.object)?;
    Ok(match (triple, graph) {
        (Some([s, p, o]), Some(graph)) => Some([s, p, o, graph]),
        _ => None,
    })
}

fn lookup_triple(
    changes: &Changes,
    subject: &NamedNode,
    predicate: &NamedNode,
    object: &GroundTerm,
) -> Result<Option<[TermId; 3]>> {
    let object = match object {
        GroundTerm::NamedNode(iri) => lookup_iri(changes, iri)?,
        GroundTerm::Literal(literal) => match inline(literal) {
            Some(id) => Some(id),
            None => changes.lookup(&view_literal(literal))?,
        },
        GroundTerm::Triple(t) => match lookup_triple(changes, &t.subject, &t.predicate, &t.object)?
        {
            Some(parts) => changes.lookup(&TermView::Triple(parts))?,
            None => None,
        },
    };
    let subject = lookup_iri(changes, subject)?;
    let predicate = lookup_iri(changes, predicate)?;
    Ok(match (subject, predicate, object) {
        (Some(s), Some(p), Some(o)) => Some([s, p, o]),
        _ => None,
    })
}

/// The id of an IRI, if it is anywhere.
///
/// # Errors
/// Reading the dictionary failed.
pub fn lookup_iri(changes: &Changes, iri: &NamedNode) -> Result<Option<TermId>> {
    changes.lookup(&TermView::Iri(iri.as_str()))
}

/// The terms that a query made, and the ids that the store has given them.
pub struct SolutionTerms<'q> {
    terms: &'q QueryTerms,
    stored: HashMap<TermId, TermId>,
}

impl<'q> SolutionTerms<'q> {
    /// Those of a query.
    pub fn new(terms: &'q QueryTerms) -> Self {
        Self {
            terms,
            stored: HashMap::new(),
        }
    }

    /// The id of the store for an id of the query.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn store(&mut self, changes: &mut Changes, id: TermId) -> Result<TermId> {
        if !id.is_local() {
            return Ok(id);
        }
        if let Some(stored) = self.stored.get(&id) {
            return Ok(*stored);
        }
        let mut buffer = Vec::new();
        let stored = match self.terms.resolve(id, &mut buffer)? {
            TermView::Blank { .. } => changes.fresh_blank(),
            TermView::Triple(mut parts) => {
                for part in &mut parts {
                    *part = self.store(changes, *part)?;
                }
                changes.intern(&TermView::Triple(parts))?
            }
            term => changes.intern(&term)?,
        };
        self.stored.insert(id, stored);
        Ok(stored)
    }
}
