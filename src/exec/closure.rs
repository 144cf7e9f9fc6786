//! Paths of arbitrary length: `*`, `+` and `?` (SPARQL 1.1 Query, section 18.4, ALP).
//!
//! First the steps of every node that can be reached are looked up, level by level, each node once. Then each start is
//! walked over these steps in memory, without recursion. Pairs are distinct. Between twice the same variable, no node is
//! walked: an empty path leads back from every node, and a longer one from those on a cycle.

use super::context::{Charge, SeedTable};
use super::cycles::nodes_on_cycles;
use super::{BoxedOperator, ExecContext, Operator, build};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::Result;
use crate::plan::{ClosurePlan, GraphFilter, Plan, Slot, VarId};
use crate::storage::{ColumnMask, Permutation, QuadColumn};
use crate::term::TermId;
use hashbrown::{HashMap, HashSet};
use std::collections::VecDeque;
use std::rc::Rc;

/// A set of nodes.
pub type Ids = HashSet<TermId, foldhash::fast::FixedState>;
/// The nodes that one step leads to, by the node that it leaves.
pub type Steps = HashMap<TermId, Vec<TermId>, foldhash::fast::FixedState>;

/// What the search for cycles holds for a node, in bytes.
const SEARCH_BYTES: usize = 100;

/// The running path.
pub struct Closure {
    cx: Rc<ExecContext>,
    plan: ClosurePlan,
    schema: Vec<VarId>,
    starts: Option<VecDeque<TermId>>,
    steps: Steps,
    /// Between twice the same variable: the nodes from which a path of one or more steps leads back.
    on_cycle: Ids,
    charge: Charge,
    /// The start that is being walked, and the ends found and not handed on yet.
    walk: Option<(TermId, std::vec::IntoIter<TermId>)>,
}

impl Closure {
    /// The path of a plan node.
    ///
    /// # Errors
    /// The query is out of memory already.
    pub fn new(plan: &ClosurePlan, schema: &[VarId], cx: &Rc<ExecContext>) -> Result<Self> {
        Ok(Self {
            plan: plan.clone(),
            schema: schema.to_vec(),
            starts: None,
            steps: Steps::default(),
            on_cycle: Ids::default(),
            charge: cx.charge(0)?,
            walk: None,
            cx: Rc::clone(cx),
        })
    }

    /// Gives the nodes to begin at, with all that walking from them needs.
    fn prepare(&mut self) -> Result<VecDeque<TermId>> {
        let starts = match &self.plan.starts {
            Some(plan) => {
                let starts = self.column(build(plan, &self.cx)?)?;
                let mut distinct = Ids::default();
                let starts: Vec<_> = starts
                    .into_iter()
                    .filter(|&id| distinct.insert(id))
                    .collect();
                Some(starts)
            }
            None => None,
        };
        match starts {
            Some(starts) if self.is_loop() && self.plan.zero => Ok(starts.into()),
            starts => {
                let starts = self.find_steps(starts)?;
                if self.is_loop() {
                    self.charge.grow(self.steps.len() * SEARCH_BYTES)?;
                    self.on_cycle = nodes_on_cycles(&self.steps, || self.cx.control.check())?;
                }
                Ok(starts.into())
            }
        }
    }

    /// Looks up the steps of all nodes that are reached, and gives the nodes to begin at.
    fn find_steps(&mut self, starts: Option<Vec<TermId>>) -> Result<Vec<TermId>> {
        let Some(slot) = self.plan.slot else {
            let step = self.plan.step.clone();
            let froms = self.take_steps(&step)?;
            return Ok(starts.unwrap_or(froms));
        };
        let starts = starts.unwrap_or_default();
        let variables = vec![self.plan.step.schema[0]];
        let step = self.plan.step.clone();
        let mut known: Ids = starts.iter().copied().collect();
        let mut frontier = starts.clone();
        // With both ends given, the walk is over when the other end is met.
        let target = match (self.plan.start, self.plan.end) {
            (Slot::Const(_), Slot::Const(end)) => Some(end),
            _ => None,
        };
        let mut is_met = false;
        while !frontier.is_empty() && !is_met {
            let rows = frontier.len();
            let rows = Batch::new(vec![std::mem::take(&mut frontier)], rows);
            self.cx.set_seed(
                slot,
                SeedTable {
                    variables: variables.clone(),
                    rows,
                },
            );
            for from in self.take_steps(&step)? {
                let steps = &self.steps[&from];
                is_met |= target.is_some_and(|target| steps.contains(&target));
                frontier.extend(steps.iter().copied().filter(|&to| known.insert(to)));
            }
            if !self.plan.many {
                break;
            }
        }
        Ok(starts)
    }

