//! Which nodes of a graph lie on a cycle: the strongly connected components with more than one node, and the loops.
//!
//! Tarjan, "Depth-first search and linear graph algorithms" (1972), with a stack of its own in place of recursion: one
//! visit of each edge.

use super::closure::{Ids, Steps};
use crate::diagnostics::Result;
use crate::term::TermId;
use hashbrown::HashMap;

/// A node whose steps are being followed.
struct Visit {
    node: TermId,
    /// How many of its steps were followed.
    followed: usize,
    number: usize,
    /// The lowest number among the open nodes that were reached from here.
    lowest: usize,
    /// How many nodes were open when it was entered.
    depth: usize,
}

#[derive(Default)]
struct Search {
    /// The order in which nodes were met; none once the component of a node is complete.
    numbers: HashMap<TermId, Option<usize>, foldhash::fast::FixedState>,
    /// Nodes whose component is not complete.
    open: Vec<TermId>,
    visits: Vec<Visit>,
    on_cycle: Ids,
}

/// The nodes from which one or more steps lead back to themselves.
///
/// # Errors
/// Those of `check`, which is called now and then.
pub fn nodes_on_cycles(steps: &Steps, check: impl Fn() -> Result<()>) -> Result<Ids> {
    let mut search = Search::default();
    for &root in steps.keys() {
        if search.numbers.contains_key(&root) {
            continue;
        }
        check()?;
        search.enter(root);
        while let Some(visit) = search.visits.last_mut() {
            match steps[&visit.node].get(visit.followed) {
                Some(&to) => {
                    visit.followed += 1;
                    if visit.followed.is_multiple_of(4096) {
                        check()?;
                    }
                    // A node without steps is on no cycle.
                    if steps.contains_key(&to) {
                        search.follow(to);
                    }
                }
                None => search.leave(),
            }
        }
    }
    Ok(search.on_cycle)
}

impl Search {
    fn enter(&mut self, node: TermId) {
        let number = self.numbers.len();
        self.numbers.insert(node, Some(number));
        self.visits.push(Visit {
            node,
            followed: 0,
            number,
            lowest: number,
            depth: self.open.len(),
        });
        self.open.push(node);
    }

    fn follow(&mut self, to: TermId) {
        match self.numbers.get(&to) {
            None => self.enter(to),
            Some(None) => {}
            Some(&Some(number)) => {
                let Some(visit) = self.visits.last_mut() else {
                    return;
                };
                visit.lowest = visit.lowest.min(number);
                if visit.node == to {
                    self.on_cycle.insert(to);
                }
            }
        }
    }

    /// All steps of the last node were followed: its component is complete if nothing before it was reached.
    fn leave(&mut self) {
        let Some(visit) = self.visits.pop() else {
            return;
        };
        if visit.lowest < visit.number {
            if let Some(parent) = self.visits.last_mut() {
                parent.lowest = parent.lowest.min(visit.lowest);
            }
            return;
        }
        let is_larger = self.open.len() > visit.depth + 1;
        for node in self.open.drain(visit.depth..) {
            self.numbers.insert(node, None);
            if is_larger {
                self.on_cycle.insert(node);
            }
        }
    }
}
