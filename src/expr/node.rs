//! A compiled expression, worked out for one row.
//!
//! A node can be asked for an id, a value or an effective boolean value. What hands a term on as it is (variables,
//! constants, IF, COALESCE) answers with its id, so that `"01"^^xsd:integer` stays what it was; values are decoded only
//! where a function needs them, and text is borrowed from buffers within the nodes. Whole columns are the business of
//! [`super::vector`].

use super::arithmetic::Arithmetic;
use super::compare;
use super::context::{ExprContext, SolutionScope};
use super::ebv;
use super::functions::Call;
use super::memo::Memo;
use super::number::Number;
use super::raise::{ExprError, ExprErrorKind, Outcome, Place, catch, raise};
use super::value::{Value, inline_number};
use crate::batch::Batch;
use crate::term::TermId;
use std::cell::Cell;
use std::cmp::Ordering;

/// The row that is worked out.
#[derive(Clone, Copy)]
pub(super) struct Row<'r> {
    pub batch: &'r Batch,
    pub place: usize,
    /// The number of the solution within its scope.
    pub number: u64,
    pub scope: SolutionScope,
}

impl Row<'_> {
    pub(super) fn id(&self, column: usize) -> TermId {
        self.batch.column(column)[self.place]
    }
}

/// An expression or a part of one.
pub(super) enum Node {
    Constant(Constant),
    Column(Column),
    /// An expression that has no value for any row.
    Raise(ExprErrorKind, Place),
    Remembered(Box<RememberedNode>),
    Bound(usize),
    Not(Box<Self>),
    And(Box<[Self; 2]>),
    Or(Box<[Self; 2]>),
    Compare(Box<Comparison>),
    SameTerm(Box<[Self; 2]>),
    In(Box<Membership>),
    If(Box<[Self; 3]>),
    Coalesce(Vec<Self>, Place),
    Arithmetic(Box<Arithmetic>),
    Call(Box<Call>),
}

/// A term that does not depend on the row.
pub(super) struct Constant {
    pub value: Value<'static>,
    /// Unbound until somebody asks for it.
    id: Cell<TermId>,
}

/// A variable, by its column.
pub(super) struct Column {
    pub column: usize,
    pub place: Place,
    buffer: Vec<u8>,
}

/// A deterministic part that depends on one variable only, within an expression over several.
pub(super) struct RememberedNode {
    pub column: usize,
    pub node: Node,
    pub memo: Memo<Value<'static>>,
}

/// `=` and the order operators.
pub(super) struct Comparison {
    pub operator: Operator,
    pub sides: [Node; 2],
    pub place: Place,
}

/// The operators of a [`Comparison`]; `!=` is the negation of `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    /// Whether the operator holds for operands in this order.
    #[inline]
    pub(super) fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }

    /// The operator with its sides exchanged.
    pub(super) fn flipped(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }
}

/// `IN`.
pub(super) struct Membership {
    pub member: Node,
    pub list: Vec<Node>,
    pub place: Place,
}

impl Constant {
    pub(super) fn new(value: Value<'static>, id: TermId) -> Self {
        Self {
            value,
            id: Cell::new(id),
        }
    }

    pub(super) fn id(&self, cx: &ExprContext) -> crate::diagnostics::Result<TermId> {
        if !self.id.get().is_bound() {
            self.id.set(self.value.intern(&cx.terms)?);
        }
        Ok(self.id.get())
    }
}

impl Column {
    pub(super) fn new(column: usize, place: Place) -> Self {
        Self {
            column,
            place,
            buffer: Vec::new(),
        }
    }

    fn id(&self, row: Row<'_>, cx: &ExprContext) -> Result<TermId, ExprError> {
        let id = row.id(self.column);
        if id.is_bound() {
            Ok(id)
        } else {
            Err(raise(ExprErrorKind::Unbound, self.place, cx))
        }
    }
}

