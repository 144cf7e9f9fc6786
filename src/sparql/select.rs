//! The head of a SELECT, as far as tokens tell: which variables it uses outside aggregates, and which it defines.
//!
//! Serves the message on variables that are not grouped, and the reading of those that the same head defines (SPARQL 1.1
//! Query, section 11.4, and section 18.2.4.4).

use super::tokens::{Token, TokenKind};
use std::collections::HashSet;

/// The built-in aggregates.
const AGGREGATES: [&str; 7] = [
    "COUNT",
    "SUM",
    "MIN",
    "MAX",
    "AVG",
    "SAMPLE",
    "GROUP_CONCAT",
];

/// Whether a token is the name of an aggregate.
pub fn is_aggregate(text: &str, token: &Token) -> bool {
    AGGREGATES.iter().any(|name| token.is_word(text, name))
}

/// What a SELECT says of its variables.
#[derive(Debug, Default)]
pub struct SelectHead<'t> {
    /// Used outside aggregates, and not defined before in the head.
    pub loose: Vec<&'t Token>,
    /// Used outside aggregates after the head has defined them with AS, but for arguments of BOUND.
    pub reused: Vec<&'t Token>,
    /// What stands in GROUP BY and behind it.
    pub grouped: Vec<&'t Token>,
    /// Whether solutions are grouped.
    pub is_grouping: bool,
}

/// The heads of all SELECTs of a text.
pub fn heads<'t>(text: &'t str, tokens: &'t [Token]) -> impl Iterator<Item = SelectHead<'t>> {
    let selects = (0..tokens.len()).filter(|&i| tokens[i].is_word(text, "SELECT"));
    selects.filter_map(|i| head(text, &tokens[i..]))
}

fn head<'t>(text: &str, tokens: &'t [Token]) -> Option<SelectHead<'t>> {
    let own = own_tokens(text, tokens);
    let body = own.iter().position(|t| t.is_symbol(text, "{"))?;
    let (head, tail) = own.split_at(body);
    let group = tail.iter().position(|t| t.is_word(text, "GROUP"));
    let mut found = read(text, head);
    found.is_grouping |= group.is_some();
    found.grouped = group.map_or(Vec::new(), |g| tail[g..].to_vec());
    Some(found)
}

/// The tokens of a SELECT up to the brace that closes around it, those inside its own braces left out.
fn own_tokens<'t>(text: &str, tokens: &'t [Token]) -> Vec<&'t Token> {
    let mut depth = 0usize;
    let mut own = Vec::new();
    for token in tokens {
        if token.is_symbol(text, "}") {
            let Some(less) = depth.checked_sub(1) else {
                break;
            };
            depth = less;
        }
        if depth == 0 {
            own.push(token);
        }
        if token.is_symbol(text, "{") {
            depth += 1;
        }
    }
    own
}

fn read<'t>(text: &str, head: &[&'t Token]) -> SelectHead<'t> {
    let mut found = SelectHead::default();
    let mut defined = HashSet::new();
    let (mut depth, mut aggregate) = (0usize, None);
    for (i, token) in head.iter().copied().enumerate().skip(1) {
        let before = head[i - 1];
        if token.is_symbol(text, "(") {
            depth += 1;
            if aggregate.is_none() && is_aggregate(text, before) {
                aggregate = Some(depth);
                found.is_grouping = true;
            }
        } else if token.is_symbol(text, ")") {
            aggregate = aggregate.filter(|d| *d < depth);
            depth = depth.saturating_sub(1);
        } else if token.kind == TokenKind::Variable && aggregate.is_none() {
            let is_bound = i >= 2 && head[i - 2].is_word(text, "BOUND");
            if before.is_word(text, "AS") {
                defined.insert(token.text(text));
            } else if !defined.contains(token.text(text)) {
                found.loose.push(token);
            } else if !is_bound {
                found.reused.push(token);
            }
        }
    }
    found
}
