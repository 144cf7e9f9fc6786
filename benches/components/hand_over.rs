//! From thread to thread, and over HTTP.

use crate::fixture::{Fixture, ROWS, integer};
use crate::measure::Component;
use crate::served::{Connection, Served};
use kaluta::batch::Batch;
use kaluta::diagnostics::{Error, Result};
use std::rc::Rc;
use std::thread;
use tokio::sync::mpsc::channel;

/// Pieces that may wait in a channel, as many as the server lets wait for a client.
const PIECES_MAX: usize = 4;

/// The components of this group.
///
/// # Errors
/// The server cannot be started.
pub fn components(fixture: &Fixture) -> Result<Vec<Component<'_>>> {
    let failed = |e| Error::io("starting a server", e);
    let server = Served::start(&fixture.copy("served")?, "fsync").map_err(failed)?;
    let server = Rc::new(server);
    let query = "SELECT ?s { ?s <http://example.org/nothing> ?o }";
    let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
    let mut floor = Client::new(&server, "/health")?;
    let mut health = Client::new(&server, "/health")?;
    let mut query = Client::new(&server, &format!("/query?query={query}"))?;
    Ok(vec![
        stream_batches(),
        hand_there_and_back(),
        Component::new("an HTTP round trip without a query", move || health.get())
            .note("/health, one client, a kept connection"),
        Component::new("an HTTP round trip with an empty answer", move || {
            query.get()
        })
        .less(
            "less the one without a query; hand-over, parse, plan, serialize",
            1,
            move || floor.get(),
        ),
    ])
}

/// A batch of two columns.
fn batch() -> Batch {
    let ids: Vec<_> = (0..ROWS as u32).map(integer).collect();
    Batch::new(vec![ids.clone(), ids], ROWS)
}

/// In a channel like that in which answers leave their query.
fn stream_batches<'a>() -> Component<'a> {
    let (sender, mut receiver) = channel::<Batch>(PIECES_MAX);
    thread::spawn(move || while receiver.blocking_recv().is_some() {});
    let (rows, copied) = (batch(), batch());
    Component::new("hand a batch to another thread", move || {
        let sent = sender.blocking_send(rows.clone());
        sent.expect("the other side listens");
    })
    .less(
        "less making it; the other side only drops it",
        1,
        move || copied.clone(),
    )
}

fn hand_there_and_back<'a>() -> Component<'a> {
    let (there, mut received) = channel::<Batch>(PIECES_MAX);
    let (back, mut returned) = channel::<Batch>(PIECES_MAX);
    thread::spawn(move || {
        while let Some(batch) = received.blocking_recv() {
            if back.blocking_send(batch).is_err() {
                return;
            }
        }
    });
    let mut rows = Some(batch());
    Component::new("hand a batch over and get it back", move || {
        let batch = rows.take().expect("it came back");
        there.blocking_send(batch).expect("the other side listens");
        rows = returned.blocking_recv();
    })
    .note("both sides wait in turn: two wakings")
}

/// A client of a server, which goes with the last of them.
struct Client {
    connection: Connection,
    target: String,
    _server: Rc<Served>,
}

impl Client {
    fn new(server: &Rc<Served>, target: &str) -> Result<Self> {
        let connection = Connection::open(&server.authority);
        Ok(Self {
            connection: connection.map_err(|e| Error::io("connecting to the server", e))?,
            target: target.to_owned(),
            _server: Rc::clone(server),
        })
    }

    /// Gets what there is, which must be good.
    fn get(&mut self) -> Vec<u8> {
        let answer = self.connection.request("GET", &self.target, "", b"");
        let (status, body) = answer.expect("the server answers");
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        body
    }
}
