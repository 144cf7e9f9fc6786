//! Which sets of relations are joined with which: all of them where there are few, the two with the smallest result where
//! there are many. Products are made only where nothing connects the relations.

use super::{Entry, JoinOrder, Seeding, prune};
use crate::diagnostics::Result;
use std::collections::HashMap;

impl JoinOrder<'_> {
    pub(super) fn exhaustive(&mut self, seeding: &mut Seeding<'_>) -> Result<usize> {
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

    pub(super) fn greedy(&mut self, seeding: &mut Seeding<'_>) -> Result<usize> {
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
