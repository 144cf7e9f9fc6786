//! Where a command writes its answer: a file or standard output, row by row.

use super::output_file::OutputFile;
use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::engine::Rows;
use crate::term::ResolveTerm;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

/// Bytes are handed to the operating system in pieces of about this size.
const PIECE_BYTES: usize = 256 << 10;
const STEP_ROWS: usize = 1024;

/// A file or standard output, behind a buffer that writers append to.
pub struct Output {
    to: Destination,
    /// Bytes that were not written yet.
    pub buffer: Vec<u8>,
    /// Whether whoever read us has had enough; the rest is not computed.
    closed: bool,
}

enum Destination {
    StandardOutput,
    File(OutputFile),
}

impl Output {
    /// Opens a file, or standard output where none is given.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let to = match path {
            None => Destination::StandardOutput,
            Some(path) => Destination::File(OutputFile::create(path)?),
        };
        Ok(Self {
            to,
            buffer: Vec::new(),
            closed: false,
        })
    }

    /// Writes all rows by means of `write`, which appends some rows of a batch to the buffer.
    ///
    /// # Errors
    /// The rows cannot be computed or written.
    pub fn write_all(
        &mut self,
        rows: &mut Rows,
        mut write: impl FnMut(&Batch, Range<usize>, &dyn ResolveTerm, &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        while let Some(batch) = rows.next_batch()? {
            for start in (0..batch.rows()).step_by(STEP_ROWS) {
                let range = start..batch.rows().min(start + STEP_ROWS);
                write(&batch, range, rows.resolver(), &mut self.buffer)?;
                if self.buffer.len() >= PIECE_BYTES {
                    self.flush()?;
                }
            }
            if self.closed {
                break;
            }
        }
        Ok(())
    }

    /// Writes what is in the buffer still, and puts a file in its place.
    ///
    /// # Errors
    /// Writing failed, for another reason than that nobody reads any more.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        match self.to {
            Destination::StandardOutput => Ok(()),
            Destination::File(file) => file.finish(),
        }
    }

    /// Hands the buffer to the operating system.
    fn flush(&mut self) -> Result<()> {
        let (written, name) = match &mut self.to {
            Destination::StandardOutput => {
                let mut out = io::stdout();
                let written = out.write_all(&self.buffer).and_then(|()| out.flush());
                (written, "standard output".to_owned())
            }
            Destination::File(file) => (file.write_all(&self.buffer), file.name()),
        };
        self.buffer.clear();
        match written {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            written => written.map_err(|e| Error::io(format_args!("writing to {name}"), e)),
        }
    }
}
