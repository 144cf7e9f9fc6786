//! How long and how deep a query may be.
//!
//! The parser and all code that walks the algebra recurse, so that depth must be bounded before anything is parsed.
//! Depth is estimated from tokens, never below the truth: every open bracket adds one, and so does every operator or
//! clause that makes a chain (`1 + 1 + 1`, `{} UNION {} UNION {}`), since chains become trees as deep as they are long.
//! Lists (triples, VALUES rows, IN, arguments) are flat and add nothing.

use super::position;
use super::tokens::{Token, TokenKind};
use crate::diagnostics::{Error, ErrorKind, Result};

/// The limits of a query's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest text, in bytes.
    pub text_bytes_max: usize,
    /// The deepest nesting of brackets, and the longest chain of operators.
    pub depth_max: usize,
    /// The deepest nesting of constructs that the parser reads twice (`!`, REGEX, REPLACE, SUBSTR, GROUP_CONCAT): each
    /// level doubles the time.
    pub retries_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes_max: 4 << 20,
            depth_max: 500,
            retries_max: 12,
        }
    }
}

/// What a text asks of the parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// The greatest depth: what the algebra may have.
    pub depth: usize,
    /// The deepest nesting of brackets and `!`: what the parser recurses into.
    pub nesting: usize,
    /// The deepest nesting of what is read twice.
    pub retries: usize,
}

impl Limits {
    /// # Errors
    /// The text is longer than allowed.
    pub fn check_length(&self, text: &str) -> Result<()> {
        if text.len() <= self.text_bytes_max {
            return Ok(());
        }
        let (len, max) = (text.len(), self.text_bytes_max);
        let message = format!("the query has {len} bytes, more than the {max} that are allowed");
        Err(Error::new(ErrorKind::BadRequest, message))
    }

    /// Estimates what the text asks of the parser.
    ///
    /// # Errors
    /// The text is nested more deeply than allowed; the error has the place where it passes the limit.
    pub fn check_nesting(&self, text: &str, tokens: &[Token]) -> Result<Load> {
        let mut meter = Meter::new();
        let mut load = Load::default();
        for (i, token) in tokens.iter().enumerate() {
            meter.read(text, token, i.checked_sub(1).map(|i| &tokens[i]));
            load.depth = meter.peak;
            load.nesting = load.nesting.max(meter.nesting());
            load.retries = load.retries.max(meter.retries);
            let message = if load.depth > self.depth_max {
                let max = self.depth_max;
                format!(
                    "the query is nested (or its operators chained) more than {max} levels deep; split it"
                )
            } else if load.retries > self.retries_max {
                let max = self.retries_max;
                format!(
                    "`!`, REGEX, REPLACE, SUBSTR or GROUP_CONCAT are nested more than {max} levels deep; split the expression with BIND"
                )
            } else {
                continue;
            };
            return Err(
                Error::new(ErrorKind::BadRequest, message).at(position(text, token.range.start))
            );
        }
        Ok(load)
    }
}

/// A bracket that is open, or the text as a whole.
#[derive(Clone, Copy)]
struct Level {
    kind: LevelKind,
    /// The length of the chain so far.
    links: usize,
    /// How many times the parser doubles its work on what is inside.
    retries: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LevelKind {
    /// A group graph pattern, or the query around all of them.
    Group,
    /// The rows of VALUES, the quads of an update: a list, however long.
    Data,
    /// The quads of DELETE WHERE, which are joined one after the other.
    JoinedQuads,
    /// An expression, path, list or blank node.
    Inner,
}

/// Reads tokens and knows the depth at each.
struct Meter {
    levels: Vec<Level>,
    depth: usize,
    /// The greatest depth so far.
    peak: usize,
    retries: usize,
    /// What the next brace holds, if it is no group.
    expects: Option<LevelKind>,
    /// How many `!` stand before the next token.
    negations: usize,
    /// The doublings that the next bracket takes on.
    retries_next: usize,
}

/// Clauses that wrap what is before them.
const WRAPPING_WORDS: [&str; 16] = [
    "OPTIONAL", "MINUS", "UNION", "GRAPH", "SERVICE", "LATERAL", "FILTER", "VALUES", "EXISTS",
    "SELECT", "DISTINCT", "REDUCED", "GROUP", "HAVING", "ORDER", "LIMIT",
];
/// Functions that the parser tries with most arguments first.
const RETRIED_WORDS: [&str; 4] = ["REGEX", "REPLACE", "SUBSTR", "GROUP_CONCAT"];

impl Meter {
    fn new() -> Self {
        let whole = Level {
            kind: LevelKind::Group,
            links: 0,
            retries: 0,
        };
        Self {
            levels: vec![whole],
            depth: 0,
            peak: 0,
            retries: 0,
            expects: None,
            negations: 0,
            retries_next: 0,
        }
    }

