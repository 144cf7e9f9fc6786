//! In which order, and by which algorithm, the relations of one group are joined.
//!
//! Dynamic programming over all sets of relations where there are few, greedy by the smallest result where there are
//! many. For each set the cheapest candidate is kept and, beside it, the cheapest for each variable that its rows are
//! sorted by, since a sorted input may make a later join cheaper. Costs are nanoseconds, measured once on a common
//! machine; only their ratios matter.

use super::access::{self, Access};
use super::build::{
    self, BLOCK_NS, BLOCK_ROWS, BUILD_ROW_NS, KEY_NS, MERGE_ROW_NS, OUTPUT_ROW_NS, PROBE_ROW_NS,
    START_NS,
};
use super::estimate::{Estimate, selectivity, test_ns};
use super::logical::{Condition, QuadPattern};
use super::physical::{JoinKind, Plan};
use super::seeds::Seed;
use super::variables::{VarId, VarSet};
use crate::diagnostics::Result;
use crate::storage::Snapshot;
use std::collections::HashMap;
use std::sync::Arc;

/// Up to this number of relations every order is looked at.
const EXHAUSTIVE_MAX: usize = 8;
/// Recognizing the value of the row before.
const SAME_VALUE_NS: f64 = 2.0;
/// Recognizing a value that came before.
const KNOWN_VALUE_NS: f64 = 15.0;
/// Rows that an index join looks up at a time.
const LOOKUP_ROWS: f64 = 16_384.0;

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

    fn exhaustive(&mut self, seeding: &mut Seeding<'_>) -> Result<usize> {
        let n = self.relations.len();
        let mut by_set: HashMap<u32, usize> = (0..n).map(|i| (1 << i, i)).collect();
        let whole = (1_u32 << n) - 1;
        let has_products = self.is_disconnected_group();
        for set in 1..=whole {
            if set.count_ones() < 2 {
                continue;
            }
            let splits: Vec<(usize, usize)> = splits(set)
                .filter_map(|(a, b)| Some((*by_set.get(&a)?, *by_set.get(&b)?)))
                .collect();
            let connected = |&(a, b): &(usize, usize)| self.are_connected(a, b);
            let mut useful: Vec<_> = splits.iter().copied().filter(connected).collect();
            if useful.is_empty() && (set == whole || has_products) {
                useful = splits;
            }
            if let Some(entry) = self.combine_all(&useful, seeding)? {
                by_set.insert(set, self.entries.len());
                self.entries.push(entry);
            }
        }
        Ok(by_set[&whole])
    }

    /// Whether the relations fall apart into sets that share no variable, so that products cannot be avoided.
    fn is_disconnected_group(&self) -> bool {
        let mut reached = self.relations[0].variables.clone();
        let mut open: Vec<usize> = (1..self.relations.len()).collect();
        while let Some(place) = open
            .iter()
            .position(|&i| self.relations[i].variables.intersects(&reached))
        {
            reached.extend(&self.relations[open.swap_remove(place)].variables);
        }
        !open.is_empty()
    }

    fn combine_all(
        &mut self,
        splits: &[(usize, usize)],
        seeding: &mut Seeding<'_>,
    ) -> Result<Option<Entry>> {
        let mut best: Option<Entry> = None;
        for &(a, b) in splits {
            let entry = self.combine(a, b, seeding)?;
            match &mut best {
                Some(known) => known.candidates.extend(entry.candidates),
                None => best = Some(entry),
            }
        }
        if let Some(entry) = &mut best {
            prune(&mut entry.candidates);
        }
        Ok(best)
    }

    fn greedy(&mut self, seeding: &mut Seeding<'_>) -> Result<usize> {
        let mut open: Vec<usize> = (0..self.entries.len()).collect();
        while open.len() > 1 {
            let mut best: Option<(bool, f64, usize, usize)> = None;
            for (i, &a) in open.iter().enumerate() {
                for &b in &open[..i] {
                    let apart = !self.are_connected(a, b);
                    let joined = self.entries[a].estimate.join(&self.entries[b].estimate);
                    let better = best.is_none_or(|(was_apart, rows, ..)| {
                        (apart, joined.rows) < (was_apart, rows)
                    });
                    if better {
                        best = Some((apart, joined.rows, a, b));
                    }
                }
            }
            let Some((_, _, a, b)) = best else { break };
            let mut entry = self.combine(a, b, seeding)?;
            prune(&mut entry.candidates);
            open.retain(|&e| e != a && e != b);
            open.push(self.entries.len());
            self.entries.push(entry);
        }
        Ok(open[0])
    }

    fn are_connected(&self, a: usize, b: usize) -> bool {
        self.entries[a]
            .variables
            .intersects(&self.entries[b].variables)
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

    fn shared(&self, a: usize, b: usize) -> VarSet {
        self.entries[a]
            .variables
            .intersection(&self.entries[b].variables)
    }

    fn shared_is_certain(&self, a: usize, b: usize, shared: &VarSet) -> bool {
        shared.is_subset(&self.entries[a].certain) && shared.is_subset(&self.entries[b].certain)
    }

    fn cheapest(&self, entry: usize) -> usize {
        let costs = self.entries[entry].candidates.iter().enumerate();
        costs
            .min_by(|(_, x), (_, y)| x.cost.total_cmp(&y.cost))
            .map_or(0, |(i, _)| i)
    }

    fn add_hash(&self, a: usize, b: usize, rows: f64, found: &mut Vec<Candidate>) {
        let right = (b, self.cheapest(b));
        let right_cost = self.entries[b].candidates[right.1].cost;
        let keyed = self.shared(a, b).intersects(&self.entries[b].certain)
            && self.shared(a, b).intersects(&self.entries[a].certain);
        let pairs = match keyed {
            true => 0.0,
            false => self.entries[a].estimate.rows * self.entries[b].estimate.rows,
        };
        let build = self.entries[b].estimate.rows * BUILD_ROW_NS;
        let probe = self.entries[a].estimate.rows * PROBE_ROW_NS;
        for (c, left) in self.entries[a].candidates.iter().enumerate() {
            found.push(Candidate {
                cost: left.cost
                    + right_cost
                    + START_NS
                    + build
                    + probe
                    + (pairs + rows) * OUTPUT_ROW_NS,
                sorted: left.sorted,
                conditions: Vec::new(),
                how: How::Hash {
                    left: (a, c),
                    right,
                },
            });
        }
    }

    fn add_merges(&self, a: usize, b: usize, rows: f64, found: &mut Vec<Candidate>) {
        let shared = self.shared(a, b);
        if !self.shared_is_certain(a, b, &shared) {
            return;
        }
        for (i, left) in self.entries[a].candidates.iter().enumerate() {
            for (j, right) in self.entries[b].candidates.iter().enumerate() {
                let Some(key) = left.sorted.filter(|k| shared.contains(*k)) else {
                    continue;
                };
                if right.sorted != Some(key) {
                    continue;
                }
                let cost = self.visited(a, left, b, key)
                    + self.visited(b, right, a, key)
                    + rows * OUTPUT_ROW_NS;
                let how = How::Merge {
                    left: (a, i),
                    right: (b, j),
                    key,
                };
                found.push(Candidate {
                    cost,
                    sorted: Some(key),
                    conditions: Vec::new(),
                    how,
                });
            }
        }
    }

    /// What it costs to walk a candidate in step with another entry: a scan skips blocks that the other has no key in.
    fn visited(&self, entry: usize, candidate: &Candidate, other: usize, key: VarId) -> f64 {
        let own = &self.entries[entry].estimate;
        let keys = self.entries[other].estimate.distinct(key);
        let walked = candidate.cost + own.rows * MERGE_ROW_NS;
        let can_skip = matches!(
            candidate.how,
            How::Leaf { relation, .. } if matches!(self.relations[relation].source, Source::Pattern(..))
        );
        match can_skip {
            true => walked.min(START_NS + keys * (BLOCK_NS + KEY_NS)),
            false => walked,
        }
    }

    fn add_index(&self, a: usize, b: usize, rows: f64, found: &mut Vec<Candidate>) {
        let [relation] = self.entries[b].relations[..] else {
            return;
        };
        let Source::Pattern(pattern, accesses) = &self.relations[relation].source else {
            return;
        };
        let keys: Vec<VarId> = self.shared(a, b).iter().collect();
        let certain = keys.iter().all(|&k| self.entries[a].certain.contains(k));
        if keys.is_empty() || !certain {
            return;
        }
        let Some((_, order)) = access::lookup(pattern, &keys, self.snapshot) else {
            return;
        };
        let range = accesses.iter().map(|x| x.range_rows).min().unwrap_or(0) as f64;
        let blocks = range / BLOCK_ROWS + 1.0;
        let left_rows = self.entries[a].estimate.rows;
        let distinct: f64 = order
            .iter()
            .map(|&k| self.entries[a].estimate.distinct(k))
            .product();
        let distinct = distinct.min(left_rows);
        for (c, left) in self.entries[a].candidates.iter().enumerate() {
            let passes = match left.sorted == Some(order[0]) {
                true => 1.0,
                false => (left_rows / LOOKUP_ROWS).ceil().max(1.0),
            };
            let visited = distinct.min(blocks * passes);
            found.push(Candidate {
                cost: left.cost
                    + START_NS
                    + visited * BLOCK_NS
                    + left_rows * KEY_NS
                    + rows * OUTPUT_ROW_NS,
                sorted: left.sorted,
                conditions: self.own_conditions(b),
                how: How::Index {
                    left: (a, c),
                    relation,
                },
            });
        }
    }

    fn add_seeded(
        &self,
        a: usize,
        b: usize,
        rows: f64,
        seeding: &mut Seeding<'_>,
        found: &mut Vec<Candidate>,
    ) -> Result<()> {
        let [relation] = self.entries[b].relations[..] else {
            return Ok(());
        };
        let Source::Planned(alone) = &self.relations[relation].source else {
            return Ok(());
        };
        let left_rows = self.entries[a].estimate.rows;
        let worth_it = left_rows * PROBE_ROW_NS < alone.cost && alone.cost > 10.0 * START_NS;
        let keys = self.shared(a, b).intersection(&self.entries[a].certain);
        if keys.is_empty() || !worth_it {
            return Ok(());
        }
        let keys: Vec<VarId> = keys.iter().collect();
        let Some(right) = seeding(relation, &keys, left_rows.max(1.0))? else {
            return Ok(());
        };
        let cost = right.0.cost + right.0.rows * BUILD_ROW_NS;
        for (c, left) in self.entries[a].candidates.iter().enumerate() {
            found.push(Candidate {
                cost: left.cost + START_NS + cost + left_rows * PROBE_ROW_NS + rows * OUTPUT_ROW_NS,
                sorted: left.sorted,
                conditions: self.own_conditions(b),
                how: How::Seeded {
                    left: (a, c),
                    right: Arc::clone(&right),
                },
            });
        }
        Ok(())
    }

    /// The conditions of a single relation, which a look-up or a seeded run of it has not tested yet.
    fn own_conditions(&self, leaf: usize) -> Vec<usize> {
        let candidates = &self.entries[leaf].candidates;
        candidates
            .first()
            .map(|c| c.conditions.clone())
            .unwrap_or_default()
    }

    /// The plan of a candidate, with the conditions of its entry above it.
    fn realize(&self, (e, c): Part) -> Plan {
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

/// The ways to cut a set in two, each once.
fn splits(set: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut part = set & (set - 1);
    std::iter::from_fn(move || {
        let this = part;
        part = part.wrapping_sub(1) & set;
        (this != 0).then_some((this, set & !this))
    })
    .filter(|(a, b)| a > b)
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
