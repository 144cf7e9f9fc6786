//! The tables of SPARQL 1.1 Query, chapter 17, through the whole engine: casts, promotion, effective boolean values, the
//! order of values, aggregates over errors.
//!
//! What each function gives is tested beside the code, in `expr`; here it is the tables as such, complete.

use crate::kaluta::Kaluta;
use crate::store::{Answer, Request, Store};
use libtest_mimic::Trial;
use std::fmt::Write;

const PREFIXES: &str = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n";

/// The derived types of `xsd:integer`.
const DERIVED: [&str; 12] = [
    "nonPositiveInteger",
    "negativeInteger",
    "long",
    "int",
    "short",
    "byte",
    "nonNegativeInteger",
    "unsignedLong",
    "unsignedInt",
    "unsignedShort",
    "unsignedByte",
    "positiveInteger",
];

/// Makes a table: expressions, and what each must give.
type Table = fn() -> Vec<(String, String)>;

/// One trial for each table.
pub fn trials() -> Vec<Trial> {
    let tables: [(&str, Table); 5] = [
        ("casts_of_section_17_5", casts),
        ("derived_integers_are_integers", derived_integers),
        ("numbers_are_promoted", promotion),
        ("effective_boolean_values_of_section_17_2_2", boolean_values),
        ("times_with_and_without_zone", times),
    ];
    let trial = |(name, table): (&str, Table)| {
        Trial::test(format!("chapter17::{name}"), move || Ok(check(&table())?))
    };
    let mut trials: Vec<_> = tables.into_iter().map(trial).collect();
    trials.push(Trial::test(
        "chapter17::order_over_kinds_of_section_15_1",
        || Ok(order()?),
    ));
    trials.push(Trial::test("chapter17::aggregates_over_errors", || {
        Ok(aggregates()?)
    }));
    trials
}

