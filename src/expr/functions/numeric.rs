//! Functions on numbers (SPARQL 1.2 Query, section 17.4.4).

use super::At;
use super::arguments::{number, only};
use crate::expr::node::Node;
use crate::expr::number::Number;
use crate::expr::raise::{ExprErrorKind, Outcome};
use crate::expr::value::Value;
use oxsdatatypes::{Double, Float};
use spargebra::algebra::Function;

/// ABS, CEIL, FLOOR and ROUND.
pub(super) fn unary(function: &Function, args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let n = number(only(args, at)?, at)?;
    let result = match n {
        Number::Integer(i) if *function == Function::Abs => i.checked_abs().map(Number::Integer),
        Number::Integer(_) => Some(n),
        Number::Decimal(d) => match function {
            Function::Abs => d.checked_abs(),
            Function::Ceil => d.checked_ceil(),
            Function::Floor => d.checked_floor(),
            _ => d.checked_round(),
        }
        .map(Number::Decimal),
        Number::Double(d) => Some(Number::Double(match function {
            Function::Abs => d.abs(),
            Function::Ceil => d.ceil(),
            Function::Floor => d.floor(),
            _ => Double::from(d).round().into(),
        })),
        Number::Float(f) => Some(Number::Float(match function {
            Function::Abs => f.abs(),
            Function::Ceil => f.ceil(),
            Function::Floor => f.floor(),
            _ => Float::from(f).round().into(),
        })),
    };
    match result {
        Some(n) => Ok(Value::Number(n)),
        None => at.fail(ExprErrorKind::Overflow),
    }
}

/// RAND.
pub(super) fn random() -> Value<'static> {
    Value::Number(Number::Double(rand::random()))
}
