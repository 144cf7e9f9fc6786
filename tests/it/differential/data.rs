//! Small random data sets: cycles, shared objects, blank nodes, three graphs, dirty literals.

use super::random::Random;
use std::fmt::Write;

/// The prefixes that data and queries use.
pub const PREFIXES: &str =
    "PREFIX : <http://e/>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n";

/// The nodes, blank ones last.
pub const NODES: [&str; 7] = [":a", ":b", ":c", ":d", ":e", "_:x", "_:y"];
/// The nodes that queries can name.
pub const NAMED_NODES: usize = 5;
/// The predicates. `:v` and `:w` have literals, the others nodes, mostly.
pub const PREDICATES: [&str; 5] = [":p", ":q", ":r", ":v", ":w"];
/// Whether the objects of a predicate are literals, mostly.
pub fn is_literal_predicate(predicate: &str) -> bool {
    matches!(predicate, ":v" | ":w")
}

/// The named graphs.
pub const GRAPHS: [&str; 2] = [":g1", ":g2"];

/// Literals as production data has them. Numbers are in the form in which the independent engine writes them, because it
/// forgets how a number was written as soon as an expression touches it.
pub const LITERALS: [&str; 26] = [
    "1",
    "2",
    "3",
    "-4",
    "2.5",
    "0.1",
    "\"1000\"^^xsd:double",
    "\"0.5\"^^xsd:double",
    "\"2.5\"^^xsd:float",
    "true",
    "false",
    "\"1\"",
    "\"abc\"",
    "\"abd\"",
    "\"\"",
    "\"2009?\"",
    "\"in press\"",
    "\"chat\"@en",
    "\"chat\"@fr",
    "\"chat\"@en-gb",
    "\"abc\"^^xsd:integer",
    "\"2009-13-40\"^^xsd:date",
    "\"2009-05-01Z\"^^xsd:date",
    "\"2010-01-01T00:00:00Z\"^^xsd:dateTime",
    "\"2011-07-01T12:30:00Z\"^^xsd:dateTime",
    "\"x\"^^:custom",
];

/// A statement as N-Quads-like text: graph (or nothing) and triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    graph: Option<&'static str>,
    triple: String,
}

/// A random data set.
pub fn generate(random: &mut Random) -> Vec<Statement> {
    let statements = random.between(15, 50);
    (0..statements).map(|_| statement(random)).collect()
}

fn statement(random: &mut Random) -> Statement {
    let graph = random.chance(30).then(|| *random.pick(&GRAPHS));
    let subject = random.pick(&NODES);
    let predicate = random.pick(&PREDICATES);
    let wants_literal = is_literal_predicate(predicate) != random.chance(8);
    let object = if wants_literal {
        random.pick(&LITERALS)
    } else {
        random.pick(&NODES)
    };
    Statement {
        graph,
        triple: format!("{subject} {predicate} {object}"),
    }
}

/// The data set as TriG.
pub fn to_trig(statements: &[Statement]) -> String {
    let mut text = PREFIXES.to_owned();
    for Statement { graph, triple } in statements {
        let _ = match graph {
            Some(graph) => writeln!(text, "{graph} {{ {triple} }}"),
            None => writeln!(text, "{triple} ."),
        };
    }
    text
}
