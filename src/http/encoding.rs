//! Compressing an answer as it is streamed.
//!
//! What has been written is flushed with every piece, so that compression never holds rows back.

use super::negotiation::Coding;
use crate::diagnostics::{Error, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};

/// Quick levels: the network behind a query server is rarely slower than they are.
const ZSTD_LEVEL: i32 = 1;

/// Compresses the pieces of one answer.
pub enum Encoder {
    /// Hands pieces on.
    Identity,
    /// RFC 1952.
    Gzip(GzEncoder<Vec<u8>>),
    /// RFC 8878.
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
}

impl Encoder {
    /// An encoder of a coding.
    ///
    /// # Errors
    /// The compressor cannot be set up.
    pub fn new(coding: Coding) -> Result<Self> {
        Ok(match coding {
            Coding::Identity => Self::Identity,
            Coding::Gzip => Self::Gzip(GzEncoder::new(Vec::new(), Compression::fast())),
            Coding::Zstd => {
                let encoder = zstd::stream::write::Encoder::new(Vec::new(), ZSTD_LEVEL);
                Self::Zstd(encoder.map_err(failed)?)
            }
        })
    }

    /// The bytes to send for a piece; `piece` is taken.
    ///
    /// # Errors
    /// The compressor fails.
    pub fn encode(&mut self, piece: Vec<u8>) -> Result<Vec<u8>> {
        match self {
            Self::Identity => Ok(piece),
            Self::Gzip(encoder) => {
                write_and_flush(encoder, &piece)?;
                Ok(std::mem::take(encoder.get_mut()))
            }
            Self::Zstd(encoder) => {
                write_and_flush(encoder, &piece)?;
                Ok(std::mem::take(encoder.get_mut()))
            }
        }
    }

    /// The bytes to send at the end.
    ///
    /// # Errors
    /// The compressor fails.
    pub fn finish(self) -> Result<Vec<u8>> {
        match self {
            Self::Identity => Ok(Vec::new()),
            Self::Gzip(encoder) => encoder.finish().map_err(failed),
            Self::Zstd(encoder) => encoder.finish().map_err(failed),
        }
    }
}

fn write_and_flush(encoder: &mut impl Write, piece: &[u8]) -> Result<()> {
    encoder
        .write_all(piece)
        .and_then(|()| encoder.flush())
        .map_err(failed)
}

fn failed(cause: io::Error) -> Error {
    Error::internal(format!("compressing an answer: {cause}")).caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn pieces_are_readable_at_once_and_whole_at_the_end() {
        for coding in [Coding::Identity, Coding::Gzip, Coding::Zstd] {
            let mut encoder = Encoder::new(coding).unwrap();
            let mut sent = encoder.encode(b"hello ".to_vec()).unwrap();
            let mut first = [0; 6];
            reader(coding, &sent).read_exact(&mut first).unwrap();
            assert_eq!(&first, b"hello ");
            sent.extend(encoder.encode(b"world".to_vec()).unwrap());
            sent.extend(encoder.finish().unwrap());
            let mut text = String::new();
            reader(coding, &sent).read_to_string(&mut text).unwrap();
            assert_eq!(text, "hello world");
        }
    }

    fn reader(coding: Coding, bytes: &[u8]) -> Box<dyn Read + '_> {
        match coding {
            Coding::Identity => Box::new(bytes),
            Coding::Gzip => Box::new(flate2::read::GzDecoder::new(bytes)),
            Coding::Zstd => Box::new(zstd::stream::read::Decoder::new(bytes).unwrap()),
        }
    }
}
