//! Query and update text to algebra.
//!
//! [`parse_query`] and [`parse_update`] stand around `spargebra`, whose parser recurses and reports a place and a set of expected tokens.
//! This room adds what a server needs: limits that are looked at before the parser sees the text, so that no text can
//! overflow the stack or keep the parser busy ([`Limits`]); and errors with line, column, a caret and a hint
//! ([`hints`]). It knows the grammar of SPARQL 1.1 Query, section 19, only as far as tokens and brackets.

mod dialect;
mod hints;
mod limits;
mod prefixes;
mod report;
mod tokens;

pub use limits::Limits;
pub use prefixes::well_known_prefix;

use crate::diagnostics::{Error, ErrorKind, Result, TextPosition};
use hints::Hint;
use limits::Load;
use report::Spaced;
use spargebra::{Query, SparqlParser, Update};
use tokens::tokenize;

/// The stack of the thread on which deeply nested text is parsed: twice what the deepest text was measured to need
/// without optimization, at 64 KiB for each level.
const DEEP_STACK_BYTES: usize = 64 << 20;
/// The nesting up to which text is parsed on the thread that asks: within a mebibyte.
const SHALLOW_NESTING_MAX: usize = 12;

/// Parses a query; `base` resolves relative IRIs until the text says BASE itself.
///
/// The depth of the algebra is at most `limits.depth_max` and a few, so that code which walks it may recurse.
///
/// # Errors
/// [`ErrorKind::Syntax`] with the place when the text is no query, [`ErrorKind::BadRequest`] when it goes over a limit
/// or the base is no absolute IRI.
pub fn parse_query(text: &str, base: Option<&str>, limits: &Limits) -> Result<Query> {
    parse_text(text, base, limits, Sort::Query, |parser, text| {
        parser.parse_query(text).map_err(|e| e.to_string())
    })
}

/// Parses an update: some operations, perhaps none (SPARQL 1.1 Update, section 3).
///
/// # Errors
/// As [`parse_query`].
pub fn parse_update(text: &str, base: Option<&str>, limits: &Limits) -> Result<Update> {
    parse_text(text, base, limits, Sort::Update, |parser, text| {
        parser.parse_update(text).map_err(|e| e.to_string())
    })
}

/// What a text is meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Query,
    Update,
}

fn parse_text<T: Send>(
    text: &str,
    base: Option<&str>,
    limits: &Limits,
    sort: Sort,
    read: impl Fn(SparqlParser, &str) -> Result<T, String> + Sync,
) -> Result<T> {
    let parser = parser_with_base(base)?;
    limits.check_length(text)?;
    let tokens = tokenize(text);
    if let Some(hint) = hints::open_string(&tokens) {
        return Err(syntax_error(text, hint));
    }
    let load = limits.check_nesting(text, &tokens)?;
    let adapted = dialect::adapt(text, &tokens);
    parse(&read, parser.clone(), &adapted, load).map_err(|report| {
        let spaced = Spaced::new(&adapted, &tokenize(&adapted));
        // A text with gaps fails as the text itself did; should it not, the first report is all there is to say.
        let report = parse(&read, parser, &spaced.text, load)
            .err()
            .unwrap_or(report);
        let stop = spaced.read(&report);
        let hint = hints::find(text, sort, &tokens, stop.token, stop.remark.as_deref());
        syntax_error(text, hint)
    })
}

fn parser_with_base(base: Option<&str>) -> Result<SparqlParser> {
    let Some(base) = base else {
        return Ok(SparqlParser::new());
    };
    SparqlParser::new().with_base_iri(base).map_err(|cause| {
        let message = format!("the base <{base}> is not an absolute IRI: {cause}");
        Error::new(ErrorKind::BadRequest, message).caused_by(cause)
    })
}

