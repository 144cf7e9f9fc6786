//! A server as a process of our own on a free port, and a client that keeps one connection to any server.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const KALUTA: &str = env!("CARGO_BIN_EXE_kaluta");

/// A server that ends when this is dropped.
pub struct Served {
    /// Its process.
    pub child: Child,
    /// Host and port.
    pub authority: String,
}

impl Served {
    /// Starts a server on a store, which is made if it is not there.
    pub fn start(location: &Path, durability: &str) -> Result<Self> {
        let mut child = Command::new(KALUTA)
            .args(["serve", "--bind", "127.0.0.1:0", "--location"])
            .arg(location)
            .env("KALUTA_STORE_DURABILITY", durability)
            .env_remove("KALUTA_LOG")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        match line.trim().strip_prefix("listening on http://") {
            Some(authority) => Ok(Self {
                child,
                authority: authority.to_owned(),
            }),
            None => Err(broken(&format!("the server said {line:?}"))),
        }
    }

    /// A value of its metrics.
    pub fn metric(&self, name: &str) -> Result<u64> {
        let (_, page) = Connection::open(&self.authority)?.request("GET", "/metrics", "", b"")?;
        let page = String::from_utf8_lossy(&page);
        let mut values = page.lines().filter_map(|line| line.strip_prefix(name));
        let value = values.find_map(|value| value.trim().parse().ok());
        value.ok_or_else(|| broken(&format!("the metrics lack {name}")))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One connection, used for one request after the other.
pub struct Connection {
    stream: BufReader<TcpStream>,
    authority: String,
}

impl Connection {
    /// Connects to a host and port.
    pub fn open(authority: &str) -> Result<Self> {
        let stream = TcpStream::connect(authority)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
            authority: authority.to_owned(),
        })
    }

    /// Sends an update, and fails when it was not made.
    pub fn update(&mut self, path: &str, text: &str) -> Result<()> {
        let media_type = "application/sparql-update";
        let (status, body) = self.request("POST", path, media_type, text.as_bytes())?;
        match status {
            200..300 => Ok(()),
            _ => Err(broken(&format!(
                "status {status}: {}",
                String::from_utf8_lossy(&body)
            ))),
        }
    }

    /// Sends a request and reads the answer to its end: status and body.
    pub fn request(
        &mut self,
        method: &str,
        path: &str,
        media_type: &str,
        body: &[u8],
    ) -> Result<(u16, Vec<u8>)> {
        let mut bytes = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n",
            self.authority,
            body.len()
        );
        if !media_type.is_empty() {
            bytes.push_str(&format!("Content-Type: {media_type}\r\n"));
        }
        bytes.push_str("\r\n");
        let mut bytes = bytes.into_bytes();
        bytes.extend_from_slice(body);
        self.stream.get_mut().write_all(&bytes)?;
        self.read_answer()
    }

    fn read_answer(&mut self) -> Result<(u16, Vec<u8>)> {
        let status = self.read_line()?;
        let status = status.split(' ').nth(1).and_then(|s| s.parse().ok());
        let status = status.ok_or_else(|| broken("the answer has no status"))?;
        let (mut len, mut is_chunked) = (0, false);
        loop {
            let line = self.read_line()?.to_ascii_lowercase();
            match line.split_once(':') {
                None => break,
                Some(("content-length", value)) => {
                    len = value.trim().parse().map_err(|_| broken(&line))?;
                }
                Some(("transfer-encoding", _)) => is_chunked = true,
                Some(_) => {}
            }
        }
        let mut body = Vec::new();
        if !is_chunked {
            self.read_into(len, &mut body)?;
            return Ok((status, body));
        }
        loop {
            let line = self.read_line()?;
            let len = usize::from_str_radix(&line, 16).map_err(|_| broken(&line))?;
            self.read_into(len, &mut body)?;
            self.read_line()?;
            if len == 0 {
                return Ok((status, body));
            }
        }
    }

    fn read_into(&mut self, len: usize, body: &mut Vec<u8>) -> Result<()> {
        let start = body.len();
        body.resize(start + len, 0);
        self.stream.read_exact(&mut body[start..])
    }

    fn read_line(&mut self) -> Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(broken("the connection was closed")),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

/// An error of a conversation.
pub fn broken(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}