    fn read(&mut self, text: &str, token: &Token, before: Option<&Token>) {
        let is_negation = token.is_symbol(text, "!");
        self.negations = if is_negation { self.negations + 1 } else { 0 };
        match token.kind {
            TokenKind::Word => return self.read_word(token.text(text)),
            // Names of functions: what doubles the work on the call doubles it on the arguments.
            TokenKind::PrefixedName => return,
            TokenKind::Iri => return self.read_iri(token.text(text)),
            TokenKind::Symbol => {
                self.read_symbol(token.text(text), before.map_or("", |t| t.text(text)))
            }
            _ => {}
        }
        if !is_negation {
            self.retries_next = 0;
        }
    }

    fn read_word(&mut self, word: &str) {
        let is_one_of = |words: &[&str]| words.iter().any(|w| word.eq_ignore_ascii_case(w));
        if is_one_of(&["INSERT", "DELETE"]) {
            // The quads of a template follow, or those of DATA.
            self.expects = Some(LevelKind::Data);
        } else if is_one_of(&["WHERE"]) && self.expects.is_some() {
            self.expects = Some(LevelKind::JoinedQuads);
        } else if is_one_of(&["GRAPH"]) && self.level().kind == LevelKind::Data {
            // Quads are a list, whatever their graphs.
        } else if is_one_of(&WRAPPING_WORDS) {
            if is_one_of(&["VALUES"]) {
                self.expects = Some(LevelKind::Data);
            }
            self.link();
        } else if is_one_of(&RETRIED_WORDS) {
            self.retries_next += 1;
        } else if is_one_of(&["AS"]) {
            // It extends the solutions of the group that its brackets stand in.
            let group = self.levels.len().saturating_sub(2);
            self.levels[group].links += 1;
            self.deepen();
        }
    }

    /// An IRI in angle brackets may as well be `<`, an expression without a blank, and `>`: where the parser expects an
    /// operator it reads that. What would be left open or chained then is counted.
    fn read_iri(&mut self, iri: &str) {
        let mut opened = 0;
        for c in iri.chars() {
            match c {
                '(' | '[' => {
                    self.open("(", "");
                    opened += 1;
                }
                ')' | ']' if opened > 0 => {
                    self.close();
                    opened -= 1;
                }
                _ => {}
            }
        }
        let chained = iri.matches("&&").count();
        self.level().links += chained;
        self.depth += chained;
        let operators = iri.matches(|c: char| "!+-*/^=".contains(c)).count();
        self.peak = self.peak.max(self.depth + operators);
    }

    fn read_symbol(&mut self, symbol: &str, before: &str) {
        let kind = self.level().kind;
        match symbol {
            "{" | "{|" | "(" | "[" | "<<" | "<<(" => self.open(symbol, before),
            "}" | "|}" | ")" | "]" | ">>" | ")>>" => self.close(),
            "," if kind == LevelKind::Inner => self.cut_chain(),
            // Operations of an update are a list.
            ";" if self.levels.len() == 1 => self.cut_chain(),
            "." | ";" | "," if kind == LevelKind::JoinedQuads => self.link(),
            // The datatype of a literal, which stands in no chain.
            "^^" if before.starts_with(['"', '\'']) => {}
            "/" | "|" | "^" | "^^" => self.link(),
            "!" => {
                self.link();
                self.retries_next = self.retries_next.max(1);
            }
            "||" | "&&" | "+" | "-" | "*" | "=" | "!=" | "<" | ">" | "<=" | ">="
                if kind == LevelKind::Inner =>
            {
                self.link();
            }
            _ => {}
        }
    }

