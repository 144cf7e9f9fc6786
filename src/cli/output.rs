//! Where a command writes its answer: a file or standard output, row by row.

use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::engine::Rows;
use crate::term::ResolveTerm;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

/// Bytes are handed to the operating system in pieces of about this size.
const PIECE_BYTES: usize = 256 << 10;
const STEP_ROWS: usize = 1024;

/// A file or standard output, behind a buffer that writers append to.
pub struct Output {
    to: Box<dyn Write>,
    name: String,
    /// Bytes that were not written yet.
    pub buffer: Vec<u8>,
    /// Whether whoever read us has had enough; the rest is not computed.
    closed: bool,
}

impl Output {
    /// Opens a file, or standard output where none is given.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let (to, name): (Box<dyn Write>, _) = match path {
            None => (Box::new(io::stdout()), "standard output".to_owned()),
            Some(path) => {
                let name = path.display().to_string();
                let file =
                    File::create(path).map_err(|e| Error::io(format!("creating {name}"), e))?;
                (Box::new(file), name)
            }
        };
        Ok(Self {
            to,
            name,
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

    /// Hands the buffer to the operating system.
    ///
    /// # Errors
    /// Writing failed, for another reason than that nobody reads any more.
    pub fn flush(&mut self) -> Result<()> {
        let written = self
            .to
            .write_all(&self.buffer)
            .and_then(|()| self.to.flush());
        self.buffer.clear();
        match written {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            written => written.map_err(|e| Error::io(format!("writing to {}", self.name), e)),
        }
    }
}
