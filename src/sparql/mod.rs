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
        check("ASK { FILTER (?x<?a&&?b>?y) }", 1, 17, "put a space");
        check("SELECT (COUNT(MAX(?x)) AS ?n) {}", 1, 15, "sub-query");
        check(
            "ASK { FILTER(isTRIPLE(<<( 1 <a:p> 2 )>>)) }",
            1,
            27,
            "subject",
        );
        check("", 1, 1, "empty");
    }

    /// The place is marked in the text.
    #[test]
    fn slips_are_found_wherever_they_stand() {
        let prefix = "prefix \"ex:\" is not declared";
        for (marked, words) in [
            ("ASK { ?s ?p '1'^^§ex:dt }", prefix),
            ("ASK { FILTER(§ex:f(1)) }", prefix),
            ("ASK { ?s ^§ex:p*/<a:b> ?o }", prefix),
            ("ASK { GRAPH §ex:g { ?s ?p ?o } }", prefix),
            ("SELECT * FROM §ex:g { ?s ?p ?o }", prefix),
            ("DESCRIBE §ex:s", prefix),
            ("CONSTRUCT { ?s a §ex:C } { ?s ?p ?o }", prefix),
            ("# ex:no\nASK { ?s ?p 'ex:no' , §ex:o }", prefix),
            ("PREFIX a: <http://a/> ASK { ?s a:b §ex:o }", prefix),
            ("ASK { ?s ?p 1 }\n# what follows\n§ex:o", prefix),
            (
                "ASK { ?s ?p '1'^^§xsd:integer }",
                "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>",
            ),
            ("ASK { ?s ?p 'a “b” c' §?x ?y 1 }", "`.`"),
            ("ASK { ?s ?p [ ?q 1 ] §?x ?y 1 }", "`.`"),
            ("ASK { ?s ?p ( 1 2 ) §?x ?y 1 }", "`.`"),
            ("ASK { ?s ?p 'x'@en §?x ?y 1 }", "`.`"),
            ("ASK { ?s ?p 1.5 §?x ?y 1 }", "`.`"),
            ("ASK {\r\n  ?s ?p 1\r\n  §?s ?q 2 }", "`.`"),
            ("ASK { ?s ?p §‘x’ }", "straight"),
            ("ASK { FILTER(?x = §„x“) }", "straight"),
            (
                "SELECT ?s §?o (SUM(?n) AS ?t) { ?s ?p ?n, ?o } GROUP BY ?s",
                "?o",
            ),
            ("SELECT (§?n + SUM(?n) AS ?t) { ?s ?p ?n }", "?n"),
            ("ASK {\n\t?s §nope:p 1 }", "\"nope:\""),
            ("ASK { ?s ?p (1 §} )", "closes"),
            ("SELECT * { ?s ?p ?o } GROUP BY§", "ends too early"),
        ] {
            let (before, after) = marked.split_once('§').expect("a marked place");
            let line = before.matches('\n').count() + 1;
            let last = before.rsplit('\n').next().unwrap_or_default();
            let column = last.chars().count() + 1;
            check(
                &format!("{before}{after}"),
                line as u64,
                column as u64,
                words,
            );
        }
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
            "ASK { ?s ?p <http://e/?a=b&&c,(d)> FILTER(?s IN (?p, <http://e/(x)>) && ?x <?a && ?b> ?y) }",
            "SELECT (COUNT(?v) AS ?n) (IF(BOUND(?n), ?n + ?n, 0) AS ?m) (?m AS ?k) { ?s ?p ?v }",
            "SELECT (SUM(IF(EXISTS { SELECT (COUNT(*) AS ?n) {} }, 1, 0)) AS ?m) {}",
            "ASK { ?s <a:p> ( <<( <<( <a:s> <a:p> 1 )>> <a:p> 2 )>> ) }",
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
    fn updates_are_read_and_their_errors_say_so() {
        let failure = |text: &str| parse_update(text, None, &Limits::default()).unwrap_err();
        for text in [
            "",
            "INSERT DATA { <a:s> <a:p> 1 }; CLEAR ALL",
            "DELETE WHERE { ?s ?p ?o }",
        ] {
            let outcome = parse_update(text, None, &Limits::default());
            assert!(outcome.is_ok(), "{outcome:?}");
        }
        for (text, words) in [
            ("ASK {}", "begins a query"),
            ("INSERT DATA { ?s ?p 1", "the update ends"),
            ("INSERT DATA", "the update ends too early"),
            ("INSERT DATA { ex:s ex:p 1 }", "prefix \"ex:\""),
        ] {
            assert!(
                failure(text).message().contains(words),
                "{:?}",
                failure(text)
            );
        }
    }

    #[test]
    fn well_known_prefixes_are_declared_where_that_is_chosen() {
        let prologue = Prologue {
            base: None,
            has_default_prefixes: true,
        };
        let parse = |text: &str| parse_query(text, prologue, &Limits::default());
        let text = parse("ASK { ?s foaf:name ?n }").unwrap().to_string();
        assert!(text.contains("<http://xmlns.com/foaf/0.1/name>"), "{text}");
        let own = parse("PREFIX foaf: <http://e/> ASK { ?s foaf:name ?n }");
        let own = own.unwrap().to_string();
        assert!(own.contains("<http://e/name>"), "{own}");
        let error = parse("ASK { ?s foaf:name nope:x }").unwrap_err();
        assert!(error.message().contains("\"nope:\""), "{error}");
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
