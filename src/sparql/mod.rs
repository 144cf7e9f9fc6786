//! Query and update text to algebra.
//!
//! [`parse_query`] and [`parse_update`] stand around `spargebra`, whose parser recurses and reports a place and a set of expected tokens.
//! This room adds what a server needs: limits that are looked at before the parser sees the text, so that no text can
//! overflow the stack or keep the parser busy ([`Limits`]); and errors with line, column, a caret and a hint
//! ([`hints`]). It knows the grammar of SPARQL 1.1 Query, section 19, only as far as tokens and brackets.

mod data;
mod dialect;
mod hints;
mod limits;
mod prefixes;
mod report;
mod select;
mod strict;
#[cfg(test)]
mod tests;
mod tokens;

pub use limits::Limits;
pub use prefixes::well_known_prefix;

use crate::diagnostics::{Error, ErrorKind, Result, TextPosition};
use hints::{Hint, Scene};
use limits::Load;
use report::Spaced;
use spargebra::{Query, SparqlParser, Update};
use std::sync::LazyLock;
use tokens::{Token, tokenize};

/// The stack of the thread on which deeply nested text is parsed: twice what the deepest text was measured to need
/// without optimization, at 64 KiB for each level.
const DEEP_STACK_BYTES: usize = 64 << 20;
/// The nesting up to which text is parsed on the thread that asks: within a mebibyte.
const SHALLOW_NESTING_MAX: usize = 12;

/// What holds for a text before its own prologue says otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prologue<'a> {
    /// The absolute IRI that relative ones are resolved against.
    pub base: Option<&'a str>,
    /// Whether well-known prefixes are declared.
    pub has_default_prefixes: bool,
}

impl<'a> From<Option<&'a str>> for Prologue<'a> {
    fn from(base: Option<&'a str>) -> Self {
        Self {
            base,
            has_default_prefixes: false,
        }
    }
}

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Query,
    Update,
}

impl Language {
    const fn noun(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Update => "update",
        }
    }
}

/// Parses a query; the prologue may be just the base, or none.
///
/// The depth of the algebra is at most `limits.depth_max` and a few, so that code which walks it may recurse.
///
/// # Errors
/// [`ErrorKind::Syntax`] with the place when the text is no query, [`ErrorKind::BadRequest`] when it goes over a limit
/// or the base is no absolute IRI.
pub fn parse_query<'a>(
    text: &str,
    prologue: impl Into<Prologue<'a>>,
    limits: &Limits,
) -> Result<Query> {
    let read: Read<Query> = |parser, text| parser.parse_query(text).map_err(|e| e.to_string());
    parse_text(Language::Query, text, prologue.into(), limits, read)
}

/// Parses an update: any number of operations. Bounded as queries are.
///
/// # Errors
/// As [`parse_query`].
pub fn parse_update<'a>(
    text: &str,
    prologue: impl Into<Prologue<'a>>,
    limits: &Limits,
) -> Result<Update> {
    let read: Read<Update> = |parser, text| parser.parse_update(text).map_err(|e| e.to_string());
    let prologue = prologue.into();
    limits.check_length(text)?;
    if let Some(update) = data::parse(text, prologue) {
        return Ok(update);
    }
    parse_text(Language::Update, text, prologue, limits, read)
}

/// Reads a text with the parser; the error is its report.
type Read<T> = fn(SparqlParser, &str) -> Result<T, String>;

