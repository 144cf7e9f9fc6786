//! The resources `/query`, `/update` and `/sparql`: from a request to a job of a pool, and from its reply to a response.

use super::answer::{Asked, QueryJob};
use super::body::{AnswerBody, CancelOnDrop, read};
use super::description;
use super::endpoint::endpoint;
use super::exchange::RequestId;
use super::negotiation::{Accept, Coding};
use super::outlet::{Head, Reply};
use super::protocol::{self, Call, Door};
use super::request_log::Entry;
use super::server::Shared;
use super::{update, upload};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::QueryControl;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// How long after its deadline a query may still report by itself before its client is answered without it.
const DEADLINE_GRACE: Duration = Duration::from_millis(100);

/// Answers a query, or makes an update.
///
/// # Errors
/// The request is bad, the queue is full, or the query fails before the first byte of its answer.
pub async fn respond(
    shared: &Arc<Shared>,
    id: RequestId,
    door: Door,
    request: Request,
) -> Result<Response> {
    let (parts, body) = request.into_parts();
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    if is_read && parts.uri.query().is_none_or(str::is_empty) {
        return description::respond(shared, parts.uri.path(), &parts.headers);
    }
    let bytes_max = shared.http.body_bytes_max;
    let coding = upload::coding(&parts.headers)?;
    let body = upload::decode(read(body, bytes_max).await?, coding, bytes_max).await?;
    let url_query = parts.uri.query().unwrap_or_default();
    let base = endpoint(&parts.headers, parts.uri.path(), shared.address).into_string();
    let call = protocol::parse(door, &parts.method, url_query, &parts.headers, &body)?;
    let log = shared.requests.as_ref();
    let recorded = log.and_then(|log| Some((log, Entry::of(&parts, &call)?)));
    let outcome = match call {
        Call::Query(mut call) => {
            call.request.base = Some(base);
            answer(shared, id, &parts, Asked::Query(call)).await
        }
        Call::Update(mut call) => {
            call.base = Some(base);
            update::respond(shared, call).await
        }
    };
    if let Some((log, entry)) = recorded {
        let status = match &outcome {
            Ok(response) => response.status().as_u16(),
            Err(error) => error.kind().status(),
        };
        log.answered(entry, status);
    }
    outcome
}

/// Answers what is asked, on a thread for queries.
///
/// # Errors
/// The queue is full, or something fails before the first byte of the answer.
pub async fn answer(
    shared: &Arc<Shared>,
    id: RequestId,
    parts: &Parts,
    asked: Asked,
) -> Result<Response> {
    let timeout = shared.query.timeout();
    let control = QueryControl::new(timeout, shared.query.memory_limit_bytes());
    let client = CancelOnDrop(control.clone());
    let (reply, answer) = oneshot::channel();
    let job = QueryJob {
        id,
        asked,
        accept: Accept::of(&parts.headers),
        coding: Coding::of(&parts.headers),
        is_head: parts.method == Method::HEAD,
        control,
        submitted: Instant::now(),
        deadline: timeout.and_then(|t| Instant::now().checked_add(t)),
        hold_back_bytes: shared.http.hold_back_bytes,
        engine: Arc::clone(&shared.engine),
        errors: Arc::clone(&shared.errors),
        metrics: Arc::clone(&shared.metrics),
        runtime: Handle::current(),
    };
    shared.queries.submit(move || job.run(reply))?;
    let reply = within(timeout, answer).await?;
    Ok(response(reply, client))
}

/// The reply of a job, or an error when the deadline has passed: a job that still waits in the queue then, or that
/// does not look at its deadline, must not keep the client waiting.
async fn within(
    timeout: Option<Duration>,
    answer: oneshot::Receiver<Result<Reply>>,
) -> Result<Reply> {
    let reply = match timeout {
        None => answer.await,
        Some(timeout) => match tokio::time::timeout(timeout + DEADLINE_GRACE, answer).await {
            Ok(reply) => reply,
            Err(_) => return Err(past_deadline(timeout)),
        },
    };
    // A job that ends without a reply has panicked.
    reply.unwrap_or_else(|_| Err(Error::internal("the query's thread panicked")))
}

/// The error of a query that took longer than it may.
pub fn past_deadline(timeout: Duration) -> Error {
    Error::new(
        ErrorKind::Deadline,
        format!(
            "the query ran past its deadline of {} ms (setting query.timeout_ms)",
            timeout.as_millis()
        ),
    )
}

fn response(reply: Reply, client: CancelOnDrop) -> Response {
    let (head, body) = match reply {
        Reply::Whole { head, body } => (head, Body::from(body)),
        Reply::Stream { head, pieces } => (head, Body::new(AnswerBody::new(pieces, client))),
    };
    let mut response = Response::new(body);
    put_head(&mut response, head);
    response
}

fn put_head(response: &mut Response, head: Head) {
    if head.is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    if let Some(tag) = head.entity_tag.and_then(|t| t.header_value(head.coding)) {
        headers.insert(header::ETAG, tag);
    }
    let announced = || HeaderValue::try_from(format!("{}; version=1.2", head.content_type)).ok();
    let announced = head.announces_1_2.then(announced).flatten();
    let plain = || HeaderValue::from_static(head.content_type);
    let content_type = announced.unwrap_or_else(plain);
    headers.insert(header::CONTENT_TYPE, content_type);
    if let Some(coding) = head.coding.name() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
}
