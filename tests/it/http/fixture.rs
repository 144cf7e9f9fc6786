//! A server in this process, on a free port, with a store of its own.

use kaluta::engine::{Engine, LoadOptions, LoadSource};
use kaluta::http::Server;
use kaluta::results::RdfFormat;
use kaluta::settings::Settings;
use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// The subjects in the data; a query over `n` patterns without a common variable has as many to the `n` answers.
pub const SUBJECTS: usize = 80;

/// So many rows that no server should work them all out before it sends the first.
pub const ENDLESS: &str = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o }";

/// As many rows, none of which can be sent before all are known.
pub const ENDLESS_SILENCE: &str =
    "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o } ORDER BY ?c ?f ?i";

pub struct Fixture {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _store: tempfile::TempDir,
}

impl Fixture {
    /// A server with the data of this module.
    pub fn start(change: impl FnOnce(&mut Settings)) -> Self {
        let source = LoadSource::bytes("data", data().into_bytes(), RdfFormat::NTriples);
        Self::with(vec![source], change)
    }

    /// A server with some data.
    pub fn with(sources: Vec<LoadSource>, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings {
            bind: "127.0.0.1:0".to_owned(),
            ..Settings::default()
        };
        change(&mut settings);
        let store = tempfile::tempdir().unwrap();
        let engine = Engine::open(store.path(), &settings.query, &settings.store).unwrap();
        let loaded = engine.load(sources, &LoadOptions::default(), &());
        loaded.unwrap();
        Self::serve(engine, store, settings)
    }

    /// A server that only reads, without data.
    pub fn read_only() -> Self {
        let settings = Settings {
            bind: "127.0.0.1:0".to_owned(),
            ..Settings::default()
        };
        let store = tempfile::tempdir().unwrap();
        drop(Engine::open(store.path(), &settings.query, &settings.store).unwrap());
        let engine = Engine::open_read_only(store.path(), &settings.query).unwrap();
        Self::serve(engine, store, settings)
    }

    fn serve(engine: Engine, store: tempfile::TempDir, settings: Settings) -> Self {
        let engine = engine
            .with_load_sources(&settings.update, &settings.service)
            .unwrap()
            .with_services(&settings.service)
            .unwrap();
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(async move {
                let server = Server::bind(&settings, Arc::new(engine), None)
                    .await
                    .unwrap();
                tell.send(server.address()).unwrap();
                let stop = async move {
                    let _ = stopped.await;
                };
                server.run(stop).await.unwrap();
            });
        });
        Self {
            address: told.recv().unwrap(),
            stop: Some(stop),
            thread: Some(thread),
            _store: store,
        }
    }

    /// Asks the server to stop, without waiting for it.
    pub fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(
                ended.is_ok() || std::thread::panicking(),
                "the server panicked"
            );
        }
    }
}

/// One triple a subject, all of one predicate, and the awkward string of case A30.
fn data() -> String {
    let mut text = String::from(
        "<http://e/awkward> <http://e/says> \"say \\\"hi\\\"\\tthere\\r\\nend\" .\n\
         <http://e/awkward> <http://e/counts> \"5\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n",
    );
    for i in 0..SUBJECTS {
        writeln!(text, "<http://e/s{i}> <http://e/p> \"object number {i}\" .").unwrap();
    }
    text
}