/// Each expression has this value, or is an error.
fn check(table: &[(String, String)]) -> Result<(), String> {
    let store = Kaluta::open()?;
    let mut wrong = String::new();
    for (expression, expected) in table {
        // A comparison of terms, so that datatypes and lexical forms count.
        let test = match expected.as_str() {
            "error" => format!("!COALESCE(IF(isBLANK({expression}), true, true), false)"),
            expected => format!("sameTerm({expression}, {expected})"),
        };
        let query = format!("{PREFIXES}SELECT ({expression} AS ?is) ({test} AS ?ok) {{}}");
        let Answer::Solutions { rows, .. } = store.query(&Request::new(query))? else {
            return Err("a SELECT has solutions".into());
        };
        let is_so = rows[0][1]
            .as_ref()
            .is_some_and(|t| t.to_string().starts_with("\"true\""));
        if !is_so {
            let is = rows[0][0]
                .as_ref()
                .map_or("error".to_owned(), ToString::to_string);
            let _ = writeln!(wrong, "{expression} is {is}, not {expected}");
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn pairs(table: &[(&str, &str)]) -> Vec<(String, String)> {
    table
        .iter()
        .map(|(l, r)| ((*l).to_owned(), (*r).to_owned()))
        .collect()
}

/// The table of casts; where it says "maybe", a value that can be cast and one that cannot.
fn casts() -> Vec<(String, String)> {
    const TARGETS: [&str; 7] = [
        "string", "float", "double", "decimal", "integer", "dateTime", "boolean",
    ];
    const MOMENT: &str = "\"2011-01-10T14:45:13Z\"^^xsd:dateTime";
    let rows: [(&str, [&str; 7]); 15] = [
        (
            "\"1\"",
            [
                "\"1\"",
                "\"1\"^^xsd:float",
                "1e0",
                "1.0",
                "1",
                "error",
                "true",
            ],
        ),
        (
            "\"x\"",
            [
                "\"x\"", "error", "error", "error", "error", "error", "error",
            ],
        ),
        (
            "\"2011-01-10T14:45:13Z\"",
            [
                "\"2011-01-10T14:45:13Z\"",
                "error",
                "error",
                "error",
                "error",
                MOMENT,
                "error",
            ],
        ),
        (
            "\"2.5\"^^xsd:float",
            [
                "\"2.5\"",
                "\"2.5\"^^xsd:float",
                "2.5e0",
                "2.5",
                "2",
                "error",
                "true",
            ],
        ),
        (
            "\"NaN\"^^xsd:float",
            [
                "\"NaN\"",
                "\"NaN\"^^xsd:float",
                "\"NaN\"^^xsd:double",
                "error",
                "error",
                "error",
                "false",
            ],
        ),
        (
            "2.5e0",
            [
                "\"2.5\"",
                "\"2.5\"^^xsd:float",
                "2.5e0",
                "2.5",
                "2",
                "error",
                "true",
            ],
        ),
        (
            "\"INF\"^^xsd:double",
            [
                "\"INF\"",
                "\"INF\"^^xsd:float",
                "\"INF\"^^xsd:double",
                "error",
                "error",
                "error",
                "true",
            ],
        ),
        (
            "2.5",
            [
                "\"2.5\"",
                "\"2.5\"^^xsd:float",
                "2.5e0",
                "2.5",
                "2",
                "error",
                "true",
            ],
        ),
        (
            "0.0",
            [
                "\"0\"",
                "\"0\"^^xsd:float",
                "0e0",
                "0.0",
                "0",
                "error",
                "false",
            ],
        ),
        (
            "7",
            [
                "\"7\"",
                "\"7\"^^xsd:float",
                "7e0",
                "7.0",
                "7",
                "error",
                "true",
            ],
        ),
        (
            MOMENT,
            [
                "\"2011-01-10T14:45:13Z\"",
                "error",
                "error",
                "error",
                "error",
                MOMENT,
                "error",
            ],
        ),
        (
            "true",
            [
                "\"true\"",
                "\"1\"^^xsd:float",
                "1e0",
                "1.0",
                "1",
                "error",
                "true",
            ],
        ),
        (
            "false",
            [
                "\"false\"",
                "\"0\"^^xsd:float",
                "0e0",
                "0.0",
                "0",
                "error",
                "false",
            ],
        ),
        (
            ":a",
            [
                "\"http://e/a\"",
                "error",
                "error",
                "error",
                "error",
                "error",
                "error",
            ],
        ),
        (
            "\"z\"^^xsd:integer",
            [
                "\"z\"", "error", "error", "error", "error", "error", "error",
            ],
        ),
    ];
    let mut table = Vec::new();
    for (source, values) in rows {
        for (target, value) in TARGETS.iter().zip(values) {
            let cast = format!("xsd:{target}({source})");
            // Numbers are compared as values of their type: how a cast writes them is its own affair.
            table.push(match (*target, value) {
                (_, "error") => (cast, "error".to_owned()),
                ("string" | "boolean" | "dateTime", value) => (cast, value.to_owned()),
                (_, "\"NaN\"^^xsd:float" | "\"NaN\"^^xsd:double") => {
                    (format!("STR({cast})"), "\"NaN\"".to_owned())
                }
                (target, value) => (
                    format!("{cast} = {value} && DATATYPE({cast}) = xsd:{target}"),
                    "true".to_owned(),
                ),
            });
        }
    }
    table
}

fn derived_integers() -> Vec<(String, String)> {
    let mut table = Vec::new();
    for datatype in DERIVED {
        let is_negative = ["nonPositiveInteger", "negativeInteger"].contains(&datatype);
        let digits = if is_negative { "-5" } else { "5" };
        let value = format!("\"{digits}\"^^xsd:{datatype}");
        let mut add =
            |expression: String, expected: &str| table.push((expression, expected.to_owned()));
        add(format!("{value} = {digits}"), "true");
        add(format!("{value} < 6.5"), "true");
        add(format!("isNUMERIC({value})"), "true");
        add(format!("DATATYPE({value} + {value})"), "xsd:integer");
        add(
            format!("DATATYPE({value} * \"1\"^^xsd:byte)"),
            "xsd:integer",
        );
        add(format!("DATATYPE({value} / {value})"), "xsd:decimal");
        add(format!("DATATYPE({value})"), &format!("xsd:{datatype}"));
        add(format!("{value} IN (5.0, -5.0)"), "true");
        add(format!("isNUMERIC(\"x\"^^xsd:{datatype})"), "false");
        add(format!("\"x\"^^xsd:{datatype} + 1"), "error");
    }
    table
}

fn promotion() -> Vec<(String, String)> {
    const KINDS: [(&str, &str); 4] = [
        ("6", "integer"),
        ("6.0", "decimal"),
        ("\"6\"^^xsd:float", "float"),
        ("6e0", "double"),
    ];
    let mut table = Vec::new();
    for (i, (left, _)) in KINDS.iter().enumerate() {
        for (j, (right, _)) in KINDS.iter().enumerate() {
            let widest = KINDS[i.max(j)].1;
            for operator in ["+", "-", "*", "/"] {
                // Integers divide to a decimal.
                let datatype = if operator == "/" && widest == "integer" {
                    "decimal"
                } else {
                    widest
                };
                let expression = format!("DATATYPE({left} {operator} {right})");
                table.push((expression, format!("xsd:{datatype}")));
            }
            table.push((
                format!("{left} = {right} && {left} <= {right}"),
                "true".to_owned(),
            ));
        }
    }
    table.extend(pairs(&[
        ("1 / 0", "error"),
        ("1.0 / 0.0", "error"),
        ("STR(1e0 / 0)", "\"INF\""),
        ("-\"5\"^^xsd:byte", "-5"),
        ("+1.50 = 1.5", "true"),
        ("\"1\" + 1", "error"),
        ("true + 1", "error"),
    ]));
    table
}

/// As SPARQL 1.2 has them: literals that are no values of their datatype are errors, where SPARQL 1.1 called them false.
fn boolean_values() -> Vec<(String, String)> {
    let mut table = Vec::new();
    for (value, expected) in [
        ("true", "true"),
        ("false", "false"),
        ("\"1\"^^xsd:boolean", "true"),
        ("\"x\"^^xsd:boolean", "error"),
        ("\"\"", "false"),
        ("\"false\"", "true"),
        ("0", "false"),
        ("0.0", "false"),
        ("\"NaN\"^^xsd:double", "false"),
        ("\"INF\"^^xsd:double", "true"),
        ("\"-1\"^^xsd:byte", "true"),
        ("\"x\"^^xsd:integer", "error"),
        ("\"x\"@en", "error"),
        (":a", "error"),
        ("\"2011-01-10\"^^xsd:date", "error"),
        ("\"x\"^^:unknown", "error"),
    ] {
        let negated = match expected {
            "true" => "false",
            "false" => "true",
            other => other,
        };
        table.push((format!("!({value})"), negated.to_owned()));
        table.push((format!("IF({value}, true, false)"), expected.to_owned()));
        // What is false or an error decides nothing beside true, and the other way round.
        table.push((format!("({value}) || true"), "true".to_owned()));
        table.push((format!("false && ({value})"), "false".to_owned()));
        table.push((format!("({value}) && true"), expected.to_owned()));
    }
    table
}

fn times() -> Vec<(String, String)> {
    let time = |text: &str| format!("\"{text}\"^^xsd:dateTime");
    let mut table = Vec::new();
    for (left, operator, right, expected) in [
        (
            "2004-01-01T00:00:00Z",
            "=",
            "2003-12-31T19:00:00-05:00",
            "true",
        ),
        (
            "2004-01-01T00:00:00Z",
            "<",
            "2003-12-31T20:00:00-05:00",
            "true",
        ),
        ("2004-01-01T00:00:00", "=", "2004-01-01T00:00:00", "true"),
        // Fourteen hours are what zones can make of a difference.
        ("2004-01-01T00:00:00", "<", "2004-01-01T10:00:00Z", "error"),
        ("2004-01-01T00:00:00", "<", "2004-01-01T15:00:00Z", "true"),
        ("2004-01-01T00:00:00", ">", "2003-12-31T09:00:00Z", "true"),
        ("2004-01-01T24:00:00Z", "=", "2004-01-02T00:00:00Z", "true"),
        (
            "2004-01-01T00:00:00.000Z",
            "=",
            "2004-01-01T00:00:00Z",
            "true",
        ),
        ("2004-13-01T00:00:00Z", "<", "2004-01-01T00:00:00Z", "error"),
    ] {
        let expression = format!("{} {operator} {}", time(left), time(right));
        table.push((expression, expected.to_owned()));
    }
    table.extend(pairs(&[
        ("\"P1Y\"^^xsd:duration = \"P12M\"^^xsd:duration", "true"),
        (
            "\"PT36H\"^^xsd:dayTimeDuration = \"P1DT12H\"^^xsd:dayTimeDuration",
            "true",
        ),
        (
            "\"P1M\"^^xsd:yearMonthDuration < \"P2M\"^^xsd:yearMonthDuration",
            "true",
        ),
        (
            "\"2020-01-31\"^^xsd:date < \"2020-02-01\"^^xsd:date",
            "true",
        ),
        ("\"10:00:00\"^^xsd:time < \"11:00:00\"^^xsd:time", "true"),
    ]));
    table
}

/// Nothing, blank nodes, IRIs, literals; backwards the other way round; and the same order from every input order.
fn order() -> Result<(), String> {
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
fn aggregates() -> Result<(), String> {
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
