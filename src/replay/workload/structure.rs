//! The structure of a query: its form, its operators, how many triple patterns it has and how they hang together.
//!
//! Two queries have the same template when they differ in their constants and the names of their variables only.

use super::QueryForm;
use spargebra::Query as Algebra;
use spargebra::algebra::{Expression, GraphPattern};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

/// How triple patterns hang together, where constants do not join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// There are none.
    Empty,
    /// There is one.
    Single,
    /// All share one node.
    Star,
    /// One leads to the next.
    Chain,
    /// They branch and never meet again.
    Tree,
    /// There is more than one way between two nodes.
    Cycle,
    /// Some share nothing with the others.
    Disconnected,
}

impl Shape {
    /// The word that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "no pattern",
            Self::Single => "single pattern",
            Self::Star => "star",
            Self::Chain => "chain",
            Self::Tree => "tree",
            Self::Cycle => "cycle",
            Self::Disconnected => "disconnected",
        }
    }
}

/// What a workload tells of one query.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Its form.
    pub form: QueryForm,
    /// The operators in it.
    pub operators: BTreeSet<&'static str>,
    /// How many triple patterns and paths it has.
    pub triple_patterns: usize,
    /// How they hang together.
    pub shape: Shape,
    /// Its text without its constants.
    pub template: String,
}

impl Structure {
    /// Of a query.
    pub fn of(query: &Algebra) -> Self {
        let (Algebra::Select { pattern, .. }
        | Algebra::Construct { pattern, .. }
        | Algebra::Describe { pattern, .. }
        | Algebra::Ask { pattern, .. }) = query;
        let mut found = Found::default();
        found.visit(pattern);
        let mut structure = Self {
            form: QueryForm::of(query),
            triple_patterns: found.edges.len(),
            shape: shape(&found.edges),
            operators: found.operators,
            template: template(&query.to_string()),
        };
        if structure.has_word("EXISTS") {
            structure.operators.insert("EXISTS");
        }
        structure
    }

    /// Whether a keyword or a function of the language is in it, in capitals.
    pub fn has_word(&self, wanted: &str) -> bool {
        let is_end = |c: char| !(c.is_alphabetic() || c == '_');
        self.template.split(is_end).any(|word| word == wanted)
    }
}

/// The patterns that a pattern works on.
pub fn inputs(pattern: &GraphPattern) -> Vec<&GraphPattern> {
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => {
            Vec::new()
        }
        GraphPattern::Join { left, right }
        | GraphPattern::LeftJoin { left, right, .. }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right } => vec![left, right],
        GraphPattern::Filter { inner, .. }
        | GraphPattern::Graph { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Group { inner, .. }
        | GraphPattern::Service { inner, .. } => vec![inner],
    }
}

#[derive(Default)]
struct Found {
    operators: BTreeSet<&'static str>,
    /// Subject and object of each triple pattern; constants are nodes of their own.
    edges: Vec<[String; 2]>,
}

impl Found {
    fn visit(&mut self, pattern: &GraphPattern) {
        self.operators.extend(operator(pattern));
        match pattern {
            GraphPattern::Bgp { patterns } => {
                for triple in patterns {
                    self.edge(&triple.subject, &triple.object);
                }
            }
            GraphPattern::Path {
                subject, object, ..
            } => self.edge(subject, object),
            _ => {}
        }
        for input in inputs(pattern) {
            self.visit(input);
        }
    }

    fn edge(&mut self, subject: &impl fmt::Display, object: &impl fmt::Display) {
        let number = self.edges.len();
        let node = |term: String, side: &str| match term.starts_with(['?', '_']) {
            true => term,
            false => format!("{side} of {number}"),
        };
        let subject = node(subject.to_string(), "subject");
        let object = node(object.to_string(), "object");
        self.edges.push([subject, object]);
    }
}

fn operator(pattern: &GraphPattern) -> Option<&'static str> {
    Some(match pattern {
        GraphPattern::Path { .. } => "path",
        GraphPattern::LeftJoin { .. } => "OPTIONAL",
        GraphPattern::Lateral { .. } => "LATERAL",
        GraphPattern::Filter { .. } => "FILTER",
        GraphPattern::Union { .. } => "UNION",
        GraphPattern::Graph { .. } => "GRAPH",
        // What only gives another name to a variable stands for the alias of an aggregate.
        GraphPattern::Extend {
            expression: Expression::Variable(_),
            ..
        } => return None,
        GraphPattern::Extend { .. } => "BIND or AS",
        GraphPattern::Minus { .. } => "MINUS",
        GraphPattern::Values { .. } => "VALUES",
        GraphPattern::OrderBy { .. } => "ORDER BY",
        GraphPattern::Distinct { .. } => "DISTINCT",
        GraphPattern::Reduced { .. } => "REDUCED",
        GraphPattern::Slice { .. } => "LIMIT or OFFSET",
        GraphPattern::Group { .. } => "GROUP BY or aggregate",
        GraphPattern::Service { .. } => "SERVICE",
        GraphPattern::Bgp { .. } | GraphPattern::Join { .. } | GraphPattern::Project { .. } => {
            return None;
        }
    })
}

