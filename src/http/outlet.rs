//! From a query thread to the socket: holding back, streaming, breaking off.
//!
//! An answer that ends within the hold-back goes out whole, with its length; an error before that gets its status. An
//! answer that grows beyond it, or that has rows to show and takes its time, is streamed in pieces through a bounded
//! channel, so that a slow client slows its query down, until the deadline. Once bytes have left, an error can only
//! break the transfer: the channel ends without [`Piece::End`], and the body ends with an error (SPARQL 1.1 Protocol
//! has no other way to say it).

use super::encoding::Encoder;
use super::entity_tag::EntityTag;
use super::negotiation::Coding;
use crate::diagnostics::{Error, ErrorKind, Result};
use bytes::Bytes;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// The size of the pieces of a streamed answer.
const PIECE_BYTES: usize = 64 << 10;
/// Pieces that wait for a slow client before the query has to wait too.
const PIECES_MAX: usize = 4;
/// Rows are held back for so long at most.
const HOLD_BACK: Duration = Duration::from_millis(50);
/// Smaller answers are not worth compressing.
const COMPRESSED_BYTES_MIN: usize = 1024;

/// What the request's task gets: the status is known, and the body or the way to it.
pub enum Reply {
    /// The whole answer.
    Whole {
        /// Its header fields.
        head: Head,
        /// Its body.
        body: Bytes,
    },
    /// An answer in pieces.
    Stream {
        /// Its header fields.
        head: Head,
        /// Its body.
        pieces: mpsc::Receiver<Piece>,
    },
}

/// What the header fields of an answer say of its body.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// The media type.
    pub content_type: &'static str,
    /// Whether version 1.2 is announced with it.
    pub announces_1_2: bool,
    /// The content coding.
    pub coding: Coding,
    /// The tag of the state that it shows, for a graph.
    pub entity_tag: Option<EntityTag>,
    /// Whether the client has it already, so that it is not sent.
    pub is_known: bool,
}

/// A piece of a streamed body.
pub enum Piece {
    /// Some bytes of it.
    Bytes(Bytes),
    /// It is complete. A channel that ends without this was broken off.
    End,
}

/// What an outlet needs to know before the first byte.
pub struct OutletSettings {
    /// How many bytes are held back at most.
    pub hold_back_bytes: usize,
    /// When the query must be over.
    pub deadline: Option<Instant>,
    /// Where waiting for a slow client is done.
    pub runtime: Handle,
}

/// Where a query thread puts its answer.
pub struct Outlet {
    settings: OutletSettings,
    head: Head,
    /// Bytes that were not sent yet; a writer appends to it.
    pub buffer: Vec<u8>,
    waiting_since: Option<Instant>,
    way: Way,
}

enum Way {
    HeldBack(oneshot::Sender<Result<Reply>>),
    Streaming {
        encoder: Encoder,
        pieces: mpsc::Sender<Piece>,
    },
}

impl Outlet {
    /// An outlet for an answer of this sort.
    pub fn new(
        reply: oneshot::Sender<Result<Reply>>,
        head: Head,
        settings: OutletSettings,
    ) -> Self {
        Self {
            settings,
            head,
            buffer: Vec::new(),
            waiting_since: None,
            way: Way::HeldBack(reply),
        }
    }

    /// Whether there is a body at all.
    pub fn is_wanted(&self) -> bool {
        !self.head.is_known
    }

    /// Sends what is due; to be called whenever some rows have been written.
    ///
    /// # Errors
    /// The client went away, or did not read until the deadline.
    pub fn flush_due(&mut self) -> Result<()> {
        let now = Instant::now();
        let since = *self.waiting_since.get_or_insert(now);
        let full = match &self.way {
            Way::HeldBack(_) => self.settings.hold_back_bytes.max(1),
            Way::Streaming { .. } => PIECE_BYTES,
        };
        let is_late = now.duration_since(since) >= HOLD_BACK && !self.buffer.is_empty();
        if self.buffer.len() < full && !is_late {
            return Ok(());
        }
        self.waiting_since = None;
        self.send_buffer()
    }

