//! Measuring operators, for explain analyze.

use super::{BoxedOperator, ExecContext, Operator};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::plan::{NodeProfile, Plan};
use crate::term::TermId;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// The measurements of one run, by number of plan node.
pub struct Profiler(RefCell<Vec<NodeProfile>>);

impl Profiler {
    /// No measurements yet, for each node of a plan.
    pub fn new(plan: &Plan) -> Self {
        Self(RefCell::new(vec![NodeProfile::default(); count(plan)]))
    }

    /// Adds what a node read from the index.
    pub fn add_reads(&self, number: usize, rows: u64, blocks: u64) {
        let profile = &mut self.0.borrow_mut()[number];
        profile.rows_read += rows;
        profile.blocks_decoded += blocks;
    }
}

fn count(plan: &Plan) -> usize {
    1 + plan.inputs().into_iter().map(count).sum::<usize>()
}

/// The measurements so far, in pre-order.
pub fn profiles_of(cx: &ExecContext) -> Vec<NodeProfile> {
    cx.profiler
        .as_ref()
        .map(|p| p.0.borrow().clone())
        .unwrap_or_default()
}

/// The operator itself, or, when the query is measured, one that measures it.
pub fn measured(operator: BoxedOperator, plan: &Plan, cx: &Rc<ExecContext>) -> BoxedOperator {
    match cx.profiler {
        Some(_) => Box::new(Measured {
            operator,
            number: plan.number,
            cx: Rc::clone(cx),
        }),
        None => operator,
    }
}

struct Measured {
    operator: BoxedOperator,
    number: usize,
    cx: Rc<ExecContext>,
}

impl Operator for Measured {
    fn next(&mut self) -> Result<Option<Batch>> {
        let start = Instant::now();
        let batch = self.operator.next();
        let time_us = start.elapsed().as_micros() as u64;
        if let Some(profiler) = &self.cx.profiler {
            let profile = &mut profiler.0.borrow_mut()[self.number];
            profile.time_us += time_us;
            if let Ok(Some(batch)) = &batch {
                profile.rows += batch.rows() as u64;
                profile.batches += 1;
            }
        }
        batch
    }

    fn seek(&mut self, key: TermId) -> Result<()> {
        self.operator.seek(key)
    }
}