fn shape(edges: &[[String; 2]]) -> Shape {
    let mut neighbours = BTreeMap::<&str, Vec<&str>>::new();
    for [a, b] in edges {
        neighbours.entry(a).or_default().push(b);
        neighbours.entry(b).or_default().push(a);
    }
    let Some(&first) = neighbours.keys().next() else {
        return Shape::Empty;
    };
    let mut reached = BTreeSet::from([first]);
    let mut waiting = vec![first];
    while let Some(node) = waiting.pop() {
        waiting.extend(
            neighbours[node]
                .iter()
                .copied()
                .filter(|n| reached.insert(n)),
        );
    }
    let degree_max = neighbours.values().map(Vec::len).max().unwrap_or_default();
    if reached.len() < neighbours.len() {
        Shape::Disconnected
    } else if edges.len() >= neighbours.len() {
        Shape::Cycle
    } else if edges.len() == 1 {
        Shape::Single
    } else if degree_max == edges.len() && edges.len() > 2 {
        Shape::Star
    } else if degree_max <= 2 {
        // Two patterns are a star only if they share their subject.
        match edges {
            [[a, _], [b, _]] if a == b => Shape::Star,
            _ => Shape::Chain,
        }
    } else {
        Shape::Tree
    }
}

/// A query in the text form of its algebra, with every constant and every variable replaced.
fn template(text: &str) -> String {
    let mut names = HashMap::new();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '<' => match rest.find('>').filter(|&end| !rest[..end].contains(' ')) {
                Some(end) => end + 1,
                None => 1,
            },
            '"' => string_bytes(rest),
            '?' | '$' | '_' => word_bytes(rest, 1),
            '0'..='9' => word_bytes(rest, 0),
            c if c.is_alphabetic() => word_bytes(rest, 0),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match c {
            '<' if length > 1 => out.push_str("<>"),
            '"' => out.push_str("\"\""),
            '0'..='9' => out.push('0'),
            '?' | '$' | '_' if length > 1 => {
                let next = names.len();
                let number = *names.entry(token).or_insert(next);
                out.push_str(&format!("?{number}"));
            }
            _ => out.push_str(token),
        }
        rest = after;
    }
    out
}

fn word_bytes(text: &str, skipped: usize) -> usize {
    let is_end = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
    text[skipped..]
        .find(is_end)
        .map_or(text.len(), |end| end + skipped)
}

/// A string with its closing quote.
fn string_bytes(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text[1..].find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargebra::SparqlParser;

    fn structure(text: &str) -> Structure {
        Structure::of(&SparqlParser::new().parse_query(text).unwrap())
    }

    #[test]
    fn shapes() {
        let check = |pattern: &str, wanted: Shape| {
            let found = structure(&format!("PREFIX : <http://e/> SELECT * {{ {pattern} }}"));
            assert_eq!(found.shape, wanted, "{pattern}");
        };
        check("", Shape::Empty);
        check("?a :p ?b", Shape::Single);
        check("?a :p ?b ; :q ?c", Shape::Star);
        check("?a :p ?b ; :q ?c ; :r 1", Shape::Star);
        check("?a :p ?b . ?b :p ?c", Shape::Chain);
        check("?a :p ?b . ?b :p ?c OPTIONAL { ?c :p ?d }", Shape::Chain);
        check("?a :p ?b , ?c . ?b :p ?d . ?b :q ?e", Shape::Tree);
        check("?a :p ?b . ?b :p ?c . ?c :p ?a", Shape::Cycle);
        check("?a :p ?b . ?c :p ?d", Shape::Disconnected);
        check("?a :p :x . ?b :p :x", Shape::Disconnected);
    }

    #[test]
    fn operators_and_counts() {
        let found = structure(
            "SELECT DISTINCT ?a { ?a <http://e/p>+ ?b OPTIONAL { ?a ?c ?d } FILTER NOT EXISTS { ?a ?e ?f } } LIMIT 3",
        );
        let operators: Vec<_> = found.operators.iter().copied().collect();
        let wanted = [
            "DISTINCT",
            "EXISTS",
            "FILTER",
            "LIMIT or OFFSET",
            "OPTIONAL",
            "path",
        ];
        assert_eq!(operators, wanted);
        assert_eq!((found.form, found.triple_patterns), (QueryForm::Select, 2));
    }

    #[test]
    fn an_aggregate_is_no_bind() {
        let check = |text: &str, wanted: &[&str]| {
            let found: Vec<_> = structure(text).operators.into_iter().collect();
            assert_eq!(found, wanted, "{text}");
        };
        check(
            "SELECT (COUNT(*) AS ?n) { ?a ?b ?c }",
            &["GROUP BY or aggregate"],
        );
        check("SELECT (1 + ?c AS ?n) { ?a ?b ?c }", &["BIND or AS"]);
        check("SELECT * { ?a ?b ?c BIND(1 + ?c AS ?n) }", &["BIND or AS"]);
    }

    #[test]
    fn templates_forget_constants_and_names() {
        let check = |same: bool, a: &str, b: &str| {
            let (left, right) = (structure(a).template, structure(b).template);
            assert_eq!(left == right, same, "{left}\n{right}");
        };
        let query = r#"SELECT ?x { ?x <http://e/p> "a \" b"@en FILTER(?x > 3) }"#;
        check(
            true,
            query,
            r#"SELECT ?y { ?y <http://e/q> "c"@en FILTER(?y > 17) }"#,
        );
        check(
            false,
            query,
            r#"SELECT ?y { ?y <http://e/q> "c"@en FILTER(?y < 17) }"#,
        );
        check(
            false,
            query,
            r#"SELECT ?y { ?y <http://e/q> ?z FILTER(?y > 17) }"#,
        );
        check(false, "ASK { ?a ?b ?a }", "ASK { ?a ?b ?c }");
    }
}
