//! Templates: triples made from solutions, for CONSTRUCT (SPARQL 1.1 Query, section 16.2) and for the INSERT and DELETE
//! of updates (SPARQL 1.1 Update, section 3.1.3).
//!
//! A triple that would have an unbound part, or that would not be valid RDF, is left out; the others of its solution
//! are made. A blank node of the template is a new one for each solution.

use super::ExecContext;
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::term::{Tag, TermId, TermView};
use oxrdf::Variable;
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use std::collections::HashMap;

/// A triple by id.
pub type Triple = [TermId; 3];

/// A template, its variables resolved to columns.
pub struct Template {
    triples: Vec<[Part; 3]>,
    blanks: usize,
}

/// A place of a template.
enum Part {
    Const(TermId),
    Column(usize),
    /// The n-th blank node of the template.
    Blank(usize),
    Triple(Box<[Part; 3]>),
    /// A variable that the solutions do not have.
    Unbound,
}

/// The variables of a template, each once.
pub fn template_variables<'t>(
    template: impl IntoIterator<Item = &'t TriplePattern>,
) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    let mut open: Vec<&TriplePattern> = template.into_iter().collect();
    open.reverse();
    while let Some(triple) = open.pop() {
        for part in [&triple.subject, &triple.object] {
            match part {
                TermPattern::Variable(v) if !found.contains(v) => found.push(v.clone()),
                TermPattern::Triple(inner) => open.push(inner),
                _ => {}
            }
        }
        if let NamedNodePattern::Variable(v) = &triple.predicate
            && !found.contains(v)
        {
            found.push(v.clone());
        }
    }
    found
}

impl Template {
    /// A template for solutions that have these variables as columns.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn compile<'t>(
        template: impl IntoIterator<Item = &'t TriplePattern>,
        variables: &[Variable],
        cx: &ExecContext,
    ) -> Result<Self> {
        let mut compiler = Compiler {
            variables,
            labels: HashMap::new(),
            cx,
        };
        let triples = template
            .into_iter()
            .map(|t| compiler.triple(t))
            .collect::<Result<_>>()?;
        Ok(Self {
            triples,
            blanks: compiler.labels.len(),
        })
    }

    /// The triples that one solution makes, each with its place in the template.
    pub fn fill<'t>(
        &'t self,
        batch: &'t Batch,
        row: usize,
        cx: &'t ExecContext,
    ) -> impl Iterator<Item = Result<(usize, Triple)>> + 't {
        let fresh = (0..self.blanks).map(|_| cx.expressions.terms.fresh_blank());
        let filler = Filler {
            batch,
            row,
            blanks: fresh.collect(),
            cx,
        };
        let places = self.triples.iter().enumerate();
        places.filter_map(move |(place, parts)| match filler.triple(parts) {
            Ok(triple) => triple.map(|t| Ok((place, t))),
            Err(error) => Some(Err(error)),
        })
    }
}

/// One solution, and the blank nodes made for it.
struct Filler<'t> {
    batch: &'t Batch,
    row: usize,
    blanks: Vec<TermId>,
    cx: &'t ExecContext,
}

impl Filler<'_> {
    fn part(&self, part: &Part) -> Result<TermId> {
        Ok(match part {
            Part::Const(id) => *id,
            Part::Column(c) => self.batch.column(*c)[self.row],
            Part::Blank(n) => self.blanks[*n],
            Part::Unbound => TermId::UNBOUND,
            Part::Triple(parts) => match self.triple(parts)? {
                Some(triple) => self
                    .cx
                    .expressions
                    .terms
                    .intern(&TermView::Triple(triple))?,
                None => TermId::UNBOUND,
            },
        })
    }

    fn triple(&self, parts: &[Part; 3]) -> Result<Option<Triple>> {
        let mut triple = [TermId::UNBOUND; 3];
        for (id, part) in triple.iter_mut().zip(parts) {
            *id = self.part(part)?;
        }
        let is_valid = matches!(triple[0].tag(), Tag::Iri | Tag::Blank)
            && triple[1].tag() == Tag::Iri
            && triple[2].is_bound();
        Ok(is_valid.then_some(triple))
    }
}

struct Compiler<'a> {
    variables: &'a [Variable],
    labels: HashMap<String, usize>,
    cx: &'a ExecContext,
}

impl Compiler<'_> {
    fn triple(&mut self, triple: &TriplePattern) -> Result<[Part; 3]> {
        let predicate = match &triple.predicate {
            NamedNodePattern::NamedNode(n) => self.constant(n.clone())?,
            NamedNodePattern::Variable(v) => self.variable(v),
        };
        Ok([
            self.part(&triple.subject)?,
            predicate,
            self.part(&triple.object)?,
        ])
    }

    fn part(&mut self, term: &TermPattern) -> Result<Part> {
        Ok(match term {
            TermPattern::NamedNode(n) => self.constant(n.clone())?,
            TermPattern::Literal(l) => self.constant(l.clone())?,
            TermPattern::Variable(v) => self.variable(v),
            TermPattern::BlankNode(b) => {
                let next = self.labels.len();
                Part::Blank(*self.labels.entry(b.as_str().to_owned()).or_insert(next))
            }
            TermPattern::Triple(inner) => Part::Triple(Box::new(self.triple(inner)?)),
        })
    }

    fn constant(&self, term: impl Into<oxrdf::Term>) -> Result<Part> {
        Ok(Part::Const(
            self.cx.expressions.terms.from_term(&term.into())?,
        ))
    }

    fn variable(&self, variable: &Variable) -> Part {
        match self.variables.iter().position(|v| v == variable) {
            Some(place) => Part::Column(place),
            None => Part::Unbound,
        }
    }
}
