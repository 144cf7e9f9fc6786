//! SERVICE against endpoints of our own: what is asked and how often, what failures become, and what is never contacted.

mod failures;
mod guard;
mod meaning;
mod requests;

use crate::endpoint::Endpoint;
use crate::kaluta::Kaluta;
use crate::store::{Answer, Document, Request, Store};
use failures::{
    a_stalled_endpoint_ends_with_the_deadline, failures_name_the_endpoint,
    silent_does_not_hide_the_limits_of_the_query, silent_failures_are_one_empty_solution,
};
use guard::{only_the_list_is_contacted, redirects_stay_within_the_list};
use kaluta::diagnostics::Error;
use kaluta::engine::QueryControl;
use kaluta::settings::ServiceSettings;
use libtest_mimic::Trial;
use meaning::{both_formats_are_read, joins_in_every_way, the_text_means_the_pattern};
use oxrdf::GraphName;
use oxrdfio::RdfFormat;
use requests::{
    a_limit_stops_the_requests, an_unbound_endpoint_is_an_error, bindings_go_in_batches,
    blank_nodes_stay_here, one_request_where_nothing_is_shared, variable_endpoints,
};
use std::fmt::Write;
use std::time::Duration;

/// One trial for each promise.
pub fn trials() -> Vec<Trial> {
    let trials: [(&str, fn()); 15] = [
        ("joins_in_every_way", joins_in_every_way),
        ("bindings_go_in_batches", bindings_go_in_batches),
        (
            "one_request_where_nothing_is_shared",
            one_request_where_nothing_is_shared,
        ),
        ("a_limit_stops_the_requests", a_limit_stops_the_requests),
        ("variable_endpoints", variable_endpoints),
        (
            "an_unbound_endpoint_is_an_error",
            an_unbound_endpoint_is_an_error,
        ),
        ("blank_nodes_stay_here", blank_nodes_stay_here),
        ("both_formats_are_read", both_formats_are_read),
        ("the_text_means_the_pattern", the_text_means_the_pattern),
        ("failures_name_the_endpoint", failures_name_the_endpoint),
        (
            "silent_failures_are_one_empty_solution",
            silent_failures_are_one_empty_solution,
        ),
        (
            "silent_does_not_hide_the_limits_of_the_query",
            silent_does_not_hide_the_limits_of_the_query,
        ),
        (
            "a_stalled_endpoint_ends_with_the_deadline",
            a_stalled_endpoint_ends_with_the_deadline,
        ),
        ("only_the_list_is_contacted", only_the_list_is_contacted),
        (
            "redirects_stay_within_the_list",
            redirects_stay_within_the_list,
        ),
    ];
    let trial = |(name, run): (&str, fn())| {
        Trial::test(format!("federation::{name}"), move || {
            run();
            Ok(())
        })
    };
    trials.into_iter().map(trial).collect()
}

/// A store with data in Turtle that may ask some endpoints.
fn store(
    turtle: &str,
    endpoints: &[&Endpoint],
    change: impl FnOnce(&mut ServiceSettings),
) -> Kaluta {
    let mut settings = ServiceSettings {
        allow: endpoints.iter().map(|e| e.url()).collect(),
        ..ServiceSettings::default()
    };
    change(&mut settings);
    let mut store = Kaluta::open_with(&settings).unwrap();
    store.load(vec![turtle_document(turtle)]).unwrap();
    store
}

fn turtle_document(turtle: &str) -> Document {
    Document {
        bytes: format!("PREFIX : <http://e/> {turtle}").into_bytes(),
        format: RdfFormat::TriG,
        base: None,
        graph: GraphName::DefaultGraph,
    }
}

fn request(query: &str) -> Request {
    Request::new(format!("PREFIX : <http://e/> {query}"))
}

fn solutions(store: &Kaluta, query: &str) -> Answer {
    store
        .query(&request(query))
        .unwrap_or_else(|e| panic!("{e}\n{query}"))
}

fn count(store: &Kaluta, query: &str) -> usize {
    solutions(store, query).rows().len()
}

fn failure(store: &Kaluta, query: &str) -> Error {
    let control = QueryControl::new(Some(Duration::from_secs(60)), None);
    match store.answer(&request(query), &control) {
        Ok(answer) => panic!("{} rows in place of an error: {query}", answer.rows().len()),
        Err(error) => error,
    }
}

/// Subjects `:s0` to `:s(n - 1)`, each with a number.
fn numbered(n: usize, predicate: &str) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        writeln!(text, ":s{i} :{predicate} {i} .").unwrap();
        text
    })
}