    /// Sends the head alone, without saying how long the body would have been.
    pub fn send_head(mut self) {
        // A client that is gone needs no head.
        let _ = self.start_streaming();
    }

    /// Ends the answer.
    ///
    /// # Errors
    /// The client went away, or did not read until the deadline.
    pub fn finish(mut self) -> Result<()> {
        if matches!(self.way, Way::Streaming { .. }) {
            self.send_buffer()?;
        }
        match self.way {
            Way::HeldBack(reply) => {
                let (head, body) = whole(self.head, self.buffer)?;
                let body = Bytes::from(body);
                reply
                    .send(Ok(Reply::Whole { head, body }))
                    .map_err(|_| gone())
            }
            Way::Streaming { encoder, pieces } => {
                let rest = encoder.finish()?;
                if !rest.is_empty() {
                    send(&pieces, Piece::Bytes(rest.into()), &self.settings)?;
                }
                send(&pieces, Piece::End, &self.settings)
            }
        }
    }

    /// Ends the answer with an error. The error comes back if it is too late for a status, and has to be logged by the
    /// caller; else the request's task gets it.
    pub fn fail(self, error: Error) -> Option<Error> {
        match self.way {
            Way::HeldBack(reply) => match reply.send(Err(error)) {
                Ok(()) => None,
                Err(unheard) => unheard.err(),
            },
            Way::Streaming { .. } => Some(error),
        }
    }

    fn send_buffer(&mut self) -> Result<()> {
        self.start_streaming()?;
        let Way::Streaming { encoder, pieces } = &mut self.way else {
            return Err(Error::internal("an answer that does not stream"));
        };
        let piece = std::mem::replace(&mut self.buffer, Vec::with_capacity(PIECE_BYTES * 5 / 4));
        let bytes = encoder.encode(piece)?;
        if bytes.is_empty() {
            return Ok(());
        }
        send(pieces, Piece::Bytes(bytes.into()), &self.settings)
    }

    /// Hands the head over, if it has not left yet.
    fn start_streaming(&mut self) -> Result<()> {
        if matches!(self.way, Way::Streaming { .. }) {
            return Ok(());
        }
        let encoder = Encoder::new(self.head.coding)?;
        let (sender, pieces) = mpsc::channel(PIECES_MAX);
        let streaming = Way::Streaming {
            encoder,
            pieces: sender,
        };
        match std::mem::replace(&mut self.way, streaming) {
            Way::HeldBack(reply) => {
                let head = self.head;
                reply
                    .send(Ok(Reply::Stream { head, pieces }))
                    .map_err(|_| gone())
            }
            Way::Streaming { .. } => Ok(()),
        }
    }
}

/// A whole body in its coding, or as it is where compressing does not pay.
fn whole(head: Head, body: Vec<u8>) -> Result<(Head, Vec<u8>)> {
    if head.coding == Coding::Identity || body.len() < COMPRESSED_BYTES_MIN {
        let coding = Coding::Identity;
        return Ok((Head { coding, ..head }, body));
    }
    let mut encoder = Encoder::new(head.coding)?;
    let mut encoded = encoder.encode(body)?;
    encoded.extend(encoder.finish()?);
    Ok((head, encoded))
}

/// Sends a piece, waiting for the client until the deadline.
fn send(pieces: &mpsc::Sender<Piece>, piece: Piece, settings: &OutletSettings) -> Result<()> {
    let piece = match pieces.try_send(piece) {
        Ok(()) => return Ok(()),
        Err(mpsc::error::TrySendError::Closed(_)) => return Err(gone()),
        Err(mpsc::error::TrySendError::Full(piece)) => piece,
    };
    let sent = settings.runtime.block_on(async {
        let sending = pieces.send(piece);
        match settings.deadline {
            None => Ok(sending.await),
            Some(deadline) => tokio::time::timeout_at(deadline.into(), sending).await,
        }
    });
    match sent {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(gone()),
        Err(_) => Err(Error::new(
            ErrorKind::Deadline,
            "the client had not read its answer when the query's deadline came",
        )),
    }
}

fn gone() -> Error {
    Error::new(ErrorKind::Cancelled, "the client went away")
}
