//! Pairs of queries that have one answer by the algebra of SPARQL 1.1 Query, section 18, and by SEP-0006 for LATERAL.
//!
//! All are made of random basic graph patterns that share the variables `?a` to `?e`.

use super::data::{CLASSES, GRAPHS, LINKS, NODES, VALUES};
use crate::differential::random::Random;

/// Two queries with one answer, and by which law.
pub struct Pair {
    pub law: &'static str,
    pub one: String,
    pub other: String,
}

type Law = (&'static str, fn(&mut Random) -> (String, String));

/// Every law.
const LAWS: [Law; 18] = [
    ("triples of a pattern may be swapped", swapped),
    ("patterns are joined as groups are", grouped),
    ("a sub-query of all variables is its pattern", sub_query),
    ("a constant is a filter is VALUES", constant),
    ("OPTIONAL is a join and what has no partner", optional),
    ("OPTIONAL keeps every row of its left", kept_by_optional),
    ("MINUS of shared bound variables is NOT EXISTS", minus),
    ("EXISTS keeps the rows that a join has", exists),
    ("a condition holds, does not, or raises", partition),
    ("a sequence is a join", sequence),
    ("an alternative is a union", alternative),
    ("one or more steps are one and any number", closure),
    (
        "a closure that ends somewhere is one that begins there",
        reversed,
    ),
    ("the first of an order are the first of all", first),
    ("counting groups is grouping counts", counted),
    ("GRAPH of a join is a join of GRAPHs", graphs),
    ("LATERAL of a pattern is a join", lateral),
    ("DISTINCT is GROUP BY", distinct),
];

/// The pair of a number: laws take turns.
pub fn pair(number: usize, random: &mut Random) -> Pair {
    let (law, make) = LAWS[number % LAWS.len()];
    let (one, other) = make(random);
    Pair { law, one, other }
}

const NODE_VARIABLES: [&str; 3] = ["?a", "?b", "?c"];

fn node(random: &mut Random) -> String {
    match random.chance(8) {
        true => format!(":n{}", random.between(0, NODES - 1)),
        false => random.pick(&NODE_VARIABLES).to_string(),
    }
}

/// A triple pattern whose subject is a certain variable.
fn triple_of(random: &mut Random, subject: &str) -> String {
    match random.weighted(&[45, 25, 30]) {
        0 => format!("{subject} {} {}", random.pick(&LINKS), node(random)),
        1 => format!("{subject} a :C{}", random.between(0, CLASSES - 1)),
        _ => format!(
            "{subject} {} {}",
            random.pick(&VALUES),
            random.pick(&["?d", "?e"])
        ),
    }
}

fn triple(random: &mut Random) -> String {
    let subject = *random.pick(&NODE_VARIABLES);
    triple_of(random, subject)
}

/// Patterns that all have `?a`, so that they are no products.
fn pattern(random: &mut Random, most: usize) -> Vec<String> {
    let mut triples = vec![triple_of(random, "?a")];
    for _ in 1..random.between(1, most) {
        triples.push(match random.weighted(&[50, 25, 25]) {
            0 => triple_of(random, "?a"),
            1 => format!(
                "{} {} ?a",
                random.pick(&NODE_VARIABLES),
                random.pick(&LINKS)
            ),
            _ => format!("?a :p ?b . {}", triple_of(random, "?b")),
        });
    }
    triples
}

fn text(triples: &[String]) -> String {
    triples.join(" . ")
}

/// Two patterns that share `?a`; the first has few answers every other time.
fn two(random: &mut Random) -> (String, String) {
    let mut left = pattern(random, 2);
    if random.chance(50) {
        left.push(format!("?a :q :n{}", random.between(0, 15)));
    }
    (text(&left), text(&pattern(random, 2)))
}

fn all(body: &str) -> String {
    format!("SELECT ?a ?b ?c ?d ?e {{ {body} }}")
}

fn condition(random: &mut Random) -> String {
    let number = random.between(0, 60);
    match random.between(0, 4) {
        0 => format!("?d < {number}"),
        1 => format!("?d = ?e || ?d > {number}"),
        2 => format!("CONTAINS(?e, \"{}\")", random.between(0, 9)),
        3 => format!("?b != :n{number} && STRLEN(STR(?d)) > 1"),
        _ => format!("EXISTS {{ {} }}", triple(random)),
    }
}

fn swapped(random: &mut Random) -> (String, String) {
    let mut triples = pattern(random, 3);
    let one = all(&text(&triples));
    triples.reverse();
    (one, all(&text(&triples)))
}

fn grouped(random: &mut Random) -> (String, String) {
    let (l, r) = two(random);
    (
        all(&format!("{l} . {r}")),
        all(&format!("{{ {r} }} {{ {l} }}")),
    )
}

fn sub_query(random: &mut Random) -> (String, String) {
    let (l, r) = two(random);
    let inner = format!("{{ SELECT * {{ {r} }} ORDER BY ?a }} {l}");
    (all(&format!("{l} . {r}")), all(&inner))
}

fn constant(random: &mut Random) -> (String, String) {
    let pattern = text(&pattern(random, 3));
    let node = format!(":n{}", random.between(0, 40));
    let variable = random.pick(&["?a", "?b"]);
    // A variable that the pattern has not would be bound by VALUES alone.
    let bound = format!("{pattern} . {variable} a ?class");
    (
        all(&format!("{bound} FILTER(sameTerm({variable}, {node}))")),
        all(&format!("VALUES {variable} {{ {node} :nowhere }} {bound}")),
    )
}

fn optional(random: &mut Random) -> (String, String) {
    let (l, r) = two(random);
    (
        all(&format!("{l} OPTIONAL {{ {r} }}")),
        all(&format!(
            "{{ {l} . {r} }} UNION {{ {l} FILTER NOT EXISTS {{ {r} }} }}"
        )),
    )
}

fn kept_by_optional(random: &mut Random) -> (String, String) {
    let (l, r) = two(random);
    (
        format!(
            "SELECT DISTINCT ?a {{ {l} OPTIONAL {{ {r} FILTER({}) }} }}",
            condition(random)
        ),
        format!("SELECT DISTINCT ?a {{ {l} }}"),
    )
}

fn minus(random: &mut Random) -> (String, String) {
    let (l, r) = two(random);
    (
        all(&format!("{l} MINUS {{ {r} }}")),
        all(&format!("{l} FILTER NOT EXISTS {{ {r} }}")),
    )
}

fn exists(random: &mut Random) -> (String, String) {
    let (l, r) = (text(&pattern(random, 2)), text(&pattern(random, 3)));
    // Both sides bind ?a and name apart what else the left has.
    let l = l
        .replace("?b", "?l")
        .replace("?c", "?m")
        .replace("?d", "?n")
        .replace("?e", "?o");
    let select = "SELECT DISTINCT ?a ?l ?m ?n ?o";
    (
        format!("{select} {{ {l} FILTER EXISTS {{ {r} }} }}"),
        format!("{select} {{ {l} . {r} }}"),
    )
}

fn partition(random: &mut Random) -> (String, String) {
    let (l, r) = two(random);
    let (body, test) = (format!("{l} OPTIONAL {{ {r} }}"), condition(random));
    let raises = format!("!COALESCE(IF({test}, true, true), false)");
    (
        all(&body),
        all(&format!(
            "{{ {body} FILTER({test}) }} UNION {{ {body} FILTER(!({test})) }} UNION {{ {body} FILTER({raises}) }}"
        )),
    )
}

fn sequence(random: &mut Random) -> (String, String) {
    let (p, q) = (*random.pick(&LINKS), *random.pick(&LINKS));
    let l = text(&pattern(random, 2));
    (
        all(&format!("{l} . ?a {p}/^{q} ?c")),
        all(&format!("{l} . ?a {p} ?middle . ?c {q} ?middle")),
    )
}

fn alternative(random: &mut Random) -> (String, String) {
    let (p, q) = (*random.pick(&LINKS), *random.pick(&LINKS));
    let l = text(&pattern(random, 2));
    (
        all(&format!("{l} . ?a {p}|^{q} ?c")),
        all(&format!("{l} {{ ?a {p} ?c }} UNION {{ ?c {q} ?a }}")),
    )
}

fn closure(random: &mut Random) -> (String, String) {
    let (p, l) = (
        *random.pick(&[":q", ":r", "(:q|:r)"]),
        text(&pattern(random, 2)),
    );
    let select = "SELECT DISTINCT ?a ?z";
    (
        format!("{select} {{ {l} . ?a {p}+ ?z }}"),
        format!("{select} {{ {l} . ?a {p} ?y . ?y {p}* ?z }}"),
    )
}

fn reversed(random: &mut Random) -> (String, String) {
    let (p, end) = (
        *random.pick(&[":q", ":r", "(:q/:r?)"]),
        random.between(0, 15),
    );
    (
        format!("SELECT ?z {{ ?z {p}+ :n{end} }}"),
        format!("SELECT ?z {{ :n{end} ^({p})+ ?z }}"),
    )
}

fn first(random: &mut Random) -> (String, String) {
    let (body, limit) = (text(&pattern(random, 3)), random.between(0, 20));
    let order = "ORDER BY ?a ?b ?c DESC(?d) ?e";
    let all = all(&body);
    // What two orders give first is the same, since nothing is left open: every column is a key.
    (
        format!("{all} {order} LIMIT {limit}"),
        format!("SELECT * {{ {{ {all} {order} }} }} {order} LIMIT {limit}"),
    )
}

fn counted(random: &mut Random) -> (String, String) {
    let body = text(&pattern(random, 3));
    (
        format!("SELECT ?a (COUNT(*) AS ?n) {{ {body} }} GROUP BY ?a"),
        format!(
            "SELECT ?a (SUM(?m) AS ?n) {{ {{ SELECT ?a ?b (COUNT(*) AS ?m) {{ {body} }} GROUP BY ?a ?b }} }} GROUP BY ?a"
        ),
    )
}

fn graphs(random: &mut Random) -> (String, String) {
    let (l, r) = two(random);
    let graph = if random.chance(70) {
        "?g"
    } else {
        random.pick(&GRAPHS)
    };
    let select = "SELECT ?g ?a ?b ?c ?d ?e";
    (
        format!("{select} {{ GRAPH {graph} {{ {l} . {r} }} }}"),
        format!("{select} {{ GRAPH {graph} {{ {r} }} GRAPH {graph} {{ {l} }} }}"),
    )
}

fn lateral(random: &mut Random) -> (String, String) {
    let (l, r) = two(random);
    (
        all(&format!("{l} LATERAL {{ {r} }}")),
        all(&format!("{l} . {r}")),
    )
}

fn distinct(random: &mut Random) -> (String, String) {
    let body = text(&pattern(random, 3));
    (
        format!("SELECT DISTINCT ?a ?b {{ {body} }}"),
        format!("SELECT ?a ?b {{ {body} }} GROUP BY ?a ?b"),
    )
}
