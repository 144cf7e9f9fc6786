//! The tests of the W3C, one trial each: SPARQL 1.0, 1.1 and 1.2 (syntax, evaluation, updates, results,
//! protocols, service description), and the documents of RDF 1.1 and 1.2.
//!
//! The folder of the suites is named by `$RDF_TESTS`. Without it the suites report themselves as ignored, and under `$CI`
//! as failed. `exceptions.txt` lists the tests that are known to fail, each with its reason; one that passes all the same
//! fails, so that the list cannot grow old.

mod documents;
mod expected;
mod manifest;
mod protocol;
mod services;
mod update;

use crate::compare::{Order, compare};
use crate::settings::{Source, data_folder};
use crate::store::{Document, Request, Store};
use crate::tally::{Outcome, Tally};
use crate::values::canonical_number;
use kaluta::results::SolutionsFormat;
use kaluta::sparql::{Limits, parse_query, parse_update};
use libtest_mimic::{Completion, Failed, Trial};
use manifest::{Evaluation, Kind, Suites, Test, format_of};
use oxrdf::{GraphName, NamedNode};
use services::Services;
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The manifests, and the names of their suites.
const MANIFESTS: [&str; 5] = [
    "sparql/sparql10/manifest.ttl",
    "sparql/sparql11/manifest-all.ttl",
    "sparql/sparql12/manifest.ttl",
    "rdf/rdf11/manifest.ttl",
    "rdf/rdf12/manifest.ttl",
];

/// One trial for each test; one that says why there are none, where the folder is missing.
pub fn trials(tally: &Arc<Tally>) -> Vec<Trial> {
    let folder = match data_folder("RDF_TESTS") {
        Source::Found(folder) => folder,
        Source::Missing(trial) => return vec![*trial],
    };
    let suites = Arc::new(Suites(folder));
    let exceptions = exceptions();
    let mut trials = Vec::new();
    let mut names = BTreeSet::new();
    for manifest in MANIFESTS {
        match suites.tests(manifest) {
            Ok(tests) => {
                for test in tests.into_iter().filter(|t| names.insert(t.name.clone())) {
                    let reason = exceptions.get(test.name.as_str()).copied();
                    trials.push(trial(test, reason, &suites, tally));
                }
            }
            Err(error) => trials.push(Trial::test(format!("w3c::{manifest}"), move || {
                Err(error.into())
            })),
        }
    }
    trials.push(Trial::test("w3c::exceptions_name_tests", move || {
        let unknown: Vec<_> = exceptions
            .keys()
            .filter(|name| !names.contains(**name))
            .collect();
        if unknown.is_empty() {
            Ok(())
        } else {
            Err(format!("no such tests: {unknown:?}").into())
        }
    }));
    trials
}

/// The tests that are known to fail, and why: a name, a space, and the reason on each line.
fn exceptions() -> BTreeMap<&'static str, &'static str> {
    let lines = include_str!("exceptions.txt")
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|line| line.split_once(' ').unwrap_or((line, "no reason given")))
        .collect()
}

fn trial(
    test: Test,
    reason: Option<&'static str>,
    suites: &Arc<Suites>,
    tally: &Arc<Tally>,
) -> Trial {
    let (suites, tally) = (Arc::clone(suites), Arc::clone(tally));
    Trial::ignorable_test(format!("w3c::{}", test.name), move || {
        let suite = suite_of(&test);
        if let Kind::NotApplicable(why) = test.kind {
            tally.count(&suite, Outcome::NotApplicable);
            return Ok(Completion::ignored_with(why));
        }
        match (run(&suites, &test), reason) {
            (Ok(()), None) => {
                tally.count(&suite, Outcome::Passed);
                Ok(Completion::Completed)
            }
            (Ok(()), Some(reason)) => {
                tally.count(&suite, Outcome::Failed);
                Err(format!(
                    "it passes, though it is excepted because {reason}; take it off the list"
                )
                .into())
            }
            (Err(_), Some(reason)) => {
                tally.count(&suite, Outcome::Excepted);
                Ok(Completion::ignored_with(reason))
            }
            (Err(message), None) => {
                tally.count(&suite, Outcome::Failed);
                Err(Failed::from(message))
            }
        }
    })
}

/// The row of the table that a test counts in.
fn suite_of(test: &Test) -> String {
    let suite = test.name.split("::").next().unwrap_or_default();
    let is_of = |folder: &str| test.name.split("::").any(|part| part == folder);
    let part = match &test.kind {
        _ if is_of("service") || is_of("syntax-fed") => "federation",
        Kind::PositiveSyntax | Kind::NegativeSyntax => "query syntax",
        Kind::PositiveUpdateSyntax | Kind::NegativeUpdateSyntax => "update syntax",
        Kind::Update(_) => "update evaluation",
        Kind::Document(document) => document.format_name(),
        Kind::Protocol(_) if test.name.contains("graph-store-protocol") => "graph store protocol",
        Kind::Protocol(_) => "protocol",
        Kind::ServiceDescription(_) => "service description",
        Kind::Evaluation(_) if test.name.contains("-res::") => "result formats",
        Kind::NotApplicable(_) if suite.starts_with("rdf") => "semantics",
        Kind::Evaluation(_) | Kind::NotApplicable(_) => "evaluation",
    };
    format!("{suite} {part}")
}

