//! Functions on strings (SPARQL 1.2 Query, section 17.4.3). Positions count code points.

use super::At;
use super::arguments::{Text, both, number, only, text};
use crate::expr::node::Node;
use crate::expr::number::Number;
use crate::expr::raise::{ExprErrorKind, Outcome};
use crate::expr::value::Value;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use spargebra::algebra::Function;
use std::borrow::Cow;

/// What `fn:encode-for-uri` leaves as it is beside letters and digits (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// STRLEN.
pub(super) fn length(args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let text = text(only(args, at)?, at)?;
    let count = text.lexical.chars().count();
    Ok(Value::Number(Number::Integer(count as i128)))
}

/// SUBSTR.
pub(super) fn substring<'n>(args: &'n mut [Node], at: At<'_>) -> Outcome<Value<'n>> {
    let (source, start, count) = match args {
        [source, start] => (source, start, None),
        [source, start, count] => (source, start, Some(count)),
        _ => return at.fail(ExprErrorKind::Argument),
    };
    let start = integer(start, at)?;
    let end = match count {
        Some(count) => start.saturating_add(integer(count, at)?),
        None => i128::MAX,
    };
    let source = text(source, at)?;
    let lexical = match &source.lexical {
        Cow::Borrowed(all) => Cow::Borrowed(characters(all, start, end)),
        Cow::Owned(all) => Cow::Owned(characters(all, start, end).to_owned()),
    };
    Ok(source.with(lexical))
}

fn integer(node: &mut Node, at: At<'_>) -> Outcome<i128> {
    match number(node, at)? {
        Number::Integer(i) => Ok(i),
        _ => at.fail(ExprErrorKind::Type),
    }
}

/// The characters at positions from `start` and before `end`, counted from one.
fn characters(text: &str, start: i128, end: i128) -> &str {
    let byte = |position: i128| match usize::try_from(position.saturating_sub(1)) {
        Ok(n) => text.char_indices().nth(n).map_or(text.len(), |(at, _)| at),
        Err(_) if position < 1 => 0,
        Err(_) => text.len(),
    };
    let from = byte(start);
    text.get(from..byte(end).max(from)).unwrap_or_default()
}

/// UCASE and LCASE.
pub(super) fn change_case<'n>(
    function: &Function,
    args: &'n mut [Node],
    at: At<'_>,
) -> Outcome<Value<'n>> {
    let text = text(only(args, at)?, at)?;
    let changed = match function {
        Function::UCase => text.lexical.to_uppercase(),
        _ => text.lexical.to_lowercase(),
    };
    Ok(text.with(Cow::Owned(changed)))
}

/// Two string literals of which the second goes with the first.
fn compatible<'n>(args: &'n mut [Node], at: At<'_>) -> Outcome<(Text<'n>, Text<'n>)> {
    let (first, second) = both(args, at)?;
    let (first, second) = (text(first, at)?, text(second, at)?);
    if first.is_compatible_with(&second) {
        Ok((first, second))
    } else {
        at.fail(ExprErrorKind::Argument)
    }
}

/// STRSTARTS, STRENDS and CONTAINS.
pub(super) fn find(function: &Function, args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let (text, part) = compatible(args, at)?;
    let part = &*part.lexical;
    Ok(Value::Boolean(match function {
        Function::StrStarts => text.lexical.starts_with(part),
        Function::StrEnds => text.lexical.ends_with(part),
        _ => text.lexical.contains(part),
    }))
}

/// STRBEFORE and STRAFTER: a simple empty string where the second argument does not occur.
pub(super) fn cut<'n>(function: &Function, args: &'n mut [Node], at: At<'_>) -> Outcome<Value<'n>> {
    let (text, part) = compatible(args, at)?;
    let Some(found) = text.lexical.find(&*part.lexical) else {
        return Ok(Value::String(Cow::Borrowed("")));
    };
    let range = match function {
        Function::StrBefore => 0..found,
        _ => found + part.lexical.len()..text.lexical.len(),
    };
    let lexical = match &text.lexical {
        Cow::Borrowed(all) => Cow::Borrowed(&all[range]),
        Cow::Owned(all) => Cow::Owned(all[range].to_owned()),
    };
    Ok(text.with(lexical))
}

/// CONCAT: keeps a language that all arguments share.
pub(super) fn concat<'n>(args: &'n mut [Node], at: At<'_>) -> Outcome<Value<'n>> {
    let mut args = args.iter_mut();
    let Some(first) = args.next() else {
        return Ok(Value::String(Cow::Borrowed("")));
    };
    let first = text(first, at)?;
    let mut tag = first.tag;
    let mut all = first.lexical;
    for arg in args {
        let next = text(arg, at)?;
        let is_same = match (&tag, &next.tag) {
            (Some(a), Some(b)) => a.0.eq_ignore_ascii_case(&b.0) && a.1 == b.1,
            _ => false,
        };
        if !is_same {
            tag = None;
        }
        all.to_mut().push_str(&next.lexical);
    }
    let kind = Text {
        lexical: Cow::Borrowed(""),
        tag,
    };
    Ok(kind.with(all))
}

/// ENCODE_FOR_URI.
pub(super) fn encode_for_uri(args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let text = text(only(args, at)?, at)?;
    let encoded = utf8_percent_encode(&text.lexical, RESERVED).to_string();
    Ok(Value::String(Cow::Owned(encoded)))
}

#[cfg(test)]
mod tests {
    use super::characters;

    #[test]
    fn positions_count_code_points_from_one() {
        for (text, start, end, expected) in [
            ("a🚀b", 2, 3, "🚀"),
            ("a🚀b", 3, i128::MAX, "b"),
            ("hello", 0, 3, "he"),
            ("hello", -1, 3, "he"),
            ("hello", 4, 103, "lo"),
            ("hello", 9, 10, ""),
            ("hello", 3, 2, ""),
            ("hello", i128::MIN, i128::MAX, "hello"),
        ] {
            assert_eq!(characters(text, start, end), expected);
        }
    }
}
