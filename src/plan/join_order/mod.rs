//! In which order, and by which algorithm, the relations of one group are joined.
//!
//! Dynamic programming over all sets of relations where there are few, greedy by the smallest result where there are
//! many. For each set the cheapest candidate is kept and, beside it, the cheapest for each variable that its rows are
//! sorted by, since a sorted input may make a later join cheaper. Costs are nanoseconds, measured once on a common
//! machine; only their ratios matter. This file holds the candidates and the tests on them; the search, the ways to join
//! two sets, and the plan of the winner have a file each.

mod realize;
mod search;
mod ways;

use super::access::Access;
use super::build;
use super::estimate::{Estimate, selectivity, test_ns};
use super::logical::{Condition, QuadPattern};
use super::physical::Plan;
use super::seeds::Seed;
use super::variables::{VarId, VarSet};
use crate::diagnostics::Result;
use crate::storage::Snapshot;
use std::sync::Arc;

/// Up to this number of relations every order is looked at.
const EXHAUSTIVE_MAX: usize = 8;
/// Recognizing the value of the row before.
const SAME_VALUE_NS: f64 = 2.0;
/// Recognizing a value that came before.
const KNOWN_VALUE_NS: f64 = 15.0;
/// A relation with restricted bindings handed in: gives its plan for some variables and an expected number of them.
pub type Seeding<'a> = dyn FnMut(usize, &[VarId], f64) -> Result<Option<Seeded>> + 'a;
/// A plan with the seed that it draws from.
pub type Seeded = Arc<(Plan, Seed)>;

/// What a relation is.
#[derive(Clone, Debug)]
pub enum Source {
    /// A pattern, with the ways to read it.
    Pattern(QuadPattern, Vec<Access>),
    /// Anything else, planned by itself.
    Planned(Plan),
}

/// One input of a group's join.
#[derive(Clone, Debug)]
pub struct Relation {
    /// What it is.
    pub source: Source,
    /// Its variables.
    pub variables: VarSet,
    /// Those bound in every row.
    pub certain: VarSet,
    /// Its rows.
    pub estimate: Estimate,
}

/// How a candidate is made.
#[derive(Clone, Debug)]
enum How {
    Leaf {
        relation: usize,
        access: usize,
    },
    Merge {
        left: Part,
        right: Part,
        key: VarId,
    },
    Hash {
        left: Part,
        right: Part,
    },
    Index {
        left: Part,
        relation: usize,
    },
    Seeded {
        left: Part,
        right: Arc<(Plan, Seed)>,
    },
}

/// A candidate of an entry.
type Part = (usize, usize);

#[derive(Clone, Debug)]
struct Candidate {
    cost: f64,
    sorted: Option<VarId>,
    /// The conditions that are tested on it, since its parts did not bind their variables yet.
    conditions: Vec<usize>,
    how: How,
}

/// A set of joined relations.
#[derive(Clone, Debug)]
struct Entry {
    relations: Vec<usize>,
    variables: VarSet,
    certain: VarSet,
    estimate: Estimate,
    candidates: Vec<Candidate>,
}

/// The search for one group.
pub struct JoinOrder<'a> {
    relations: &'a [Relation],
    conditions: &'a [&'a Condition],
    /// The expected time to test each condition on a row.
    test_ns: Vec<f64>,
    snapshot: &'a Snapshot,
    entries: Vec<Entry>,
}

