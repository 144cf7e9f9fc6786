//! From the logical algebra to the physical plan.
//!
//! Joins, filters, OPTIONAL, MINUS, BIND and EXISTS of one group are planned together: [`super::group`] flattens them,
//! `relations` has their joins ordered by [`super::join_order`], and `steps` plans what follows. The rest of the algebra is
//! planned here, node by node.

mod relations;
mod steps;

use super::build;
use super::logical::{Aggregate, Logical};
use super::physical::{Node, Plan, SeedSlot};
use super::seeds::{self, Seed};
use super::variables::{VarId, Variables};
use crate::diagnostics::Result;
use crate::storage::Snapshot;

/// Plans one query.
pub struct Planner<'a> {
    /// The data, asked for counts and statistics.
    pub snapshot: &'a Snapshot,
    /// The variables of the query.
    pub variables: &'a mut Variables,
    /// How many seeds there are so far.
    pub slots: usize,
    /// Whether patterns are planned as written.
    pub is_naive: bool,
}

impl Planner<'_> {
    /// The plan of a pattern, restricted by a seed where one is given.
    ///
    /// # Errors
    /// Reading the directory failed.
    pub fn plan(&mut self, logical: &Logical, seed: Option<&Seed>) -> Result<Plan> {
        if self.is_naive
            && let Some(plan) = self.as_written(logical, seed)?
        {
            return Ok(plan);
        }
        Ok(match logical {
            Logical::Union(branches) => self.union(branches, seed)?,
            Logical::Project(input, variables) => self.project(input, variables, seed)?,
            Logical::Distinct(input) => build::distinct(self.plan(input, seed)?),
            // Any number of copies between one and all of them is right: the cheapest is all.
            Logical::Reduced(input) => self.plan(input, seed)?,
            Logical::Slice(input, start, length) => self.slice(input, *start, *length, seed)?,
            Logical::OrderBy(input, keys) => {
                build::order_by(self.plan(input, seed)?, keys.clone(), None)
            }
            Logical::Group(input, keys, aggregates) => {
                self.group_by(input, keys, aggregates, seed)?
            }
            Logical::Closure(path) => self.closure(path, seed)?,
            Logical::Service(service) if service.endpoint.var().is_none() => {
                self.service(service, seed)
            }
            _ => self.group(logical, seed)?,
        })
    }

    fn union(&mut self, branches: &[Logical], seed: Option<&Seed>) -> Result<Plan> {
        let mut plans = Vec::new();
        for branch in branches {
            let seed = seed.filter(|s| {
                let outer = s.variables.iter().copied().collect();
                !seeds::looked_at(branch, &outer).is_empty()
            });
            plans.push(self.plan(branch, seed)?);
        }
        if plans.len() == 1 {
            return Ok(plans.remove(0));
        }
        let schema = plans
            .iter()
            .fold(Vec::new(), |all, p| build::joined_schema(&all, &p.schema));
        let certain = plans.iter().map(|p| p.certain.clone());
        Ok(Plan {
            number: 0,
            schema,
            certain: certain
                .reduce(|a, b| a.intersection(&b))
                .unwrap_or_default(),
            sorted: Vec::new(),
            rows: plans.iter().map(|p| p.rows).sum(),
            cost: plans.iter().map(|p| p.cost).sum(),
            node: Node::Union(plans),
        })
    }

    fn project(
        &mut self,
        input: &Logical,
        variables: &[VarId],
        seed: Option<&Seed>,
    ) -> Result<Plan> {
        let narrowed = seed.map(|seed| seed.narrowed(|v| variables.contains(&v)));
        let seed = narrowed.as_ref().filter(|s| !s.variables.is_empty());
        let plan = self.plan(input, seed)?;
        Ok(build::project(plan, variables))
    }

    fn slice(
        &mut self,
        input: &Logical,
        start: u64,
        length: Option<u64>,
        seed: Option<&Seed>,
    ) -> Result<Plan> {
        let mut plan = self.plan(input, seed)?;
        if let (Some(length), false) = (length, self.is_naive) {
            build::limit_sort(&mut plan, start.saturating_add(length));
        }
        let left = (plan.rows - start as f64).max(0.0);
        Ok(Plan {
            number: 0,
            schema: plan.schema.clone(),
            certain: plan.certain.clone(),
            sorted: plan.sorted.clone(),
            rows: length.map_or(left, |l| left.min(l as f64)),
            cost: plan.cost,
            node: Node::Slice(Box::new(plan), start, length),
        })
    }

    fn group_by(
        &mut self,
        input: &Logical,
        keys: &[VarId],
        aggregates: &[Aggregate],
        seed: Option<&Seed>,
    ) -> Result<Plan> {
        let narrowed = seed.map(|s| s.narrowed(|v| s.row_by_row || keys.contains(&v)));
        let seed = narrowed.as_ref().filter(|s| !s.variables.is_empty());
        let mut plan = self.plan(input, seed)?;
        if keys.iter().any(|k| !plan.schema.contains(k)) {
            // A key that the pattern never binds is unbound in every row.
            let schema = build::joined_schema(&plan.schema, keys);
            plan = build::project(plan, &schema);
        }
        if !self.is_naive
            && let Some(count) = build::count_of_range(&plan, keys, aggregates, self.variables)
        {
            return Ok(count);
        }
        let schema: Vec<VarId> = keys
            .iter()
            .copied()
            .chain(aggregates.iter().map(|a| a.output))
            .collect();
        let certain = keys
            .iter()
            .copied()
            .filter(|&k| plan.certain.contains(k))
            .collect();
        let rows = if keys.is_empty() {
            1.0
        } else {
            (plan.rows / 10.0).max(1.0)
        };
        Ok(Plan {
            number: 0,
            schema,
            certain,
            sorted: Vec::new(),
            rows,
            cost: plan.cost + plan.rows * build::PROBE_ROW_NS * 2.0,
            node: Node::Group(Box::new(plan), keys.to_vec(), aggregates.to_vec()),
        })
    }

    /// A new seed slot.
    pub(in crate::plan) fn slot(&mut self) -> SeedSlot {
        self.slots += 1;
        SeedSlot(self.slots - 1)
    }
}
