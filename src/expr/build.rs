//! From expressions of the algebra to nodes.
//!
//! Building binds variables to columns, folds what depends on no variable, and remembers by id what depends on one
//! within an expression over several. Constants are looked up once here. Sub-expressions are numbered in pre-order, so
//! that errors can name them.

use super::assemble::{REMEMBERED_COST_MIN, assemble, own_cost};
use super::context::{ExprContext, SolutionScope};
use super::memo::Memo;
use super::node::{Column, Constant, Node, RememberedNode, Row};
use super::raise::{ExprErrorKind, Outcome, Place, catch};
use super::value::Value;
use super::walk;
use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::term::TermId;
use oxrdf::Term;
use spargebra::algebra::Expression;
use spargebra::term::Variable;

/// The columns that an expression depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Uses {
    None,
    One(usize),
    Many,
}

impl Uses {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, uses) | (uses, Self::None) => uses,
            (a, b) if a == b => a,
            _ => Self::Many,
        }
    }
}

/// A node and what is known about it.
pub(super) struct Built {
    pub node: Node,
    pub uses: Uses,
    pub is_deterministic: bool,
    cost: u32,
}

impl Built {
    fn is_foldable(&self) -> bool {
        self.uses == Uses::None
            && self.is_deterministic
            && !matches!(self.node, Node::Constant(_) | Node::Raise(..))
    }

    /// As a part of an expression that cannot be remembered as a whole.
    fn into_part(self) -> Node {
        match self.uses {
            Uses::One(column)
                if self.is_deterministic
                    && self.cost >= REMEMBERED_COST_MIN
                    && !self.node.hands_on_a_term() =>
            {
                Node::Remembered(Box::new(RememberedNode {
                    column,
                    node: self.node,
                    memo: Memo::default(),
                }))
            }
            _ => self.node,
        }
    }
}

/// Compiles the sub-expressions of one expression.
pub(super) struct Compiler<'c> {
    columns: &'c [Variable],
    cx: &'c ExprContext,
    scope: SolutionScope,
    source: u32,
    nodes: u32,
}

impl<'c> Compiler<'c> {
    pub(super) fn new(
        expression: &Expression,
        columns: &'c [Variable],
        scope: SolutionScope,
        cx: &'c ExprContext,
    ) -> Self {
        Self {
            columns,
            cx,
            scope,
            source: cx.errors.register(expression),
            nodes: 0,
        }
    }

    /// The place of the expression that is visited now; called once for each, parents first.
    pub(super) fn next_place(&mut self) -> Place {
        self.nodes += 1;
        Place {
            source: self.source,
            node: self.nodes - 1,
        }
    }

    fn column(&self, variable: &Variable) -> Option<usize> {
        self.columns.iter().position(|c| c == variable)
    }

    /// The node of an expression and what is known about it.
    ///
    /// # Errors
    /// Reading the dictionary failed, or an EXISTS is left.
    pub(super) fn build(&mut self, expression: &Expression) -> Result<Built> {
        let place = self.next_place();
        let built = match expression {
            Expression::NamedNode(iri) => self.constant(&Term::NamedNode(iri.clone()))?,
            Expression::Literal(literal) => self.constant(&Term::Literal(literal.clone()))?,
            Expression::Variable(variable) => self.variable(variable, place),
            Expression::Bound(variable) => self.bound(variable),
            Expression::Exists(_) => {
                return Err(Error::internal(
                    "EXISTS reached the expression compiler; the planner replaces it by a variable",
                ));
            }
            _ => {
                let parts = walk::children(expression);
                let parts: Result<Vec<Built>> = parts.into_iter().map(|p| self.build(p)).collect();
                self.compound(expression, parts?, place)
            }
        };
        if built.is_foldable() {
            return self.fold(built);
        }
        Ok(built)
    }

    fn constant(&self, term: &Term) -> Result<Built> {
        let id = self.cx.terms.from_term(term)?;
        let value = Value::decode(id, &self.cx.terms, &mut Vec::new())?.into_owned();
        Ok(Built {
            node: Node::Constant(Constant::new(value, id)),
            uses: Uses::None,
            is_deterministic: true,
            cost: 0,
        })
    }

    fn variable(&self, variable: &Variable, place: Place) -> Built {
        let (node, uses) = match self.column(variable) {
            Some(column) => (Node::Column(Column::new(column, place)), Uses::One(column)),
            None => (Node::Raise(ExprErrorKind::Unbound, place), Uses::None),
        };
        Built {
            node,
            uses,
            is_deterministic: true,
            cost: 1,
        }
    }

    fn bound(&self, variable: &Variable) -> Built {
        let (node, uses) = match self.column(variable) {
            Some(column) => (Node::Bound(column), Uses::One(column)),
            None => {
                let id = TermId::from_boolean(false);
                let constant = Constant::new(Value::Boolean(false), id);
                (Node::Constant(constant), Uses::None)
            }
        };
        Built {
            node,
            uses,
            is_deterministic: true,
            cost: 0,
        }
    }

    fn compound(&self, expression: &Expression, parts: Vec<Built>, place: Place) -> Built {
        let uses = parts.iter().fold(Uses::None, |u, part| u.and(part.uses));
        let is_deterministic =
            walk::is_deterministic_operator(expression) && parts.iter().all(|p| p.is_deterministic);
        let cost = own_cost(expression) + parts.iter().map(|p| p.cost).sum::<u32>();
        let is_remembered_as_a_whole = is_deterministic && matches!(uses, Uses::One(_));
        let parts: Vec<Node> = parts
            .into_iter()
            .map(|part| match is_remembered_as_a_whole {
                true => part.node,
                false => part.into_part(),
            })
            .collect();
        Built {
            node: assemble(expression, parts, place),
            uses,
            is_deterministic,
            cost,
        }
    }

    /// Works out what depends on no variable, once for all rows.
    fn fold(&self, built: Built) -> Result<Built> {
        let batch = Batch::unit();
        let row = Row {
            batch: &batch,
            place: 0,
            number: 0,
            scope: self.scope,
        };
        let mut node = built.node;
        let folded = self.cx.errors.quietly(|| -> Outcome<Constant> {
            if node.hands_on_a_term() {
                let id = node.id(row, self.cx)?;
                let value = Value::decode(id, &self.cx.terms, &mut Vec::new())?.into_owned();
                return Ok(Constant::new(value, id));
            }
            let value = node.value(row, self.cx)?.into_owned();
            Ok(Constant::new(value, TermId::UNBOUND))
        });
        let node = match catch(folded)? {
            Ok(constant) => Node::Constant(constant),
            Err(error) => Node::Raise(error.kind(), error.place()),
        };
        Ok(Built { node, ..built })
    }
}
