//! What the grammar allows and the parser does not read, written as it does read it.
//!
//! Keywords come in any case (section 19.8, note 1), but the parser knows `true` and `false` in small letters only; white
//! space may stand between tokens (section 19.4), but not between some function names and their brackets. The text keeps its
//! length and its tokens keep their order, so that a place in the new text is one in the old.

use super::select;
use super::tokens::{Token, TokenKind};
use std::borrow::Cow;

/// The functions whose bracket must touch their name.
const TOUCHING: [&str; 3] = ["COALESCE", "CONCAT", "BNODE"];

/// The text as the parser reads it.
pub fn adapt<'t>(text: &'t str, tokens: &[Token]) -> Cow<'t, str> {
    let mut adapted = Cow::Borrowed(text);
    for token in tokens.iter().filter(|t| t.kind == TokenKind::Word) {
        if is_boolean(token, text) {
            adapted.to_mut()[token.range.clone()].make_ascii_lowercase();
        } else if must_touch_bracket(token.text(text)) {
            let gap = gap_before_bracket(&text[token.range.end..]);
            let moved = token.range.start..token.range.end + gap;
            let words = format!("{}{}", " ".repeat(gap), token.text(text));
            if gap > 0 {
                adapted.to_mut().replace_range(moved, &words);
            }
        }
    }
    adapted
}

/// The text with variables that a grouping SELECT uses behind their definition (section 18.2.4.4) wrapped in COALESCE,
/// which has their value or their error, and for which the parser does not ask whether they are grouped.
pub fn mark_reused(text: &str, tokens: &[Token]) -> Option<String> {
    let heads = select::heads(text, tokens).filter(|head| head.is_grouping);
    let mut reused: Vec<&Token> = heads.flat_map(|head| head.reused).collect();
    reused.sort_unstable_by_key(|token| token.range.start);
    let mut marked = text.to_owned();
    for token in reused.iter().rev() {
        let wrapped = format!("COALESCE({})", token.text(text));
        marked.replace_range(token.range.clone(), &wrapped);
    }
    (!reused.is_empty()).then_some(marked)
}

/// Whether the parser wants the bracket of this function to touch its name.
pub fn must_touch_bracket(word: &str) -> bool {
    TOUCHING.iter().any(|name| word.eq_ignore_ascii_case(name))
}

fn is_boolean(token: &Token, text: &str) -> bool {
    let has_capital = token.text(text).contains(|c: char| c.is_ascii_uppercase());
    has_capital && (token.is_word(text, "true") || token.is_word(text, "false"))
}

/// The length of the white space before an opening bracket; none where something else follows.
fn gap_before_bracket(rest: &str) -> usize {
    let gap = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    if rest[gap..].starts_with('(') { gap } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokenize;
    use super::*;

    #[test]
    fn only_what_the_parser_does_not_read_is_changed() {
        for (text, adapted) in [
            (
                "TRUE, False \"TRUE\" :TRUE true",
                "true, false \"TRUE\" :TRUE true",
            ),
            ("Concat  (1) CONCAT(2)", "  Concat(1) CONCAT(2)"),
            ("coalesce\n(?x)", " coalesce(?x)"),
            ("bnode ()", " bnode()"),
            ("STR (?x)", "STR (?x)"),
        ] {
            assert_eq!(adapt(text, &tokenize(text)), adapted);
        }
    }
}