    /// Runs the step plan and keeps its rows. Gives the nodes that steps leave, each once.
    fn take_steps(&mut self, step: &Plan) -> Result<Vec<TermId>> {
        let mut operator = build(step, &self.cx)?;
        let mut froms = Vec::new();
        while let Some(batch) = operator.next()? {
            self.cx.control.check()?;
            self.charge.grow(batch.rows() * 24)?;
            for (&from, &to) in batch.column(0).iter().zip(batch.column(1)) {
                let steps = self.steps.entry(from).or_insert_with(|| {
                    froms.push(from);
                    Vec::new()
                });
                steps.push(to);
            }
        }
        Ok(froms)
    }

    fn column(&self, mut operator: BoxedOperator) -> Result<Vec<TermId>> {
        let mut ids = Vec::new();
        while let Some(batch) = operator.next()? {
            ids.extend_from_slice(batch.column(0));
        }
        Ok(ids)
    }

    /// Whether both ends are the same variable, so that only paths from a node to itself count.
    fn is_loop(&self) -> bool {
        self.plan.start.var().is_some() && self.plan.start == self.plan.end
    }

    /// The node itself where a path leads back to it.
    fn loop_at(&self, node: TermId) -> Result<Vec<TermId>> {
        let is_closed = match self.plan.zero {
            true => self.has_empty_path(node)?,
            false => self.on_cycle.contains(&node),
        };
        Ok(is_closed.then_some(node).into_iter().collect())
    }

    /// Every node that a walk from `start` ends at, each once.
    fn ends(&self, start: TermId) -> Result<Vec<TermId>> {
        let mut reached = Ids::default();
        let mut ends = Vec::new();
        if self.plan.zero && self.has_empty_path(start)? {
            reached.insert(start);
            ends.push(start);
        }
        let mut open = vec![start];
        let mut walked = 0_usize;
        while let Some(node) = open.pop() {
            walked += 1;
            if walked.is_multiple_of(4096) {
                self.cx.control.check()?;
            }
            for &to in self.steps.get(&node).map_or(&[][..], Vec::as_slice) {
                // The start may be reached again: it is an end then, but was walked already.
                if reached.insert(to) {
                    ends.push(to);
                    if self.plan.many && to != start {
                        open.push(to);
                    }
                }
            }
        }
        Ok(ends)
    }

    /// Whether the empty path from a node counts: always from a term of the query, else from a node of the graph.
    fn has_empty_path(&self, node: TermId) -> Result<bool> {
        let Some(scope) = &self.plan.nodes_of else {
            return Ok(true);
        };
        let filter = GraphFilter::of(scope);
        for permutation in [Permutation::Spog, Permutation::Ospg] {
            let mask = ColumnMask::NONE.with(QuadColumn::Graph);
            let mut scan = self.cx.snapshot.scan(permutation, &[node], mask)?;
            while let Some(block) = scan.next_block()? {
                if block
                    .column(QuadColumn::Graph)
                    .iter()
                    .any(|&graph| filter.admits(graph))
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The row of a pair, if both its ends fit.
    fn row(&self, from: TermId, to: TermId) -> Option<[TermId; 2]> {
        let (start, end) = match self.plan.backwards {
            false => (from, to),
            true => (to, from),
        };
        let fits = |slot: Slot, id: TermId| match slot {
            Slot::Const(wanted) => wanted == id,
            Slot::Var(_) => true,
        };
        (fits(self.plan.start, start) && fits(self.plan.end, end)).then_some([start, end])
    }

    fn push(&self, batch: &mut Batch, [start, end]: [TermId; 2]) {
        let value = |v: &VarId| match self.plan.start.var() == Some(*v) {
            true => start,
            false => end,
        };
        batch.push_row(self.schema.iter().map(value));
    }
}

impl Operator for Closure {
    fn next(&mut self) -> Result<Option<Batch>> {
        if self.starts.is_none() {
            self.starts = Some(self.prepare()?);
        }
        let mut batch = Batch::empty(self.schema.len());
        while batch.rows() < BATCH_ROWS {
            if let Some((from, mut ends)) = self.walk.take() {
                for to in ends.by_ref() {
                    if let Some(row) = self.row(from, to) {
                        self.push(&mut batch, row);
                    }
                    if batch.rows() >= BATCH_ROWS {
                        break;
                    }
                }
                if !ends.as_slice().is_empty() {
                    self.walk = Some((from, ends));
                }
                continue;
            }
            self.cx.control.check()?;
            let Some(start) = self.starts.as_mut().and_then(VecDeque::pop_front) else {
                break;
            };
            let ends = match self.is_loop() {
                true => self.loop_at(start)?,
                false => self.ends(start)?,
            };
            self.walk = Some((start, ends.into_iter()));
        }
        Ok((!batch.is_empty()).then_some(batch))
    }
}
