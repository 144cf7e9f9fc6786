//! The joins of a group: what is joined, each with the ways to read it and how to hand bindings into it.

use super::Planner;
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::plan::access::{self, Access};
use crate::plan::build;
use crate::plan::estimate::Estimate;
use crate::plan::group::Group;
use crate::plan::join_order::{JoinOrder, Relation, Seeded, Source};
use crate::plan::logical::{Logical, QuadPattern};
use crate::plan::physical::{Node, Plan};
use crate::plan::seeds::{self, Seed};
use crate::plan::variables::{VarId, VarSet};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

impl Planner<'_> {
    pub(super) fn group(&mut self, logical: &Logical, seed: Option<&Seed>) -> Result<Plan> {
        // Substituted bindings are seen everywhere, so steps may follow them; bindings that are only joined are an
        // input like any other.
        let joined = seed
            .filter(|s| !s.substituted)
            .map(|s| s.variables.iter().copied().collect());
        let group = Group::flatten(logical, &joined.unwrap_or_default());
        let narrowed = seed.map(|seed| seed.narrowed(|v| !group.extends(v)));
        let seed = narrowed.as_ref().filter(|s| !s.variables.is_empty());
        let mut relations = Vec::new();
        let mut sources: Vec<Option<&Logical>> = Vec::new();
        if let Some(seed) = seed {
            relations.push(planned(build::seed_plan(seed)));
            sources.push(None);
        }
        for &relation in &group.relations {
            // A relation that looks at substituted bindings is planned with them, and never anew without.
            let outer = seed.filter(|s| s.substituted && seeds::looks_at(relation, s));
            relations.push(self.relation(relation, outer)?);
            sources.push(outer.is_none().then_some(relation));
        }
        let mut plan = match relations.len() {
            0 => build::unit(),
            _ => {
                let snapshot = self.snapshot;
                let mut known: HashMap<(usize, Vec<VarId>, i32), Option<Seeded>> = HashMap::new();
                let mut seeding = |relation: usize, keys: &[VarId], rows: f64| {
                    let Some(logical) = sources[relation] else {
                        return Ok(None);
                    };
                    // A plan is about as good for ten times as many bindings: few are made.
                    let magnitude = rows.log10().round() as i32;
                    match known.entry((relation, keys.to_vec(), magnitude)) {
                        Entry::Occupied(seeded) => Ok(seeded.get().clone()),
                        Entry::Vacant(free) => {
                            let keys: VarSet = keys.iter().copied().collect();
                            let keys = keys.intersection(&seeds::seedable_in_join(logical));
                            let seeded = self.seeded_relation(logical, &keys, &keys, rows)?;
                            Ok(free.insert(seeded.map(Arc::new)).clone())
                        }
                    }
                };
                JoinOrder::new(&relations, &group.conditions, snapshot).best(&mut seeding)?
            }
        };
        for step in &group.steps {
            plan = self.step(plan, step, seed.filter(|s| s.substituted))?;
        }
        Ok(plan)
    }

    /// One input of a group's join, with the ways to read it.
    pub(in crate::plan) fn relation(
        &mut self,
        logical: &Logical,
        outer: Option<&Seed>,
    ) -> Result<Relation> {
        match logical {
            Logical::Pattern(pattern) => {
                let accesses = access::accesses(pattern, self.snapshot)?;
                Ok(self.pattern_relation(pattern, accesses))
            }
            Logical::Values(variables, table) => Ok(table_relation(variables, table)),
            _ => Ok(planned(self.plan(logical, outer)?)),
        }
    }

    fn pattern_relation(&self, pattern: &QuadPattern, accesses: Vec<Access>) -> Relation {
        let variables = pattern.variables();
        let rows = accesses
            .iter()
            .map(|a| a.rows)
            .fold(f64::INFINITY, f64::min);
        if accesses.is_empty() || rows == 0.0 {
            let schema: Vec<VarId> = variables.iter().collect();
            let empty = Arc::new(Batch::empty(schema.len()));
            return table_relation(&schema, &empty);
        }
        Relation {
            certain: variables.clone(),
            variables,
            estimate: Estimate::of_pattern(pattern, rows, self.snapshot),
            source: Source::Pattern(pattern.clone(), accesses),
        }
    }

    /// A relation restricted to bindings of some variables, of which those in `certain` are bound in every row.
    pub(super) fn seeded_relation(
        &mut self,
        logical: &Logical,
        variables: &VarSet,
        certain: &VarSet,
        rows: f64,
    ) -> Result<Option<(Plan, Seed)>> {
        if variables.is_empty() {
            return Ok(None);
        }
        let seed = Seed {
            slot: self.slot(),
            certain: variables.intersection(certain),
            variables: variables.iter().collect(),
            rows,
            substituted: false,
            row_by_row: false,
        };
        let plan = self.plan(logical, Some(&seed))?;
        Ok(Some((plan, seed)))
    }
}

fn planned(plan: Plan) -> Relation {
    let variables = plan.variables();
    Relation {
        certain: plan.certain.clone(),
        estimate: Estimate::of_rows(plan.rows, &variables),
        variables,
        source: Source::Planned(plan),
    }
}

fn table_relation(variables: &[VarId], table: &Arc<Batch>) -> Relation {
    let bound = |place: usize| table.column(place).iter().all(|id| id.is_bound());
    let certain = (0..variables.len())
        .filter(|&i| bound(i))
        .map(|i| variables[i])
        .collect();
    planned(Plan {
        number: 0,
        schema: variables.to_vec(),
        certain,
        sorted: Vec::new(),
        rows: table.rows() as f64,
        cost: 0.0,
        node: Node::Table(Arc::clone(table)),
    })
}
