//! What the parser reads and the grammar does not allow.
//!
//! Looked at in a text that the parser has read: the slips here are those that it lets pass.

use super::hints::Hint;
use super::select::is_aggregate;
use super::tokens::{Token, TokenKind};

/// The first thing in a text that the grammar does not allow.
pub fn find(text: &str, tokens: &[Token]) -> Option<Hint> {
    subject_of_triple_term(text, tokens).or_else(|| nested_aggregate(text, tokens))
}

/// SPARQL 1.2 Query, rule ExprTripleTermSubject: in an expression, neither literals nor triple terms.
fn subject_of_triple_term(text: &str, tokens: &[Token]) -> Option<Hint> {
    let is_wrong = |token: &Token| match token.kind {
        TokenKind::String => true,
        TokenKind::Other => !token.text(text).starts_with("_:"),
        TokenKind::Word => token.is_word(text, "true") || token.is_word(text, "false"),
        _ => ["<<(", "+", "-"].iter().any(|s| token.is_symbol(text, s)),
    };
    // For each open bracket, whether an expression stands in it.
    let mut open: Vec<bool> = Vec::new();
    for (i, token) in tokens
        .iter()
        .enumerate()
        .filter(|(_, t)| t.kind == TokenKind::Symbol)
    {
        let around = open.last().copied().unwrap_or_default();
        match token.text(text) {
            "(" => open.push(around || begins_expression(text, &tokens[..i], open.is_empty())),
            "{" | "[" => open.push(false),
            ")" | "}" | "]" => drop(open.pop()),
            "<<(" if around => {
                if let Some(subject) = tokens.get(i + 1).filter(|t| is_wrong(t)) {
                    let message = "the subject of a triple term is an IRI or a variable";
                    return Some(Hint::new(subject.range.start, message));
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a bracket behind some tokens opens an expression, and not the list of a triple pattern.
fn begins_expression(text: &str, before: &[Token], is_outermost: bool) -> bool {
    let word = |back: usize| {
        let token = before.len().checked_sub(back).and_then(|i| before.get(i));
        token.filter(|t| t.kind == TokenKind::Word && t.text(text) != "a")
    };
    // The name of a function may be an IRI, behind FILTER and the like.
    is_outermost || word(1).is_some() || word(2).is_some()
}

/// SPARQL 1.2 Query, section 19.8, note 16: no aggregate inside an aggregate, unless a sub-query is between them.
fn nested_aggregate(text: &str, tokens: &[Token]) -> Option<Hint> {
    // For each open bracket, whether it is of an aggregate; a brace begins anew.
    let mut open: Vec<Option<bool>> = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let is_call = token.is_symbol(text, "(") && i > 0 && is_aggregate(text, &tokens[i - 1]);
        if is_call {
            let inside = open.iter().rev().take_while(|level| level.is_some());
            if inside.flatten().any(|is_aggregate| *is_aggregate) {
                let name = tokens[i - 1].text(text);
                return Some(Hint::new(
                    tokens[i - 1].range.start,
                    format!("{name} stands inside another aggregate; compute it in a sub-query"),
                ));
            }
        }
        match token.text(text) {
            "(" if token.kind == TokenKind::Symbol => open.push(Some(is_call)),
            "{" if token.kind == TokenKind::Symbol => open.push(None),
            ")" | "}" if token.kind == TokenKind::Symbol => drop(open.pop()),
            _ => {}
        }
    }
    None
}

/// The first IRI that could be read as `<`, expressions, and `>`, which the rule of the longest token forbids (SPARQL
/// 1.1 Query, section 19.8), and the text with such IRIs replaced by ones that cannot: if that does not parse, one was.
pub fn mask_operators(text: &str, tokens: &[Token]) -> Option<(Hint, String)> {
    let is_operand = |token: &Token| match token.kind {
        TokenKind::Symbol => token.is_symbol(text, ")"),
        TokenKind::Word => token.is_word(text, "true") || token.is_word(text, "false"),
        _ => true,
    };
    let pairs = tokens.windows(2).filter(|p| is_operand(&p[0]));
    let suspects = pairs.map(|p| &p[1]).filter(|token| {
        token.kind == TokenKind::Iri
            && ["&&", ",", "(", ")"]
                .iter()
                .any(|s| token.text(text).contains(s))
    });
    let mut masked = text.to_owned();
    let mut first = None;
    for token in suspects {
        first.get_or_insert(token);
        let filler = "a".repeat((token.range.len() - 2).saturating_sub(2));
        masked.replace_range(token.range.clone(), &format!("<a:{filler}>"));
    }
    let first = first.filter(|_| masked.len() == text.len())?;
    let message = format!(
        "`{}` is read as an IRI; put a space behind `<` to compare",
        first.text(text)
    );
    Some((Hint::new(first.range.start, message), masked))
}
