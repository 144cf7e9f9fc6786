//! DESCRIBE: every triple whose subject is the resource and, through blank nodes, theirs: its concise bounded description
//! (SPARQL 1.1 Query, section 16.4, leaves the choice to the service).

use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::exec::{BoxedOperator, Charge, ExecContext, Operator};
use crate::plan::{GraphFilter, GraphScope};
use crate::storage::{ColumnMask, Permutation, QuadColumn};
use crate::term::{Tag, TermId};
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

/// Describes the resources of all solutions, each once.
pub struct Describe {
    cx: Rc<ExecContext>,
    input: BoxedOperator,
    graph: GraphFilter,
    known: HashSet<TermId>,
    waiting: VecDeque<TermId>,
    charge: Charge,
}

impl Describe {
    /// Describes what an input binds, from the triples of some graphs.
    ///
    /// # Errors
    /// The query is out of memory already.
    pub fn new(input: BoxedOperator, graph: &GraphScope, cx: &Rc<ExecContext>) -> Result<Self> {
        Ok(Self {
            input,
            graph: GraphFilter::of(graph),
            known: HashSet::new(),
            waiting: VecDeque::new(),
            charge: cx.charge(0)?,
            cx: Rc::clone(cx),
        })
    }

    fn meet(&mut self, id: TermId) {
        if matches!(id.tag(), Tag::Iri | Tag::Blank) && self.known.insert(id) {
            self.waiting.push_back(id);
        }
    }

    fn describe(&mut self, subject: TermId) -> Result<Batch> {
        let mut triples: Vec<[TermId; 3]> = Vec::new();
        let mask = [QuadColumn::Predicate, QuadColumn::Object, QuadColumn::Graph]
            .into_iter()
            .fold(ColumnMask::NONE, ColumnMask::with);
        let mut scan = self.cx.snapshot.scan(Permutation::Spog, &[subject], mask)?;
        while let Some(block) = scan.next_block()? {
            self.cx.control.check()?;
            for row in 0..block.rows() {
                let [predicate, object, graph] =
                    [QuadColumn::Predicate, QuadColumn::Object, QuadColumn::Graph]
                        .map(|c| block.column(c)[row]);
                let triple = [subject, predicate, object];
                if self.graph.admits(graph) && triples.last() != Some(&triple) {
                    triples.push(triple);
                }
            }
        }
        let mut batch = Batch::empty(3);
        for triple in triples {
            batch.push_row(triple);
            if triple[2].tag() == Tag::Blank {
                self.meet(triple[2]);
            }
        }
        Ok(batch)
    }
}

impl Operator for Describe {
    fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(subject) = self.waiting.pop_front() {
                let batch = self.describe(subject)?;
                if !batch.is_empty() {
                    return Ok(Some(batch));
                }
                continue;
            }
            let Some(batch) = self.input.next()? else {
                return Ok(None);
            };
            for column in batch.columns() {
                for &id in column {
                    self.meet(id);
                }
            }
            self.charge.grow_to(self.known.len() * 32)?;
        }
    }
}
