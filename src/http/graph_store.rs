//! The resource `/store`: SPARQL 1.1 Graph Store HTTP Protocol.
//!
//! A graph is named by `?graph=IRI`, by `?default`, or directly, as a path below `/store`; `/store` alone is the whole
//! dataset, for formats that can carry one. A graph exists when it has statements. The entity tag names the state of the
//! store: `If-Match` with it makes sure that nothing at all was changed since.

use super::answer::Asked;
use super::endpoint::endpoint;
use super::entity_tag;
use super::exchange::RequestId;
use super::multipart;
use super::protocol::{bad, body_type, decode};
use super::query;
use super::server::Shared;
use super::update::{changed, check_writable, run};
use super::upload::{UploadSettings, coding, receive};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::{Compression, Document, GraphChange, GraphChoice, Precondition, QueryControl};
use crate::results::RdfFormat;
use crate::results::formats::rdf_format_named;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use oxrdf::{GraphName, NamedNode};
use std::io::{Cursor, Read};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::runtime::Handle;

/// Answers a request for graphs.
///
/// # Errors
/// The request breaks the protocol, a named graph does not exist, a document does not parse, or the store failed.
pub async fn respond(shared: &Arc<Shared>, id: RequestId, request: Request) -> Result<Response> {
    let (parts, body) = request.into_parts();
    let address = Address::of(&parts, shared.address)?;
    match parts.method {
        Method::GET | Method::HEAD => {
            let choice = address.choice.unwrap_or(GraphChoice::All);
            let known = entity_tag::if_none_match(&parts.headers);
            query::answer(shared, id, &parts, Asked::Graph(choice, known)).await
        }
        Method::DELETE => delete(shared, &parts, address).await,
        _ => write(shared, parts, body, address).await,
    }
}

/// Which graph a request names.
struct Address {
    /// The graph, if one is named.
    choice: Option<GraphChoice>,
    /// The IRI of the store.
    store: String,
}

impl Address {
    fn of(parts: &Parts, address: SocketAddr) -> Result<Self> {
        let store = endpoint(&parts.headers, "/store", address).into_string();
        let path = parts.uri.path();
        let choice = match path {
            "/store" | "/store/" => named_by_parameters(parts.uri.query().unwrap_or_default())?,
            _ => {
                let target = parts.uri.path_and_query().map_or(path, |t| t.as_str());
                let iri = endpoint(&parts.headers, target, address);
                Some(GraphChoice::Named(iri))
            }
        };
        Ok(Self { choice, store })
    }
}

fn named_by_parameters(url_query: &str) -> Result<Option<GraphChoice>> {
    let mut choice = None;
    for pair in url_query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let named = match decode(name.as_bytes())?.as_str() {
            "graph" => GraphChoice::Named(absolute(&decode(value.as_bytes())?)?),
            "default" => GraphChoice::Default,
            _ => continue,
        };
        if choice.replace(named).is_some() {
            return Err(bad("one graph is named by graph or by default, once"));
        }
    }
    Ok(choice)
}

fn absolute(iri: &str) -> Result<NamedNode> {
    NamedNode::new(iri).map_err(|e| bad(format!("the graph {iri:?} is not an absolute IRI: {e}")))
}

async fn delete(shared: &Arc<Shared>, parts: &Parts, address: Address) -> Result<Response> {
    check_writable(shared)?;
    let precondition = entity_tag::precondition(&parts.headers)?;
    let choice = address.choice.unwrap_or(GraphChoice::All);
    let engine = Arc::clone(&shared.engine);
    let change = run(shared, shared.query.timeout(), move |control| {
        engine.delete_graph(&choice, &precondition, control)
    })
    .await?;
    Ok(changed(shared, StatusCode::OK, &change.commit))
}

/// A PUT or POST that waits for its body.
struct Write {
    shared: Arc<Shared>,
    is_put: bool,
    choice: GraphChoice,
    /// What relative IRIs are resolved against.
    base: String,
    headers: HeaderMap,
    media_type: String,
    precondition: Precondition,
    runtime: Handle,
}

