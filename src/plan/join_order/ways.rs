//! The ways to join two sets of relations, each with what it costs: by a hash table, by a merge, by looking one side up in
//! the index, and by handing the bindings of one side into the plan of the other.

use super::{Candidate, How, JoinOrder, Seeding, Source};
use crate::diagnostics::Result;
use crate::plan::access;
use crate::plan::build::{
    BLOCK_NS, BLOCK_ROWS, BUILD_ROW_NS, KEY_NS, MERGE_ROW_NS, OUTPUT_ROW_NS, PROBE_ROW_NS, START_NS,
};
use crate::plan::variables::{VarId, VarSet};
use std::sync::Arc;

/// Rows that an index join looks up at a time.
const LOOKUP_ROWS: f64 = 16_384.0;

impl JoinOrder<'_> {
    fn shared(&self, a: usize, b: usize) -> VarSet {
        self.entries[a]
            .variables
            .intersection(&self.entries[b].variables)
    }

    fn shared_is_certain(&self, a: usize, b: usize, shared: &VarSet) -> bool {
        shared.is_subset(&self.entries[a].certain) && shared.is_subset(&self.entries[b].certain)
    }

    pub(super) fn add_hash(&self, a: usize, b: usize, rows: f64, found: &mut Vec<Candidate>) {
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

    pub(super) fn add_merges(&self, a: usize, b: usize, rows: f64, found: &mut Vec<Candidate>) {
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

    pub(super) fn add_index(&self, a: usize, b: usize, rows: f64, found: &mut Vec<Candidate>) {
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

    pub(super) fn add_seeded(
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
}