impl<'a> JoinOrder<'a> {
    /// A search over the relations of a group; conditions are tested as soon as their variables are bound.
    pub fn new(
        relations: &'a [Relation],
        conditions: &'a [&'a Condition],
        snapshot: &'a Snapshot,
    ) -> Self {
        Self {
            relations,
            conditions,
            test_ns: conditions.iter().map(|c| test_ns(&c.expression)).collect(),
            snapshot,
            entries: Vec::new(),
        }
    }

    /// The cheapest plan found. Every condition whose variables are bound by the relations is in it.
    ///
    /// # Errors
    /// Planning a seeded relation failed.
    pub fn best(mut self, seeding: &mut Seeding<'_>) -> Result<Plan> {
        for relation in 0..self.relations.len() {
            let leaf = self.leaf(relation);
            self.entries.push(leaf);
        }
        let whole = if self.relations.len() <= EXHAUSTIVE_MAX {
            self.exhaustive(seeding)?
        } else {
            self.greedy(seeding)?
        };
        let cheapest = self.cheapest(whole);
        Ok(self.realize((whole, cheapest)))
    }

    fn leaf(&self, index: usize) -> Entry {
        let relation = &self.relations[index];
        let conditions = self.covered(&relation.certain, &[]);
        let leaf = |access, cost: f64, sorted: &[VarId]| Candidate {
            cost: cost + self.tests_ns(&conditions, &relation.estimate, sorted.first().copied()),
            sorted: sorted.first().copied(),
            conditions: conditions.clone(),
            how: How::Leaf {
                relation: index,
                access,
            },
        };
        let mut candidates: Vec<Candidate> = match &relation.source {
            Source::Pattern(_, accesses) => {
                let each = accesses.iter().enumerate();
                each.map(|(i, a)| leaf(i, build::scan_cost(a), &a.sorted))
                    .collect()
            }
            Source::Planned(plan) => vec![leaf(0, plan.cost, &plan.sorted)],
        };
        prune(&mut candidates);
        Entry {
            relations: vec![index],
            variables: relation.variables.clone(),
            certain: relation.certain.clone(),
            estimate: relation.estimate.scaled(self.share(&conditions)),
            candidates,
        }
    }

    /// The conditions whose variables are bound now and were bound in none of the parts.
    fn covered(&self, certain: &VarSet, parts: &[&VarSet]) -> Vec<usize> {
        let bound = |c: &Condition, by: &VarSet| c.variables.is_subset(by);
        (0..self.conditions.len())
            .filter(|&i| {
                let c = self.conditions[i];
                bound(c, certain) && !parts.iter().any(|part| bound(c, part))
            })
            .collect()
    }

    fn share(&self, conditions: &[usize]) -> f64 {
        let shares = conditions
            .iter()
            .map(|&i| selectivity(&self.conditions[i].expression));
        shares.product()
    }

    /// The expected time to test conditions on rows that come in some order. A condition on one variable is worked out
    /// once for each value, and recognizes a value that comes again at once.
    fn tests_ns(&self, conditions: &[usize], rows: &Estimate, sorted: Option<VarId>) -> f64 {
        let cost = |&i: &usize| {
            let mut variables = self.conditions[i].variables.iter();
            match (variables.next(), variables.next()) {
                (Some(v), None) => {
                    let known = if sorted == Some(v) {
                        SAME_VALUE_NS
                    } else {
                        KNOWN_VALUE_NS
                    };
                    let remembered = rows.distinct(v) * self.test_ns[i] + rows.rows * known;
                    remembered.min(rows.rows * self.test_ns[i])
                }
                _ => rows.rows * self.test_ns[i],
            }
        };
        conditions.iter().map(cost).sum()
    }

    fn combine(&mut self, a: usize, b: usize, seeding: &mut Seeding<'_>) -> Result<Entry> {
        let (left, right) = (&self.entries[a], &self.entries[b]);
        let certain = left.certain.union(&right.certain);
        let conditions = self.covered(&certain, &[&left.certain, &right.certain]);
        let joined = left.estimate.join(&right.estimate);
        let rows = joined.rows;
        let mut entry = Entry {
            relations: left
                .relations
                .iter()
                .chain(&right.relations)
                .copied()
                .collect(),
            variables: left.variables.union(&right.variables),
            certain,
            estimate: joined.scaled(self.share(&conditions)),
            candidates: Vec::new(),
        };
        for (left, right) in [(a, b), (b, a)] {
            self.add_hash(left, right, rows, &mut entry.candidates);
            self.add_index(left, right, rows, &mut entry.candidates);
            self.add_seeded(left, right, rows, seeding, &mut entry.candidates)?;
        }
        self.add_merges(a, b, rows, &mut entry.candidates);
        for candidate in &mut entry.candidates {
            candidate.conditions.extend(&conditions);
            candidate.cost += self.tests_ns(&candidate.conditions, &joined, candidate.sorted);
        }
        Ok(entry)
    }

    fn cheapest(&self, entry: usize) -> usize {
        let costs = self.entries[entry].candidates.iter().enumerate();
        costs
            .min_by(|(_, x), (_, y)| x.cost.total_cmp(&y.cost))
            .map_or(0, |(i, _)| i)
    }
}

/// Keeps the cheapest candidate and the cheapest for each order.
fn prune(candidates: &mut Vec<Candidate>) {
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut seen: Vec<Option<VarId>> = Vec::new();
    candidates.retain(|candidate| {
        let known =
            seen.contains(&candidate.sorted) || (candidate.sorted.is_none() && !seen.is_empty());
        seen.push(candidate.sorted);
        !known
    });
}
