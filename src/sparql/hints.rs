//! From "it does not parse" to a message that helps.
//!
//! Most failures are one of a few slips; each has a function here that recognises it in the tokens and answers with a
//! sentence, or passes. Slips that are mistakes wherever the parser stopped come first; those that depend on the place
//! where it stopped follow. Where none fits, the message names the token that cannot stand there.

use super::Language;
use super::prefixes::well_known_prefix;
use super::select;
use super::tokens::{Token, TokenKind};
use std::collections::HashSet;

/// A message, and the byte offset that it speaks of.
pub struct Hint {
    /// What is wrong and what to do.
    pub message: String,
    /// Where.
    pub offset: usize,
}

impl Hint {
    /// A message on a place.
    pub fn new(offset: usize, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            offset,
        }
    }
}

/// What is known when a text does not parse.
pub struct Scene<'t> {
    /// What it should have been.
    pub language: Language,
    /// Whether well-known prefixes need no declaration.
    pub has_default_prefixes: bool,
    /// The text.
    pub text: &'t str,
    /// Its tokens.
    pub tokens: &'t [Token],
    /// The index of the token that the parser could not read; the number of tokens where it wanted more.
    pub stop: usize,
    /// The parser's own words about what it read last, if it had any.
    pub remark: Option<&'t str>,
}

/// The slips, the surest first.
const SLIPS: [fn(&Scene<'_>) -> Option<Hint>; 8] = [
    nothing_at_all,
    other_language,
    smart_quote,
    undeclared_prefix,
    unbalanced_bracket,
    ungrouped_variable,
    clause_order,
    missing_dot,
];

/// The most helpful message.
pub fn find(scene: &Scene<'_>) -> Hint {
    let slip = SLIPS.iter().find_map(|slip| slip(scene));
    slip.unwrap_or_else(|| plain(scene))
}

/// The first string without an end. It is found before the parser runs: what it hides cannot be measured.
pub fn open_string(tokens: &[Token]) -> Option<Hint> {
    let token = tokens.iter().find(|t| t.kind == TokenKind::OpenString)?;
    Some(Hint::new(
        token.range.start,
        "the string that begins here is not closed; one of several lines stands in triple quotes",
    ))
}

impl<'t> Scene<'t> {
    /// The token that the parser could not read.
    fn stopper(&self) -> Option<&'t Token> {
        self.tokens.get(self.stop)
    }

    /// The place where the parser stopped.
    fn place(&self) -> usize {
        self.stopper()
            .map_or(self.text.trim_end().len(), |t| t.range.start)
    }

    fn is(&self, token: &Token, symbol: &str) -> bool {
        token.is_symbol(self.text, symbol)
    }

    /// The first word of a list that a token is.
    fn word_of<'w>(&self, token: &Token, words: &[&'w str]) -> Option<&'w str> {
        words.iter().copied().find(|w| token.is_word(self.text, w))
    }

    /// The innermost bracket that is open before a token.
    fn bracket_around(&self, index: usize) -> Option<&'t Token> {
        let mut open = Vec::new();
        for token in self.tokens[..index]
            .iter()
            .filter(|t| t.kind == TokenKind::Symbol)
        {
            match token.text(self.text) {
                "{" | "(" | "[" => open.push(token),
                "}" | ")" | "]" => drop(open.pop()),
                _ => {}
            }
        }
        open.pop()
    }

    fn is_directly_in_braces(&self, index: usize) -> bool {
        self.bracket_around(index).is_some_and(|t| self.is(t, "{"))
    }
}

fn nothing_at_all(scene: &Scene<'_>) -> Option<Hint> {
    let message = format!("the {} is empty", scene.language.noun());
    scene.tokens.is_empty().then(|| Hint::new(0, message))
}

/// An update where a query belongs, or a query where an update does.
fn other_language(scene: &Scene<'_>) -> Option<Hint> {
    const QUERIES: [&str; 4] = ["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"];
    const UPDATES: [&str; 10] = [
        "INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH",
    ];
    const PROLOGUE: [&str; 3] = ["PREFIX", "BASE", "VERSION"];
    let first = scene
        .tokens
        .iter()
        .find(|t| t.kind == TokenKind::Word && scene.word_of(t, &PROLOGUE).is_none())?;
    let message = match scene.language {
        Language::Query => format!(
            "{} begins an update; a query begins with SELECT, ASK, CONSTRUCT or DESCRIBE",
            scene.word_of(first, &UPDATES)?
        ),
        Language::Update => format!(
            "{} begins a query; an update begins with INSERT, DELETE, WITH, LOAD, CLEAR, DROP, CREATE, ADD, MOVE or COPY",
            scene.word_of(first, &QUERIES)?
        ),
    };
    Some(Hint::new(first.range.start, message))
}

fn smart_quote(scene: &Scene<'_>) -> Option<Hint> {
    const CURLY: [&str; 9] = ["“", "”", "„", "‘", "’", "‚", "«", "»", "`"];
    let is_curly = |t: &&Token| t.kind == TokenKind::Symbol && CURLY.contains(&t.text(scene.text));
    let token = scene.tokens.iter().find(is_curly)?;
    let quote = token.text(scene.text);
    let message = format!("{quote} is no quotation mark of SPARQL; write straight quotes, \" or '");
    Some(Hint::new(token.range.start, message))
}

