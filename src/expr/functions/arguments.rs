//! How functions take their arguments: as string literals, simple strings, numbers.

use super::At;
use crate::expr::node::Node;
use crate::expr::number::Number;
use crate::expr::raise::{ExprErrorKind, Outcome};
use crate::expr::value::{LangText, Value};
use oxrdf::BaseDirection;
use std::borrow::Cow;

/// A "string literal" argument (SPARQL 1.2 Query, section 17.4.3): text, perhaps with a language and a direction.
#[derive(Debug)]
pub(super) struct Text<'n> {
    pub lexical: Cow<'n, str>,
    pub tag: Option<(Cow<'n, str>, Option<BaseDirection>)>,
}

impl<'n> Text<'n> {
    /// A literal of the same kind with another lexical form.
    pub(super) fn with<'m>(self, lexical: Cow<'m, str>) -> Value<'m>
    where
        'n: 'm,
    {
        match self.tag {
            None => Value::String(lexical),
            Some((language, direction)) => Value::Lang(LangText {
                lexical,
                language,
                direction,
            }),
        }
    }

    /// Whether a second argument goes with this first one ("argument compatible").
    pub(super) fn is_compatible_with(&self, other: &Text<'_>) -> bool {
        match (&self.tag, &other.tag) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => a.0.eq_ignore_ascii_case(&b.0) && a.1 == b.1,
        }
    }
}

/// The error of an argument whose kind the function does not take.
pub(super) fn misfit(value: &Value<'_>) -> ExprErrorKind {
    match value {
        Value::Opaque(literal) if literal.is_ill_typed() => ExprErrorKind::IllTyped,
        _ => ExprErrorKind::Type,
    }
}

/// A string literal.
pub(super) fn text<'n>(node: &'n mut Node, at: At<'_>) -> Outcome<Text<'n>> {
    match node.value(at.row, at.cx)? {
        Value::String(lexical) => Ok(Text { lexical, tag: None }),
        Value::Lang(text) => Ok(Text {
            lexical: text.lexical,
            tag: Some((text.language, text.direction)),
        }),
        other => at.fail(misfit(&other)),
    }
}

/// An `xsd:string`.
pub(super) fn simple<'n>(node: &'n mut Node, at: At<'_>) -> Outcome<Cow<'n, str>> {
    match node.value(at.row, at.cx)? {
        Value::String(lexical) => Ok(lexical),
        other => at.fail(misfit(&other)),
    }
}

/// A number.
pub(super) fn number(node: &mut Node, at: At<'_>) -> Outcome<Number> {
    match node.value(at.row, at.cx)? {
        Value::Number(n) => Ok(n),
        other => at.fail(misfit(&other)),
    }
}

/// The only argument.
pub(super) fn only<'n>(args: &'n mut [Node], at: At<'_>) -> Outcome<&'n mut Node> {
    match args {
        [arg] => Ok(arg),
        _ => at.fail(ExprErrorKind::Argument),
    }
}

/// Both arguments.
pub(super) fn both<'n>(args: &'n mut [Node], at: At<'_>) -> Outcome<(&'n mut Node, &'n mut Node)> {
    match args {
        [first, second] => Ok((first, second)),
        _ => at.fail(ExprErrorKind::Argument),
    }
}
