//! From an expression of the algebra to something that works on batches.
//!
//! Compiling binds variables to columns, folds what depends on no variable, remembers what depends on one, and picks
//! probes for simple tests. Constants are looked up once here. Sub-expressions are numbered in pre-order, so that errors
//! can name them.

use super::arithmetic::{Arithmetic, ArithmeticOperator};
use super::context::{ExprContext, SolutionScope};
use super::functions::{Call, is_known_cast};
use super::memo::Memo;
use super::node::{Column, Comparison, Constant, Membership, Node, Operator, RememberedNode, Row};
use super::probe::{Kind, Probe, Test};
use super::raise::{ExprErrorKind, Outcome, Place, catch};
use super::value::{Value, inline_number};
use super::vector::{OneColumn, Run, Vector};
use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::term::{Tag, TermId};
use oxrdf::Term;
use spargebra::algebra::{Expression, Function};
use spargebra::term::Variable;

/// The cost from which a part over one variable is remembered within an expression over several.
const REMEMBERED_COST_MIN: u32 = 4;

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
        let mut compiler = Compiler {
            columns,
            cx,
            scope,
            source: cx.errors.register(expression),
            nodes: 0,
        };
        let root = compiler.vector(expression)?;
        let mentioned = super::walk::mentioned_variables(expression);
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
        let is_true = |&place: &u32| truths[place as usize] == super::ebv::Truth::True;
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

/// The columns that an expression depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Uses {
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
struct Built {
    node: Node,
    uses: Uses,
    is_deterministic: bool,
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

struct Compiler<'c> {
    columns: &'c [Variable],
    cx: &'c ExprContext,
    scope: SolutionScope,
    source: u32,
    nodes: u32,
}

