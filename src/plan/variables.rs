//! Variables of one query as small numbers, and sets of them.
//!
//! Blank nodes of patterns and the inner ends of property paths are variables too; their names begin with a character
//! that no SPARQL variable can begin with, so they never meet one that a user wrote.

use oxrdf::Variable;
use std::collections::HashMap;

/// A variable of one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(u32);

/// The variables of one query by name and by number.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    names: Vec<Variable>,
    ids: HashMap<Variable, VarId>,
    /// Those of aggregates, whose names the parser makes up anew each time.
    aggregates: Vec<VarId>,
}

impl Variables {
    /// The number of a variable, given out at its first mention.
    pub fn id(&mut self, variable: &Variable) -> VarId {
        if let Some(&id) = self.ids.get(variable) {
            return id;
        }
        let id = VarId(self.names.len() as u32);
        self.names.push(variable.clone());
        self.ids.insert(variable.clone(), id);
        id
    }

    /// The variable that stands for a blank node of a pattern.
    pub fn blank(&mut self, label: &str) -> VarId {
        self.id(&Variable::new_unchecked(format!("_:{label}")))
    }

    /// A variable that nobody else has.
    pub fn fresh(&mut self, purpose: &str) -> VarId {
        let name = format!(".{purpose}{}", self.names.len());
        self.id(&Variable::new_unchecked(name))
    }

    /// The number of the variable of an aggregate.
    pub fn aggregate(&mut self, variable: &Variable) -> VarId {
        let id = self.id(variable);
        self.aggregates.push(id);
        id
    }

    /// A text in which the variables of aggregates have names that are the same each time.
    pub fn stable(&self, text: String) -> String {
        let aggregates = self.aggregates.iter().zip(1..);
        aggregates.fold(text, |text, (&id, number)| {
            text.replace(self.name(id).as_str(), &format!("aggregate{number}"))
        })
    }

    /// The number of a variable that occurs in the query.
    pub fn get(&self, variable: &Variable) -> Option<VarId> {
        self.ids.get(variable).copied()
    }

    /// The variable of a number.
    pub fn name(&self, id: VarId) -> &Variable {
        &self.names[id.0 as usize]
    }

    /// Whether a user can name it: blank nodes of patterns and inner ends of paths are no part of a solution.
    pub fn is_named(&self, id: VarId) -> bool {
        Variable::new(self.name(id).as_str()).is_ok()
    }

    /// The variables of several numbers.
    pub fn names(&self, ids: &[VarId]) -> Vec<Variable> {
        ids.iter().map(|&id| self.name(id).clone()).collect()
    }
}

/// A set of variables, kept sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VarSet(Vec<VarId>);

impl VarSet {
    /// The empty set.
    pub const EMPTY: Self = Self(Vec::new());

    /// Adds a variable.
    pub fn insert(&mut self, id: VarId) {
        if let Err(place) = self.0.binary_search(&id) {
            self.0.insert(place, id);
        }
    }

    /// Whether it holds a variable.
    pub fn contains(&self, id: VarId) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// Adds every variable of another set.
    pub fn extend(&mut self, other: &Self) {
        for &id in &other.0 {
            self.insert(id);
        }
    }

    /// The variables of either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.extend(other);
        all
    }

    /// The variables of both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.iter().filter(|&id| other.contains(id)).collect()
    }

    /// The variables that the other has not.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.iter().filter(|&id| !other.contains(id)).collect()
    }

    /// Whether they share a variable.
    pub fn intersects(&self, other: &Self) -> bool {
        self.iter().any(|id| other.contains(id))
    }

    /// Whether every variable is in the other, too.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|id| other.contains(id))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The variables in order.
    pub fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<VarId> for VarSet {
    fn from_iter<I: IntoIterator<Item = VarId>>(ids: I) -> Self {
        let mut ids: Vec<_> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Self(ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_has_one_number() {
        let mut variables = Variables::default();
        let x = variables.id(&Variable::new_unchecked("x"));
        let blank = variables.blank("x");
        assert_ne!(x, blank);
        assert_eq!(x, variables.id(&Variable::new_unchecked("x")));
        assert_eq!(variables.name(x).as_str(), "x");
        let fresh = variables.fresh("path");
        let named = [x, blank, fresh].map(|v| variables.is_named(v));
        assert_eq!(named, [true, false, false]);
    }

    #[test]
    fn sets_behave_as_sets() {
        let set = |ids: &[u32]| ids.iter().map(|&i| VarId(i)).collect::<VarSet>();
        assert_eq!(set(&[3, 1, 3]).union(&set(&[2])), set(&[1, 2, 3]));
        assert_eq!(set(&[1, 2]).intersection(&set(&[2, 3])), set(&[2]));
        assert_eq!(set(&[1, 2]).difference(&set(&[2, 3])), set(&[1]));
        assert!(set(&[1]).is_subset(&set(&[1, 2])) && !set(&[1]).intersects(&set(&[2])));
    }
}
