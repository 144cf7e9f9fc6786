//! What the 200 queries find in a sample of 100,000 triples, and what goes wrong in them: errors of expressions, which the
//! dirt in the data is there for.

use super::http::client::{ask, metric};
use super::http::program::{Served, succeed};
use libtest_mimic::{Failed, Trial};
use std::fs;
use std::path::Path;

const TRIPLES: u64 = 100_000;
const SAMPLE_TRIPLES: u64 = 1_400_000;

/// At least so many queries meet errors.
const QUERIES_MIN: usize = 60;
/// So many errors are in the second hundred at least, on the whole sample.
const ERRORS_MIN: u64 = 200_000;
/// The queries that look for what should not be there.
const EMPTY: [&str; 2] = ["068", "141"];

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![Trial::test(
        "sample::queries_find_something_and_meet_errors",
        rows_and_errors,
    )]
}

/// What came of one query.
struct Found {
    name: String,
    is_empty: bool,
    errors: u64,
}

fn rows_and_errors() -> Result<(), Failed> {
    let found = run_all()?;
    let empty = found.iter().filter(|found| found.is_empty);
    let empty: Vec<_> = empty.map(|found| &*found.name).collect();
    if empty != EMPTY {
        return Err(format!("no rows for {empty:?}, and {EMPTY:?} are meant to have none").into());
    }
    let with_errors = found.iter().filter(|found| found.errors > 0).count();
    if with_errors < QUERIES_MIN {
        return Err(format!("{with_errors} queries meet errors, not {QUERIES_MIN}").into());
    }
    let errors: u64 = found[100..].iter().map(|found| found.errors).sum();
    let wanted = ERRORS_MIN * TRIPLES / SAMPLE_TRIPLES;
    if errors < wanted {
        return Err(format!("{errors} errors in the second hundred, not {wanted}").into());
    }
    Ok(())
}

/// Runs the queries in the order of their names.
fn run_all() -> Result<Vec<Found>, Failed> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (data, store) = (path("sample.nt"), path("store"));
    succeed(&[
        "generate",
        "--triples",
        &TRIPLES.to_string(),
        "--output",
        &data,
    ]);
    succeed(&["load", "--location", &store, &data]);
    let served = Served::start(Path::new(&store), &[]);
    let errors = || metric(served.address, "kaluta_expression_errors_total");
    let queries = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let run = |number: usize| {
        let name = format!("{number:03}");
        let text = fs::read_to_string(queries.join(format!("{name}.rq")))?;
        let before = errors();
        let answer = ask(
            served.address,
            &text,
            "text/csv, application/n-triples;q=0.9",
        );
        if answer.status != 200 {
            return Err(format!("{name}: {}", answer.text()).into());
        }
        // In CSV a line names the variables; a boolean is not empty.
        let rows = answer.text();
        let is_graph = answer.header("content-type").contains("n-triples");
        let is_boolean = ["true", "false"].contains(&rows.trim());
        Ok(Found {
            name,
            is_empty: !is_boolean && rows.lines().count() == usize::from(!is_graph),
            errors: errors() - before,
        })
    };
    (1..=200).map(run).collect()
}