impl Compiler<'_> {
    /// The place of the expression that is visited now; called once for each, parents first.
    fn next_place(&mut self) -> Place {
        self.nodes += 1;
        Place {
            source: self.source,
            node: self.nodes - 1,
        }
    }

    fn column(&self, variable: &Variable) -> Option<usize> {
        self.columns.iter().position(|c| c == variable)
    }

    fn vector(&mut self, expression: &Expression) -> Result<Vector> {
        match expression {
            Expression::And(a, b) => {
                self.next_place();
                Ok(conjunction(self.vector(a)?, self.vector(b)?))
            }
            Expression::Or(a, b) => {
                self.next_place();
                Ok(disjunction(self.vector(a)?, self.vector(b)?))
            }
            Expression::Not(a) => {
                self.next_place();
                Ok(negation(self.vector(a)?))
            }
            _ => {
                let built = self.build(expression)?;
                self.leaf(built)
            }
        }
    }

    fn leaf(&self, built: Built) -> Result<Vector> {
        Ok(match (built.node, built.uses) {
            (Node::Constant(constant), _) => match super::ebv::effective(&constant.value) {
                Ok(truth) => Vector::Constant(constant.id(self.cx)?, truth),
                Err(_) => Vector::Rows(Box::new(Node::Constant(constant))),
            },
            (Node::Bound(column), _) => Vector::Bound(column),
            (Node::Column(c), _) => {
                let (column, place) = (c.column, c.place);
                Vector::Column(Box::new(OneColumn::new(column, Node::Column(c))), place)
            }
            (node, Uses::One(column)) if built.is_deterministic => {
                let test = self.test(&node)?;
                let (place, slow) = (node.place(), OneColumn::new(column, node));
                match test {
                    Some((test, variable_place)) => Vector::Probe(Box::new(Probe {
                        test,
                        place,
                        variable_place,
                        slow,
                    })),
                    None => Vector::OneColumn(Box::new(slow)),
                }
            }
            (node, _) => Vector::Rows(Box::new(node)),
        })
    }

    /// The probe that gives the same verdicts as a node, and the place of its variable.
    fn test(&self, node: &Node) -> Result<Option<(Test, Place)>> {
        Ok(match node {
            Node::Compare(comparison) => match &comparison.sides {
                [Node::Column(column), Node::Constant(constant)] => self
                    .comparison_test(comparison.operator, constant)?
                    .map(|test| (test, column.place)),
                [Node::Constant(constant), Node::Column(column)] => self
                    .comparison_test(comparison.operator.flipped(), constant)?
                    .map(|test| (test, column.place)),
                _ => None,
            },
            Node::In(membership) => match &membership.member {
                Node::Column(column) => self
                    .membership_test(&membership.list)?
                    .map(|test| (test, column.place)),
                _ => None,
            },
            Node::Call(call) => match (&*call.args, kind_test(&call.function)) {
                ([Node::Column(column)], Some(kind)) => Some((Test::Kind(kind), column.place)),
                _ => None,
            },
            _ => None,
        })
    }

    fn comparison_test(&self, operator: Operator, constant: &Constant) -> Result<Option<Test>> {
        let id = constant.id(self.cx)?;
        if let Some(number) = inline_number(id) {
            return Ok(Some(Test::Number(operator, number)));
        }
        if let Some(fields) = id.as_date_fields() {
            return Ok(Some(Test::Instant(operator, id.tag(), fields.instant())));
        }
        let is_known = !matches!(id.tag(), Tag::Typed | Tag::Triple);
        Ok((operator == Operator::Equal && is_known).then_some(Test::Equal(id)))
    }

    fn membership_test(&self, list: &[Node]) -> Result<Option<Test>> {
        let mut ids = hashbrown::HashSet::default();
        for item in list {
            let Node::Constant(constant) = item else {
                return Ok(None);
            };
            ids.insert(constant.id(self.cx)?);
        }
        Ok(Some(Test::Among(ids)))
    }

    fn build(&mut self, expression: &Expression) -> Result<Built> {
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
                let parts = super::walk::children(expression);
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
            is_deterministic_operator(expression) && parts.iter().all(|p| p.is_deterministic);
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

/// The node of an expression whose parts are nodes already.
fn assemble(expression: &Expression, parts: Vec<Node>, place: Place) -> Node {
    use Expression as E;
    if let E::FunctionCall(function, _) = expression {
        return call(function, parts, place);
    }
    let mut parts = parts.into_iter();
    let mut next = || {
        parts
            .next()
            .unwrap_or(Node::Raise(ExprErrorKind::Argument, place))
    };
    match expression {
        E::Or(..) => Node::Or(Box::new([next(), next()])),
        E::And(..) => Node::And(Box::new([next(), next()])),
        E::Not(_) => Node::Not(Box::new(next())),
        E::SameTerm(..) => Node::SameTerm(Box::new([next(), next()])),
        E::If(..) => Node::If(Box::new([next(), next(), next()])),
        E::In(..) => Node::In(Box::new(Membership {
            member: next(),
            list: parts.collect(),
            place,
        })),
        E::Equal(..) => comparison(Operator::Equal, [next(), next()], place),
        E::Less(..) => comparison(Operator::Less, [next(), next()], place),
        E::LessOrEqual(..) => comparison(Operator::LessOrEqual, [next(), next()], place),
        E::Greater(..) => comparison(Operator::Greater, [next(), next()], place),
        E::GreaterOrEqual(..) => comparison(Operator::GreaterOrEqual, [next(), next()], place),
        E::Add(..) => arithmetic(ArithmeticOperator::Add, parts, place),
        E::Subtract(..) => arithmetic(ArithmeticOperator::Subtract, parts, place),
        E::Multiply(..) => arithmetic(ArithmeticOperator::Multiply, parts, place),
        E::Divide(..) => arithmetic(ArithmeticOperator::Divide, parts, place),
        E::UnaryPlus(_) => arithmetic(ArithmeticOperator::Plus, parts, place),
        E::UnaryMinus(_) => arithmetic(ArithmeticOperator::Minus, parts, place),
        _ => Node::Coalesce(parts.collect(), place),
    }
}

fn comparison(operator: Operator, sides: [Node; 2], place: Place) -> Node {
    Node::Compare(Box::new(Comparison {
        operator,
        sides,
        place,
    }))
}

fn arithmetic(
    operator: ArithmeticOperator,
    operands: impl Iterator<Item = Node>,
    place: Place,
) -> Node {
    Node::Arithmetic(Box::new(Arithmetic {
        operator,
        operands: operands.collect(),
        place,
    }))
}

fn call(function: &Function, args: Vec<Node>, place: Place) -> Node {
    if let Function::Custom(name) = function
        && !is_known_cast(name.as_str())
    {
        tracing::debug!(
            target: super::raise::EXPR_TARGET,
            function = name.as_str(),
            "the query calls a function that is not known here; it raises an error in every row"
        );
        return Node::Raise(ExprErrorKind::UnknownFunction, place);
    }
    Node::Call(Box::new(Call::new(function.clone(), args, place)))
}

fn is_deterministic_operator(expression: &Expression) -> bool {
    !matches!(
        expression,
        Expression::FunctionCall(
            Function::Rand | Function::Uuid | Function::StrUuid | Function::BNode,
            _
        )
    )
}

/// What an operator costs beside its operands: a little for what ids tell, more where a term is read.
fn own_cost(expression: &Expression) -> u32 {
    match expression {
        Expression::FunctionCall(function, _) => match function {
            Function::Str | Function::Lang | Function::Datatype | Function::LangDir => 1,
            _ if kind_test(function).is_some() => 1,
            _ => REMEMBERED_COST_MIN,
        },
        _ => 1,
    }
}

/// The kind of term that a function tests for.
fn kind_test(function: &Function) -> Option<Kind> {
    Some(match function {
        Function::IsIri => Kind::Iri,
        Function::IsBlank => Kind::Blank,
        Function::IsLiteral => Kind::Literal,
        Function::IsTriple => Kind::Triple,
        Function::IsNumeric => Kind::Numeric,
        Function::HasLang => Kind::HasLanguage,
        _ => return None,
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
