//! What an operator on the same machine asks of a running server: its log directives, copies and compaction of the store.
//!
//! There is no authentication yet, so the server must listen on a loopback address, and the request must name one:
//! a page in a browser that reaches the server through a name of its own is refused, and so is one of another origin.

use super::body::read;
use super::server::Shared;
use super::update::{check_writable, run};
use crate::diagnostics::{Error, ErrorKind, Result};
use axum::extract::Request;
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

const BODY_BYTES_MAX: usize = 64 << 10;

/// Shows (GET) or changes (PUT) the log directives.
///
/// # Errors
/// The request does not come from this machine, or the directives do not parse.
pub async fn log(shared: &Shared, request: Request) -> Result<Response> {
    check_local(
        shared,
        &request,
        "the log is managed through a loopback address only; use SIGHUP and the settings file instead",
    )?;
    let Some(log) = &shared.log else {
        return Err(Error::internal("this server has no log to manage"));
    };
    if request.method() == Method::PUT {
        let body = read(request.into_body(), BODY_BYTES_MAX).await?;
        let directives = std::str::from_utf8(&body)
            .map_err(|_| Error::new(ErrorKind::BadRequest, "the directives are not UTF-8"))?;
        log.set_directives(directives)?;
        tracing::info!(target: "kaluta::http", directives = log.directives(), "log directives changed");
    }
    let text = format!("{}\n", log.directives());
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// Copies the store to a new directory of the backup folder; the form says its name as `destination`.
///
/// # Errors
/// The request does not come from this machine, the settings name no folder, or the copy cannot be made.
pub async fn backup(shared: &Shared, request: Request) -> Result<Response> {
    check_local(shared, &request, UPKEEP_IS_LOCAL)?;
    let body = read(request.into_body(), BODY_BYTES_MAX).await?;
    let to = destination(&shared.backup_folder, &body)?;
    let engine = Arc::clone(&shared.engine);
    let copy = to.clone();
    let sequence = run(shared, None, move |_| engine.backup(&copy)).await?;
    tracing::info!(target: "kaluta::http", destination = %to.display(), sequence, "store backed up");
    Ok(json(
        &serde_json::json!({"destination": to, "sequence": sequence}),
    ))
}

/// Rewrites the store to one run and a sorted dictionary.
///
/// # Errors
/// The request does not come from this machine, the server only reads, or writing failed.
pub async fn compact(shared: &Shared, request: Request) -> Result<Response> {
    check_local(shared, &request, UPKEEP_IS_LOCAL)?;
    drop(request);
    check_writable(shared)?;
    let engine = Arc::clone(&shared.engine);
    let [before, after] = run(shared, None, move |_| {
        let before = engine.disk_bytes()?;
        engine.compact()?;
        Ok([before, engine.disk_bytes()?])
    })
    .await?;
    tracing::info!(target: "kaluta::http", before, after, "store compacted");
    Ok(json(
        &serde_json::json!({"bytes_before": before, "bytes_after": after}),
    ))
}

const UPKEEP_IS_LOCAL: &str = "backup and compaction are asked for through a loopback address only; \
     stop the server and use kaluta backup and kaluta compact instead";

fn json(value: &serde_json::Value) -> Response {
    let body = format!("{value}\n");
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// The directory that a form asks for: a plain name within the folder of the settings.
fn destination(folder: &Path, form: &[u8]) -> Result<PathBuf> {
    if folder.as_os_str().is_empty() {
        return Err(Error::new(
            ErrorKind::Forbidden,
            "the setting store.backup_folder names no folder for backups; set it and start the server again",
        ));
    }
    let bad = |why: &str| {
        Error::new(
            ErrorKind::BadRequest,
            format!("{why}; send a form such as destination=monday"),
        )
    };
    let mut pairs = form_urlencoded::parse(form);
    let (_, name) = pairs
        .find(|(key, _)| key == "destination")
        .ok_or_else(|| bad("which directory?"))?;
    let mut parts = Path::new(name.as_ref()).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) => Ok(folder.join(part)),
        _ => Err(bad(&format!(
            "{name:?} is no plain name of a directory in store.backup_folder"
        ))),
    }
}

/// Refuses requests from elsewhere, and those of pages, which a browser marks with their origin.
fn check_local(shared: &Shared, request: &Request, refusal: &str) -> Result<()> {
    let headers = request.headers();
    let host = headers.get(header::HOST).and_then(|h| h.to_str().ok());
    let is_local = shared.address.ip().is_loopback()
        && host.is_some_and(is_loopback_host)
        && !headers.contains_key(header::ORIGIN);
    match is_local {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Forbidden, refusal)),
    }
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

    #[test]
    fn destinations_are_plain_names_in_the_folder() {
        let folder = Path::new("/backups");
        let to = |form: &str| destination(folder, form.as_bytes());
        assert_eq!(to("destination=monday").unwrap(), folder.join("monday"));
        assert_eq!(to("a=b&destination=a+b%3F").unwrap(), folder.join("a b?"));
        for form in [
            "",
            "destination=",
            "destination=.",
            "destination=..",
            "destination=../etc",
            "destination=%2Fetc",
            "destination=a/b",
        ] {
            assert_eq!(
                to(form).unwrap_err().kind(),
                ErrorKind::BadRequest,
                "{form}"
            );
        }
        let nowhere = destination(Path::new(""), b"destination=monday");
        assert_eq!(nowhere.unwrap_err().kind(), ErrorKind::Forbidden);
    }
}
