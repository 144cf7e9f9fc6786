//! When bindings from outside may be handed into a pattern.
//!
//! A seed restricts a pattern to the bindings that the other side of a join has. Restricting is harmless for variables
//! that every solution of the pattern takes from a join ([`seedable`]). EXISTS and LATERAL ask for more: there the
//! bindings are substituted, so filters deep inside see them, too ([`is_correlated`]); and a pattern that counts or cuts
//! rows must be run for one binding at a time ([`runs_row_by_row`]).

use super::logical::{Aggregate, Condition, Logical};
use super::physical::SeedSlot;
use super::variables::{VarId, VarSet};
use crate::expr::is_deterministic;
use spargebra::algebra::AggregateExpression;

/// Bindings that come from an enclosing join.
#[derive(Clone, Debug)]
pub struct Seed {
    /// Through which slot.
    pub slot: SeedSlot,
    /// Of which variables.
    pub variables: Vec<VarId>,
    /// Which of them are bound in every row.
    pub certain: VarSet,
    /// The expected number of distinct rows.
    pub rows: f64,
    /// Whether they are substituted, not just joined.
    pub substituted: bool,
    /// Whether the pattern has to be run for each row by itself.
    pub row_by_row: bool,
}

impl Seed {
    /// The part that is let in.
    #[must_use]
    pub fn narrowed(&self, is_let_in: impl Fn(VarId) -> bool) -> Self {
        let kept = |&v: &VarId| is_let_in(v);
        Self {
            variables: self.variables.iter().copied().filter(kept).collect(),
            certain: self.certain.iter().filter(kept).collect(),
            ..self.clone()
        }
    }
}

/// The variables by which a pattern may be restricted without a change to what it gives for the bindings that remain:
/// those that every solution takes from a pattern inside. A variable that some solutions leave unbound must not be
/// filled in early, where a filter or an OPTIONAL could see it. A pattern that makes something anew (UUID and the like) is
/// worked out once, and not once for each piece of the bindings: it has none.
pub fn seedable(logical: &Logical) -> VarSet {
    match logical {
        _ if makes_anew(logical) => VarSet::EMPTY,
        Logical::Pattern(_) | Logical::Closure(_) | Logical::Values(..) => logical.certain(),
        Logical::Service(service) => {
            let endpoint = service.endpoint.var().into_iter().collect();
            service.certain().union(&endpoint)
        }
        Logical::Join(inputs) => inputs
            .iter()
            .fold(VarSet::EMPTY, |all, input| all.union(&seedable(input))),
        Logical::Union(inputs) => inputs
            .iter()
            .map(seedable)
            .reduce(|all, more| all.intersection(&more))
            .unwrap_or_default(),
        Logical::LeftJoin(left, ..) | Logical::Lateral(left, _) | Logical::Minus(left, _) => {
            seedable(left)
        }
        Logical::Filter(input, _) | Logical::Distinct(input) | Logical::Reduced(input) => {
            seedable(input)
        }
        Logical::Destructure(input, ..) => seedable(input),
        Logical::Extend(input, variable, _) => {
            seedable(input).iter().filter(|v| v != variable).collect()
        }
        Logical::Project(input, visible) => {
            let visible: VarSet = visible.iter().copied().collect();
            seedable(input).intersection(&visible)
        }
        Logical::Group(input, keys, _) => {
            let keys: VarSet = keys.iter().copied().collect();
            seedable(input).intersection(&keys)
        }
        Logical::OrderBy(..) | Logical::Slice(..) => VarSet::EMPTY,
    }
}

/// The same where the pattern is joined as it stands, with nothing around it: a failure that SILENT ignores then gives
/// the bindings back as they were handed in, which joins as the empty solution does.
pub fn seedable_in_join(logical: &Logical) -> VarSet {
    match logical {
        Logical::Service(service) => service.handed_in(),
        _ => seedable(logical),
    }
}

