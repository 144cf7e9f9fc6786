//! One request and its response: what all of them have in common.
//!
//! Each request gets an id, which stands in its response, in its problem details and in the log. Errors of every
//! resource end here: they become a response through [`super::problem`] and a record through [`super::error_log`], once.

use super::protocol::Door;
use super::server::Shared;
use super::{admin, cors, graph_store, pages, problem, query, resources::Resource};
use crate::diagnostics::{Error, ErrorKind, Result};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant, SystemTime};

/// The response header that carries the request id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The `Server` header of every response (RFC 9110, section 10.2.4), by which clients and reports know who answered.
const SERVER: HeaderValue = HeaderValue::from_static(concat!("kaluta/", env!("CARGO_PKG_VERSION")));

/// A failed request is answered after its record has been written, so that who was told of an error finds it in the log;
/// but where many fail at once, no client waits longer than this for it.
const RECORD_PATIENCE: Duration = Duration::from_millis(100);

/// What the log, the response header and problem details call a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestId(u64);

impl RequestId {
    /// A number of its own for each request, counted from the time when the process answered its first.
    pub fn fresh() -> Self {
        static FIRST: LazyLock<u64> = LazyLock::new(|| {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            now.map_or(0, |d| d.as_secs()) << 32
        });
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(FIRST.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Answers one request.
pub async fn exchange(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let id = RequestId::fresh();
    let started = Instant::now();
    let resource = Resource::of(request.uri().path());
    let is_traced = tracing::enabled!(target: "kaluta::http", tracing::Level::DEBUG);
    let traced = is_traced.then(|| (request.method().clone(), request.uri().path().to_owned()));
    let reader = problem::Reader::of(request.headers());
    let result = match resource {
        None => Err(Error::new(
            ErrorKind::NotFound,
            format!(
                "there is nothing at {}; queries go to /query",
                request.uri().path()
            ),
        )),
        Some(resource) => respond(&shared, resource, id, request).await,
    };
    let mut response = match result {
        Ok(response) => response,
        Err(error) => {
            let mut response = problem::response(&error, id, reader);
            if let (Some(resource), 405) = (resource, response.status().as_u16()) {
                let allow = HeaderValue::from_static(resource.methods());
                response.headers_mut().insert(header::ALLOW, allow);
            }
            let written = shared.errors.write(error, id);
            // Either it is written, or the client has waited long enough.
            let _ = tokio::time::timeout(RECORD_PATIENCE, written).await;
            response
        }
    };
    finish(&shared, &mut response, resource, id);
    shared.metrics.count_response(response.status());
    if let Some((method, path)) = traced {
        let status = response.status().as_u16();
        let seconds = started.elapsed().as_secs_f64();
        tracing::debug!(target: "kaluta::http", request = %id, %method, path, status, seconds, "answered");
    }
    response
}

async fn respond(
    shared: &Arc<Shared>,
    resource: Resource,
    id: RequestId,
    request: Request,
) -> Result<Response> {
    if request.method() == Method::OPTIONS {
        return Ok(cors::options(resource, request.headers()));
    }
    if !resource.has(request.method().as_str()) {
        let message = format!(
            "{} has no method {}; it has {}",
            request.uri().path(),
            request.method(),
            resource.methods()
        );
        return Err(Error::new(ErrorKind::MethodNotAllowed, message));
    }
    match resource {
        Resource::Query => query::respond(shared, id, Door::Queries, request).await,
        Resource::Update => query::respond(shared, id, Door::Updates, request).await,
        Resource::Sparql => query::respond(shared, id, Door::Both, request).await,
        Resource::Store => graph_store::respond(shared, id, request).await,
        Resource::Home => Ok(pages::home(shared)),
        Resource::Health => Ok((StatusCode::OK, "ok\n").into_response()),
        Resource::Metrics => Ok(pages::metrics(shared)),
        Resource::AdminLog => admin::log(shared, request).await,
        Resource::AdminBackup => admin::backup(shared, request).await,
        Resource::AdminCompact => admin::compact(shared, request).await,
    }
}

/// The headers that every response has.
fn finish(shared: &Shared, response: &mut Response, resource: Option<Resource>, id: RequestId) {
    let headers = response.headers_mut();
    headers.insert(header::SERVER, SERVER);
    if let Ok(value) = HeaderValue::try_from(id.to_string()) {
        headers.insert(REQUEST_ID, value);
    }
    if matches!(
        resource,
        Some(Resource::Query | Resource::Sparql | Resource::Store)
    ) {
        let vary = HeaderValue::from_static("accept, accept-encoding");
        headers.entry(header::VARY).or_insert(vary);
    }
    if shared.http.cross_origin && resource.is_none_or(Resource::is_cross_origin) {
        cors::allow(headers);
    }
}
