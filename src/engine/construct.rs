//! CONSTRUCT: triples from a template (SPARQL 1.1 Query, section 16.2).
//!
//! Triples that would not be valid RDF are left out; a blank node of the template is a new one for each solution; equal
//! triples come once.

use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::exec::{BoxedOperator, Charge, ExecContext, Operator, RowSet};
use crate::term::{Tag, TermId, TermView};
use oxrdf::Variable;
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};
use std::collections::HashMap;
use std::rc::Rc;

/// A place of the template.
enum Part {
    Const(TermId),
    Column(usize),
    /// The n-th blank node of the template.
    Blank(usize),
    Triple(Box<[Part; 3]>),
    /// A variable that the pattern does not have.
    Unbound,
}

/// Fills a template with solutions.
pub struct Construct {
    cx: Rc<ExecContext>,
    input: BoxedOperator,
    template: Vec<[Part; 3]>,
    blanks: usize,
    seen: RowSet,
    charge: Charge,
}

/// The variables of a template.
pub fn variables(template: &[TriplePattern]) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    let mut open: Vec<&TriplePattern> = template.iter().rev().collect();
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

impl Construct {
    /// Fills a template with the rows of an input that has these variables.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn new(
        template: &[TriplePattern],
        variables: &[Variable],
        input: BoxedOperator,
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        let mut compiler = Compiler {
            variables,
            labels: HashMap::new(),
            cx,
        };
        let template = template
            .iter()
            .map(|t| compiler.triple(t))
            .collect::<Result<_>>()?;
        Ok(Self {
            blanks: compiler.labels.len(),
            cx: Rc::clone(cx),
            input,
            template,
            seen: RowSet::new(3),
            charge: cx.charge(0)?,
        })
    }

    fn fill(&self, part: &Part, batch: &Batch, row: usize, blanks: &[TermId]) -> Result<TermId> {
        Ok(match part {
            Part::Const(id) => *id,
            Part::Column(c) => batch.column(*c)[row],
            Part::Blank(n) => blanks[*n],
            Part::Unbound => TermId::UNBOUND,
            Part::Triple(parts) => match self.triple(parts, batch, row, blanks)? {
                Some(triple) => self
                    .cx
                    .expressions
                    .terms
                    .intern(&TermView::Triple(triple))?,
                None => TermId::UNBOUND,
            },
        })
    }

    fn triple(
        &self,
        parts: &[Part; 3],
        batch: &Batch,
        row: usize,
        blanks: &[TermId],
    ) -> Result<Option<[TermId; 3]>> {
        let mut triple = [TermId::UNBOUND; 3];
        for (id, part) in triple.iter_mut().zip(parts) {
            *id = self.fill(part, batch, row, blanks)?;
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

impl Operator for Construct {
    fn next(&mut self) -> Result<Option<Batch>> {
        while let Some(batch) = self.input.next()? {
            let mut triples = Batch::empty(3);
            for row in 0..batch.rows() {
                let fresh = (0..self.blanks).map(|_| self.cx.expressions.terms.fresh_blank());
                let blanks: Vec<TermId> = fresh.collect();
                for parts in &self.template {
                    let Some(triple) = self.triple(parts, &batch, row, &blanks)? else {
                        continue;
                    };
                    let columns = [&triple[..1], &triple[1..2], &triple[2..]];
                    if self.seen.insert(&columns, 0).1 {
                        triples.push_row(triple);
                    }
                }
            }
            self.charge.grow_to(self.seen.bytes())?;
            if !triples.is_empty() {
                return Ok(Some(triples));
            }
        }
        Ok(None)
    }
}