/// The variables that stand for endpoints and that nothing within the pattern binds.
pub fn open_endpoints(logical: &Logical) -> VarSet {
    match logical {
        Logical::Service(service) => service.endpoint.var().into_iter().collect(),
        Logical::Join(inputs) => {
            let all = inputs
                .iter()
                .fold(VarSet::EMPTY, |all, i| all.union(&open_endpoints(i)));
            let others = inputs
                .iter()
                .filter(|input| !matches!(input, Logical::Service(_)));
            let bound = others.fold(VarSet::EMPTY, |all, i| all.union(&i.variables()));
            all.difference(&bound)
        }
        Logical::Union(inputs) => inputs
            .iter()
            .fold(VarSet::EMPTY, |all, i| all.union(&open_endpoints(i))),
        Logical::LeftJoin(input, ..)
        | Logical::Lateral(input, _)
        | Logical::Minus(input, _)
        | Logical::Filter(input, _)
        | Logical::Distinct(input)
        | Logical::Reduced(input)
        | Logical::Destructure(input, ..)
        | Logical::Extend(input, ..) => open_endpoints(input),
        Logical::Project(input, visible) => {
            let visible: VarSet = visible.iter().copied().collect();
            open_endpoints(input).intersection(&visible)
        }
        _ => VarSet::EMPTY,
    }
}

/// Whether substituting `outer` into a pattern differs from joining with it: somewhere inside, an expression or the
/// right side of an OPTIONAL or MINUS mentions one of these variables without its own group binding it.
pub fn is_correlated(logical: &Logical, outer: &VarSet) -> bool {
    let loose = |mentioned: VarSet, bound: VarSet| {
        mentioned
            .intersection(outer)
            .difference(&bound)
            .iter()
            .next()
            .is_some()
    };
    let conditions = |list: &[Condition], bound: &VarSet| {
        list.iter().any(|c| loose(c.mentioned(), bound.clone()))
    };
    let takes_away = |list: &[Condition]| !outer.is_empty() && list.iter().any(looks_for_minus);
    match logical {
        Logical::Pattern(_) | Logical::Values(..) => false,
        // An endpoint that is a variable has to be bound before it can be asked.
        Logical::Service(service) => service.endpoint.var().is_some_and(|v| outer.contains(v)),
        // The empty path from a term that is not in the data exists only after substitution.
        Logical::Closure(path) => path.zero && logical.variables().intersects(outer),
        Logical::Join(inputs) | Logical::Union(inputs) => {
            inputs.iter().any(|input| is_correlated(input, outer))
        }
        Logical::Filter(input, list) => {
            is_correlated(input, outer) || conditions(list, &input.certain()) || takes_away(list)
        }
        Logical::Extend(input, variable, condition) => {
            is_correlated(input, outer)
                || outer.contains(*variable)
                || loose(condition.mentioned(), input.certain())
                || takes_away(std::slice::from_ref(condition))
        }
        Logical::LeftJoin(left, right, list) => {
            is_correlated(left, outer)
                || is_correlated(right, outer)
                || loose(right.mentioned(), left.certain())
                || conditions(list, &left.certain().union(&right.certain()))
                || takes_away(list)
        }
        // Both sides start from the solution outside, and so share its variables.
        Logical::Minus(..) => !outer.is_empty(),
        Logical::Lateral(left, right) => {
            is_correlated(left, outer)
                || is_correlated(right, outer)
                || loose(right.mentioned(), left.certain())
        }
        Logical::Destructure(input, ..)
        | Logical::Distinct(input)
        | Logical::Reduced(input)
        | Logical::OrderBy(input, _) => is_correlated(input, outer),
        Logical::Project(input, visible) => {
            let visible: VarSet = visible.iter().copied().collect();
            is_correlated(input, &outer.intersection(&visible))
        }
        Logical::Slice(..) | Logical::Group(..) => logical.variables().intersects(outer),
    }
}

/// The variables of a solution outside that matter to a pattern that it is substituted into. Each group within starts
/// from that solution (SPARQL 1.2 Query, translation of group graph patterns), so that all its variables are shared by
/// both sides of a MINUS, mentioned or not.
pub fn looked_at(logical: &Logical, outer: &VarSet) -> VarSet {
    match has_minus(logical) {
        true => outer.clone(),
        false => logical.mentioned().intersection(outer),
    }
}

