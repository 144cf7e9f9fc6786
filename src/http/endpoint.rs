//! The IRI of the resource that a request names, as its client wrote it.
//!
//! It is what the service calls its endpoint, and the base of relative IRIs in a query (SPARQL 1.1 Protocol, section
//! 2.1.6). Behind a proxy it is right as far as the proxy hands on the header `Host`.

use axum::http::{HeaderMap, header};
use oxrdf::NamedNode;
use std::net::SocketAddr;

/// The IRI of a path, on the host that the request names or else at the address of the server.
pub fn endpoint(headers: &HeaderMap, path: &str, address: SocketAddr) -> NamedNode {
    let host = headers.get(header::HOST).and_then(|h| h.to_str().ok());
    let named = host.and_then(|host| NamedNode::new(format!("http://{host}{path}")).ok());
    named.unwrap_or_else(|| NamedNode::new_unchecked(format!("http://{address}{path}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_the_one_that_the_client_named() {
        let check = |host: &'static str, expected: &str| {
            let mut headers = HeaderMap::new();
            if !host.is_empty() {
                headers.insert(header::HOST, host.parse().unwrap());
            }
            let address = SocketAddr::from(([127, 0, 0, 1], 80));
            assert_eq!(endpoint(&headers, "/query", address).as_str(), expected);
        };
        check("e.org:7878", "http://e.org:7878/query");
        check("", "http://127.0.0.1:80/query");
        check("no host", "http://127.0.0.1:80/query");
    }
}
