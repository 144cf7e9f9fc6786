//! Effective boolean values (section 17.2.2), and times and durations.

use super::pairs;

/// As SPARQL 1.2 has them: literals that are no values of their datatype are errors, where SPARQL 1.1 called them false.
pub(super) fn boolean_values() -> Vec<(String, String)> {
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

pub(super) fn times() -> Vec<(String, String)> {
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