/// Runs a test by its kind.
fn run(suites: &Suites, test: &Test) -> Result<(), String> {
    let base = Some(test.query.as_str());
    let text = || String::from_utf8(suites.read(&test.query)?).map_err(|e| e.to_string());
    let query = || parse_query(&text()?, base, &Limits::default()).map_err(|e| e.to_string());
    let update = || parse_update(&text()?, base, &Limits::default()).map_err(|e| e.to_string());
    match &test.kind {
        Kind::PositiveSyntax => query().map(drop),
        Kind::NegativeSyntax => refused(&text()?, query()),
        Kind::PositiveUpdateSyntax => update().map(drop),
        Kind::NegativeUpdateSyntax => refused(&text()?, update()),
        Kind::Evaluation(evaluation) => {
            let text = text()?;
            evaluate(suites, test, &text, evaluation).map_err(|e| format!("{e}\nquery:\n{text}"))
        }
        Kind::Update(update) => {
            let text = text()?;
            let ran = update.run(suites, &text, &test.query);
            ran.map_err(|e| format!("{e}\nupdate:\n{text}"))
        }
        Kind::Document(document) => document.run(suites, test),
        Kind::Protocol(conversation) => conversation.run(suites),
        Kind::ServiceDescription(aspect) => aspect.run(),
        Kind::NotApplicable(_) => Ok(()),
    }
}

/// What must not parse, did not.
fn refused<T>(text: &str, parsed: Result<T, String>) -> Result<(), String> {
    match parsed {
        Ok(_) => Err(format!("this should not parse:\n{text}")),
        Err(_) => Ok(()),
    }
}

fn evaluate(
    suites: &Suites,
    test: &Test,
    text: &str,
    evaluation: &Evaluation,
) -> Result<(), String> {
    let query = parse_query(text, Some(test.query.as_str()), &Limits::default())
        .map_err(|e| e.to_string())?;
    let services = Services::start(suites, &evaluation.services)?;
    let mut store = services.store()?;
    let documents = documents(suites, &query, evaluation)?;
    store.load(documents.into_iter().map(|d| services.moved(d)).collect())?;
    let request = Request {
        text: services.moved_text(text),
        base: Some(test.query.clone()),
    };
    let expected = expected::read(suites, &evaluation.result)?;
    let answer = store.query(&request)?;
    if let Some(format) = expected::format_of(&evaluation.result) {
        let written = store.query_as(&request, format)?;
        let read = expected::parse(format, &written)?;
        let as_written = match format {
            SolutionsFormat::Csv => answer.clone().map_terms(expected::as_csv),
            _ => answer.clone(),
        };
        compare(&as_written, &read, Order::Kept).map_err(|e| format!("as {format:?}: {e}"))?;
    }
    let actual = answer.map_terms(|term| services.moved_back(term));
    let mut pair = [expected.answer, actual];
    if evaluation.is_csv {
        pair = pair.map(|answer| answer.map_terms(expected::as_csv));
    } else if !evaluation.is_lexical {
        pair = pair.map(|answer| answer.map_terms(canonical_number));
    }
    let is_ordered = expected.is_ordered || evaluation.is_listed() && is_sorted(&query);
    let order = match (evaluation.is_lax, is_ordered) {
        (true, _) => Order::FreeAndReduced,
        (false, true) => Order::Kept,
        (false, false) => Order::Free,
    };
    compare(&pair[0], &pair[1], order)
}

/// Whether the solutions of a query come in an order.
fn is_sorted(query: &Query) -> bool {
    let Query::Select { pattern, .. } = query else {
        return false;
    };
    let mut pattern = pattern;
    while let GraphPattern::Slice { inner, .. }
    | GraphPattern::Distinct { inner }
    | GraphPattern::Reduced { inner }
    | GraphPattern::Project { inner, .. } = pattern
    {
        pattern = inner;
    }
    matches!(pattern, GraphPattern::OrderBy { .. })
}

/// The data of a test: what the manifest names, and the graphs that only the query itself names with FROM.
fn documents(
    suites: &Suites,
    query: &Query,
    evaluation: &Evaluation,
) -> Result<Vec<Document>, String> {
    let mut wanted: Vec<(String, GraphName)> = Vec::new();
    for iri in &evaluation.data {
        wanted.push((iri.clone(), GraphName::DefaultGraph));
    }
    let mut named: BTreeSet<String> = evaluation.named.iter().cloned().collect();
    if let Some(dataset) = query.dataset() {
        let graphs = dataset.default.iter().chain(dataset.named.iter().flatten());
        let is_file = |iri: &String| suites.path(iri).is_some_and(|p| p.is_file());
        named.extend(graphs.map(|g| g.as_str().to_owned()).filter(is_file));
    }
    for iri in named {
        let graph = NamedNode::new(iri.as_str()).map_err(|e| e.to_string())?;
        wanted.push((iri, graph.into()));
    }
    let read = |(iri, graph): (String, GraphName)| {
        Ok(Document {
            bytes: suites.read(&iri)?,
            format: format_of(&iri)?,
            base: Some(iri),
            graph,
        })
    };
    wanted.into_iter().map(read).collect()
}
