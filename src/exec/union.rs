//! UNION: the rows of each input, one input after the other.

use super::project::{rearranged, sources};
use super::{BoxedOperator, ExecContext, Operator, build};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::plan::{Plan, VarId};
use std::collections::VecDeque;
use std::rc::Rc;

/// Runs its inputs in turn; each is opened when the one before it has ended.
pub struct Union {
    cx: Rc<ExecContext>,
    waiting: VecDeque<Plan>,
    running: Option<(BoxedOperator, Vec<Option<usize>>)>,
    schema: Vec<VarId>,
}

impl Union {
    /// The union of some plans.
    pub fn new(inputs: &[Plan], schema: &[VarId], cx: &Rc<ExecContext>) -> Self {
        Self {
            cx: Rc::clone(cx),
            waiting: inputs.to_vec().into(),
            running: None,
            schema: schema.to_vec(),
        }
    }
}

impl Operator for Union {
    fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some((input, sources)) = &mut self.running {
                if let Some(batch) = input.next()? {
                    return Ok(Some(rearranged(batch, sources)));
                }
                self.running = None;
            }
            let Some(plan) = self.waiting.pop_front() else {
                return Ok(None);
            };
            let sources = sources(&plan.schema, &self.schema);
            self.running = Some((build(&plan, &self.cx)?, sources));
        }
    }
}
