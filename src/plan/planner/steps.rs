//! The steps that follow the joins of a group: filters, EXISTS, OPTIONAL, MINUS, BIND and LATERAL, each by the cheapest of
//! a hash join, a merge, an index look-up and a seeded run of the other side.

use super::Planner;
use crate::diagnostics::Result;
use crate::plan::access;
use crate::plan::build;
use crate::plan::estimate::selectivity;
use crate::plan::group::Step;
use crate::plan::logical::{Condition, Logical, QuadPattern};
use crate::plan::physical::{JoinKind, Plan};
use crate::plan::seeds::{self, Seed};
use crate::plan::variables::{VarId, VarSet};
use spargebra::algebra::Expression;

impl Planner<'_> {
    /// The plan with a step behind it; `outer` are bindings that are substituted into the whole group.
    pub(in crate::plan) fn step(
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
        if variables.is_empty() && !seeds::makes_anew(right) {
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
    pub(in crate::plan) fn join(
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