/// Whether there is a MINUS in a pattern.
fn has_minus(logical: &Logical) -> bool {
    match logical {
        Logical::Minus(..) => true,
        Logical::Pattern(_) | Logical::Values(..) | Logical::Closure(_) | Logical::Service(_) => {
            false
        }
        Logical::Join(inputs) | Logical::Union(inputs) => inputs.iter().any(has_minus),
        Logical::LeftJoin(left, right, list) => {
            has_minus(left) || has_minus(right) || list.iter().any(looks_for_minus)
        }
        Logical::Lateral(left, right) => has_minus(left) || has_minus(right),
        Logical::Filter(input, list) => has_minus(input) || list.iter().any(looks_for_minus),
        Logical::Extend(input, _, condition) => has_minus(input) || looks_for_minus(condition),
        Logical::Destructure(input, ..)
        | Logical::Project(input, _)
        | Logical::Group(input, ..)
        | Logical::OrderBy(input, _)
        | Logical::Slice(input, ..)
        | Logical::Distinct(input)
        | Logical::Reduced(input) => has_minus(input),
    }
}

fn looks_for_minus(condition: &Condition) -> bool {
    condition.exists.iter().any(|e| has_minus(&e.pattern))
}

/// Whether a pattern has to get the bindings of a seed substituted, not just joined.
pub fn looks_at(logical: &Logical, seed: &Seed) -> bool {
    is_correlated(logical, &seed.variables.iter().copied().collect())
}

/// Whether a pattern counts or cuts rows or makes something anew, so that substituted bindings must be handed in one by
/// one.
pub fn runs_row_by_row(logical: &Logical) -> bool {
    makes_anew(logical) || counts_or_cuts(logical)
}

fn counts_or_cuts(logical: &Logical) -> bool {
    match logical {
        Logical::Pattern(_) | Logical::Values(..) | Logical::Closure(_) | Logical::Service(_) => {
            false
        }
        Logical::Join(inputs) | Logical::Union(inputs) => inputs.iter().any(counts_or_cuts),
        Logical::LeftJoin(left, right, _)
        | Logical::Minus(left, right)
        | Logical::Lateral(left, right) => counts_or_cuts(left) || counts_or_cuts(right),
        Logical::Filter(input, _)
        | Logical::Extend(input, ..)
        | Logical::Destructure(input, ..)
        | Logical::Project(input, _)
        | Logical::OrderBy(input, _)
        | Logical::Distinct(input)
        | Logical::Reduced(input) => counts_or_cuts(input),
        Logical::Slice(..) | Logical::Group(..) => true,
    }
}

/// Whether an expression somewhere in a pattern gives another value each time that it is worked out.
pub fn makes_anew(logical: &Logical) -> bool {
    let list_makes = |list: &[Condition]| list.iter().any(|c| !c.is_deterministic);
    match logical {
        Logical::Pattern(_) | Logical::Values(..) | Logical::Closure(_) | Logical::Service(_) => {
            false
        }
        Logical::Join(inputs) | Logical::Union(inputs) => inputs.iter().any(makes_anew),
        Logical::LeftJoin(left, right, list) => {
            makes_anew(left) || makes_anew(right) || list_makes(list)
        }
        Logical::Minus(left, right) | Logical::Lateral(left, right) => {
            makes_anew(left) || makes_anew(right)
        }
        Logical::Filter(input, list) => makes_anew(input) || list_makes(list),
        Logical::Extend(input, _, condition) => makes_anew(input) || !condition.is_deterministic,
        Logical::Group(input, _, aggregates) => {
            let makes = |a: &Aggregate| match &a.expression {
                AggregateExpression::FunctionCall { expr, .. } => !is_deterministic(expr),
                AggregateExpression::CountSolutions { .. } => false,
            };
            makes_anew(input) || aggregates.iter().any(makes)
        }
        Logical::Destructure(input, ..)
        | Logical::Project(input, _)
        | Logical::OrderBy(input, _)
        | Logical::Slice(input, ..)
        | Logical::Distinct(input)
        | Logical::Reduced(input) => makes_anew(input),
    }
}
