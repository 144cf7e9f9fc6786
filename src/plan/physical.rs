//! The physical plan: a tree of algorithms over columns of ids, ready to be run by `crate::exec`.
//!
//! A plan knows its columns, which of them are bound in every row, and by which its rows are sorted. It holds no data
//! but the tables that the query itself brought, and may be run any number of times.

use super::logical::{Aggregate, GraphScope, Slot, SortKey};
use super::service::ServicePattern;
use super::variables::{VarId, VarSet};
use crate::batch::Batch;
use crate::storage::{Permutation, QuadColumn};
use crate::term::TermId;
use spargebra::algebra::Expression;
use std::sync::Arc;

/// A node of the physical plan with what is known of its rows.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its place in the tree, in pre-order; by it measurements find it.
    pub number: usize,
    /// The algorithm.
    pub node: Node,
    /// The variable of each column.
    pub schema: Vec<VarId>,
    /// The variables that are bound in every row.
    pub certain: VarSet,
    /// The variables by which the rows are sorted, the first above all.
    pub sorted: Vec<VarId>,
    /// The expected number of rows.
    pub rows: f64,
    /// The expected time in nanoseconds, inputs included.
    pub cost: f64,
}

impl Plan {
    /// Its columns as a set.
    pub fn variables(&self) -> VarSet {
        self.schema.iter().copied().collect()
    }

    /// Numbers the nodes in pre-order, from `next` on; gives the number after the last.
    pub fn number_from(&mut self, mut next: usize) -> usize {
        self.number = next;
        next += 1;
        for input in self.inputs_mut() {
            next = input.number_from(next);
        }
        next
    }

    fn inputs_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.node {
            Node::Scan(_)
            | Node::ScanCount(_)
            | Node::Table(_)
            | Node::Seed(_)
            | Node::Service(..) => Vec::new(),
            Node::IndexJoin { left, .. } => vec![left],
            Node::MergeJoin { left, right, .. }
            | Node::HashJoin { left, right, .. }
            | Node::SeededJoin { left, right, .. } => vec![left, right],
            Node::Closure(closure) => {
                let start = closure.starts.as_deref_mut();
                start.into_iter().chain([&mut *closure.step]).collect()
            }
            Node::Union(inputs) => inputs.iter_mut().collect(),
            Node::Filter(input, _)
            | Node::Extend(input, ..)
            | Node::Destructure(input, ..)
            | Node::RowNumber(input, _)
            | Node::Project(input)
            | Node::Distinct(input)
            | Node::Slice(input, ..)
            | Node::OrderBy(input, ..)
            | Node::Group(input, ..) => vec![input],
        }
    }

    /// The plans that it draws from, in the order in which explain shows them.
    pub fn inputs(&self) -> Vec<&Self> {
        match &self.node {
            Node::Scan(_)
            | Node::ScanCount(_)
            | Node::Table(_)
            | Node::Seed(_)
            | Node::Service(..) => Vec::new(),
            Node::IndexJoin { left, .. } => vec![left],
            Node::MergeJoin { left, right, .. }
            | Node::HashJoin { left, right, .. }
            | Node::SeededJoin { left, right, .. } => vec![left, right],
            Node::Closure(closure) => {
                let start = closure.starts.as_deref();
                start.into_iter().chain([&*closure.step]).collect()
            }
            Node::Union(inputs) => inputs.iter().collect(),
            Node::Filter(input, _)
            | Node::Extend(input, ..)
            | Node::Destructure(input, ..)
            | Node::RowNumber(input, _)
            | Node::Project(input)
            | Node::Distinct(input)
            | Node::Slice(input, ..)
            | Node::OrderBy(input, ..)
            | Node::Group(input, ..) => vec![input],
        }
    }
}

/// An algorithm.
#[derive(Clone, Debug)]
pub enum Node {
    /// A range of one permutation.
    Scan(ScanPlan),
    /// The number of quads in a range, from the directory.
    ScanCount(ScanPlan),
    /// A table that the query brought.
    Table(Arc<Batch>),
    /// The distinct bindings that an enclosing [`Node::SeededJoin`] hands in.
    Seed(SeedSlot),
    /// Both sides sorted on the key; walks them together, each side skipping to the other's next key.
    MergeJoin {
        /// The side whose rows are kept when optional.
        left: Box<Plan>,
        /// The other side.
        right: Box<Plan>,
        /// The variable on which both are sorted.
        key: VarId,
        /// Further variables that must agree.
        others: Vec<VarId>,
        /// Whether left rows without a partner are kept.
        optional: bool,
    },
    /// Looks the rows of the left up in a permutation, many at a time in sorted order.
    IndexJoin {
        /// The side that brings the keys.
        left: Box<Plan>,
        /// Where they are looked up; the keys' columns follow its prefix.
        scan: ScanPlan,
        /// The variables of those columns, in the permutation's order.
        keys: Vec<VarId>,
        /// Whether left rows without a partner are kept.
        optional: bool,
    },
    /// Puts the right side into a hash table and runs the left past it.
    HashJoin {
        /// The side that streams.
        left: Box<Plan>,
        /// The side that is put into the table.
        right: Box<Plan>,
        /// What becomes of the rows, and on which variables.
        join: JoinSpec,
    },
    /// Runs the right side again for each large piece of the left, with the left's distinct bindings handed in.
    SeededJoin {
        /// The side that brings the bindings.
        left: Box<Plan>,
        /// The side that gets them, through a [`Node::Seed`].
        right: Box<Plan>,
        /// Through which seed.
        slot: SeedSlot,
        /// The variables handed in.
        seeds: Vec<VarId>,
        /// The right is to be run for each left row by itself.
        row_by_row: bool,
        /// What becomes of the rows, and on which variables.
        join: JoinSpec,
    },
    /// Asks another endpoint, with the bindings of some variables that an enclosing [`Node::SeededJoin`] hands in.
    Service(Arc<ServicePattern>, Option<(SeedSlot, Vec<VarId>)>),
    /// A path of arbitrary length.
    Closure(ClosurePlan),
    /// The rows of each input, one input after the other; missing columns are unbound.
    Union(Vec<Plan>),
    /// The rows for which all expressions are true.
    Filter(Box<Plan>, Vec<Expression>),
    /// Adds a column with the value of an expression.
    Extend(Box<Plan>, VarId, Expression),
    /// Takes triple terms apart.
    Destructure(Box<Plan>, VarId, [Slot; 3]),
    /// Adds a column that numbers the rows.
    RowNumber(Box<Plan>, VarId),
    /// Keeps, reorders or adds unbound columns, as the schema says.
    Project(Box<Plan>),
    /// Each row once.
    Distinct(Box<Plan>),
    /// Leaves out the first rows and stops after some.
    Slice(Box<Plan>, u64, Option<u64>),
    /// Sorts; keeps only the first rows where a limit is given.
    OrderBy(Box<Plan>, Vec<SortKey>, Option<u64>),
    /// Groups by the first columns of its schema and computes aggregates.
    Group(Box<Plan>, Vec<VarId>, Vec<Aggregate>),
}

