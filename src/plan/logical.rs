//! The logical algebra: what a query asks, with constants as ids, variables as numbers and graphs resolved.
//!
//! It is the algebra of SPARQL 1.1 Query, section 18.2, in a form that the rewrites can work on: joins take any number
//! of inputs, filters are lists of conditions, and every EXISTS is a pattern beside the expression that mentions it,
//! which sees it as a variable bound to a boolean.

use super::service::ServicePattern;
use super::variables::{VarId, VarSet};
use crate::batch::Batch;
use crate::term::TermId;
use spargebra::algebra::{AggregateExpression, Expression};
use std::sync::Arc;

/// A place in a pattern: a term or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// This term.
    Const(TermId),
    /// Whatever the variable is bound to.
    Var(VarId),
}

impl Slot {
    /// Its variable, if it is one.
    pub fn var(self) -> Option<VarId> {
        match self {
            Self::Var(v) => Some(v),
            Self::Const(_) => None,
        }
    }
}

/// Which graphs of the data set a pattern is matched against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphScope {
    /// One graph.
    One(TermId),
    /// The merge of these graphs: each triple once.
    Merge(Arc<[TermId]>),
    /// The merge of all graphs: each triple once.
    Union,
    /// Each named graph by itself, the variable bound to its name; only these names, where there is a list.
    Named(VarId, Option<Arc<[TermId]>>),
}

/// A triple pattern with the graphs that it is matched against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuadPattern {
    /// The subject.
    pub subject: Slot,
    /// The predicate.
    pub predicate: Slot,
    /// The object.
    pub object: Slot,
    /// The graphs.
    pub graph: GraphScope,
    /// Predicates that do not match: the negated property set of a path.
    pub excluded: Arc<[TermId]>,
}

impl QuadPattern {
    /// Its variables, the graph's too.
    pub fn variables(&self) -> VarSet {
        let graph = match self.graph {
            GraphScope::Named(v, _) => Some(v),
            _ => None,
        };
        [self.subject, self.predicate, self.object]
            .into_iter()
            .filter_map(Slot::var)
            .chain(graph)
            .collect()
    }
}

/// A path of arbitrary length, or of length zero or one (SPARQL 1.1 Query, section 18.4).
#[derive(Clone, Debug)]
pub struct ClosurePath {
    /// Where it starts.
    pub start: Slot,
    /// Where it ends.
    pub end: Slot,
    /// One step, from `step_from` to `step_to`.
    pub step: Box<Logical>,
    /// The variable of a step's start.
    pub step_from: VarId,
    /// The variable of a step's end.
    pub step_to: VarId,
    /// Whether the empty path counts.
    pub zero: bool,
    /// Whether more than one step may be taken.
    pub many: bool,
    /// The graphs, whose nodes the empty path connects to themselves.
    pub graph: GraphScope,
}

/// An EXISTS whose result stands in a variable.
#[derive(Clone, Debug)]
pub struct Exists {
    /// The variable that the expression mentions in its place.
    pub mark: VarId,
    /// The pattern.
    pub pattern: Logical,
}

/// An expression with the EXISTS patterns that it mentions.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The expression.
    pub expression: Expression,
    /// The variables that it mentions, marks of EXISTS not counted.
    pub variables: VarSet,
    /// The patterns that it mentions.
    pub exists: Vec<Exists>,
    /// Whether equal bindings give equal values. What calls RAND, UUID or BNODE has to be worked out once for each solution
    /// that it stands behind, so it stays there.
    pub is_deterministic: bool,
}

/// One aggregate of a Group.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// The variable that gets the result.
    pub output: VarId,
    /// What is computed; its expression mentions no EXISTS.
    pub expression: AggregateExpression,
}

/// One key of an OrderBy.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// The expression to sort by.
    pub expression: Expression,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// A node of the logical algebra.
#[derive(Clone, Debug)]
pub enum Logical {
    /// A triple pattern.
    Pattern(QuadPattern),
    /// A path of arbitrary length.
    Closure(ClosurePath),
    /// A pattern that another endpoint answers.
    Service(Arc<ServicePattern>),
    /// A table of given solutions; unbound places are UNDEF.
    Values(Vec<VarId>, Arc<Batch>),
    /// The join of its inputs; of none, the one empty solution.
    Join(Vec<Logical>),
    /// OPTIONAL: all conditions must hold on the joined solution.
    LeftJoin(Box<Logical>, Box<Logical>, Vec<Condition>),
    /// Solutions for which all conditions hold.
    Filter(Box<Logical>, Vec<Condition>),
    /// The solutions of all inputs.
    Union(Vec<Logical>),
    /// Solutions of the left that no solution of the right is compatible with and shares a variable with.
    Minus(Box<Logical>, Box<Logical>),
    /// Binds a variable to the value of an expression; an error leaves it unbound.
    Extend(Box<Logical>, VarId, Condition),
    /// The right evaluated for each solution of the left (SEP-0006).
    Lateral(Box<Logical>, Box<Logical>),
    /// Takes a triple term apart: the variable is bound to one, its parts match the slots.
    Destructure(Box<Logical>, VarId, [Slot; 3]),
    /// Keeps only these variables.
    Project(Box<Logical>, Vec<VarId>),
    /// Each solution once.
    Distinct(Box<Logical>),
    /// Each solution at least once.
    Reduced(Box<Logical>),
    /// Leaves out the first solutions and stops after some.
    Slice(Box<Logical>, u64, Option<u64>),
    /// Sorted.
    OrderBy(Box<Logical>, Vec<SortKey>),
    /// Groups by variables and computes aggregates.
    Group(Box<Logical>, Vec<VarId>, Vec<Aggregate>),
}

