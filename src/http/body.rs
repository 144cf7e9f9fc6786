//! The body of a streamed answer, and the end of a query whose client is gone.

use super::outlet::Piece;
use crate::engine::QueryControl;
use axum::body::HttpBody;
use bytes::Bytes;
use http_body_util::BodyExt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc;

/// Cancels a query when dropped: whoever waits for its answer holds one.
pub struct CancelOnDrop(pub QueryControl);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Pieces as they come. Hyper drops it when the connection closes, which cancels the query.
pub struct AnswerBody {
    pieces: mpsc::Receiver<Piece>,
    _client: CancelOnDrop,
}

impl AnswerBody {
    /// The body of these pieces.
    pub fn new(pieces: mpsc::Receiver<Piece>, client: CancelOnDrop) -> Self {
        Self {
            pieces,
            _client: client,
        }
    }
}

/// Why a transfer was broken off; the reason is in the log.
#[derive(Debug)]
pub struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the query failed after the first bytes of its answer had been sent")
    }
}

impl std::error::Error for Broken {}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Broken>>> {
        Poll::Ready(match ready!(self.pieces.poll_recv(cx)) {
            Some(Piece::Bytes(bytes)) => Some(Ok(hyper::body::Frame::data(bytes))),
            Some(Piece::End) => None,
            None => Some(Err(Broken)),
        })
    }
}

/// Reads a request body of at most `bytes_max`.
///
/// # Errors
/// It is larger, or the connection ends within it.
pub async fn read(body: axum::body::Body, bytes_max: usize) -> crate::diagnostics::Result<Bytes> {
    use crate::diagnostics::{Error, ErrorKind};
    let too_large = || {
        Error::new(
            ErrorKind::PayloadTooLarge,
            format!(
                "the request body is larger than {bytes_max} bytes (setting http.body_bytes_max)"
            ),
        )
    };
    if HttpBody::size_hint(&body).lower() > bytes_max as u64 {
        return Err(too_large());
    }
    match http_body_util::Limited::new(body, bytes_max)
        .collect()
        .await
    {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(e) if e.is::<http_body_util::LengthLimitError>() => Err(too_large()),
        Err(e) => Err(Error::new(
            ErrorKind::BadRequest,
            format!("reading the request body: {e}"),
        )),
    }
}
