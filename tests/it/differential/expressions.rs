//! Random expressions over the functions and operators of SPARQL 1.1 Query, chapter 17.
//!
//! Left out is what the independent engine has no defined answer for: how computed numbers are written, so that no string is
//! made of one; division that does not come out even; random and time functions; and `NOT IN ()`, which it finds false.

use super::data::{LITERALS, NAMED_NODES, NODES};
use super::random::Random;

/// Literals that have an order. One of them is a side of each `<`, because the independent engine finds any two equal
/// terms ordered, where the standard has an error (section 17.3). Booleans are missing, which it does not order.
const ORDERED: [&str; 7] = [
    "1",
    "2.5",
    "\"0.5\"^^xsd:double",
    "\"abc\"",
    "\"\"",
    "\"2009-05-01Z\"^^xsd:date",
    "\"2011-07-01T12:30:00Z\"^^xsd:dateTime",
];

/// An expression that is meant to be a condition; like all others it may raise errors.
pub fn condition(random: &mut Random, variables: &[String], depth: usize) -> String {
    if depth == 0 {
        return comparison(random, variables, 0);
    }
    let inner = |random: &mut Random| condition(random, variables, depth - 1);
    match random.weighted(&[35, 10, 10, 8, 6, 6, 4, 12, 5, 4]) {
        0 => comparison(random, variables, depth - 1),
        1 => format!("({} && {})", inner(random), inner(random)),
        2 => format!("({} || {})", inner(random), inner(random)),
        3 => format!("!({})", inner(random)),
        4 => format!("BOUND({})", random.pick(variables)),
        5 => {
            let list: Vec<_> = (0..random.between(1, 3))
                .map(|_| operand(random, variables))
                .collect();
            let not = if random.chance(40) { "NOT IN" } else { "IN" };
            format!("{} {not} ({})", operand(random, variables), list.join(", "))
        }
        6 => format!(
            "sameTerm({}, {})",
            operand(random, variables),
            operand(random, variables)
        ),
        7 => string_condition(random, variables, depth - 1),
        8 => format!(
            "IF({}, {}, {})",
            inner(random),
            inner(random),
            inner(random)
        ),
        _ => operand(random, variables),
    }
}

/// Any expression.
pub fn value(random: &mut Random, variables: &[String], depth: usize) -> String {
    if depth == 0 {
        return operand(random, variables);
    }
    match random.weighted(&[25, 30, 15, 10, 10, 10]) {
        0 => number(random, variables, depth),
        1 => string(random, variables, depth),
        2 => format!("({})", condition(random, variables, depth - 1)),
        3 => {
            let (a, b) = (
                value(random, variables, depth - 1),
                value(random, variables, depth - 1),
            );
            format!("COALESCE({a}, {b})")
        }
        4 => {
            let test = condition(random, variables, depth - 1);
            format!(
                "IF({test}, {}, {})",
                value(random, variables, depth - 1),
                operand(random, variables)
            )
        }
        _ => operand(random, variables),
    }
}

/// An expression that is a number where its variables are.
pub fn number(random: &mut Random, variables: &[String], depth: usize) -> String {
    if depth == 0 {
        return if random.chance(75) {
            random.pick(variables).clone()
        } else {
            random.between(0, 3).to_string()
        };
    }
    let inner = |random: &mut Random| number(random, variables, depth - 1);
    match random.weighted(&[30, 10, 12, 10, 10, 8]) {
        0 => format!(
            "({} {} {})",
            inner(random),
            random.pick(&["+", "-", "*"]),
            inner(random)
        ),
        1 => format!("({} / {})", inner(random), random.pick(&["2", "4", "0"])),
        2 => format!(
            "{}({})",
            random.pick(&["ABS", "CEIL", "FLOOR", "ROUND", "-", "+"]),
            inner(random)
        ),
        3 => format!("STRLEN({})", string(random, variables, depth - 1)),
        4 => format!(
            "{}({})",
            random.pick(&["YEAR", "MONTH", "DAY", "HOURS", "MINUTES"]),
            random.pick(variables)
        ),
        _ => format!(
            "xsd:{}({})",
            random.pick(&["integer", "decimal", "double"]),
            random.pick(variables)
        ),
    }
}

