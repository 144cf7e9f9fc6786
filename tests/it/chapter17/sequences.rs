//! Values in sequences: their order (section 15.1), and aggregates over them (section 18.5.1).

use super::PREFIXES;
use crate::kaluta::Kaluta;
use crate::store::{Answer, Request, Store};

/// Nothing, blank nodes, IRIs, literals; backwards the other way round; and the same order from every input order.
pub(super) fn order() -> Result<(), String> {
    let store = Kaluta::open()?;
    let values = [":b", "2", "UNDEF", "1.5", ":a", "\"10\"^^xsd:byte", "1e0"];
    let expected = [
        "-",
        "blank",
        ":a",
        ":b",
        "1e0",
        "1.5",
        "2",
        "\"10\"^^xsd:byte",
    ];
    for turn in 0..values.len() {
        let mut turned = values;
        turned.rotate_left(turn);
        for (direction, is_reversed) in [("ASC", false), ("DESC", true)] {
            let query = format!(
                "{PREFIXES}SELECT ?x {{ {{ VALUES ?x {{ {} }} }} UNION {{ BIND(BNODE() AS ?x) }} }} ORDER BY {direction}(?x)",
                turned.join(" ")
            );
            let Answer::Solutions { rows, .. } = store.query(&Request::new(query))? else {
                return Err("a SELECT has solutions".into());
            };
            let shown = rows.iter().map(|row| match &row[0] {
                None => "-".to_owned(),
                Some(oxrdf::Term::BlankNode(_)) => "blank".to_owned(),
                Some(term) => short(&term.to_string()),
            });
            let shown: Vec<_> = shown.collect();
            let mut expected = expected.map(short).to_vec();
            if is_reversed {
                expected.reverse();
            }
            if shown != expected {
                return Err(format!(
                    "turn {turn} {direction}: {shown:?}, not {expected:?}"
                ));
            }
        }
    }
    Ok(())
}

/// What is left of a term without namespaces and datatypes.
fn short(term: &str) -> String {
    let end = term.find("^^").unwrap_or(term.len());
    term[..end]
        .trim_matches(['"', '<', '>'])
        .replace("http://e/", ":")
}

/// Each aggregate over nothing, over an error among values, and over values alone (sections 18.5.1.2 to 18.5.1.7).
pub(super) fn aggregates() -> Result<(), String> {
    let store = Kaluta::open()?;
    let groups = [
        ("nothing", "FILTER(false)"),
        ("an error", "VALUES ?x { 1 2 \"z\" }"),
        ("values", "VALUES ?x { 1 2.0 }"),
    ];
    let table: [(&str, [&str; 3]); 10] = [
        ("COUNT(*)", ["0", "3", "2"]),
        ("COUNT(?x + 0)", ["0", "2", "2"]),
        ("SUM(?x)", ["0", "error", "3"]),
        ("AVG(?x)", ["0", "error", "1.5"]),
        ("MIN(?x)", ["error", "1", "1"]),
        ("MAX(?x)", ["error", "z", "2.0"]),
        ("GROUP_CONCAT(?x)", ["", "error", "error"]),
        ("GROUP_CONCAT(STR(?x))", ["", "1 2 z", "1 2.0"]),
        ("SAMPLE(?x)", ["error", "1", "1"]),
        ("SUM(?x + 0)", ["0", "error", "3"]),
    ];
    for (aggregate, expected) in table {
        for ((group, pattern), expected) in groups.iter().zip(expected) {
            let query = format!("{PREFIXES}SELECT ({aggregate} AS ?v) {{ {pattern} }}");
            let Answer::Solutions { rows, .. } = store.query(&Request::new(query))? else {
                return Err("a SELECT has solutions".into());
            };
            let value = rows[0][0]
                .as_ref()
                .map_or("error".to_owned(), |t| short(&t.to_string()));
            if value != expected {
                return Err(format!(
                    "{aggregate} over {group} is {value}, not {expected}"
                ));
            }
        }
    }
    Ok(())
}