fn undeclared_prefix(scene: &Scene<'_>) -> Option<Hint> {
    let mut declared = HashSet::new();
    let mut before = None;
    for token in scene.tokens {
        let is_declaration = before
            .replace(token)
            .is_some_and(|t| t.is_word(scene.text, "PREFIX"));
        if token.kind != TokenKind::PrefixedName {
            continue;
        }
        let (prefix, _) = token.text(scene.text).split_once(':')?;
        if is_declaration {
            declared.insert(prefix);
            continue;
        }
        let well_known = well_known_prefix(prefix);
        let is_default = scene.has_default_prefixes && well_known.is_some();
        if !declared.contains(prefix) && !is_default {
            let iri = well_known.unwrap_or("...");
            let message = format!(
                "the prefix \"{prefix}:\" is not declared; add PREFIX {prefix}: <{iri}> at the beginning"
            );
            return Some(Hint::new(token.range.start, message));
        }
    }
    None
}

fn unbalanced_bracket(scene: &Scene<'_>) -> Option<Hint> {
    let mut open: Vec<&Token> = Vec::new();
    for token in scene.tokens.iter().filter(|t| t.kind == TokenKind::Symbol) {
        let opening = match token.text(scene.text) {
            "{" | "(" | "[" => {
                open.push(token);
                continue;
            }
            "}" => "{",
            ")" => "(",
            "]" => "[",
            _ => continue,
        };
        let message = match open.pop() {
            Some(bracket) if scene.is(bracket, opening) => continue,
            Some(bracket) => format!("expected the bracket that closes {}", named(scene, bracket)),
            None => format!("no `{opening}` is open that this could close"),
        };
        return Some(Hint::new(token.range.start, message));
    }
    // A word that belongs after the braces says better where the closing one is missing.
    let bracket = open.pop()?;
    clause_order(scene).or_else(|| {
        let message = format!(
            "the {} ends, and {} is not closed",
            scene.language.noun(),
            named(scene, bracket)
        );
        Some(Hint::new(scene.text.trim_end().len(), message))
    })
}

fn named(scene: &Scene<'_>, bracket: &Token) -> String {
    let line = scene.text[..bracket.range.start].matches('\n').count() + 1;
    format!("the `{}` of line {line}", bracket.text(scene.text))
}

/// A SELECT whose solutions are grouped, and a variable in it that is not.
fn ungrouped_variable(scene: &Scene<'_>) -> Option<Hint> {
    let grouping = select::heads(scene.text, scene.tokens).filter(|head| head.is_grouping);
    let mut ungrouped = grouping.filter_map(|head| {
        let is_grouped = |name: &str| head.grouped.iter().any(|t| t.text(scene.text) == name);
        let mut loose = head.loose.iter();
        loose.find(|t| !is_grouped(t.text(scene.text))).copied()
    });
    let token = ungrouped.next()?;
    let name = token.text(scene.text);
    let message = format!(
        "{name} is neither grouped nor aggregated; add it to GROUP BY, or write (SAMPLE({name}) AS ?some)"
    );
    Some(Hint::new(token.range.start, message))
}

fn clause_order(scene: &Scene<'_>) -> Option<Hint> {
    const CLAUSES: [&str; 6] = ["WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET"];
    let token = scene.stopper()?;
    let word = scene.word_of(token, &CLAUSES)?;
    let message = if scene.is_directly_in_braces(scene.stop) {
        format!("{word} stands inside the braces; close them before it")
    } else {
        format!(
            "{word} cannot stand here: the order is WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET"
        )
    };
    Some(Hint::new(token.range.start, message))
}

/// A term that follows a term where the triple was complete.
fn missing_dot(scene: &Scene<'_>) -> Option<Hint> {
    let is_name = |t: &Token| {
        matches!(
            t.kind,
            TokenKind::Variable | TokenKind::Iri | TokenKind::PrefixedName
        )
    };
    let token = scene.stopper().filter(|t| is_name(t))?;
    let before = scene.tokens.get(scene.stop.checked_sub(1)?)?;
    let ends_term = is_name(before)
        || matches!(before.kind, TokenKind::String | TokenKind::Other)
        || ["]", ")"].iter().any(|s| scene.is(before, s));
    (ends_term && scene.is_directly_in_braces(scene.stop)).then(|| {
        let message = format!(
            "a `.` (or `;` or `,`) is missing before `{}`",
            token.text(scene.text)
        );
        Hint::new(token.range.start, message)
    })
}

/// What the parser remarked, or which token cannot stand where it stands.
fn plain(scene: &Scene<'_>) -> Hint {
    if let Some(remark) = scene.remark {
        return Hint::new(scene.place(), remark);
    }
    let message = match scene.stopper() {
        Some(token) => format!("`{}` cannot stand here", shorten(token.text(scene.text))),
        None => format!("the {} ends too early", scene.language.noun()),
    };
    Hint::new(scene.place(), message)
}

fn shorten(token: &str) -> String {
    const CHARS_MAX: usize = 40;
    match token.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}...", &token[..end]),
        None => token.to_owned(),
    }
}
