//! Small cases that users of triple stores reported as wrong, one trial each.
//!
//! They are read from the file that `$KALUTA_CASES` names: a list of objects with `id`, `data` (TriG), `updates`,
//! `query`, `ordered` and `expected`, which is a list of rows, `ask-true`, `ask-false` or `error`.

use crate::compare::{Order, compare};
use crate::kaluta::Kaluta;
use crate::settings::{Source, data_folder};
use crate::store::{Answer, Document, Request, Row, Store};
use libtest_mimic::Trial;
use oxrdf::{GraphName, Term};
use oxrdfio::{RdfFormat, RdfParser};
use serde::Deserialize;
use std::fs;

/// The prefixes that all cases use, for Turtle and SPARQL alike.
const PREFIXES: &str = "PREFIX : <http://e/>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n";

#[derive(Deserialize)]
struct Case {
    id: String,
    data: String,
    updates: Vec<String>,
    query: String,
    ordered: bool,
    expected: Expected,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Expected {
    Rows(Vec<Vec<String>>),
    Word(String),
}

/// One trial for each case.
pub fn trials() -> Vec<Trial> {
    let path = match data_folder("KALUTA_CASES") {
        Source::Found(path) => path,
        Source::Missing(trial) => return vec![*trial],
    };
    let text = fs::read_to_string(&path).map_err(|e| e.to_string());
    match text.and_then(|text| serde_json::from_str::<Vec<Case>>(&text).map_err(|e| e.to_string()))
    {
        Ok(cases) => cases.into_iter().map(trial).collect(),
        Err(error) => vec![Trial::test("cases", move || {
            Err(format!("{}: {error}", path.display()).into())
        })],
    }
}

fn trial(case: Case) -> Trial {
    Trial::test(format!("cases::{}", case.id), move || {
        let (updates, data, query) = (case.updates.join("\n"), &case.data, &case.query);
        run(&case)
            .map_err(|e| format!("{e}\ndata:  {data}\nupdates: {updates}\nquery: {query}"))?;
        Ok(())
    })
}

fn run(case: &Case) -> Result<(), String> {
    let mut store = Kaluta::open()?;
    store.load(vec![Document {
        bytes: format!("{PREFIXES}{}", case.data).into_bytes(),
        format: RdfFormat::TriG,
        base: None,
        graph: GraphName::DefaultGraph,
    }])?;
    let request = |text: &str| Request::new(format!("{PREFIXES}{text}"));
    let updated = case
        .updates
        .iter()
        .try_for_each(|update| store.update(&request(update)).map(drop));
    let answer = updated.and_then(|()| store.query(&request(&case.query)));
    let expected = match &case.expected {
        Expected::Word(word) if word == "error" => {
            return answer
                .err()
                .map(drop)
                .ok_or("an error is expected".to_owned());
        }
        Expected::Word(word) => Answer::Boolean(word == "ask-true"),
        Expected::Rows(rows) => match &answer {
            // The rows have no head: their columns are those of the SELECT clause.
            Ok(Answer::Solutions { variables, .. }) => Answer::Solutions {
                variables: variables.clone(),
                rows: rows
                    .iter()
                    .map(|row| parse_row(row))
                    .collect::<Result<_, _>>()?,
            },
            Ok(_) => return Err("solutions are expected".into()),
            Err(error) => return Err(error.clone()),
        },
    };
    compare(
        &expected,
        &answer?,
        if case.ordered {
            Order::Kept
        } else {
            Order::Free
        },
    )
}

fn parse_row(row: &[String]) -> Result<Row, String> {
    row.iter()
        .map(|value| {
            if value == "-" {
                Ok(None)
            } else {
                parse_term(value).map(Some)
            }
        })
        .collect()
}

/// A term as Turtle writes objects.
fn parse_term(text: &str) -> Result<Term, String> {
    let document = format!("{PREFIXES}<urn:s> <urn:p> {text} .");
    let mut quads = RdfParser::from_format(RdfFormat::Turtle).for_slice(&document);
    let quad = quads.next().ok_or_else(|| format!("{text} is no term"))?;
    Ok(quad.map_err(|e| format!("{text}: {e}"))?.object)
}
