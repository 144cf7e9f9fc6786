//! From an expression of the algebra to something that works on batches.
//!
//! This file chooses how the rows of a batch are worked out: connectives by columns, the cheaper side first; simple tests
//! of one variable by probes; what depends on one variable by memo; the rest row by row.

use super::build::{Built, Compiler, Uses};
use super::context::{ExprContext, SolutionScope};
use super::ebv::{Truth, effective};
use super::node::Node;
use super::probe::{Probe, Test};
use super::vector::{OneColumn, Run, Vector};
use super::walk;
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::term::TermId;
use spargebra::algebra::Expression;
use spargebra::term::Variable;

/// An expression, ready for batches whose columns are the variables it was compiled for.
pub struct Compiled {
    root: Vector,
    variables: Vec<Variable>,
    scope: SolutionScope,
    rows: u64,
    places: Vec<u32>,
}

impl Compiled {
    /// Compiles an expression for batches with these columns. A variable that is none of them has no value in any row.
    ///
    /// # Errors
    /// Reading the dictionary failed, or the expression holds an EXISTS, which the planner should have replaced.
    pub fn new(expression: &Expression, columns: &[Variable], cx: &ExprContext) -> Result<Self> {
        Self::in_scope(expression, columns, cx.new_scope(), cx)
    }

    /// As [`Self::new`], for an expression that will be given the same rows as others of its scope.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn in_scope(
        expression: &Expression,
        columns: &[Variable],
        scope: SolutionScope,
        cx: &ExprContext,
    ) -> Result<Self> {
        let mut compiler = Compiler::new(expression, columns, scope, cx);
        let root = vector(expression, &mut compiler, cx)?;
        let mentioned = walk::mentioned_variables(expression);
        Ok(Self {
            root,
            variables: mentioned.into_iter().cloned().collect(),
            scope,
            rows: 0,
            places: Vec::new(),
        })
    }

    /// The variables that the expression reads, whether or not they are columns.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The value of each row of a batch, unbound where there is an error.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn evaluate(&mut self, batch: &Batch, cx: &ExprContext) -> Result<Vec<TermId>> {
        let mut terms = Vec::with_capacity(batch.rows());
        let Self { root, places, .. } = self;
        let run = Run {
            batch,
            cx,
            scope: self.scope,
            first_row: self.rows,
        };
        number_rows(places, batch.rows());
        cx.errors.refresh();
        root.terms(run, places, &mut terms)?;
        self.rows += batch.rows() as u64;
        Ok(terms)
    }

    /// The places of the rows whose effective boolean value is true, in their order.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn filter(&mut self, batch: &Batch, cx: &ExprContext) -> Result<Vec<u32>> {
        let mut truths = Vec::with_capacity(batch.rows());
        let Self { root, places, .. } = self;
        let run = Run {
            batch,
            cx,
            scope: self.scope,
            first_row: self.rows,
        };
        number_rows(places, batch.rows());
        cx.errors.refresh();
        root.truths(run, places, &mut truths)?;
        self.rows += batch.rows() as u64;
        let is_true = |&place: &u32| truths[place as usize] == Truth::True;
        Ok((0..batch.rows() as u32).filter(is_true).collect())
    }

    /// How often parts over one variable were worked out rather than remembered.
    pub fn worked(&self) -> u64 {
        self.root.worked()
    }

    /// The bytes of memory that remembered results take.
    pub fn bytes_held(&self) -> usize {
        self.root.bytes_held()
    }
}

/// Makes `places` begin with the numbers of `rows` rows and nothing else.
fn number_rows(places: &mut Vec<u32>, rows: usize) {
    if places.len() < rows {
        places.extend(places.len() as u32..rows as u32);
    }
    places.truncate(rows);
}

/// Connectives work on vectors; what lies below them is one node each.
fn vector(
    expression: &Expression,
    compiler: &mut Compiler<'_>,
    cx: &ExprContext,
) -> Result<Vector> {
    Ok(match expression {
        Expression::And(a, b) => {
            compiler.next_place();
            let a = vector(a, compiler, cx)?;
            conjunction(a, vector(b, compiler, cx)?)
        }
        Expression::Or(a, b) => {
            compiler.next_place();
            let a = vector(a, compiler, cx)?;
            disjunction(a, vector(b, compiler, cx)?)
        }
        Expression::Not(a) => {
            compiler.next_place();
            negation(vector(a, compiler, cx)?)
        }
        _ => leaf(compiler.build(expression)?, cx)?,
    })
}

fn leaf(built: Built, cx: &ExprContext) -> Result<Vector> {
    Ok(match (built.node, built.uses) {
        (Node::Constant(constant), _) => match effective(&constant.value) {
            Ok(truth) => Vector::Constant(constant.id(cx)?, truth),
            Err(_) => Vector::Rows(Box::new(Node::Constant(constant))),
        },
        (Node::Bound(column), _) => Vector::Bound(column),
        (Node::Column(c), _) => {
            let (column, place) = (c.column, c.place);
            Vector::Column(Box::new(OneColumn::new(column, Node::Column(c))), place)
        }
        (node, Uses::One(column)) if built.is_deterministic => {
            let test = Test::of(&node, cx)?;
            let place = node.place();
            let slow = OneColumn::new(column, node);
            match test {
                Some((test, variable_place)) => {
                    Vector::Probe(Box::new(Probe::new(test, place, variable_place, slow)))
                }
                None => Vector::OneColumn(Box::new(slow)),
            }
        }
        (node, _) => Vector::Rows(Box::new(node)),
    })
}

/// Both sides over one column, to be remembered together.
fn same_column(a: Vector, b: Vector) -> Result<(usize, [Node; 2]), [Vector; 2]> {
    match (a, b) {
        (Vector::OneColumn(a), Vector::OneColumn(b)) if a.column == b.column => {
            Ok((a.column, [a.node, b.node]))
        }
        (a, b) if b.cost() < a.cost() => Err([b, a]),
        (a, b) => Err([a, b]),
    }
}

fn conjunction(a: Vector, b: Vector) -> Vector {
    match same_column(a, b) {
        Ok((column, sides)) => one_column(column, Node::And(Box::new(sides))),
        Err(sides) => Vector::And(Box::new(sides)),
    }
}

fn disjunction(a: Vector, b: Vector) -> Vector {
    match same_column(a, b) {
        Ok((column, sides)) => one_column(column, Node::Or(Box::new(sides))),
        Err(sides) => Vector::Or(Box::new(sides)),
    }
}

fn negation(a: Vector) -> Vector {
    match a {
        Vector::OneColumn(a) => one_column(a.column, Node::Not(Box::new(a.node))),
        other => Vector::Not(Box::new(other)),
    }
}

fn one_column(column: usize, node: Node) -> Vector {
    Vector::OneColumn(Box::new(OneColumn::new(column, node)))
}
