//! Which expressions are simple tests of one variable, that a probe can answer.

use super::context::ExprContext;
use super::functions::compile_pattern;
use super::node::{Constant, Node, Operator};
use super::prefix::{Prefix, literal_prefix};
use super::probe::{Kind, Test};
use super::raise::Place;
use super::value::{Value, inline_number};
use crate::diagnostics::Result;
use crate::term::Tag;
use spargebra::algebra::Function;

impl Test {
    /// The test that gives the same verdicts as a node, and the place of the node's variable.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub(super) fn of(node: &Node, cx: &ExprContext) -> Result<Option<(Self, Place)>> {
        Ok(match node {
            Node::Compare(comparison) => match &comparison.sides {
                [Node::Column(column), Node::Constant(constant)] => {
                    comparison_test(comparison.operator, constant, cx)?
                        .map(|test| (test, column.place))
                }
                [Node::Constant(constant), Node::Column(column)] => {
                    comparison_test(comparison.operator.flipped(), constant, cx)?
                        .map(|test| (test, column.place))
                }
                _ => None,
            },
            Node::In(membership) => match &membership.member {
                Node::Column(column) => {
                    membership_test(&membership.list, cx)?.map(|test| (test, column.place))
                }
                _ => None,
            },
            Node::Call(call) => match (&*call.args, kind_test(&call.function)) {
                ([Node::Column(column)], Some(kind)) => Some((Self::Kind(kind), column.place)),
                (args, None) => prefix_test(&call.function, args),
                _ => None,
            },
            _ => None,
        })
    }
}

fn comparison_test(
    operator: Operator,
    constant: &Constant,
    cx: &ExprContext,
) -> Result<Option<Test>> {
    let id = constant.id(cx)?;
    if let Some(number) = inline_number(id) {
        return Ok(Some(Test::Number(operator, number)));
    }
    if let Some(fields) = id.as_date_fields() {
        return Ok(Some(Test::Instant(operator, id.tag(), fields.instant())));
    }
    let is_known = !matches!(id.tag(), Tag::Typed | Tag::Triple);
    Ok((operator == Operator::Equal && is_known).then_some(Test::Equal(id)))
}

fn membership_test(list: &[Node], cx: &ExprContext) -> Result<Option<Test>> {
    let mut ids = hashbrown::HashSet::default();
    for item in list {
        let Node::Constant(constant) = item else {
            return Ok(None);
        };
        ids.insert(constant.id(cx)?);
    }
    Ok(Some(Test::Among(ids)))
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

/// STRSTARTS, or an anchored REGEX without flags, of a variable or its STR and a constant.
fn prefix_test(function: &Function, args: &[Node]) -> Option<(Test, Place)> {
    let [subject, Node::Constant(constant)] = args else {
        return None;
    };
    let Value::String(text) = &constant.value else {
        return None;
    };
    let (prefix, is_all) = match function {
        Function::StrStarts => (text.to_string(), true),
        // What begins otherwise does not match, but a pattern that is wrong is an error for every text.
        Function::Regex => literal_prefix(text).filter(|_| compile_pattern(text, "").is_some())?,
        _ => return None,
    };
    let (column, through_str) = match subject {
        Node::Column(column) => (column, false),
        Node::Call(call) if call.function == Function::Str => match &*call.args {
            [Node::Column(column)] => (column, true),
            _ => return None,
        },
        _ => return None,
    };
    let prefix = Prefix::new(prefix, is_all, through_str);
    Some((Test::Prefix(prefix), column.place))
}
