//! Documents on their way in: received as a stream, kept beside the store until all is there, then read at full speed.
//!
//! Nobody waits for a slow client: only when the last byte has come does a document's transaction begin. A small one
//! stays in memory, a large one lies in a file without a name, which goes with the process. Content codings are undone
//! while the document is read, so that a small body cannot become a large file.

use super::protocol::bad;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::{CODINGS, Compression, compression_of_coding};
use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;
use tempfile::SpooledTempFile;
use tokio::runtime::Handle;

/// Larger documents go to a file.
const IN_MEMORY_BYTES_MAX: usize = 1 << 20;

/// What an upload may be, and where it is kept.
pub struct UploadSettings<'a> {
    /// The largest body, in bytes as they are sent; 0 for no limit.
    pub bytes_max: u64,
    /// How long the client may be silent.
    pub patience: Option<Duration>,
    /// The folder for large ones.
    pub folder: &'a Path,
    /// Where waiting for the client is done.
    pub runtime: &'a Handle,
}

/// Receives a body, and gives a reader of what it stands for. To be called on a thread that may wait.
///
/// # Errors
/// The body is too large or ends early, the client is silent for too long, or the disk is full.
pub fn receive(
    mut body: Body,
    compression: Compression,
    settings: &UploadSettings<'_>,
) -> Result<Box<dyn Read + Send>> {
    let mut spool = SpooledTempFile::new_in(IN_MEMORY_BYTES_MAX, settings.folder);
    // The cause may name the folder, which is for the log.
    let failed = |e: io::Error| {
        let what = "keeping an upload beside the store";
        Error::io(what, e.kind().into()).caused_by(e)
    };
    let mut received: u64 = 0;
    while let Some(piece) = next_piece(&mut body, settings)? {
        received += piece.len() as u64;
        if settings.bytes_max > 0 && received > settings.bytes_max {
            return Err(too_large(settings.bytes_max, "http.upload_bytes_max"));
        }
        spool.write_all(&piece).map_err(failed)?;
    }
    spool.seek(SeekFrom::Start(0)).map_err(failed)?;
    compression.reader(spool).map_err(failed)
}

fn next_piece(body: &mut Body, settings: &UploadSettings<'_>) -> Result<Option<Bytes>> {
    loop {
        let frame = settings.runtime.block_on(async {
            match settings.patience {
                None => Ok(body.frame().await),
                Some(patience) => tokio::time::timeout(patience, body.frame()).await,
            }
        });
        let frame = frame.map_err(|_| {
            bad("the client sent nothing of its document for the time of query.timeout_ms")
        })?;
        match frame {
            None => return Ok(None),
            Some(Err(e)) => {
                return Err(bad(format!("reading the request body: {e}")).caused_by(e));
            }
            // Trailers say nothing here.
            Some(Ok(frame)) => {
                if let Ok(piece) = frame.into_data() {
                    return Ok(Some(piece));
                }
            }
        }
    }
}

fn too_large(bytes_max: u64, setting: &str) -> Error {
    Error::new(
        ErrorKind::PayloadTooLarge,
        format!("the request body is larger than {bytes_max} bytes (setting {setting})"),
    )
}

/// The content coding of a request body.
///
/// # Errors
/// It is not read here.
pub fn coding(headers: &HeaderMap) -> Result<Compression> {
    let value = headers.get(header::CONTENT_ENCODING);
    let name = value.map_or(Ok(""), |v| v.to_str());
    let name = name.map_err(|_| bad("a header is not ASCII"))?;
    compression_of_coding(name).ok_or_else(|| {
        let message = format!(
            "a request body in the coding {name:?} is not read here; those that are: {CODINGS}"
        );
        Error::new(ErrorKind::UnsupportedMediaType, message)
    })
}

/// A body of a query, update or form, decoded, of at most `bytes_max`. Decoding is done on a thread that may be busy.
///
/// # Errors
/// It is larger, or not in this coding.
pub async fn decode(body: Bytes, compression: Compression, bytes_max: usize) -> Result<Bytes> {
    if compression == Compression::None {
        return Ok(body);
    }
    let read = tokio::task::spawn_blocking(move || {
        let mut decoded = Vec::new();
        let mut reader = compression.reader(&body[..])?.take(bytes_max as u64 + 1);
        reader.read_to_end(&mut decoded)?;
        std::io::Result::Ok(decoded)
    });
    let decoded = read
        .await
        .map_err(|e| Error::internal(format!("decoding a body: {e}")))?
        .map_err(|e| bad(format!("decoding the request body: {e}")))?;
    if decoded.len() > bytes_max {
        return Err(too_large(bytes_max as u64, "http.body_bytes_max"));
    }
    Ok(decoded.into())
}
