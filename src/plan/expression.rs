//! Walking SPARQL expressions.

use spargebra::algebra::Expression;

/// The direct parts of an expression; the pattern of an EXISTS is not one.
pub fn children_mut(expression: &mut Expression) -> Vec<&mut Expression> {
    match expression {
        Expression::NamedNode(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Bound(_)
        | Expression::Exists(_) => Vec::new(),
        Expression::Or(a, b)
        | Expression::And(a, b)
        | Expression::Equal(a, b)
        | Expression::SameTerm(a, b)
        | Expression::Greater(a, b)
        | Expression::GreaterOrEqual(a, b)
        | Expression::Less(a, b)
        | Expression::LessOrEqual(a, b)
        | Expression::Add(a, b)
        | Expression::Subtract(a, b)
        | Expression::Multiply(a, b)
        | Expression::Divide(a, b) => vec![a, b],
        Expression::UnaryPlus(a) | Expression::UnaryMinus(a) | Expression::Not(a) => vec![a],
        Expression::If(a, b, c) => vec![a, b, c],
        Expression::In(a, list) => std::iter::once(&mut **a).chain(list).collect(),
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => list.iter_mut().collect(),
    }
}
