//! A client that shows what is on the wire.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// What every exchange must have ended within; a limit for broken servers, not a measurement.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Connection {
    stream: BufReader<TcpStream>,
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// Whether the body ended as its length or its last chunk said it would.
    pub is_whole: bool,
}

impl Response {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a body in UTF-8")
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("a body in JSON")
    }
}

impl Connection {
    pub fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream: BufReader::new(stream),
        }
    }

    /// Sends the head of a request, and perhaps a body with its length.
    pub fn send(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) {
        self.send_bytes(method, target, headers, body.map(str::as_bytes));
    }

    /// As [`Self::send`], with a body that need not be text.
    pub fn send_bytes(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) {
        let mut text = format!("{method} {target} HTTP/1.1\r\n");
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            text.push_str("Host: localhost\r\n");
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(body.unwrap_or_default());
        self.stream.get_mut().write_all(&bytes).unwrap();
    }

    /// Reads the status line and the header fields.
    pub fn read_head(&mut self) -> Response {
        let status_line = self.read_line();
        let status = status_line.split(' ').nth(1).and_then(|s| s.parse().ok());
        let mut headers = BTreeMap::new();
        loop {
            let line = self.read_line();
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        Response {
            status: status.unwrap_or_else(|| panic!("a status line, not {status_line:?}")),
            headers,
            body: Vec::new(),
            is_whole: false,
        }
    }

    /// Reads a response to its end, whole or not.
    pub fn read(&mut self, is_head: bool) -> Response {
        let mut response = self.read_head();
        if is_head || response.status == 204 {
            response.is_whole = true;
        } else if response.header("transfer-encoding") == "chunked" {
            while let Some(chunk) = self.read_chunk() {
                response.is_whole = chunk.is_empty();
                response.body.extend(chunk);
                if response.is_whole {
                    break;
                }
            }
        } else {
            let length: usize = response.header("content-length").parse().expect("a length");
            response.body.resize(length, 0);
            response.is_whole = self.stream.read_exact(&mut response.body).is_ok();
        }
        response
    }

    /// The next chunk; the last one is empty, and `None` means that the connection ended without it.
    pub fn read_chunk(&mut self) -> Option<Vec<u8>> {
        let line = self.try_read_line()?;
        let length = usize::from_str_radix(line.trim(), 16).ok()?;
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).ok()?;
        chunk.truncate(length);
        Some(chunk)
    }

    /// Whether the server closes the connection without sending anything.
    pub fn is_closed(&mut self) -> bool {
        self.try_read_line().is_none()
    }

    fn read_line(&mut self) -> String {
        self.try_read_line().expect("a line")
    }

    fn try_read_line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    }
}

/// One request on a connection of its own.
pub fn request(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: Option<&str>,
) -> Response {
    let mut connection = Connection::open(address);
    connection.send(method, target, headers, body);
    connection.read(method == "HEAD")
}

/// A GET of a query with an `Accept` header.
pub fn ask(address: SocketAddr, query: &str, accept: &str) -> Response {
    request(address, "GET", &target(query), &[("Accept", accept)], None)
}

/// The request target of a query.
pub fn target(query: &str) -> String {
    let encoded: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
    format!("/query?query={encoded}")
}

/// The value of a metric.
pub fn metric(address: SocketAddr, name: &str) -> u64 {
    let page = request(address, "GET", "/metrics", &[], None);
    let line = page
        .text()
        .lines()
        .find_map(|l| l.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|v| v.parse().ok())
        .unwrap_or_else(|| panic!("no metric {name}"))
}

/// Waits until something that must come has come.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + PATIENCE;
    while !is_so() {
        assert!(
            std::time::Instant::now() < deadline,
            "waited in vain until {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}
