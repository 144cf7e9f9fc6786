//! REGEX and REPLACE (SPARQL 1.2 Query, section 17.4.3; XPath Functions 3.1, section 5.6).
//!
//! Patterns run in linear time on the `regex` crate. A pattern is compiled when it or its flags change, so a constant one
//! once.

use super::At;
use super::arguments::{Text, simple, text};
use super::xpath_pattern::translate;
use crate::expr::node::Node;
use crate::expr::raise::{ExprErrorKind, Outcome};
use crate::expr::value::Value;
use regex::{NoExpand, Regex, RegexBuilder};
use std::borrow::Cow;

/// The pattern used last, compiled, or `None` in its place when it does not parse.
#[derive(Default)]
pub(in crate::expr) struct PatternCache {
    pattern: String,
    flags: String,
    compiled: Option<Option<Regex>>,
}

impl PatternCache {
    fn get(&mut self, pattern: &str, flags: &str) -> Option<&Regex> {
        if self.compiled.is_none() || self.pattern != pattern || self.flags != flags {
            pattern.clone_into(&mut self.pattern);
            flags.clone_into(&mut self.flags);
            self.compiled = Some(compile(pattern, flags));
        }
        self.compiled.as_ref()?.as_ref()
    }
}

/// Compiles a pattern with the flags `s`, `m`, `i`, `x` and `q`; only `i` has a meaning beside `q`.
pub(in crate::expr) fn compile(pattern: &str, flags: &str) -> Option<Regex> {
    if flags.contains(|flag| !"smixq".contains(flag)) {
        return None;
    }
    let is_literal = flags.contains('q');
    let translated = match is_literal {
        true => regex::escape(pattern),
        false => translate(pattern, flags)?,
    };
    RegexBuilder::new(&translated)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m') && !is_literal)
        .build()
        .ok()
}

/// The pattern and flags among the arguments.
fn pattern<'n>(
    pattern: &'n mut Node,
    flags: Option<&'n mut Node>,
    at: At<'_>,
) -> Outcome<(Cow<'n, str>, Cow<'n, str>)> {
    let flags = match flags {
        Some(flags) => simple(flags, at)?,
        None => Cow::Borrowed(""),
    };
    Ok((simple(pattern, at)?, flags))
}

/// REGEX.
pub(super) fn matches(
    args: &mut [Node],
    cache: &mut PatternCache,
    at: At<'_>,
) -> Outcome<Value<'static>> {
    let [subject, source, flags @ ..] = args else {
        return at.fail(ExprErrorKind::Argument);
    };
    let subject = text(subject, at)?;
    let (source, flags) = pattern(source, flags.first_mut(), at)?;
    match cache.get(&source, &flags) {
        Some(regex) => Ok(Value::Boolean(regex.is_match(&subject.lexical))),
        None => at.fail(ExprErrorKind::Regex),
    }
}

/// REPLACE. A pattern that matches the empty string is an error (FORX0003).
pub(super) fn replace<'n>(
    args: &'n mut [Node],
    cache: &mut PatternCache,
    at: At<'_>,
) -> Outcome<Value<'n>> {
    let [subject, source, replacement, flags @ ..] = args else {
        return at.fail(ExprErrorKind::Argument);
    };
    let subject = text(subject, at)?;
    let (source, flags) = pattern(source, flags.first_mut(), at)?;
    let replacement = simple(replacement, at)?;
    let Some(regex) = cache.get(&source, &flags) else {
        return at.fail(ExprErrorKind::Regex);
    };
    if regex.is_match("") {
        return at.fail(ExprErrorKind::Regex);
    }
    let replaced = if flags.contains('q') {
        regex.replace_all(&subject.lexical, NoExpand(&replacement))
    } else {
        match expansion(&replacement, regex.captures_len() - 1) {
            Some(expansion) => regex.replace_all(&subject.lexical, &*expansion),
            None => return at.fail(ExprErrorKind::Argument),
        }
    };
    let replaced = Cow::Owned(replaced.into_owned());
    let Text { tag, .. } = subject;
    let kind = Text {
        lexical: Cow::Borrowed(""),
        tag,
    };
    Ok(kind.with(replaced))
}

/// A replacement of XPath in the words of the `regex` crate: `$1` becomes `${1}`, `\$` a dollar sign, `\\` a backslash.
/// A number has as many digits as make it a group's (`$12` is group 1 and a `2` where there are fewer than twelve).
fn expansion(replacement: &str, groups: usize) -> Option<String> {
    let mut out = String::with_capacity(replacement.len());
    let mut rest = replacement.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next()? {
                '\\' => out.push('\\'),
                '$' => out.push_str("$$"),
                _ => return None,
            },
            '$' => {
                let mut group = rest.next()?.to_digit(10)? as usize;
                while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                    let longer = group * 10 + digit as usize;
                    if longer > groups {
                        break;
                    }
                    group = longer;
                    rest.next();
                }
                if group <= groups {
                    out.push_str(&format!("${{{group}}}"));
                }
            }
            c => out.push(c),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{compile, expansion};

    #[test]
    fn replacements_are_translated() {
        for (text, groups, expected) in [
            ("a$1b", 1, Some("a${1}b")),
            ("$12", 1, Some("${1}2")),
            ("$12", 12, Some("${12}")),
            ("$3", 1, Some("")),
            (r"\$1", 1, Some("$$1")),
            (r"\\", 0, Some(r"\")),
            ("$", 1, None),
            (r"\a", 1, None),
        ] {
            assert_eq!(expansion(text, groups).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn flags_are_those_of_xpath() {
        for (pattern, flags, text, expected) in [
            ("^ab", "i", "ABC", Some(true)),
            ("a.b", "", "a\nb", Some(false)),
            ("a.b", "s", "a\nb", Some(true)),
            ("^b", "m", "a\nb", Some(true)),
            ("a b", "x", "ab", Some(true)),
            ("a.b", "q", "a.b", Some(true)),
            ("a.b", "q", "axb", Some(false)),
            ("a", "z", "a", None),
            ("(", "", "a", None),
        ] {
            let matched = compile(pattern, flags).map(|r| r.is_match(text));
            assert_eq!(matched, expected, "{pattern} {flags}");
        }
    }
}