async fn write(
    shared: &Arc<Shared>,
    parts: Parts,
    body: Body,
    address: Address,
) -> Result<Response> {
    check_writable(shared)?;
    let media_type = body_type(&parts.headers)?;
    let is_put = parts.method == Method::PUT;
    let carries_dataset = rdf_format_named(&media_type).is_some_and(|f| f.supports_datasets());
    let made = match &address.choice {
        None if !carries_dataset && is_put => {
            return Err(bad(
                "this document cannot carry a whole dataset; name its graph with ?graph=IRI or ?default, or send N-Quads or TriG",
            ));
        }
        None if !carries_dataset => Some(absolute(&format!(
            "{}/{}",
            address.store,
            uuid::Uuid::new_v4()
        ))?),
        _ => None,
    };
    let choice = made.clone().map(GraphChoice::Named);
    let choice = choice.or(address.choice).unwrap_or(GraphChoice::All);
    let write = Write {
        shared: Arc::clone(shared),
        is_put,
        base: match &choice {
            GraphChoice::Named(iri) => iri.as_str().to_owned(),
            _ => address.store,
        },
        choice,
        precondition: entity_tag::precondition(&parts.headers)?,
        headers: parts.headers,
        media_type,
        runtime: Handle::current(),
    };
    // A document may take its time to come; reading it is bounded by memory.
    let change = run(shared, None, move |control| write.run(body, control)).await?;
    let status = match change.existed {
        true => StatusCode::OK,
        false => StatusCode::CREATED,
    };
    let mut response = changed(shared, status, &change.commit);
    if let Some(iri) = made
        && let Ok(location) = HeaderValue::try_from(iri.as_str())
    {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

impl Write {
    fn run(self, body: Body, control: &QueryControl) -> Result<GraphChange> {
        let documents = self.documents(body)?;
        let engine = &self.shared.engine;
        match self.is_put {
            true => engine.put_graph(&self.choice, documents, &self.precondition, control),
            false => engine.post_graph(&self.choice, documents, &self.precondition, control),
        }
    }

    fn documents(&self, body: Body) -> Result<Vec<Document>> {
        let compression = coding(&self.headers)?;
        if self.media_type == "multipart/form-data" {
            return self.form(body, compression);
        }
        // An unknown format need not be received.
        let format = format(&self.media_type)?;
        let reader = self.receive(body, compression, self.shared.http.upload_bytes_max)?;
        Ok(vec![self.document("the body".to_owned(), reader, format)])
    }

    fn receive(
        &self,
        body: Body,
        compression: Compression,
        bytes_max: u64,
    ) -> Result<Box<dyn Read + Send>> {
        let settings = UploadSettings {
            bytes_max,
            patience: self.shared.query.timeout(),
            folder: self.shared.engine.location(),
            runtime: &self.runtime,
        };
        receive(body, compression, &settings)
    }

    /// The documents of a form, which is held in memory and so limited as other forms are.
    fn form(&self, body: Body, compression: Compression) -> Result<Vec<Document>> {
        let bytes_max = self.shared.http.body_bytes_max;
        let reader = self.receive(body, compression, bytes_max as u64)?;
        let mut bytes = Vec::new();
        let read = reader.take(bytes_max as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|e| bad(format!("decoding the request body: {e}")))?;
        if bytes.len() > bytes_max {
            return Err(Error::new(
                ErrorKind::PayloadTooLarge,
                format!("the form is larger than {bytes_max} bytes (setting http.body_bytes_max)"),
            ));
        }
        let parts = multipart::parts(&bytes, &boundary(&self.headers)?)?;
        let document = |(number, part): (usize, multipart::Part<'_>)| {
            let media_type = part
                .content_type
                .split(';')
                .next()
                .unwrap_or_default()
                .trim();
            let format = format(&media_type.to_ascii_lowercase())?;
            let reader = Box::new(Cursor::new(part.bytes.to_vec()));
            Ok(self.document(format!("part {}", number + 1), reader, format))
        };
        parts.into_iter().enumerate().map(document).collect()
    }

    fn document(&self, name: String, reader: Box<dyn Read + Send>, format: RdfFormat) -> Document {
        Document {
            name,
            reader,
            format,
            base: Some(self.base.clone()),
            graph: match &self.choice {
                GraphChoice::Default => Some(GraphName::DefaultGraph),
                GraphChoice::Named(iri) => Some(iri.clone().into()),
                GraphChoice::All | GraphChoice::AllNamed => None,
            },
        }
    }
}

fn format(media_type: &str) -> Result<RdfFormat> {
    let format = media_type
        .contains('/')
        .then(|| rdf_format_named(media_type));
    format.flatten().ok_or_else(|| {
        let found = if media_type.is_empty() {
            "no Content-Type"
        } else {
            media_type
        };
        Error::new(
            ErrorKind::UnsupportedMediaType,
            format!(
                "a document is sent as text/turtle, application/n-triples, application/rdf+xml, application/ld+json, application/n-quads or application/trig, not with {found}"
            ),
        )
    })
}

/// The boundary that the Content-Type of a form says.
fn boundary(headers: &HeaderMap) -> Result<String> {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|v| v.to_str().ok()).unwrap_or_default();
    let mut parameters = value.split(';').skip(1).filter_map(|p| p.split_once('='));
    let boundary = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("boundary"));
    let (_, boundary) = boundary.ok_or_else(|| bad("multipart/form-data without a boundary"))?;
    Ok(boundary.trim().trim_matches('"').to_owned())
}