impl Node {
    /// The term, or an error.
    pub(super) fn id(&mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<TermId> {
        match self {
            Self::Constant(constant) => Ok(constant.id(cx)?),
            Self::Column(column) => Ok(column.id(row, cx)?),
            Self::If(parts) => {
                let [condition, then, otherwise] = &mut **parts;
                if condition.truth(row, cx)? {
                    then.id(row, cx)
                } else {
                    otherwise.id(row, cx)
                }
            }
            Self::Coalesce(list, place) => {
                for node in list {
                    if let Ok(id) = catch(node.id(row, cx))? {
                        return Ok(id);
                    }
                }
                Err(raise(ExprErrorKind::NothingToCoalesce, *place, cx).into())
            }
            Self::Call(call) if call.hands_on_a_term() => call.id(row, cx),
            _ if self.is_boolean() => Ok(TermId::from_boolean(self.truth(row, cx)?)),
            _ => Ok(self.value(row, cx)?.intern(&cx.terms)?),
        }
    }

    /// The value of the term, or an error.
    pub(super) fn value<'n>(&'n mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<Value<'n>> {
        match self {
            Self::Constant(constant) => Ok(constant.value.reborrow()),
            Self::Column(column) => {
                let id = column.id(row, cx)?;
                Ok(Value::decode(id, &cx.terms, &mut column.buffer)?)
            }
            Self::Raise(kind, place) => Err(raise(*kind, *place, cx).into()),
            Self::Remembered(part) => part.value(row, cx).map(Value::reborrow),
            Self::If(parts) => {
                let [condition, then, otherwise] = &mut **parts;
                if condition.truth(row, cx)? {
                    then.value(row, cx)
                } else {
                    otherwise.value(row, cx)
                }
            }
            Self::Coalesce(list, place) => {
                for node in list {
                    if let Ok(value) = catch(node.value(row, cx))? {
                        return Ok(value);
                    }
                }
                Err(raise(ExprErrorKind::NothingToCoalesce, *place, cx).into())
            }
            Self::Arithmetic(arithmetic) => arithmetic.value(row, cx),
            Self::Call(call) => call.value(row, cx),
            Self::Bound(_)
            | Self::Not(_)
            | Self::And(_)
            | Self::Or(_)
            | Self::Compare(_)
            | Self::SameTerm(_)
            | Self::In(_) => Ok(Value::Boolean(self.truth(row, cx)?)),
        }
    }

    /// The number, when it can be had from ids without reading a term; else the value must be asked for.
    pub(super) fn number(&mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<Option<Number>> {
        Ok(match self {
            Self::Column(column) => inline_number(row.id(column.column)),
            Self::Constant(constant) => match constant.value {
                Value::Number(n) => Some(n),
                _ => None,
            },
            Self::Arithmetic(arithmetic) => arithmetic.number(row, cx)?,
            _ => None,
        })
    }

    /// The effective boolean value, or an error.
    pub(super) fn truth(&mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<bool> {
        match self {
            Self::Bound(column) => Ok(row.id(*column).is_bound()),
            Self::Not(node) => Ok(!node.truth(row, cx)?),
            Self::And(sides) => decide(sides, false, row, cx),
            Self::Or(sides) => decide(sides, true, row, cx),
            Self::Compare(comparison) => comparison.truth(row, cx),
            Self::SameTerm(sides) => {
                let [left, right] = &mut **sides;
                Ok(left.id(row, cx)? == right.id(row, cx)?)
            }
            Self::In(membership) => membership.truth(row, cx),
            _ => {
                let place = self.place();
                ebv::effective(&self.value(row, cx)?).map_err(|kind| raise(kind, place, cx).into())
            }
        }
    }

    /// Whether it is a term as it stands rather than a computed value, so that its id tells more than its value.
    pub(super) fn hands_on_a_term(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Column(_) | Self::If(_) | Self::Coalesce(..) => true,
            Self::Call(call) => call.hands_on_a_term(),
            _ => false,
        }
    }

    fn is_boolean(&self) -> bool {
        matches!(
            self,
            Self::Bound(_)
                | Self::Not(_)
                | Self::And(_)
                | Self::Or(_)
                | Self::Compare(_)
                | Self::SameTerm(_)
                | Self::In(_)
        )
    }

    /// The id, when it takes no work to know it and it is bound.
    fn known_id(&self, row: Row<'_>, cx: &ExprContext) -> Outcome<Option<TermId>> {
        Ok(match self {
            Self::Constant(constant) => Some(constant.id(cx)?),
            Self::Column(column) => Some(row.id(column.column)).filter(|id| id.is_bound()),
            _ => None,
        })
    }

    /// Where errors about its value point to.
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Raise(_, place) | Self::Coalesce(_, place) => *place,
            Self::Column(column) => column.place,
            Self::Remembered(part) => part.node.place(),
            Self::If(parts) => parts[0].place(),
            Self::Arithmetic(arithmetic) => arithmetic.place,
            Self::Call(call) => call.place,
            Self::Compare(comparison) => comparison.place,
            Self::In(membership) => membership.place,
            Self::Not(node) => node.place(),
            Self::And(sides) | Self::Or(sides) | Self::SameTerm(sides) => sides[0].place(),
            Self::Constant(_) | Self::Bound(_) => Place { source: 0, node: 0 },
        }
    }
}

