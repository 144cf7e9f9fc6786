//! Taking triple terms apart: patterns like `<<( ?s ?p ?o )>>` (SPARQL 1.2).

use super::{BoxedOperator, ExecContext, Operator, build, places};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::plan::{Plan, Slot, VarId};
use crate::term::{Tag, TermId, TermView};
use std::rc::Rc;

/// What a part of the triple term does.
#[derive(Clone, Copy)]
enum Part {
    /// It must be this term.
    Equal(TermId),
    /// It must be what this column holds, or fills it where it is unbound.
    Column(usize),
}

/// Hands on the rows whose triple term fits, with its parts bound.
pub struct Destructure {
    cx: Rc<ExecContext>,
    input: BoxedOperator,
    triple: usize,
    parts: [Part; 3],
    width: usize,
}

impl Destructure {
    /// The rows of a plan whose variable is a triple term that fits the parts.
    ///
    /// # Errors
    /// As [`build`].
    pub fn new(
        input: &Plan,
        variable: VarId,
        parts: &[Slot; 3],
        schema: &[VarId],
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        let part = |slot: Slot| match slot {
            Slot::Const(id) => Part::Equal(id),
            Slot::Var(v) => Part::Column(places(&[v], schema)[0]),
        };
        Ok(Self {
            cx: Rc::clone(cx),
            triple: places(&[variable], &input.schema)[0],
            parts: parts.map(part),
            width: schema.len(),
            input: build(input, cx)?,
        })
    }

    fn fit(&self, row: &mut [TermId], buffer: &mut Vec<u8>) -> Result<bool> {
        let id = row[self.triple];
        if id.tag() != Tag::Triple {
            return Ok(false);
        }
        let TermView::Triple(found) = self.cx.expressions.terms.resolve(id, buffer)? else {
            return Ok(false);
        };
        for (part, id) in self.parts.into_iter().zip(found) {
            match part {
                Part::Equal(wanted) if wanted == id => {}
                Part::Column(c) if !row[c].is_bound() || row[c] == id => row[c] = id,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl Operator for Destructure {
    fn next(&mut self) -> Result<Option<Batch>> {
        let mut buffer = Vec::new();
        while let Some(batch) = self.input.next()? {
            self.cx.control.check()?;
            let mut fitting = Batch::empty(self.width);
            for place in 0..batch.rows() {
                let mut row: Vec<TermId> = batch.columns().iter().map(|c| c[place]).collect();
                row.resize(self.width, TermId::UNBOUND);
                if self.fit(&mut row, &mut buffer)? {
                    fitting.push_row(row);
                }
            }
            if !fitting.is_empty() {
                return Ok(Some(fitting));
            }
        }
        Ok(None)
    }
}
