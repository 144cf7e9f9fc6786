//! Questions about expressions of the algebra that need no evaluation: their parts, variables and determinism.

use spargebra::algebra::{Expression, Function};
use spargebra::term::Variable;

/// The direct sub-expressions, in the order in which they are written. A pattern below EXISTS is none.
pub fn children(expression: &Expression) -> Vec<&Expression> {
    use Expression as E;
    match expression {
        E::NamedNode(_) | E::Literal(_) | E::Variable(_) | E::Bound(_) | E::Exists(_) => Vec::new(),
        E::Or(a, b)
        | E::And(a, b)
        | E::Equal(a, b)
        | E::SameTerm(a, b)
        | E::Greater(a, b)
        | E::GreaterOrEqual(a, b)
        | E::Less(a, b)
        | E::LessOrEqual(a, b)
        | E::Add(a, b)
        | E::Subtract(a, b)
        | E::Multiply(a, b)
        | E::Divide(a, b) => vec![a, b],
        E::UnaryPlus(a) | E::UnaryMinus(a) | E::Not(a) => vec![a],
        E::In(a, list) => std::iter::once(&**a).chain(list).collect(),
        E::If(a, b, c) => vec![a, b, c],
        E::Coalesce(list) | E::FunctionCall(_, list) => list.iter().collect(),
    }
}

/// The sub-expression that is the `n`-th in pre-order.
pub(super) fn nth(root: &Expression, n: usize) -> Option<&Expression> {
    let mut stack = vec![root];
    for _ in 0..n {
        let next = stack.pop()?;
        stack.extend(children(next).into_iter().rev());
    }
    stack.pop()
}

/// Whether equal bindings always give equal values: no RAND, UUID, STRUUID or BNODE. (NOW is fixed within a query.)
pub fn is_deterministic(expression: &Expression) -> bool {
    is_deterministic_operator(expression) && children(expression).into_iter().all(is_deterministic)
}

/// The same of an operator or function by itself.
pub(super) fn is_deterministic_operator(expression: &Expression) -> bool {
    !matches!(
        expression,
        Expression::FunctionCall(
            Function::Rand | Function::Uuid | Function::StrUuid | Function::BNode,
            _
        )
    )
}

/// The variables that an expression reads, each once, in the order of their first mention. Variables of a pattern
/// below EXISTS are not among them.
pub fn mentioned_variables(expression: &Expression) -> Vec<&Variable> {
    let mut found: Vec<&Variable> = Vec::new();
    let mut stack = vec![expression];
    while let Some(next) = stack.pop() {
        if let Expression::Variable(v) | Expression::Bound(v) = next
            && !found.contains(&v)
        {
            found.push(v);
        }
        stack.extend(children(next).into_iter().rev());
    }
    found
}
