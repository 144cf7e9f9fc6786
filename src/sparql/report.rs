//! Where the parser stopped.
//!
//! The parser reports the furthest place that it looked at; but it looks at a keyword's worth of characters before it
//! compares them, so that its place lies up to a dozen characters behind the token that it could not read. A text with
//! wide gaps between its tokens is not read differently, and then every place belongs to one token.

use super::dialect::must_touch_bracket;
use super::tokens::{Token, TokenKind};

/// Longer than any keyword of the grammar.
const GAP: &str = "                ";

/// A text of the same tokens, with a gap after each.
pub struct Spaced {
    /// The text.
    pub text: String,
    /// Where each token begins in it.
    starts: Vec<usize>,
}

/// What a report says.
#[derive(Debug, PartialEq, Eq)]
pub struct Stop {
    /// The index of the token that could not be read; the number of tokens at the end of the text.
    pub token: usize,
    /// The parser's own words about what it read, where it has words and not only expected tokens.
    pub remark: Option<String>,
}

impl Spaced {
    /// Spaces the tokens of a text out.
    pub fn new(text: &str, tokens: &[Token]) -> Self {
        let mut spaced = Self {
            text: String::with_capacity(text.len() + tokens.len() * GAP.len()),
            starts: Vec::with_capacity(tokens.len()),
        };
        let mut before = "";
        for token in tokens {
            let text = token.text(text);
            // What follows a string and belongs to it must touch it.
            let is_suffix = text == "^^" || token.kind == TokenKind::Other && text.starts_with('@');
            let is_touching = text == "(" && must_touch_bracket(before);
            before = text;
            if !is_suffix && !is_touching && !spaced.text.is_empty() {
                spaced.text.push_str(GAP);
            }
            spaced.starts.push(spaced.text.len());
            spaced.text.push_str(text);
        }
        spaced.text.push_str(GAP);
        spaced
    }

    /// Reads a report on the spaced text: `error at LINE:COLUMN: expected A`, or `expected one of A, B`.
    ///
    /// A report of another form is a remark on the whole text.
    pub fn read(&self, report: &str) -> Stop {
        let parsed = report.strip_prefix("error at ").and_then(|rest| {
            let (place, expected) = rest.split_once(": expected ")?;
            let (line, column) = place.split_once(':')?;
            Some((
                self.offset(line.parse().ok()?, column.parse().ok()?),
                expected,
            ))
        });
        let Some((offset, expected)) = parsed else {
            return Stop {
                token: self.starts.len(),
                remark: Some(report.to_owned()),
            };
        };
        // The gap at the end belongs to no token: what is looked for there is missing.
        let token = match self.starts.partition_point(|s| *s <= offset) {
            n if n == self.starts.len() && offset + GAP.len() > self.text.len() => n,
            n => n.saturating_sub(1),
        };
        let list = expected.strip_prefix("one of ").unwrap_or(expected);
        let remark = list.split(", ").find(|e| is_remark(e)).map(lower_first);
        Stop { token, remark }
    }

    fn offset(&self, line: usize, column: usize) -> usize {
        let lines = self.text.split_inclusive('\n');
        let start: usize = lines.take(line.saturating_sub(1)).map(str::len).sum();
        let mut chars = self.text[start..].char_indices();
        chars
            .nth(column.saturating_sub(1))
            .map_or(self.text.len(), |(i, _)| start + i)
    }
}

/// Whether the parser wrote words rather than a token or a class of characters.
fn is_remark(expected: &str) -> bool {
    expected.contains(' ') && expected.starts_with(|c: char| c.is_alphabetic())
}

fn lower_first(words: &str) -> String {
    let mut words = words.to_owned();
    let is_plain_word = words.chars().nth(1).is_some_and(char::is_lowercase);
    if let Some(first) = words.get_mut(..1).filter(|_| is_plain_word) {
        first.make_ascii_lowercase();
    }
    words
}
