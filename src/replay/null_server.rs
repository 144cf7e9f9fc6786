//! A server that does nothing but answer, against which the harness measures itself.
//!
//! What remains of the time of a request, when the server's part is next to nothing, is the client's: an upper bound for
//! what a replay on this machine can measure. It speaks as much HTTP/1.1 as the client of this harness needs.

use super::endpoint::Endpoint;
use crate::diagnostics::{Error, Result};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nserver: null\r\ncontent-type: application/sparql-results+json\r\n\
    content-length: 46\r\n\r\n{\"head\":{\"vars\":[]},\"results\":{\"bindings\":[]}}";

/// Starts one that lives as long as this process, with a thread for each connection.
pub fn start() -> Result<Endpoint> {
    let failed = |e| Error::io("starting the null server", e);
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    thread::spawn(move || {
        for stream in listener.incoming().map_while(|stream| stream.ok()) {
            thread::spawn(move || serve(stream));
        }
    });
    Endpoint::parse(&format!("http://{address}/"))
}

/// Answers until the client goes away; what fails then is of no interest.
fn serve(mut stream: TcpStream) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let mut pending = Vec::new();
    let mut buffer = vec![0; 1 << 14];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        pending.extend_from_slice(&buffer[..length]);
        while let Some(request_bytes) = whole_request_bytes(&pending) {
            pending.drain(..request_bytes);
            if stream.write_all(RESPONSE).is_err() {
                return;
            }
        }
    }
}

/// The length of the request at the beginning, if all of it is there.
fn whole_request_bytes(bytes: &[u8]) -> Option<usize> {
    let head_bytes = bytes.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..head_bytes]).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"));
    let body_bytes: usize = length.map_or(Some(0), |length| length.trim().parse().ok())?;
    let whole_bytes = head_bytes.checked_add(body_bytes)?;
    (whole_bytes <= bytes.len()).then_some(whole_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_whole_with_its_body() {
        let check = |bytes: &[u8], wanted| assert_eq!(whole_request_bytes(bytes), wanted);
        check(b"GET / HTTP/1.1\r\n", None);
        check(b"GET / HTTP/1.1\r\n\r\n", Some(18));
        check(b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", None);
        check(
            b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcd",
            Some(41),
        );
    }
}
