//! Joining by a hash table: the right side in memory, the left streaming past it.

use super::join_table::JoinTable;
use super::probe::Probe;
use super::{BoxedOperator, ExecContext, Operator, build};
use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::plan::{JoinKind, JoinSpec, Node, Plan};
use crate::term::TermId;
use std::rc::Rc;

/// The running join. The table is made when the first row is asked for.
pub struct HashJoin {
    cx: Rc<ExecContext>,
    left: BoxedOperator,
    right: Plan,
    join: JoinSpec,
    table: Option<JoinTable>,
    probe: Probe,
}

impl HashJoin {
    /// The join of a plan node.
    ///
    /// # Errors
    /// As [`build`].
    pub fn new(plan: &Plan, cx: &Rc<ExecContext>) -> Result<Self> {
        let Node::HashJoin { left, right, join } = &plan.node else {
            return Err(Error::internal("a hash join was made of another node"));
        };
        Ok(Self {
            cx: Rc::clone(cx),
            left: build(left, cx)?,
            right: (**right).clone(),
            join: join.clone(),
            table: None,
            probe: Probe::new(join, &left.schema, &right.schema, &plan.schema, cx)?,
        })
    }
}

/// Whether a join with an empty right side has no rows at all.
pub fn needs_partner(kind: &JoinKind) -> bool {
    matches!(kind, JoinKind::Inner | JoinKind::Semi)
}

impl Operator for HashJoin {
    fn next(&mut self) -> Result<Option<Batch>> {
        let table = match &mut self.table {
            Some(table) => table,
            None => {
                let right = build(&self.right, &self.cx)?;
                let table = JoinTable::build(right, &self.right.schema, &self.join, &self.cx)?;
                self.table.insert(table)
            }
        };
        if table.rows().is_empty() && needs_partner(&self.join.kind) {
            return Ok(None);
        }
        loop {
            self.cx.control.check()?;
            match self.probe.next(table, &self.cx)? {
                Some(batch) if batch.is_empty() => {}
                Some(batch) => return Ok(Some(batch)),
                None => match self.left.next()? {
                    Some(batch) => self.probe.start(batch),
                    None => return Ok(None),
                },
            }
        }
    }

    fn seek(&mut self, key: TermId) -> Result<()> {
        match needs_partner(&self.join.kind) {
            true => self.left.seek(key),
            false => Ok(()),
        }
    }
}
