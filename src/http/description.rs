//! The service's description of itself, for a GET of its endpoint without parameters (SPARQL 1.1 Service Description).
//!
//! It says what is really there: languages, formats of answers, and what the default graph is.

use super::endpoint::endpoint;
use super::negotiation::Accept;
use super::server::Shared;
use crate::diagnostics::{Error, Result};
use crate::results::formats::{GRAPHS, Offer};
use crate::settings::DefaultGraph;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term, Triple};
use oxrdfio::RdfSerializer;

const SD: &str = "http://www.w3.org/ns/sparql-service-description#";
const FORMATS: &str = "http://www.w3.org/ns/formats/";

/// The path that takes updates beside queries.
const BOTH: &str = "/sparql";

/// The formats of answers, by their names in the W3C's list of file formats.
const RESULT_FORMATS: [&str; 10] = [
    "SPARQL_Results_JSON",
    "SPARQL_Results_XML",
    "SPARQL_Results_CSV",
    "SPARQL_Results_TSV",
    "N-Triples",
    "Turtle",
    "RDF_XML",
    "JSON-LD",
    "N-Quads",
    "TriG",
];

/// Answers with the description, in the format that the client likes best.
///
/// # Errors
/// The client accepts no format of graphs.
pub fn respond(shared: &Shared, path: &str, headers: &HeaderMap) -> Result<Response> {
    let Offer {
        format,
        content_type,
        ..
    } = Accept::of(headers).choose(&GRAPHS)?;
    let endpoint = endpoint(headers, path, shared.address);
    let unwritten = |e| Error::internal(format!("a description of the service: {e}"));
    let serializer = RdfSerializer::from_format(format).with_prefix("sd", SD);
    let mut serializer = serializer
        .map_err(|e| Error::internal(format!("the prefix sd: {e}")))?
        .for_writer(Vec::new());
    let has_updates = path == BOTH && !shared.engine.is_read_only();
    for triple in description(endpoint, shared, has_updates) {
        serializer.serialize_triple(&triple).map_err(unwritten)?;
    }
    let body = serializer.finish().map_err(unwritten)?;
    Ok(([(header::CONTENT_TYPE, content_type)], body).into_response())
}

fn sd(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{SD}{local}"))
}

/// What there is, about a service at an endpoint.
fn description(endpoint: NamedNode, shared: &Shared, has_updates: bool) -> Vec<Triple> {
    let [service, dataset, graph] = ["service", "dataset", "graph"].map(BlankNode::new_unchecked);
    let mut triples = Vec::new();
    let mut say = |subject: &BlankNode, predicate: NamedNode, object: Term| {
        triples.push(Triple::new(
            NamedOrBlankNode::from(subject.clone()),
            predicate,
            object,
        ));
    };
    say(&service, rdf::TYPE.into(), sd("Service").into());
    say(&service, sd("endpoint"), endpoint.into());
    for language in ["SPARQL10Query", "SPARQL11Query"] {
        say(&service, sd("supportedLanguage"), sd(language).into());
    }
    if has_updates {
        let update = sd("SPARQL11Update");
        say(&service, sd("supportedLanguage"), update.into());
    }
    for format in RESULT_FORMATS {
        let format = NamedNode::new_unchecked(format!("{FORMATS}{format}"));
        say(&service, sd("resultFormat"), format.into());
    }
    if shared.query.default_graph == DefaultGraph::Union {
        say(&service, sd("feature"), sd("UnionDefaultGraph").into());
    }
    if shared.is_federated {
        say(&service, sd("feature"), sd("BasicFederatedQuery").into());
    }
    say(&service, sd("defaultDataset"), dataset.clone().into());
    say(&dataset, rdf::TYPE.into(), sd("Dataset").into());
    say(&dataset, sd("defaultGraph"), graph.clone().into());
    say(&graph, rdf::TYPE.into(), sd("Graph").into());
    triples
}
