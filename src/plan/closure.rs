//! Planning paths of arbitrary length: where the walk begins, in which direction it goes, and how a step is looked up.

use super::build;
use super::logical::{ClosurePath, GraphScope, Logical, QuadPattern, Slot};
use super::physical::{ClosurePlan, Node, Plan, SeedSlot};
use super::planner::Planner;
use super::seeds::Seed;
use super::variables::VarId;
use crate::diagnostics::Result;
use std::sync::Arc;

impl Planner<'_> {
    /// The plan of a path, restricted by a seed where one is given.
    pub(super) fn closure(&mut self, path: &ClosurePath, seed: Option<&Seed>) -> Result<Plan> {
        let seeded = |slot: Slot| {
            let variable = slot.var()?;
            seed.filter(|s| s.certain.contains(variable))
                .map(|s| (variable, s))
        };
        let constant = |slot: Slot| match slot {
            Slot::Const(id) => Some(id),
            Slot::Var(_) => None,
        };
        let node = self.variables.fresh("node");
        let both_open = path.start.var().is_some() && path.end.var().is_some();
        let (backwards, starts) = match (constant(path.start), constant(path.end)) {
            (Some(id), _) => (false, Some(build::table(node, vec![id]))),
            (None, Some(id)) => (true, Some(build::table(node, vec![id]))),
            (None, None) => match (seeded(path.start), seeded(path.end)) {
                (Some((v, s)), _) => (
                    false,
                    Some(build::distinct(build::project(build::seed_plan(s), &[v]))),
                ),
                (None, Some((v, s))) => (
                    true,
                    Some(build::distinct(build::project(build::seed_plan(s), &[v]))),
                ),
                (None, None) if path.zero => (false, Some(self.nodes(&path.graph)?)),
                (None, None) => (false, None),
            },
        };
        let is_everything = both_open && seeded(path.start).is_none() && seeded(path.end).is_none();
        let (step, slot) = self.closure_step(path, backwards, is_everything)?;
        let schema: Vec<VarId> = path_variables(path);
        let rows = match &starts {
            Some(starts) if !is_everything => starts.rows * 10.0,
            _ => step.rows * 2.0,
        };
        let substituted = seed.is_some_and(|s| s.substituted);
        let nodes_of =
            (path.zero && both_open && !is_everything && !substituted).then(|| path.graph.clone());
        Ok(Plan {
            number: 0,
            certain: schema.iter().copied().collect(),
            schema,
            sorted: Vec::new(),
            rows,
            cost: step.cost * if slot.is_some() { 10.0 } else { 1.0 }
                + rows * build::BUILD_ROW_NS
                + starts.as_ref().map_or(0.0, |s| s.cost),
            node: Node::Closure(ClosurePlan {
                start: path.start,
                end: path.end,
                backwards,
                step: Box::new(step),
                slot,
                starts: starts.map(Box::new),
                zero: path.zero,
                many: path.many,
                nodes_of,
            }),
        })
    }

    /// The plan of one step, its first column the node that the walk comes from.
    fn closure_step(
        &mut self,
        path: &ClosurePath,
        backwards: bool,
        is_everything: bool,
    ) -> Result<(Plan, Option<SeedSlot>)> {
        let (from, to) = match backwards {
            false => (path.step_from, path.step_to),
            true => (path.step_to, path.step_from),
        };
        if is_everything {
            let step = self.plan(&path.step, None)?;
            return Ok((build::project(step, &[from, to]), None));
        }
        let seed = Seed {
            slot: self.slot(),
            variables: vec![from],
            certain: std::iter::once(from).collect(),
            rows: 8.0,
            substituted: false,
            row_by_row: false,
        };
        let step = self.plan(&path.step, Some(&seed))?;
        Ok((build::project(step, &[from, to]), Some(seed.slot)))
    }

    /// Every subject and object of some graphs.
    fn nodes(&mut self, graph: &GraphScope) -> Result<Plan> {
        let node = self.variables.fresh("node");
        let mut branches = Vec::new();
        for place in 0..2 {
            let mut slot = |wanted: usize, purpose: &str| match wanted == place {
                true => Slot::Var(node),
                false => Slot::Var(self.variables.fresh(purpose)),
            };
            let pattern = Logical::Pattern(QuadPattern {
                subject: slot(0, "subject"),
                object: slot(1, "object"),
                predicate: Slot::Var(self.variables.fresh("predicate")),
                graph: graph.clone(),
                excluded: Arc::default(),
            });
            branches.push(Logical::Project(Box::new(pattern), vec![node]));
        }
        self.plan(&Logical::Distinct(Box::new(Logical::Union(branches))), None)
    }
}

fn path_variables(path: &ClosurePath) -> Vec<VarId> {
    let mut schema: Vec<VarId> = [path.start, path.end]
        .into_iter()
        .filter_map(Slot::var)
        .collect();
    schema.dedup();
    schema
}
