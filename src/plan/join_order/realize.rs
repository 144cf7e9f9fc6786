//! From the chosen candidate to its plan.

use super::{How, JoinOrder, Part, Source};
use crate::plan::access;
use crate::plan::build;
use crate::plan::physical::{JoinKind, Plan};
use crate::plan::variables::VarId;

impl JoinOrder<'_> {
    /// The plan of a candidate, with the conditions of its entry above it.
    pub(super) fn realize(&self, (e, c): Part) -> Plan {
        let entry = &self.entries[e];
        let candidate = &entry.candidates[c];
        let mut plan = match &candidate.how {
            How::Leaf { relation, access } => self.realize_leaf(*relation, *access),
            How::Merge { left, right, key } => {
                build::merge(self.realize(*left), self.realize(*right), *key, false)
            }
            How::Hash { left, right } => build::hash(
                self.realize(*left),
                self.realize(*right),
                JoinKind::Inner,
                Vec::new(),
            ),
            How::Index { left, relation } => self.realize_index(self.realize(*left), *relation),
            How::Seeded { left, right } => build::seeded(
                self.realize(*left),
                right.0.clone(),
                &right.1,
                JoinKind::Inner,
                Vec::new(),
            ),
        };
        plan.cost = candidate.cost;
        plan.rows = entry.estimate.rows;
        let tests = candidate
            .conditions
            .iter()
            .map(|&i| self.conditions[i].expression.clone());
        build::filtered(plan, tests.collect())
    }

    fn realize_leaf(&self, relation: usize, access: usize) -> Plan {
        match &self.relations[relation].source {
            Source::Planned(plan) => plan.clone(),
            Source::Pattern(_, accesses) => build::scan(&accesses[access]),
        }
    }

    fn realize_index(&self, left: Plan, relation: usize) -> Plan {
        let Source::Pattern(pattern, _) = &self.relations[relation].source else {
            unreachable!("an index candidate is made for patterns only");
        };
        let keys = left.variables().intersection(&pattern.variables());
        let keys: Vec<VarId> = keys.iter().collect();
        match access::lookup(pattern, &keys, self.snapshot) {
            Some((scan, keys)) => build::index(left, scan, keys, false),
            None => unreachable!("an index candidate has a permutation for its keys"),
        }
    }
}
