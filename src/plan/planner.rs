//! From the logical algebra to the physical plan.
//!
//! Joins, filters, OPTIONAL, MINUS, BIND and EXISTS of one group are planned together: [`super::group`] flattens them,
//! [`super::join_order`] orders the joins, and the steps that follow are chosen here by cost among a hash join, a merge,
//! an index look-up and a seeded run of the other side. The rest of the algebra is planned node by node.

use super::access::{self, Access};
use super::build;
use super::estimate::{Estimate, selectivity};
use super::group::{Group, Step};
use super::join_order::{JoinOrder, Relation, Seeded, Source};
use super::logical::{Aggregate, Condition, Logical, QuadPattern};
use super::physical::{JoinKind, Node, Plan, SeedSlot};
use super::seeds::{self, Seed};
use super::variables::{VarId, VarSet, Variables};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::storage::Snapshot;
use spargebra::algebra::Expression;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

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

    fn group(&mut self, logical: &Logical, seed: Option<&Seed>) -> Result<Plan> {
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
    pub(super) fn relation(&mut self, logical: &Logical, outer: Option<&Seed>) -> Result<Relation> {
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
    fn seeded_relation(
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

    /// A new seed slot.
    pub(super) fn slot(&mut self) -> SeedSlot {
        self.slots += 1;
        SeedSlot(self.slots - 1)
    }

    /// The plan with a step behind it; `outer` are bindings that are substituted into the whole group.
    pub(super) fn step(
        &mut self,
        plan: Plan,
        step: &Step<'_>,
        outer: Option<&Seed>,
    ) -> Result<Plan> {
        match step {
            Step::Filter(conditions) => {
                let mut plan = plan;
                for condition in *conditions {
                    plan = self.filter(plan, condition)?;
                }
                Ok(plan)
            }
            Step::Optional(right, conditions) => self.optional(plan, right, conditions, outer),
            Step::Minus(right) => self.join(plan, right, JoinKind::Minus, Vec::new(), outer),
            Step::Extend(variable, condition) => {
                let plan = self.marked(plan, condition)?;
                Ok(build::extend(plan, *variable, condition.expression.clone()))
            }
            Step::Lateral(right) => self.substituted(plan, right, JoinKind::Inner),
            Step::Destructure(variable, parts) => Ok(build::destructure(plan, *variable, parts)),
            Step::Service(service) => Ok(self.service_step(plan, service)),
        }
    }

    fn filter(&mut self, plan: Plan, condition: &Condition) -> Result<Plan> {
        if let [exists] = &condition.exists[..] {
            let mark = Expression::Variable(self.variables.name(exists.mark).clone());
            if condition.expression == mark {
                return self.exists(plan, &exists.pattern, JoinKind::Semi);
            }
            if condition.expression == Expression::Not(Box::new(mark)) {
                return self.exists(plan, &exists.pattern, JoinKind::Anti);
            }
        }
        let mut plan = self.marked(plan, condition)?;
        let rows = plan.rows * selectivity(&condition.expression);
        plan = build::filtered(plan, vec![condition.expression.clone()]);
        plan.rows = rows;
        Ok(plan)
    }

    /// The plan with a column for each EXISTS of a condition.
    fn marked(&mut self, mut plan: Plan, condition: &Condition) -> Result<Plan> {
        for exists in &condition.exists {
            plan = self.exists(plan, &exists.pattern, JoinKind::Mark(exists.mark))?;
        }
        Ok(plan)
    }

    fn exists(&mut self, left: Plan, pattern: &Logical, kind: JoinKind) -> Result<Plan> {
        match self.is_naive || seeds::is_correlated(pattern, &self.solution(&left)) {
            true => self.substituted(left, pattern, kind),
            false => self.join(left, pattern, kind, Vec::new(), None),
        }
    }

    /// The variables of a plan's solutions; those that stand for blank nodes and the like are not among them.
    fn solution(&self, plan: &Plan) -> VarSet {
        let named = |&v: &VarId| self.variables.is_named(v);
        plan.schema.iter().copied().filter(named).collect()
    }

    /// The right side with the left's bindings substituted into it.
    fn substituted(&mut self, left: Plan, right: &Logical, kind: JoinKind) -> Result<Plan> {
        let variables = seeds::looked_at(right, &self.solution(&left));
        if variables.is_empty() {
            return self.join(left, right, kind, Vec::new(), None);
        }
        let seed = Seed {
            slot: self.slot(),
            certain: variables.intersection(&left.certain),
            variables: variables.iter().collect(),
            rows: left.rows,
            substituted: true,
            row_by_row: self.is_naive || seeds::runs_row_by_row(right),
        };
        let right = self.plan(right, Some(&seed))?;
        Ok(build::seeded(left, right, &seed, kind, Vec::new()))
    }

    fn optional(
        &mut self,
        left: Plan,
        right: &Logical,
        conditions: &[Condition],
        outer: Option<&Seed>,
    ) -> Result<Plan> {
        if conditions.iter().all(|c| c.exists.is_empty()) {
            let tests = conditions.iter().map(|c| c.expression.clone()).collect();
            return self.join(left, right, JoinKind::Left, tests, outer);
        }
        self.optional_with_exists(left, right, conditions, outer)
    }

    /// An OPTIONAL whose condition asks EXISTS, which sees the joined row: the left rows are numbered and handed in, joined
    /// and tested there, and found again by their numbers.
    fn optional_with_exists(
        &mut self,
        left: Plan,
        right: &Logical,
        conditions: &[Condition],
        outer: Option<&Seed>,
    ) -> Result<Plan> {
        let visible = left.schema.clone();
        let number = self.variables.fresh("row");
        let numbered = build::row_number(left, number);
        let seed = Seed {
            slot: self.slot(),
            variables: numbered.schema.clone(),
            certain: numbered.certain.clone(),
            rows: numbered.rows,
            substituted: false,
            row_by_row: false,
        };
        let rows = build::seed_plan(&seed);
        let mut tested = self.join(rows, right, JoinKind::Inner, Vec::new(), outer)?;
        for condition in conditions {
            tested = self.filter(tested, condition)?;
        }
        let mut outputs = build::joined_schema(&visible, &tested.schema);
        outputs.retain(|v| *v != number);
        let is_known = |v: &VarId| visible.contains(v) && numbered.certain.contains(*v);
        let found = tested.schema.iter().copied().filter(|v| !is_known(v));
        let found: Vec<VarId> = found.collect();
        let tested = build::project(tested, &found);
        let joined = build::seeded(numbered, tested, &seed, JoinKind::Left, Vec::new());
        Ok(build::project(joined, &outputs))
    }

    /// Joins a plan with a pattern by the cheapest of the ways that there are. A pattern that looks at substituted
    /// bindings from outside the group gets them handed in, too.
    pub(super) fn join(
        &mut self,
        left: Plan,
        right: &Logical,
        kind: JoinKind,
        tests: Vec<Expression>,
        outer: Option<&Seed>,
    ) -> Result<Plan> {
        if self.is_naive {
            let right = self.plan(right, outer)?;
            return Ok(build::hash(left, right, kind, tests));
        }
        if let Some(outer) = outer
            && (kind == JoinKind::Minus || seeds::looks_at(right, outer))
        {
            let right = self.plan(right, Some(outer))?;
            return Ok(build::hash(left, right, kind, tests));
        }
        let mut found = Vec::new();
        if let (Logical::Join(inputs), true) = (right, tests.is_empty())
            && let ([Logical::Pattern(pattern)], JoinKind::Left) = (&inputs[..], &kind)
        {
            self.optional_pattern(&left, pattern, &mut found)?;
        }
        let alone = self.plan(right, None)?;
        let shared = left.variables().intersection(&alone.variables());
        // What MINUS takes away depends on the variables that its right side binds: none is filled in there.
        let allowed = match kind {
            JoinKind::Minus => seeds::seedable(right),
            _ => seeds::seedable_in_join(right),
        };
        let handed_in = left.certain.union(&seeds::open_endpoints(right));
        let keys = shared.intersection(&handed_in).intersection(&allowed);
        if left.rows * build::PROBE_ROW_NS < alone.cost {
            let rows = left.rows.max(1.0);
            if let Some((plan, seed)) = self.seeded_relation(right, &keys, &left.certain, rows)? {
                found.push(build::seeded(
                    left.clone(),
                    plan,
                    &seed,
                    kind.clone(),
                    tests.clone(),
                ));
            }
        }
        found.push(build::hash(left, alone, kind, tests));
        found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        Ok(found.remove(0))
    }

    /// The ways to join an optional part of one pattern without a hash table.
    fn optional_pattern(
        &self,
        left: &Plan,
        pattern: &QuadPattern,
        found: &mut Vec<Plan>,
    ) -> Result<()> {
        let shared = left.variables().intersection(&pattern.variables());
        if shared.is_empty() || !shared.is_subset(&left.certain) {
            return Ok(());
        }
        let keys: Vec<VarId> = shared.iter().collect();
        if let Some((scan, keys)) = access::lookup(pattern, &keys, self.snapshot) {
            found.push(build::index(left.clone(), scan, keys, true));
        }
        let Some(&key) = left.sorted.first().filter(|k| shared.contains(**k)) else {
            return Ok(());
        };
        for way in access::accesses(pattern, self.snapshot)? {
            if way.sorted.first() == Some(&key) {
                found.push(build::merge(left.clone(), build::scan(&way), key, true));
            }
        }
        Ok(())
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
