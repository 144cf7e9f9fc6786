//! The tables of SPARQL 1.1 Query, chapter 17, through the whole engine: casts, promotion, effective boolean values, the
//! order of values, aggregates over errors.
//!
//! What each function gives is tested beside the code, in `expr`; here it is the tables as such, complete.

mod casts;
mod numbers;
mod sequences;
mod values;

use crate::kaluta::Kaluta;
use crate::store::{Answer, Request, Store};
use casts::casts;
use libtest_mimic::Trial;
use numbers::{derived_integers, promotion};
use sequences::{aggregates, order};
use std::fmt::Write;
use values::{boolean_values, times};

const PREFIXES: &str = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n";

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
