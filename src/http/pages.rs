//! What the server says of itself: the front page and the metrics.

use super::server::Shared;
use axum::http::header;
use axum::response::{IntoResponse, Response};

/// The front page: how to ask.
pub fn home(shared: &Shared) -> Response {
    let address = shared.address;
    let text = format!(
        "Kaluta {version}: {quads} quads.

Ask with GET or POST at http://{address}/query (or /sparql), for example:

  curl http://{address}/query --data-urlencode 'query=SELECT * {{ ?s ?p ?o }} LIMIT 10'

Accept chooses the format: application/sparql-results+json (or +xml), text/csv, text/tab-separated-values;
for CONSTRUCT and DESCRIBE application/n-triples, text/turtle, application/rdf+xml, application/ld+json.
explain=text (or json) shows the plan, analyze=true with it also rows and times.

Change the data with POST at /update (application/sparql-update, or a form with update=...), or whole graphs with GET,
PUT, POST and DELETE at /store?graph=IRI, /store?default, or /store for all of them:

  curl http://{address}/update --data-urlencode 'update=INSERT DATA {{ <http://e/s> <http://e/p> 1 }}'
  curl -T data.ttl -H 'Content-Type: text/turtle' 'http://{address}/store?default'

/health says whether the server is alive, /metrics counts what it does.
",
        version = env!("CARGO_PKG_VERSION"),
        quads = shared.engine.quad_count(),
    );
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

/// The metrics.
pub fn metrics(shared: &Shared) -> Response {
    let text = shared
        .metrics
        .to_text(&shared.engine, shared.queries.queued());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
