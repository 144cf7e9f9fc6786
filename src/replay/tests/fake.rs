//! A server for tests: answers on a free port of this machine as a closure says, misbehaviour included.

use crate::replay::endpoint::Endpoint;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// What a server does with a request.
pub enum Reaction {
    /// Sends these bytes and keeps the connection.
    Send(Vec<u8>),
    /// Sends these bytes and closes the connection.
    SendAndClose(Vec<u8>),
    /// Sends these bytes and then nothing, until the client goes away.
    Stall(Vec<u8>),
}

/// A request as the server sees it.
pub struct Seen {
    /// Method and target.
    pub line: String,
    /// The headers, a line each, in small letters.
    pub head: String,
    /// The `query` or `update` of the form; empty without one.
    pub query: String,
}

type React = dyn Fn(&Seen) -> Reaction + Send + Sync;

/// Starts a server that lives as long as the test's process.
pub fn start(react: impl Fn(&Seen) -> Reaction + Send + Sync + 'static) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let react: Arc<React> = Arc::new(react);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let react = Arc::clone(&react);
            thread::spawn(move || serve(stream, &*react));
        }
    });
    Endpoint::parse(&format!("http://{address}/query?x=y")).unwrap()
}

/// Starts a server and hands out what it sees.
pub fn start_watched(
    react: impl Fn(&Seen) -> Reaction + Send + Sync + 'static,
) -> (Endpoint, Receiver<Seen>) {
    let (tell, told) = channel();
    let endpoint = start(move |seen| {
        let _ = tell.send(Seen {
            line: seen.line.clone(),
            head: seen.head.clone(),
            query: seen.query.clone(),
        });
        react(seen)
    });
    (endpoint, told)
}

/// A whole response with a length.
pub fn response(status: &str, media_type: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\nserver: fake\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// SPARQL JSON results with one variable.
pub fn results(terms: &[&str]) -> String {
    let rows: Vec<_> = terms
        .iter()
        .map(|term| format!(r#"{{"a":{term}}}"#))
        .collect();
    format!(
        r#"{{"head":{{"vars":["a"]}},"results":{{"bindings":[{}]}}}}"#,
        rows.join(",")
    )
}

/// A good response with SPARQL JSON results.
pub fn solutions(terms: &[&str]) -> Reaction {
    Reaction::Send(response(
        "200 OK",
        "application/sparql-results+json",
        &results(terms),
    ))
}

fn serve(mut stream: TcpStream, react: &React) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(seen) = read_request(&mut reader) {
        let (bytes, is_kept) = match react(&seen) {
            Reaction::Send(bytes) => (bytes, true),
            Reaction::SendAndClose(bytes) => (bytes, false),
            Reaction::Stall(bytes) => {
                let _ = stream.write_all(&bytes);
                let _ = reader.read_to_end(&mut Vec::new());
                return;
            }
        };
        if stream.write_all(&bytes).is_err() || !is_kept {
            return;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<Seen> {
    let mut text = String::new();
    while !text.ends_with("\r\n\r\n") {
        let length = reader.read_line(&mut text).ok()?;
        (length > 0).then_some(())?;
    }
    let mut body = vec![0; body_bytes(&text)];
    reader.read_exact(&mut body).ok()?;
    Some(Seen::new(&text, &body))
}

/// The length of the body that a head announces.
pub fn body_bytes(head: &str) -> usize {
    let head = head.to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|header| header.strip_prefix("content-length: "));
    length.map_or(0, |length| length.parse().unwrap())
}

impl Seen {
    /// The request of a head and a body.
    pub fn new(head: &str, body: &[u8]) -> Self {
        let (line, headers) = head.split_once("\r\n").unwrap();
        let mut pairs = form_urlencoded::parse(body);
        let query = pairs
            .find(|(key, _)| key == "query" || key == "update")
            .map(|(_, query)| query.into_owned());
        Self {
            line: line.to_owned(),
            head: headers.to_ascii_lowercase(),
            query: query.unwrap_or_default(),
        }
    }
}
