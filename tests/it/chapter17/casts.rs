//! Casts (SPARQL 1.1 Query, section 17.5).

/// The table of casts; where it says "maybe", a value that can be cast and one that cannot.
pub(super) fn casts() -> Vec<(String, String)> {
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
