//! One group of a pattern, flattened: relations that can be joined in any order, conditions on them, and the steps
//! that must follow in the order written (OPTIONAL, MINUS, BIND, and filters that look at what these bind).
//!
//! A step may be moved behind the joins that surround it when nothing that it binds, and nothing that it leaves unbound,
//! is seen by the other inputs of those joins. So `{ A OPTIONAL { B } C }` is planned as `{ A C OPTIONAL { B } }`
//! wherever both mean the same, however the query was written. What calls RAND, UUID or BNODE is not moved: behind a join
//! it would be worked out for other solutions.

use super::logical::{Condition, Logical, Slot};
use super::seeds::makes_anew;
use super::service::ServicePattern;
use super::variables::{VarId, VarSet};
use std::sync::Arc;

/// A step that follows the joins of its group.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Tests conditions.
    Filter(&'a [Condition]),
    /// OPTIONAL.
    Optional(&'a Logical, &'a [Condition]),
    /// MINUS.
    Minus(&'a Logical),
    /// BIND.
    Extend(VarId, &'a Condition),
    /// LATERAL.
    Lateral(&'a Logical),
    /// Takes a triple term apart.
    Destructure(VarId, &'a [Slot; 3]),
    /// SERVICE with a variable, which what stands before it must bind.
    Service(&'a Arc<ServicePattern>),
}

impl Step<'_> {
    /// Whether it binds a variable to a value.
    pub fn extends(&self, variable: VarId) -> bool {
        matches!(self, Step::Extend(v, _) if *v == variable)
    }
}

/// A flattened group.
#[derive(Debug, Default)]
pub struct Group<'a> {
    /// What is joined, in any order.
    pub relations: Vec<&'a Logical>,
    /// Conditions on variables that the relations bind for certain.
    pub conditions: Vec<&'a Condition>,
    /// What follows, in this order.
    pub steps: Vec<Step<'a>>,
}

impl<'a> Group<'a> {
    /// Flattens a pattern that is joined with bindings of the variables `others`.
    pub fn flatten(logical: &'a Logical, others: &VarSet) -> Self {
        let mut group = Self::default();
        group.add(logical, others, true);
        group
    }

    /// Whether one of its steps binds a variable to a value.
    pub fn extends(&self, variable: VarId) -> bool {
        self.steps.iter().any(|step| step.extends(variable))
    }

    /// Adds a part whose surroundings, apart from itself, have the variables `others`, or that is the whole of the group.
    fn add(&mut self, logical: &'a Logical, others: &VarSet, is_alone: bool) {
        match logical {
            Logical::Join(inputs) => self.add_join(inputs, others, is_alone),
            Logical::Service(service) if service.endpoint.var().is_some() => {
                self.steps.push(Step::Service(service));
            }
            _ if !is_alone && has_its_place(logical) => self.relations.push(logical),
            _ => match Self::step(logical, others) {
                Some((input, step)) => {
                    self.add(input, others, is_alone);
                    self.push(step, input);
                }
                None => self.relations.push(logical),
            },
        }
    }

    fn add_join(&mut self, inputs: &'a [Logical], others: &VarSet, is_alone: bool) {
        for (i, input) in inputs.iter().enumerate() {
            let siblings = inputs.iter().enumerate().filter(|&(j, _)| i != j);
            let around = siblings.fold(others.clone(), |all, (_, sibling)| {
                all.union(&sibling.variables())
            });
            self.add(input, &around, is_alone && inputs.len() == 1);
        }
    }

    /// A part as a step behind its input, if it may be moved behind joins with `others`.
    pub fn step(logical: &'a Logical, others: &VarSet) -> Option<(&'a Logical, Step<'a>)> {
        let free =
            |mentioned: VarSet, bound: VarSet| !mentioned.difference(&bound).intersects(others);
        let mentioned = |list: &[Condition]| {
            list.iter()
                .fold(VarSet::EMPTY, |all, c| all.union(&c.mentioned()))
        };
        match logical {
            Logical::Filter(input, list) => {
                free(mentioned(list), input.certain()).then_some((&**input, Step::Filter(list)))
            }
            Logical::LeftJoin(left, right, list) => {
                let seen = right.mentioned().union(&mentioned(list));
                free(seen, left.certain()).then_some((&**left, Step::Optional(right, list)))
            }
            Logical::Minus(left, right) => {
                free(right.mentioned(), left.certain()).then_some((&**left, Step::Minus(right)))
            }
            Logical::Extend(input, variable, condition) => {
                let free =
                    !others.contains(*variable) && free(condition.mentioned(), input.certain());
                free.then_some((&**input, Step::Extend(*variable, condition)))
            }
            Logical::Lateral(left, right) => {
                free(right.mentioned(), left.certain()).then_some((&**left, Step::Lateral(right)))
            }
            Logical::Destructure(input, variable, parts) => {
                Some((&**input, Step::Destructure(*variable, parts)))
            }
            _ => None,
        }
    }

    /// Adds a step; conditions on what the joins bind for certain are handed to the joins.
    fn push(&mut self, step: Step<'a>, input: &Logical) {
        let Step::Filter(list) = step else {
            self.steps.push(step);
            return;
        };
        let bound = match self.steps.is_empty() {
            true => input.certain(),
            false => self
                .relations
                .iter()
                .fold(VarSet::EMPTY, |all, r| all.union(&r.certain())),
        };
        let early = |c: &Condition| {
            c.exists.is_empty()
                && c.is_deterministic
                && c.variables.is_subset(&bound)
                && !c.variables.is_empty()
        };
        if list.iter().all(early) {
            self.conditions.extend(list);
            return;
        }
        for condition in list {
            match early(condition) {
                true => self.conditions.push(condition),
                false => self
                    .steps
                    .push(Step::Filter(std::slice::from_ref(condition))),
            }
        }
    }
}

/// Whether what a part works out for its solutions must not be worked out for others.
fn has_its_place(logical: &Logical) -> bool {
    match logical {
        Logical::Filter(_, list) | Logical::LeftJoin(_, _, list) => {
            list.iter().any(|c| !c.is_deterministic)
        }
        Logical::Extend(_, _, condition) => !condition.is_deterministic,
        Logical::Lateral(_, right) => makes_anew(right),
        _ => false,
    }
}