/// A place through which a join hands bindings to a plan below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedSlot(pub usize);

/// A range of one permutation and what is taken from its rows.
#[derive(Clone, Debug)]
pub struct ScanPlan {
    /// The order of the columns.
    pub permutation: Permutation,
    /// The values of its first columns.
    pub prefix: Vec<TermId>,
    /// The columns that are taken, and their variables.
    pub outputs: Vec<(QuadColumn, VarId)>,
    /// Which rows count, by their graph.
    pub graph: GraphFilter,
    /// Whether equal triples of several graphs count once.
    pub merge_graphs: bool,
    /// Columns that must be equal, for a variable that occurs twice in a pattern.
    pub equal: Vec<(QuadColumn, QuadColumn)>,
    /// Predicates that do not count.
    pub excluded: Arc<[TermId]>,
}

impl ScanPlan {
    /// Whether each row of the range is one row of the result.
    pub fn is_whole_range(&self) -> bool {
        matches!(self.graph, GraphFilter::All)
            && !self.merge_graphs
            && self.equal.is_empty()
            && self.excluded.is_empty()
    }
}

/// Which rows of a range count, by their graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphFilter {
    /// All of them.
    All,
    /// Those of one graph.
    Equal(TermId),
    /// Those of several graphs, sorted.
    OneOf(Arc<[TermId]>),
    /// Those of named graphs.
    Named,
}

impl GraphFilter {
    /// The rows that are in the graphs of a scope.
    pub fn of(scope: &GraphScope) -> Self {
        match scope {
            GraphScope::One(graph) => Self::Equal(*graph),
            GraphScope::Merge(graphs) | GraphScope::Named(_, Some(graphs)) => {
                Self::OneOf(graphs.clone())
            }
            GraphScope::Union => Self::All,
            GraphScope::Named(_, None) => Self::Named,
        }
    }

    /// Whether a row of this graph counts.
    #[inline]
    pub fn admits(&self, graph: TermId) -> bool {
        match self {
            Self::All => true,
            Self::Equal(only) => graph == *only,
            Self::OneOf(some) => some.binary_search(&graph).is_ok(),
            Self::Named => graph != TermId::DEFAULT_GRAPH,
        }
    }
}

/// What becomes of rows of the left that have, or have not, a compatible row on the right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Both together.
    Inner,
    /// Both together, or the left alone.
    Left,
    /// The left row, once, if it has a partner.
    Semi,
    /// The left row, if it has none.
    Anti,
    /// The left row, if it has none that shares a bound variable with it (MINUS).
    Minus,
    /// The left row and a boolean that says whether it has one.
    Mark(VarId),
}

/// How two sides are joined.
#[derive(Clone, Debug)]
pub struct JoinSpec {
    /// What becomes of the rows.
    pub kind: JoinKind,
    /// The shared variables that are bound on both sides in every row.
    pub keys: Vec<VarId>,
    /// The other shared variables: rows are compatible where either side is unbound.
    pub loose: Vec<VarId>,
    /// What must also be true of the joined row.
    pub conditions: Vec<Expression>,
}

/// How a path of arbitrary length is run: from some nodes on, step by step, each node's steps looked up once.
#[derive(Clone, Debug)]
pub struct ClosurePlan {
    /// Where it starts.
    pub start: Slot,
    /// Where it ends.
    pub end: Slot,
    /// Whether it is walked from the end to the start.
    pub backwards: bool,
    /// The rows of one step: two columns, from and to (to and from when backwards).
    pub step: Box<Plan>,
    /// The seed through which the step gets the nodes to go on from; `None` when all steps are read at once.
    pub slot: Option<SeedSlot>,
    /// One column of nodes to begin at; `None` is every node that a step leaves.
    pub starts: Option<Box<Plan>>,
    /// Whether the empty path counts.
    pub zero: bool,
    /// Whether more than one step may be taken.
    pub many: bool,
    /// The graphs in which a node must occur for its empty path to count; `None` when it always does.
    pub nodes_of: Option<GraphScope>,
}
