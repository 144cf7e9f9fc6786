//! Query text as tokens, with their places.
//!
//! A light reading of the terminals of SPARQL 1.1 Query, section 19.8: enough to count brackets and operators and to
//! name what stands at a place. It accepts every text, in one pass and without recursion; what is a query is decided
//! by the parser.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `<...>`
    Iri,
    /// `prefix:local`, both parts perhaps empty.
    PrefixedName,
    /// A keyword, function name, `a`, `true`.
    Word,
    /// `?x` or `$x`.
    Variable,
    /// A string in any quotes.
    String,
    /// A string whose closing quote is missing.
    OpenString,
    /// A number, a language tag or a blank node label.
    Other,
    /// Brackets, operators, separators.
    Symbol,
}

/// A token: what it is, and its bytes in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its place.
    pub range: Range<usize>,
}

impl Token {
    /// Its text.
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.range.clone()]
    }

    /// Whether it is this keyword, in whatever case.
    pub fn is_word(&self, text: &str, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text(text).eq_ignore_ascii_case(word)
    }

    /// Whether it is this symbol.
    pub fn is_symbol(&self, text: &str, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text(text) == symbol
    }
}

/// Symbols of more than one character, longest first.
const LONG_SYMBOLS: [&str; 12] = [
    "^^", "<<(", ")>>", "<<", ">>", "{|", "|}", "||", "&&", "!=", "<=", ">=",
];

/// All tokens of a text, without white space and comments.
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        if first.is_whitespace() {
            start += first.len_utf8();
        } else if first == '#' {
            start += rest.find(['\n', '\r']).unwrap_or(rest.len());
        } else {
            let (kind, len) = first_token(rest, first);
            tokens.push(Token {
                kind,
                range: start..start + len,
            });
            start += len;
        }
    }
    tokens
}

/// The kind and length of the token at the beginning of a text that is not white space.
fn first_token(text: &str, first: char) -> (TokenKind, usize) {
    match first {
        '"' | '\'' => string(text),
        '<' => iri_len(text).map_or_else(|| symbol(text), |len| (TokenKind::Iri, len)),
        '?' | '$' => match run_len(&text[1..], is_name_char) {
            0 => symbol(text),
            len => (TokenKind::Variable, len + 1),
        },
        '@' => (
            TokenKind::Other,
            1 + run_len(&text[1..], |c| c.is_ascii_alphanumeric() || c == '-'),
        ),
        '_' if text.starts_with("_:") => (TokenKind::Other, 2 + local_len(&text[2..])),
        '0'..='9' => (TokenKind::Other, number_len(text)),
        ':' => (TokenKind::PrefixedName, 1 + local_len(&text[1..])),
        c if is_name_char(c) => word(text),
        _ => symbol(text),
    }
}

fn symbol(text: &str) -> (TokenKind, usize) {
    let long = LONG_SYMBOLS.iter().find(|s| text.starts_with(**s));
    let len = long.map_or_else(
        || text.chars().next().map_or(1, char::len_utf8),
        |s| s.len(),
    );
    (TokenKind::Symbol, len)
}

/// The length of the characters at the beginning that pass.
fn run_len(text: &str, pass: impl Fn(char) -> bool) -> usize {
    text.find(|c| !pass(c)).unwrap_or(text.len())
}

fn is_name_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// A word, or a prefixed name when a colon follows.
fn word(text: &str) -> (TokenKind, usize) {
    let prefix = run_len(text, |c| is_name_char(c) || c == '-' || c == '.');
    if text[prefix..].starts_with(':') {
        return (
            TokenKind::PrefixedName,
            prefix + 1 + local_len(&text[prefix + 1..]),
        );
    }
    (TokenKind::Word, run_len(text, is_name_char).max(1))
}

/// The length of a local name: dots may stand inside, not at the end; a backslash and a percent sign escape.
fn local_len(text: &str) -> usize {
    let mut len = 0;
    let mut chars = text.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '\\' => len = chars.next().map_or(i + 1, |(j, d)| j + d.len_utf8()),
            '.' => {}
            c if is_name_char(c) || matches!(c, '-' | ':' | '%') => len = i + c.len_utf8(),
            _ => break,
        }
    }
    len
}

fn number_len(text: &str) -> usize {
    let mut len = run_len(text, |c| c.is_ascii_digit());
    if text[len..].starts_with('.') && text[len + 1..].starts_with(|c: char| c.is_ascii_digit()) {
        len += 1 + run_len(&text[len + 1..], |c| c.is_ascii_digit());
    }
    if text[len..].starts_with(['e', 'E']) {
        let sign = usize::from(text[len + 1..].starts_with(['+', '-']));
        let digits = run_len(&text[len + 1 + sign..], |c| c.is_ascii_digit());
        len += if digits > 0 { 1 + sign + digits } else { 0 };
    }
    len
}

/// The length of an IRI in angle brackets; a lone `<` is an operator.
fn iri_len(text: &str) -> Option<usize> {
    let stop = text[1..].find(|c: char| c <= ' ' || "<>\"{}|^`".contains(c))?;
    text[1 + stop..].starts_with('>').then_some(stop + 2)
}

/// A string in one or three quotes of either kind.
fn string(text: &str) -> (TokenKind, usize) {
    let quote = &text[..1];
    let long = quote.repeat(3);
    let (delimiter, is_long) = if text.starts_with(&long) {
        (long.as_str(), true)
    } else {
        (quote, false)
    };
    let mut at = delimiter.len();
    while let Some(c) = text[at..].chars().next() {
        if text[at..].starts_with(delimiter) {
            return (TokenKind::String, at + delimiter.len());
        }
        match c {
            '\n' | '\r' if !is_long => break,
            '\\' => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            _ => at += c.len_utf8(),
        }
    }
    (TokenKind::OpenString, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let tokens = tokenize(text);
        let texts: Vec<_> = tokens.iter().map(|t| t.text(text)).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn texts_are_cut_into_tokens() {
        check(
            "SELECT*{?s a ex:b.c.}",
            &["SELECT", "*", "{", "?s", "a", "ex:b.c", ".", "}"],
        );
        check("?a < ?b&&?c>?d", &["?a", "<", "?b", "&&", "?c", ">", "?d"]);
        check("<a#b> # c\n:x\\#y", &["<a#b>", ":x\\#y"]);
        check(
            r#""a\"b"@en-GB 'it' """x"y""" ''"#,
            &[r#""a\"b""#, "@en-GB", "'it'", r#""""x"y""""#, "''"],
        );
        check("1.5e-3+2.", &["1.5e-3", "+", "2", "."]);
        check("<<( ?s ?p _:b1 )>>", &["<<(", "?s", "?p", "_:b1", ")>>"]);
        check(
            "a/^b*|!(c)",
            &["a", "/", "^", "b", "*", "|", "!", "(", "c", ")"],
        );
        check("ä “x”", &["ä", "“", "x", "”"]);
    }

    #[test]
    fn a_string_that_is_not_closed_ends_with_its_line() {
        let tokens = tokenize("'abc\n?x");
        assert_eq!(tokens[0].kind, TokenKind::OpenString);
        assert_eq!(tokens.len(), 2);
    }
}
