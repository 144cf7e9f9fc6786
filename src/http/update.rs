//! Requests that change the store: on threads of their own, and answered with what was changed.

use super::body::CancelOnDrop;
use super::pool::Pool;
use super::server::Shared;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::{Commit, QueryControl, UpdateRequest};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Makes an update.
///
/// # Errors
/// The server is read-only, the queue is full, or the update fails; then nothing was changed.
pub async fn respond(shared: &Arc<Shared>, call: UpdateRequest) -> Result<Response> {
    check_writable(shared)?;
    let engine = Arc::clone(&shared.engine);
    let run = move |control: &QueryControl, reply: Reply<Commit>| match engine
        .prepare_update(&call)
        .and_then(|update| engine.update(update, control))
    {
        Ok(logged) => logged.when_durable(|outcome| reply.send(outcome)),
        Err(error) => reply.send(Err(error)),
    };
    let timeout = shared.query.timeout();
    let commit = submit(shared, &shared.updates, timeout, run).await?;
    Ok(changed(shared, StatusCode::OK, &commit))
}

/// Fails on a server that only reads.
///
/// # Errors
/// [`ErrorKind::Forbidden`].
pub fn check_writable(shared: &Shared) -> Result<()> {
    if shared.engine.is_read_only() {
        return Err(Error::new(
            ErrorKind::Forbidden,
            "this server is read-only: it answers queries and changes nothing",
        ));
    }
    Ok(())
}

/// Runs something on a thread for uploads, and waits for it: an answer before its end could be wrong. It is cancelled
/// when the client goes away; once it has begun to commit it is done.
///
/// # Errors
/// The queue is full, or the work fails.
pub async fn run<T: Send + 'static>(
    shared: &Shared,
    timeout: Option<Duration>,
    work: impl FnOnce(&QueryControl) -> Result<T> + Send + 'static,
) -> Result<T> {
    let reply_at_once = |control: &QueryControl, reply: Reply<T>| reply.send(work(control));
    submit(shared, &shared.uploads, timeout, reply_at_once).await
}

/// Where work that was submitted leaves its outcome, on whatever thread.
struct Reply<T>(oneshot::Sender<Result<T>>);

impl<T> Reply<T> {
    fn send(self, outcome: Result<T>) {
        // A client that is gone hears nothing.
        drop(self.0.send(outcome));
    }
}

/// The same for work that may reply after its thread has gone on to other work.
async fn submit<T: Send + 'static>(
    shared: &Shared,
    pool: &Pool,
    timeout: Option<Duration>,
    work: impl FnOnce(&QueryControl, Reply<T>) + Send + 'static,
) -> Result<T> {
    let control = QueryControl::new(timeout, shared.query.memory_limit_bytes());
    let _client = CancelOnDrop(control.clone());
    let (reply, done) = oneshot::channel();
    pool.submit(move || {
        let reply = Reply(reply);
        match control.check() {
            Ok(()) => work(&control, reply),
            Err(error) => reply.send(Err(error)),
        }
    })?;
    // Work that ends without a reply has panicked.
    done.await
        .unwrap_or_else(|_| Err(Error::internal("the thread of an update panicked")))
}

/// The response to a request that changed the store, or found it as it was to be.
pub fn changed(shared: &Shared, status: StatusCode, commit: &Commit) -> Response {
    shared.metrics.count_commit(commit);
    let Commit {
        sequence,
        inserted,
        deleted,
    } = commit;
    let body =
        format!("{{\"sequence\":{sequence},\"inserted\":{inserted},\"deleted\":{deleted}}}\n");
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
