//! Where a SPARQL service listens: an `http` URL, taken apart and resolved once, before any clock runs.

use crate::diagnostics::{Error, ErrorKind, Result};
use hyper::Uri;
use std::net::{SocketAddr, ToSocketAddrs};

/// A SPARQL service over HTTP/1.1. The query string of its URL goes with every request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL as it was given.
    pub url: String,
    /// The `Host` header.
    pub authority: String,
    /// Path and query string, the target of every request.
    pub target: String,
    /// The addresses of the host, in the order in which they are tried.
    pub addresses: Vec<SocketAddr>,
}

impl Endpoint {
    /// Takes a URL apart and resolves its host.
    pub fn parse(url: &str) -> Result<Self> {
        let refuse = |why: &str| {
            Error::new(
                ErrorKind::Settings,
                format!("{url} is no endpoint: {why}; write http://HOST:PORT/PATH"),
            )
        };
        let uri: Uri = url.parse().map_err(|_| refuse("it is no URL"))?;
        if uri.scheme_str() != Some("http") {
            return Err(refuse("only http is measured"));
        }
        let authority = uri.authority().ok_or_else(|| refuse("it has no host"))?;
        let host = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']');
        let addresses: Vec<_> = (host, authority.port_u16().unwrap_or(80))
            .to_socket_addrs()
            .map_err(|e| Error::io(format_args!("resolving the host of {url}"), e))?
            .collect();
        Ok(Self {
            url: url.to_owned(),
            authority: authority.to_string(),
            target: uri.path_and_query().map_or("/", |p| p.as_str()).to_owned(),
            addresses,
        })
    }

    /// The same server under another path.
    #[must_use]
    pub fn with_target(&self, target: &str) -> Self {
        Self {
            url: format!("http://{}{target}", self.authority),
            target: target.to_owned(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let check = |url: &str, authority: &str, target: &str, address: &str| {
            let endpoint = Endpoint::parse(url).unwrap();
            assert_eq!(
                (&*endpoint.authority, &*endpoint.target),
                (authority, target),
                "{url}"
            );
            assert_eq!(endpoint.addresses, [address.parse().unwrap()], "{url}");
        };
        check(
            "http://127.0.0.1:7878/query",
            "127.0.0.1:7878",
            "/query",
            "127.0.0.1:7878",
        );
        check("http://127.0.0.1", "127.0.0.1", "/", "127.0.0.1:80");
        check("http://[::1]:1/s?a=b%3A", "[::1]:1", "/s?a=b%3A", "[::1]:1");
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        for url in [
            "https://127.0.0.1/",
            "127.0.0.1:80",
            "/query",
            "http://",
            "ftp://127.0.0.1/",
        ] {
            assert_eq!(
                Endpoint::parse(url).unwrap_err().kind(),
                ErrorKind::Settings,
                "{url}"
            );
        }
    }

    #[test]
    fn another_path_of_the_same_server() {
        let endpoint = Endpoint::parse("http://127.0.0.1:1/sparql?x=y").unwrap();
        assert_eq!(
            endpoint.with_target("/metrics").url,
            "http://127.0.0.1:1/metrics"
        );
    }
}
