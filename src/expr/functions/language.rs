//! Language tags: STRLANG, STRLANGDIR and langMATCHES (SPARQL 1.2 Query, sections 17.4.2 and 17.4.3).

use super::At;
use super::arguments::{both, simple};
use crate::expr::node::Node;
use crate::expr::raise::{ExprErrorKind, Outcome};
use crate::expr::value::{LangText, Value};
use oxrdf::{BaseDirection, Literal};
use std::borrow::Cow;

/// STRLANG, and with a third argument STRLANGDIR.
pub(super) fn str_lang<'n>(args: &'n mut [Node], at: At<'_>) -> Outcome<Value<'n>> {
    let [lexical, language, direction @ ..] = args else {
        return at.fail(ExprErrorKind::Argument);
    };
    let direction = match direction.first_mut() {
        None => None,
        Some(node) => match &*simple(node, at)? {
            "ltr" => Some(BaseDirection::Ltr),
            "rtl" => Some(BaseDirection::Rtl),
            _ => return at.fail(ExprErrorKind::Argument),
        },
    };
    let lexical = simple(lexical, at)?;
    let language = simple(language, at)?;
    // The data model checks the tag and writes it as it does in data, so that equal tags are equal terms.
    let checked = Literal::new_language_tagged_literal("", &*language);
    let Some(language) = checked.ok().and_then(|l| l.language().map(str::to_owned)) else {
        return at.fail(ExprErrorKind::Argument);
    };
    Ok(Value::Lang(LangText {
        lexical,
        language: Cow::Owned(language),
        direction,
    }))
}

/// langMATCHES: basic filtering (RFC 4647, section 3.3.1).
pub(super) fn lang_matches(args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let (tag, range) = both(args, at)?;
    let tag = simple(tag, at)?;
    let range = simple(range, at)?;
    Ok(Value::Boolean(matches_range(&tag, &range)))
}

fn matches_range(tag: &str, range: &str) -> bool {
    if tag.is_empty() || range.is_empty() {
        return false;
    }
    if range == "*" {
        return true;
    }
    match tag.split_at_checked(range.len()) {
        Some((start, rest)) => {
            start.eq_ignore_ascii_case(range) && (rest.is_empty() || rest.starts_with('-'))
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::matches_range;

    #[test]
    fn ranges_match_whole_subtags_in_any_case() {
        for (tag, range, expected) in [
            ("en", "EN", true),
            ("en-GB", "en", true),
            ("eng", "en", false),
            ("en", "en-GB", false),
            ("fr", "*", true),
            ("", "*", false),
            ("en", "", false),
        ] {
            assert_eq!(matches_range(tag, range), expected, "{tag} {range}");
        }
    }
}