impl Logical {
    /// The one empty solution.
    pub fn unit() -> Self {
        Self::Join(Vec::new())
    }

    /// The variables that are visible in its solutions.
    pub fn variables(&self) -> VarSet {
        match self {
            Self::Pattern(pattern) => pattern.variables(),
            Self::Closure(path) => [path.start, path.end]
                .into_iter()
                .filter_map(Slot::var)
                .collect(),
            Self::Service(service) => service.variables(),
            Self::Values(variables, _) => variables.iter().copied().collect(),
            Self::Join(inputs) | Self::Union(inputs) => inputs
                .iter()
                .fold(VarSet::EMPTY, |all, input| all.union(&input.variables())),
            Self::LeftJoin(left, right, _) | Self::Lateral(left, right) => {
                left.variables().union(&right.variables())
            }
            Self::Minus(input, _)
            | Self::Filter(input, _)
            | Self::Distinct(input)
            | Self::Reduced(input)
            | Self::Slice(input, ..)
            | Self::OrderBy(input, _) => input.variables(),
            Self::Extend(input, variable, _) => {
                let mut all = input.variables();
                all.insert(*variable);
                all
            }
            Self::Destructure(input, variable, parts) => {
                let parts = parts.iter().filter_map(|part| part.var());
                let mut all = input.variables().union(&parts.collect());
                all.insert(*variable);
                all
            }
            Self::Project(_, variables) => variables.iter().copied().collect(),
            Self::Group(_, keys, aggregates) => {
                let outputs = aggregates.iter().map(|a| a.output);
                keys.iter().copied().chain(outputs).collect()
            }
        }
    }

    /// The variables that every solution binds.
    pub fn certain(&self) -> VarSet {
        match self {
            Self::Pattern(_) | Self::Closure(_) => self.variables(),
            Self::Service(service) => service.certain(),
            Self::Values(variables, table) => {
                let bound = |column: &Vec<TermId>| column.iter().all(|id| id.is_bound());
                let columns = variables.iter().zip(table.columns());
                columns.filter(|(_, c)| bound(c)).map(|(&v, _)| v).collect()
            }
            Self::Join(inputs) => inputs
                .iter()
                .fold(VarSet::EMPTY, |all, input| all.union(&input.certain())),
            Self::Union(inputs) => inputs
                .iter()
                .map(Self::certain)
                .reduce(|all, more| all.intersection(&more))
                .unwrap_or_default(),
            Self::LeftJoin(input, ..)
            | Self::Minus(input, _)
            | Self::Filter(input, _)
            | Self::Distinct(input)
            | Self::Reduced(input)
            | Self::Slice(input, ..)
            | Self::Extend(input, ..)
            | Self::OrderBy(input, _) => input.certain(),
            Self::Lateral(left, right) => left.certain().union(&right.certain()),
            Self::Destructure(..) => self.variables(),
            Self::Project(input, variables) => {
                let certain = input.certain();
                variables
                    .iter()
                    .copied()
                    .filter(|&v| certain.contains(v))
                    .collect()
            }
            Self::Group(input, keys, _) => {
                let certain = input.certain();
                keys.iter()
                    .copied()
                    .filter(|&v| certain.contains(v))
                    .collect()
            }
        }
    }

    /// Every variable that it or anything within it mentions, in expressions and EXISTS patterns too, as far as a
    /// solution from outside could be substituted for it (SPARQL 1.1 Query, section 18.6, substitute).
    pub fn mentioned(&self) -> VarSet {
        let conditions = |list: &[Condition]| {
            list.iter()
                .fold(VarSet::EMPTY, |all, c| all.union(&c.mentioned()))
        };
        match self {
            Self::Pattern(_) | Self::Closure(_) | Self::Service(_) | Self::Values(..) => {
                self.variables()
            }
            Self::Join(inputs) | Self::Union(inputs) => inputs
                .iter()
                .fold(VarSet::EMPTY, |all, input| all.union(&input.mentioned())),
            Self::LeftJoin(left, right, list) => left
                .mentioned()
                .union(&right.mentioned())
                .union(&conditions(list)),
            Self::Lateral(left, right) | Self::Minus(left, right) => {
                left.mentioned().union(&right.mentioned())
            }
            Self::Filter(input, list) => input.mentioned().union(&conditions(list)),
            Self::Extend(input, _, condition) => input
                .mentioned()
                .union(&condition.mentioned())
                .union(&self.variables()),
            Self::Destructure(input, ..) => input.mentioned().union(&self.variables()),
            Self::Distinct(input)
            | Self::Reduced(input)
            | Self::Slice(input, ..)
            | Self::OrderBy(input, _) => input.mentioned(),
            Self::Project(..) | Self::Group(..) => self.variables(),
        }
    }
}

impl Condition {
    /// Its variables and those of its EXISTS patterns.
    pub fn mentioned(&self) -> VarSet {
        self.exists.iter().fold(self.variables.clone(), |all, e| {
            all.union(&e.pattern.mentioned())
        })
    }
}