fn parse_text<T: Send>(
    language: Language,
    text: &str,
    prologue: Prologue<'_>,
    limits: &Limits,
    read: Read<T>,
) -> Result<T> {
    let parser = parser_with(prologue)?;
    limits.check_length(text)?;
    let tokens = tokenize(text);
    if let Some(hint) = hints::open_string(&tokens) {
        return Err(syntax_error(text, hint));
    }
    let load = limits.check_nesting(text, &tokens)?;
    let adapted = dialect::adapt(text, &tokens);
    let parse = |text: &str| parse(parser.clone(), text, load, read);
    let parsed = parse(&adapted).or_else(|report| {
        dialect::mark_reused(&adapted, &tokenize(&adapted))
            .and_then(|marked| parse(&marked).ok())
            .ok_or(report)
    });
    let report = match parsed {
        Ok(parsed) => return check_strictly(text, &tokens, &adapted, parse, parsed),
        Err(report) => report,
    };
    let spaced = Spaced::new(&adapted, &tokenize(&adapted));
    // A text with gaps fails as the text itself did; should it not, the first report is all there is to say.
    let stop = spaced.read(&parse(&spaced.text).err().unwrap_or(report));
    let scene = Scene {
        language,
        has_default_prefixes: prologue.has_default_prefixes,
        text,
        tokens: &tokens,
        stop: stop.token,
        remark: stop.remark.as_deref(),
    };
    Err(syntax_error(text, hints::find(&scene)))
}

/// Refuses what the parser read though the grammar does not allow it.
fn check_strictly<T>(
    text: &str,
    tokens: &[Token],
    adapted: &str,
    parse: impl Fn(&str) -> Result<T, String>,
    parsed: T,
) -> Result<T> {
    if let Some(hint) = strict::find(text, tokens) {
        return Err(syntax_error(text, hint));
    }
    match strict::mask_operators(adapted, &tokenize(adapted)) {
        Some((hint, masked)) if parse(&masked).is_err() => Err(syntax_error(text, hint)),
        _ => Ok(parsed),
    }
}

fn parser_with(prologue: Prologue<'_>) -> Result<SparqlParser> {
    static WITH_PREFIXES: LazyLock<SparqlParser> = LazyLock::new(prefixes::parser_with_all);
    let parser = match prologue.has_default_prefixes {
        true => WITH_PREFIXES.clone(),
        false => SparqlParser::new(),
    };
    let Some(base) = prologue.base else {
        return Ok(parser);
    };
    parser.with_base_iri(base).map_err(|cause| {
        let message = format!("the base <{base}> is not an absolute IRI: {cause}");
        Error::new(ErrorKind::BadRequest, message).caused_by(cause)
    })
}

/// Parses in place, or on a thread with a stack of its own where the text is deep.
fn parse<T: Send>(
    parser: SparqlParser,
    text: &str,
    load: Load,
    read: Read<T>,
) -> Result<T, String> {
    let run = || read(parser, text);
    if load.nesting <= SHALLOW_NESTING_MAX {
        return run();
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("parse".into())
            .stack_size(DEEP_STACK_BYTES)
            .spawn_scoped(scope, run)
            .map_err(|e| format!("no thread to parse a deeply nested text on: {e}"))?
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn syntax_error(text: &str, hint: Hint) -> Error {
    Error::new(ErrorKind::Syntax, hint.message).at(position(text, hint.offset))
}

/// The line, column and excerpt of a byte offset.
fn position(text: &str, offset: usize) -> TextPosition {
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let end = text[offset..]
        .find(['\n', '\r'])
        .map_or(text.len(), |i| offset + i);
    let column = text[start..offset].chars().count();
    TextPosition {
        file: None,
        line: before.matches('\n').count() as u64 + 1,
        column: column as u64 + 1,
        excerpt: excerpt(&text[start..end], column),
    }
}

/// A line with a caret below one of its characters; of a long line only the neighbourhood.
fn excerpt(line: &str, column: usize) -> String {
    const BEFORE: usize = 60;
    const AFTER: usize = 40;
    let skipped = column.saturating_sub(BEFORE);
    let mut shown: String = line.chars().skip(skipped).take(BEFORE + AFTER).collect();
    // Tabs are as wide as the reader's terminal wants, so that the caret would miss.
    shown = shown.replace('\t', " ");
    let lead = if skipped > 0 { "..." } else { "" };
    let trail = if line.chars().nth(skipped + BEFORE + AFTER).is_some() {
        "..."
    } else {
        ""
    };
    let pad = " ".repeat(lead.len() + column - skipped);
    format!("{lead}{shown}{trail}\n{pad}^")
}
