//! Which node an expression of the algebra becomes once its parts are nodes, and what it costs.

use super::arithmetic::{Arithmetic, ArithmeticOperator};
use super::functions::{Call, is_known_cast};
use super::node::{Comparison, Membership, Node, Operator};
use super::raise::{EXPR_TARGET, ExprErrorKind, Place};
use spargebra::algebra::{Expression, Function};

/// The cost from which a part over one variable is remembered within an expression over several.
pub(super) const REMEMBERED_COST_MIN: u32 = 4;

/// The node of an expression whose parts are nodes already.
pub(super) fn assemble(expression: &Expression, parts: Vec<Node>, place: Place) -> Node {
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
            target: EXPR_TARGET,
            function = name.as_str(),
            "the query calls a function that is not known here; it raises an error in every row"
        );
        return Node::Raise(ExprErrorKind::UnknownFunction, place);
    }
    Node::Call(Box::new(Call::new(function.clone(), args, place)))
}

/// What an operator costs beside its operands: a little for what ids tell, more where a term is read.
pub(super) fn own_cost(expression: &Expression) -> u32 {
    match expression {
        Expression::FunctionCall(function, _) => match function {
            Function::Str | Function::Lang | Function::Datatype | Function::LangDir => 1,
            Function::IsIri
            | Function::IsBlank
            | Function::IsLiteral
            | Function::IsTriple
            | Function::IsNumeric
            | Function::HasLang => 1,
            _ => REMEMBERED_COST_MIN,
        },
        _ => 1,
    }
}
