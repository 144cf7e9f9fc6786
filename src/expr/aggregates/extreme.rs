//! MIN and MAX, by the order of ORDER BY (SPARQL 1.1 Query, sections 18.5.1.5 and 18.5.1.6).
//!
//! That order puts an error below every term: a group with an error has no least value, and its greatest is the
//! greatest of the others.

use super::make_room;
use crate::expr::compare::order_cmp;
use crate::expr::context::ExprContext;
use crate::term::TermId;
use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Least,
    Greatest,
}

pub(super) struct Extreme {
    wanted: Wanted,
    groups: Vec<Best>,
}

/// The best value so far.
#[derive(Clone, Copy, Default)]
struct Best {
    value: TermId,
    has_error: bool,
}

impl Extreme {
    pub(super) fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            groups: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, values: &[TermId], groups: &[u32], cx: &ExprContext) {
        make_room(&mut self.groups, groups);
        let better = match self.wanted {
            Wanted::Least => Ordering::Less,
            Wanted::Greatest => Ordering::Greater,
        };
        for (&value, &group) in values.iter().zip(groups) {
            let best = &mut self.groups[group as usize];
            if !value.is_bound() {
                best.has_error = true;
            } else if !best.value.is_bound() || order_cmp(value, best.value, &cx.terms) == better {
                best.value = value;
            }
        }
    }

    pub(super) fn finish(&mut self, groups: usize) -> Vec<TermId> {
        self.groups.resize(groups, Best::default());
        let fails = |best: &Best| best.has_error && self.wanted == Wanted::Least;
        let result = |best: &Best| match fails(best) {
            true => TermId::UNBOUND,
            false => best.value,
        };
        self.groups.iter().map(result).collect()
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.groups.capacity() * size_of::<Best>()
    }
}