/// An expression that is a string where its variables are.
fn string(random: &mut Random, variables: &[String], depth: usize) -> String {
    if depth == 0 {
        return match random.weighted(&[40, 40, 20]) {
            0 => random.pick(variables).clone(),
            1 => format!("STR({})", random.pick(variables)),
            _ => random
                .pick(&["\"a\"", "\"\"", "\"chat\"@en", "\"200\"", "\"c\""])
                .to_string(),
        };
    }
    let inner = |random: &mut Random| string(random, variables, depth - 1);
    match random.weighted(&[12, 10, 10, 10, 10, 8, 8, 6, 4, 4]) {
        0 => format!(
            "{}({})",
            random.pick(&["UCASE", "LCASE", "ENCODE_FOR_URI"]),
            inner(random)
        ),
        1 => format!("CONCAT({}, {})", inner(random), inner(random)),
        2 => format!(
            "SUBSTR({}, {}, {})",
            inner(random),
            random.between(0, 3),
            random.between(0, 3)
        ),
        3 => format!(
            "{}({}, {})",
            random.pick(&["STRBEFORE", "STRAFTER"]),
            inner(random),
            inner(random)
        ),
        4 => format!("LANG({})", random.pick(variables)),
        5 => format!("DATATYPE({})", random.pick(variables)),
        6 => format!("REPLACE({}, \"[a-c]\", \"<$0>\")", inner(random)),
        7 => format!("STRLANG({}, \"de\")", inner(random)),
        8 => format!(
            "{}({})",
            random.pick(&["MD5", "SHA1", "SHA256"]),
            inner(random)
        ),
        _ => format!("IRI(CONCAT(\"http://e/\", {}))", inner(random)),
    }
}

fn string_condition(random: &mut Random, variables: &[String], depth: usize) -> String {
    let text = string(random, variables, depth);
    match random.weighted(&[20, 30, 8, 20]) {
        0 => format!(
            "REGEX({text}, {})",
            random.pick(&["\"^a\"", "\"C\", \"i\"", "\"[0-9]+\"", "\"a.c$\"", "\"(\""])
        ),
        1 => {
            let function = random.pick(&["CONTAINS", "STRSTARTS", "STRENDS"]);
            format!("{function}({text}, {})", string(random, variables, 0))
        }
        2 => format!(
            "LANGMATCHES(LANG({}), {})",
            random.pick(variables),
            random.pick(&["\"en\"", "\"*\"", "\"EN-gb\""])
        ),
        _ => {
            let function = random.pick(&["isIRI", "isBLANK", "isLITERAL", "isNUMERIC"]);
            format!("{function}({})", random.pick(variables))
        }
    }
}

fn comparison(random: &mut Random, variables: &[String], depth: usize) -> String {
    let side = |random: &mut Random| match random.weighted(&[60, 20, 20]) {
        0 => operand(random, variables),
        1 => number(random, variables, depth),
        _ => string(random, variables, depth),
    };
    let left = side(random);
    if random.chance(55) {
        return format!("{left} {} {}", random.pick(&["=", "!="]), side(random));
    }
    let (operator, right) = (random.pick(&["<", "<=", ">", ">="]), random.pick(&ORDERED));
    if random.chance(70) {
        format!("{left} {operator} {right}")
    } else {
        format!("{right} {operator} {left}")
    }
}

/// A variable or a constant.
fn operand(random: &mut Random, variables: &[String]) -> String {
    match random.weighted(&[65, 25, 10]) {
        0 => random.pick(variables).clone(),
        1 => random.pick(&LITERALS).to_string(),
        _ => random.pick(&NODES[..NAMED_NODES]).to_string(),
    }
}