/// Parses in place, or on a thread with a stack of its own where the text is deep; the error is the parser's report.
fn parse<T: Send>(
    read: &(impl Fn(SparqlParser, &str) -> Result<T, String> + Sync),
    parser: SparqlParser,
    text: &str,
    load: Load,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> Error {
        parse_query(text, None, &Limits::default()).expect_err(text)
    }

    /// The query fails at this line and column, and the message has these words.
    #[track_caller]
    fn check(text: &str, line: u64, column: u64, words: &str) {
        let error = failure(text);
        assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
        let place = error.position().expect("a syntax error has a place");
        assert_eq!((place.line, place.column), (line, column), "{error}");
        assert!(error.message().contains(words), "{error}");
    }

    #[test]
    fn an_error_names_its_place_and_the_usual_slip() {
        check(
            "SELECT * { ?s foaf:name ?n }",
            1,
            15,
            "PREFIX foaf: <http://xmlns.com/foaf/0.1/>",
        );
        check(
            "SELECT * { ?s nope:name ?n }",
            1,
            15,
            "prefix \"nope:\" is not declared",
        );
        check(
            "ASK { ?s ?p 1 FILTER(?p = :x) }",
            1,
            27,
            "prefix \":\" is not declared",
        );
        check("SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?o }", 1, 8, "?x");
        check(
            "SELECT ?y (COUNT(*) AS ?n) { ?x ?p ?y } GROUP BY ?x",
            1,
            8,
            "GROUP BY",
        );
        check(
            "SELECT (STR(?y) AS ?z) { ?x ?p ?y } GROUP BY ?x",
            1,
            13,
            "?y",
        );
        check(
            "ASK { { SELECT ?y { ?x ?p ?y } GROUP BY ?x } ?x ?p 2 }",
            1,
            16,
            "?y",
        );
        check("ASK { ?s ?p “x” }", 1, 13, "straight");
        check("ASK {\n  ?s ?p 1\n  ?s ?q 2 }", 3, 3, "`.`");
        check("ASK { ?s ?p ?o . ?o ?q 1 ?s ?q 2 }", 1, 26, "`.`");
        check("SELECT * { ?s ?p ?o", 1, 20, "`{` of line 1 is not closed");
        check("SELECT * { ?s ?p ?o LIMIT 5", 1, 21, "LIMIT");
        check("SELECT * { ?s ?p ?o } }", 1, 23, "no `{` is open");
        check(
            "SELECT * { ?s ?p ?o } LIMIT 5 ORDER BY ?s",
            1,
            31,
            "HAVING, ORDER BY, LIMIT",
        );
        check("INSERT DATA { <a:a> <a:b> 1 }", 1, 1, "update");
        check("SELECT * { ?s ?p \"x }", 1, 18, "string");
        check("SELECT", 1, 7, "ends too early");
        check("", 1, 1, "empty");
    }

    #[test]
    fn columns_count_characters_and_the_caret_stands_below() {
        let error = failure("ASK { ?é ?ü 1\n ?x ex:p 'ä' }");
        let place = error.position().expect("a place");
        assert_eq!((place.line, place.column), (2, 5));
        assert_eq!(place.excerpt, " ?x ex:p 'ä' }\n    ^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!(
            "ASK {{ {} ex:p 1 {} }}",
            "?s ?p 1 . ".repeat(50),
            "?s ?p 1 . ".repeat(50)
        );
        let error = failure(&text);
        let place = error.position().expect("a place");
        let (line, caret) = place.excerpt.split_once('\n').expect("two lines");
        assert!(line.chars().count() < 120, "{line}");
        assert!(
            line[caret.len() - 1..].starts_with("ex:p"),
            "{line}\n{caret}"
        );
    }

    #[test]
    fn what_the_grammar_allows_is_read() {
        for text in [
            "ASK { ?s ?p TRUE, False FILTER(?p = \"TRUE\") }",
            "ASK { FILTER(COALESCE (?x, CONCAT\n(\"a\", \"b\"))) BIND(BNODE () AS ?b) }",
        ] {
            let outcome = parse_query(text, None, &Limits::default());
            assert!(outcome.is_ok(), "{outcome:?}");
        }
        check(
            "ASK {\n FILTER(CONCAT (1, ?x ?y)) }",
            2,
            23,
            "cannot stand here",
        );
    }

    #[test]
    fn a_base_resolves_relative_iris() {
        let query =
            parse_query("ASK { <s> <p> 1 }", Some("http://e/x"), &Limits::default()).unwrap();
        assert!(query.to_string().contains("<http://e/s>"), "{query}");
        let error = parse_query("ASK {}", Some("x"), &Limits::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadRequest);
    }

    /// Text that nests as deep as the limit allows is parsed, and neither parsing nor dropping ends the process.
    #[test]
    fn the_deepest_allowed_text_is_parsed() {
        let around = |before: &str, open: &str, core: &str, close: &str, after: &str| {
            let build = |n| format!("{before}{}{core}{}{after}", open.repeat(n), close.repeat(n));
            let limits = Limits::default();
            let is_allowed = |t: &String| limits.check_nesting(t, &tokenize(t)).is_ok();
            let text = (1..=limits.depth_max).rev().map(build).find(is_allowed);
            let outcome = parse_query(&text.expect("one level is allowed"), None, &limits);
            assert!(
                outcome.is_ok(),
                "{before}{open}{core}{close}{after}: {outcome:?}"
            );
        };
        around("ASK {", "{", "", "}", "}");
        around("ASK {", "{ SELECT * {", "?s ?p ?o", "} }", "}");
        around("ASK {", "?s ?p ?o OPTIONAL {", "", "}", "}");
        around("ASK {", "FILTER EXISTS {", "", "}", "}");
        around("ASK {", "{} UNION ", "{}", "", "}");
        around("ASK { FILTER(", "(", "1", ")", ") }");
        around("ASK { FILTER(", "STR(", "1", ")", ") }");
        around("ASK { FILTER(", "!", "1", "", ") }");
        around("ASK { FILTER(", "1 + ", "1", "", ") }");
        around("ASK { FILTER(", "1 || ", "1", "", ") }");
        around("ASK { FILTER(", "SUBSTR(", "?x", ", 1)", ") }");
        around("ASK { ?s ", "(", "<a:b>", ")*", " ?o }");
        around("ASK { ?s ", "<a:b>/", "<a:b>", "", " ?o }");
        around("ASK { ?s ?p ", "[ ?p ", "1", " ]", " }");
        around("ASK { ?s ?p ", "( ", "1", " )", " }");
    }
}
