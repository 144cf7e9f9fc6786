//! CONSTRUCT: triples from a template (SPARQL 1.1 Query, section 16.2). Equal triples come once.

use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::exec::{BoxedOperator, Charge, ExecContext, Operator, RowSet, Template};
use oxrdf::Variable;
use spargebra::term::TriplePattern;
use std::rc::Rc;

/// Fills a template with solutions.
pub struct Construct {
    cx: Rc<ExecContext>,
    input: BoxedOperator,
    template: Template,
    seen: RowSet,
    charge: Charge,
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
        Ok(Self {
            template: Template::compile(template, variables, cx)?,
            cx: Rc::clone(cx),
            input,
            seen: RowSet::new(3),
            charge: cx.charge(0)?,
        })
    }
}

impl Operator for Construct {
    fn next(&mut self) -> Result<Option<Batch>> {
        while let Some(batch) = self.input.next()? {
            let mut triples = Batch::empty(3);
            for row in 0..batch.rows() {
                for made in self.template.fill(&batch, row, &self.cx) {
                    let (_, triple) = made?;
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
