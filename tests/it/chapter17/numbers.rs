//! Derived integers, and the types that arithmetic and comparison promote to (section 17.3).

use super::pairs;

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

pub(super) fn derived_integers() -> Vec<(String, String)> {
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

pub(super) fn promotion() -> Vec<(String, String)> {
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
