//! The log directives of the running server, for whoever works on the same machine.
//!
//! There is no authentication yet, so the server must listen on a loopback address, and the request must name one:
//! a page in a browser that reaches the server through a name of its own is refused.

use super::body::read;
use super::server::Shared;
use crate::diagnostics::{Error, ErrorKind, Result};
use axum::extract::Request;
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;

const DIRECTIVES_BYTES_MAX: usize = 64 << 10;

/// Shows (GET) or changes (PUT) the log directives.
///
/// # Errors
/// The request does not come from this machine, or the directives do not parse.
pub async fn log(shared: &Shared, request: Request) -> Result<Response> {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|h| h.to_str().ok());
    if !shared.address.ip().is_loopback() || !host.is_some_and(is_loopback_host) {
        return Err(Error::new(
            ErrorKind::Forbidden,
            "the log is managed through a loopback address only; use SIGHUP and the settings file instead",
        ));
    }
    let Some(log) = &shared.log else {
        return Err(Error::internal("this server has no log to manage"));
    };
    if request.method() == Method::PUT {
        let body = read(request.into_body(), DIRECTIVES_BYTES_MAX).await?;
        let directives = std::str::from_utf8(&body)
            .map_err(|_| Error::new(ErrorKind::BadRequest, "the directives are not UTF-8"))?;
        log.set_directives(directives)?;
        tracing::info!(target: "kaluta::http", directives = log.directives(), "log directives changed");
    }
    let text = format!("{}\n", log.directives());
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// Whether a `Host` header names this machine.
fn is_loopback_host(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_hosts() {
        for host in [
            "localhost",
            "LOCALHOST:7878",
            "127.0.0.1:7878",
            "[::1]:7878",
            "[::1]",
        ] {
            assert!(is_loopback_host(host), "{host}");
        }
        for host in [
            "evil.example:7878",
            "10.0.0.1",
            "localhost.evil.example",
            "",
        ] {
            assert!(!is_loopback_host(host), "{host}");
        }
    }
}
