//! The server: binding, serving, stopping.

use super::error_log::ErrorLog;
use super::exchange::exchange;
use super::metrics::Metrics;
use super::pool::Pool;
use super::request_log::RequestLog;
use crate::diagnostics::logging::LogControl;
use crate::diagnostics::{Error, Result};
use crate::engine::Engine;
use crate::settings::{HttpSettings, QuerySettings, Settings};
use axum::Router;
use axum::serve::ListenerExt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A server that listens, but does not answer yet.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// What all requests share.
pub struct Shared {
    /// Who answers queries.
    pub engine: Arc<Engine>,
    /// Where queries run.
    pub queries: Pool,
    /// Where updates run. One of them writes at a time, so a few threads are enough.
    pub updates: Pool,
    /// Where documents are taken in, and what else may take long: most of its time it waits for clients or the disk.
    pub uploads: Pool,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Who writes the records of failed requests.
    pub errors: Arc<ErrorLog>,
    /// Where queries and updates are recorded, if anywhere.
    pub requests: Option<RequestLog>,
    /// The log, where the process has one to manage.
    pub log: Option<LogControl>,
    /// Limits of queries.
    pub query: QuerySettings,
    /// Whether queries may ask other services.
    pub is_federated: bool,
    /// Limits of requests.
    pub http: HttpSettings,
    /// Where copies of the store go; empty for nowhere.
    pub backup_folder: PathBuf,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Binds to the address of the settings and starts the query threads.
    ///
    /// # Errors
    /// The address cannot be had, or threads cannot be started.
    pub async fn bind(
        settings: &Settings,
        engine: Arc<Engine>,
        log: Option<LogControl>,
    ) -> Result<Self> {
        let what = || {
            format!(
                "listening on {} (choose another address with --bind)",
                settings.bind
            )
        };
        let listener = TcpListener::bind(&settings.bind)
            .await
            .map_err(|e| Error::io(what(), e))?;
        let address = listener.local_addr().map_err(|e| Error::io(what(), e))?;
        let shared = Arc::new(Shared {
            engine,
            queries: Pool::start(
                "query",
                settings.query.thread_count(),
                settings.query.queue_max,
            )?,
            updates: Pool::start("update", settings.update.threads, settings.update.queue_max)?,
            uploads: Pool::start(
                "upload",
                settings.update.upload_threads,
                settings.update.queue_max,
            )?,
            metrics: Arc::default(),
            errors: Arc::new(ErrorLog::start()?),
            requests: match settings.log.requests_file.as_path() {
                path if path.as_os_str().is_empty() => None,
                path => Some(RequestLog::start(path)?),
            },
            log,
            query: settings.query.clone(),
            is_federated: !settings.service.allow.is_empty(),
            http: settings.http.clone(),
            backup_folder: settings.store.backup_folder.clone(),
            address,
        });
        Ok(Self { listener, shared })
    }

    /// Where it listens; the port is a real one even if port 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.shared.address
    }

    /// Answers requests until `stop` is ready; then stops to accept, and lets running requests end within
    /// `http.shutdown_grace_ms`. Queries that still run when the runtime is dropped are cancelled.
    ///
    /// # Errors
    /// Serving failed.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<()> {
        let grace = Duration::from_millis(self.shared.http.shutdown_grace_ms);
        let (stopping, has_stopped) = oneshot::channel();
        let stop = async move {
            stop.await;
            // Nobody listens any more once serving has failed.
            let _ = stopping.send(());
        };
        let listener = self.listener.tap_io(|stream| {
            // Without it an answer in two writes waits for the client's acknowledgement; failing is no harm.
            let _ = stream.set_nodelay(true);
        });
        let router = Router::new().fallback(exchange).with_state(self.shared);
        let serving = axum::serve(listener, router).with_graceful_shutdown(stop);
        let too_late = async move {
            if has_stopped.await.is_ok() {
                tokio::time::sleep(grace).await;
            }
        };
        tokio::select! {
            served = serving.into_future() => served.map_err(|e| Error::io("serving", e)),
            () = too_late => {
                tracing::warn!(target: "kaluta::http", "requests still running at the end of the grace period are cancelled");
                Ok(())
            }
        }
    }
}