/// Logical-and (`dominant` false) and logical-or (`dominant` true): one dominant side decides, whatever the other is.
fn decide(sides: &mut [Node; 2], dominant: bool, row: Row<'_>, cx: &ExprContext) -> Outcome<bool> {
    let [left, right] = sides;
    let left = catch(left.truth(row, cx))?;
    if left == Ok(dominant) {
        return Ok(dominant);
    }
    let right = right.truth(row, cx)?;
    if right == dominant {
        return Ok(dominant);
    }
    Ok(left?)
}

impl RememberedNode {
    fn value(&mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<&Value<'static>> {
        let node = &mut self.node;
        self.memo.get(row.id(self.column), cx, || {
            Ok(node.value(row, cx)?.into_owned())
        })
    }
}

impl Comparison {
    fn truth(&mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<bool> {
        let [left, right] = &mut self.sides;
        if let (Some(a), Some(b)) = (left.known_id(row, cx)?, right.known_id(row, cx)?)
            && let Some(known) = self.operator.holds_for_ids(a, b)
        {
            return Ok(known);
        }
        if let (Some(a), Some(b)) = (left.number(row, cx)?, right.number(row, cx)?) {
            return Ok(a.compare(b).is_some_and(|order| self.operator.holds(order)));
        }
        let (a, b) = (left.value(row, cx)?, right.value(row, cx)?);
        let truth = match self.operator {
            Operator::Equal => compare::equals(&a, &b, &cx.terms)?,
            operator => match compare::compare(&a, &b) {
                Some(order) => Some(operator.holds(order)),
                None => compare::are_numbers(&a, &b).then_some(false),
            },
        };
        truth.ok_or_else(|| raise(self.operator.failure(&a, &b), self.place, cx).into())
    }
}

impl Operator {
    /// Whether it holds, when the ids alone tell.
    #[inline]
    fn holds_for_ids(self, a: TermId, b: TermId) -> Option<bool> {
        if self == Self::Equal
            && let Some(equal) = compare::equal_ids(a, b)
        {
            return Some(equal);
        }
        let order = match (a.as_integer(), b.as_integer()) {
            (Some(x), Some(y)) => Some(x.cmp(&y)),
            _ => compare::order_of_moments(a, b),
        };
        order.map(|order| self.holds(order))
    }

    /// Why two values cannot be compared.
    fn failure(self, a: &Value<'_>, b: &Value<'_>) -> ExprErrorKind {
        let is_ill_typed = |v: &Value<'_>| matches!(v, Value::Opaque(o) if o.is_ill_typed());
        match (a, b) {
            _ if is_ill_typed(a) || is_ill_typed(b) => ExprErrorKind::IllTyped,
            (Value::Temporal(_), Value::Temporal(_)) | (Value::Duration(_), Value::Duration(_)) => {
                ExprErrorKind::Incomparable
            }
            _ if self == Self::Equal => ExprErrorKind::Incomparable,
            _ => ExprErrorKind::Type,
        }
    }
}

impl Membership {
    /// An OR of `=` over the list: true wins over errors, errors over false.
    fn truth(&mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<bool> {
        let known = self.member.known_id(row, cx)?;
        let member = self.member.value(row, cx)?;
        let mut failure = None;
        for node in &mut self.list {
            match catch(equals_item(known, &member, node, self.place, row, cx))? {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(false), |error| Err(error.into()))
    }
}

fn equals_item(
    known: Option<TermId>,
    member: &Value<'_>,
    item: &mut Node,
    place: Place,
    row: Row<'_>,
    cx: &ExprContext,
) -> Outcome<bool> {
    if let (Some(a), Some(b)) = (known, item.known_id(row, cx)?)
        && let Some(equal) = compare::equal_ids(a, b)
    {
        return Ok(equal);
    }
    let item = item.value(row, cx)?;
    let equal = compare::equals(member, &item, &cx.terms)?;
    equal.ok_or_else(|| raise(Operator::Equal.failure(member, &item), place, cx).into())
}