    fn nesting(&self) -> usize {
        self.levels.len() - 1 + self.negations
    }

    fn level(&mut self) -> &mut Level {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn link(&mut self) {
        self.level().links += 1;
        self.deepen();
    }

    fn deepen(&mut self) {
        self.depth += 1;
        self.peak = self.peak.max(self.depth);
    }

    fn cut_chain(&mut self) {
        self.depth -= std::mem::take(&mut self.level().links);
    }

    fn open(&mut self, bracket: &str, before: &str) {
        let outer = self.level().kind;
        // Groups in a group are joined, brackets after brackets are the conditions of HAVING.
        if outer == LevelKind::Group && (bracket == "{" || bracket == "(" && before == ")") {
            self.link();
        }
        let kind = match bracket {
            "{" if outer == LevelKind::JoinedQuads => outer,
            "{" => self.expects.take().unwrap_or(LevelKind::Group),
            _ => LevelKind::Inner,
        };
        let retries = std::mem::take(&mut self.retries_next);
        self.levels.push(Level {
            kind,
            links: 0,
            retries,
        });
        self.deepen();
        self.retries += retries;
    }

    fn close(&mut self) {
        if self.levels.len() > 1
            && let Some(level) = self.levels.pop()
        {
            self.depth -= level.links + 1;
            self.retries -= level.retries;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_query;
    use super::super::tokens::tokenize;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(), &str>) {
        let limits = Limits::default();
        let outcome = parse_query(text, None, &limits);
        match (outcome, expected) {
            (Ok(_), Ok(())) => {}
            (Err(e), Err(words)) => {
                assert_eq!(e.kind(), ErrorKind::BadRequest);
                assert!(e.message().contains(words), "{e:?}");
            }
            (outcome, _) => panic!("{:.100}: {outcome:?}", text),
        }
    }

    #[test]
    fn absurd_nesting_is_refused_before_it_is_parsed() {
        let n = 100_000;
        let deep = Err("levels deep");
        check(
            &format!("ASK {{ {} {} }}", "{".repeat(n), "}".repeat(n)),
            deep,
        );
        check(&"{".repeat(n), deep);
        check(&format!("ASK {{ FILTER(?x<{}1>2) }}", "(".repeat(n)), deep);
        check(&format!("ASK {{ FILTER(?x<1{}>2) }}", "+1".repeat(n)), deep);
        check(
            &format!("ASK {{ FILTER(?x<1{}) }}", "&&?y>1&&?x<2".repeat(n)),
            deep,
        );
        check(&format!("ASK {{ FILTER({}) }}", "(<a:b)>".repeat(n)), deep);
        check(
            &format!("ASK {{ FILTER({}1{}) }}", "(".repeat(n), ")".repeat(n)),
            deep,
        );
        check(&format!("ASK {{ FILTER({}1) }}", "!".repeat(n)), deep);
        check(&format!("ASK {{ FILTER({}1) }}", "- ".repeat(n)), deep);
        check(&format!("ASK {{ FILTER(1{}) }}", "+1".repeat(n)), deep);
        check(&format!("ASK {{ FILTER(1{}) }}", "||1".repeat(n)), deep);
        check(
            &format!("ASK {{ ?s <a:b>{} ?o }}", "/<a:b>".repeat(n)),
            deep,
        );
        check(&format!("ASK {{ ?s {}<a:b> ?o }}", "^".repeat(n)), deep);
        check(
            &format!("ASK {{ ?s ?p {}{} }}", "[ ?p ".repeat(n), "]".repeat(n)),
            deep,
        );
        check(
            &format!("ASK {{ ?s ?p {}{} }}", "<<".repeat(n), ">>".repeat(n)),
            deep,
        );
        check(
            &format!("ASK {{ {} }}", "OPTIONAL { ?s ?p ?o } ".repeat(n)),
            deep,
        );
        check(&format!("ASK {{ {} }}", "{ ?s ?p ?o } ".repeat(n)), deep);
        check(&format!("ASK {{ {} }}", "FILTER(?s) ".repeat(n)), deep);
        check(&format!("ASK {{}} HAVING {}", "(1)".repeat(n)), deep);
        let many: String = (0..n).map(|i| format!("(1 AS ?x{i})")).collect();
        check(&format!("SELECT {many} {{}}"), deep);
    }

    #[test]
    fn what_the_parser_reads_twice_is_bounded_more_tightly() {
        let n = 60;
        check(
            &format!(
                "ASK {{ FILTER({}?x{}) }}",
                "SUBSTR(".repeat(n),
                ",1)".repeat(n)
            ),
            Err("SUBSTR"),
        );
        check(&format!("ASK {{ FILTER({} }}", "!(".repeat(n)), Err("BIND"));
        check(
            &format!(
                "ASK {{ FILTER({}?x{}) }}",
                "REPLACE(".repeat(10),
                ",\"a\",\"b\")".repeat(10)
            ),
            Ok(()),
        );
    }

    #[test]
    fn long_lists_are_not_deep() {
        let n = 5_000;
        check(&format!("ASK {{ {} }}", "?s ?p ?o . ".repeat(n)), Ok(()));
        check(&format!("ASK {{ ?s ?p 1{} }}", ", 1".repeat(n)), Ok(()));
        check(
            &format!("ASK {{ ?s ?p 1{} }}", "; <a:b> 1".repeat(n)),
            Ok(()),
        );
        check(
            &format!("ASK {{ VALUES ?x {{ {} }} }}", "-1 ".repeat(n)),
            Ok(()),
        );
        check(
            &format!("ASK {{ VALUES (?x ?y) {{ {} }} }}", "(1 <a:b>) ".repeat(n)),
            Ok(()),
        );
        let typed = "\"1\"^^<a:b>";
        check(
            &format!("ASK {{ ?s ?p {typed}{} }}", format!(", {typed}").repeat(n)),
            Ok(()),
        );
        check(
            &format!(
                "ASK {{ VALUES ?x {{ {} }} }}",
                format!("{typed} ").repeat(n)
            ),
            Ok(()),
        );
        check(
            &format!("ASK {{ FILTER(?x IN (1{})) }}", ", 1+1".repeat(n)),
            Ok(()),
        );
        check(
            &format!(
                "ASK {{ FILTER(?x = 1{}) }}",
                " || ?x = <http://example.org/a/b-c/d>".repeat(200)
            ),
            Ok(()),
        );
    }

    #[test]
    fn long_updates_are_not_deep() {
        let n = 2_000;
        let graphs = "GRAPH <a:g> { <a:s> <a:p> 1 } ".repeat(n);
        for text in [
            "CLEAR GRAPH <a:g> ; ".repeat(n),
            format!("INSERT DATA {{ {graphs} }}"),
            format!("DELETE {{ {graphs} }} INSERT {{ {graphs} }} WHERE {{}}"),
        ] {
            let outcome = super::super::parse_update(&text, None, &Limits::default());
            assert!(outcome.is_ok(), "{:.100}: {:?}", text, outcome.err());
        }
        let text = format!("DELETE WHERE {{ {graphs} }}");
        let error = super::super::parse_update(&text, None, &Limits::default()).unwrap_err();
        assert!(error.message().contains("levels deep"), "{error}");
    }

    #[test]
    fn depth_falls_when_brackets_close() {
        let text = "SELECT * { { ?s ?p ?o } FILTER((1 + 2) * 3 > 4) } LIMIT 1";
        let load = Limits::default()
            .check_nesting(text, &tokenize(text))
            .unwrap();
        assert!(load.depth < 12, "{load:?}");
    }

    #[test]
    fn long_text_is_refused() {
        check(&" ".repeat(5 << 20), Err("bytes"));
    }
}
