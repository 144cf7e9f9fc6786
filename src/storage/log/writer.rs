//! Writing the log.

use super::commit::LoggedCommit;
use super::record::{FILE_HEAD_BYTES, Record, file_head};
use crate::diagnostics::{Error, Result};
use crate::storage::files::{Directory, OutputFile};
use crate::storage::layout;
use std::path::PathBuf;
use std::sync::Arc;

/// The newest file of the log, which begins with the first commit that is appended.
#[derive(Debug)]
pub struct LogWriter {
    directory: Directory,
    current: Option<Current>,
}

#[derive(Debug)]
struct Current {
    path: PathBuf,
    file: Arc<dyn OutputFile>,
    len: u64,
}

impl LogWriter {
    /// A log that begins a new file with its next commit.
    pub fn new(directory: &Directory) -> Self {
        Self {
            directory: directory.clone(),
            current: None,
        }
    }

    /// The file that commits are being appended to.
    pub fn file(&self) -> Option<&Arc<dyn OutputFile>> {
        self.current.as_ref().map(|current| &current.file)
    }

    /// The bytes of that file.
    pub fn len(&self) -> u64 {
        self.current.as_ref().map_or(0, |current| current.len)
    }

    /// Ends the file; the next commit begins another. All of it must be durable.
    pub fn end_file(&mut self) {
        self.current = None;
    }

    /// Appends a commit, not yet durable; commits up to `durable` are. When this fails, the log is as it was.
    ///
    /// # Errors
    /// Writing failed.
    pub fn append(&mut self, commit: &LoggedCommit, durable: u64) -> Result<()> {
        let mut bytes = Vec::new();
        Record::encode(
            commit.sequence,
            durable,
            |out| commit.encode(out),
            &mut bytes,
        );
        if self.current.is_none() {
            self.current = Some(self.begin(commit.sequence)?);
        }
        self.write(&bytes)
    }

    /// Appends a mark that says that all commits are durable, `sequence` being the last.
    ///
    /// # Errors
    /// Writing failed.
    pub fn append_mark(&mut self, sequence: u64) -> Result<()> {
        let mut bytes = Vec::new();
        Record::encode(sequence, sequence, |_| {}, &mut bytes);
        self.write(&bytes)
    }

    fn begin(&self, sequence: u64) -> Result<Current> {
        let path = self.directory.location().join(layout::log_name(sequence));
        let failed = |e| Error::io_at("cannot create", &path, e);
        let files = self.directory.files();
        if self
            .directory
            .names()?
            .contains(&layout::log_name(sequence))
        {
            // The file of a commit that was never acknowledged.
            files.remove(&path).map_err(failed)?;
        }
        let file = files.create(&path).map_err(failed)?;
        file.append(&file_head(sequence)).map_err(failed)?;
        self.directory.sync()?;
        let len = FILE_HEAD_BYTES as u64;
        Ok(Current { path, file, len })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(current) = &mut self.current else {
            return Ok(());
        };
        if let Err(cause) = current.file.append(bytes) {
            let error = Error::io_at("cannot write", &current.path, cause);
            // What was written of it would look like a torn tail, and hide what follows.
            return match current.file.set_len(current.len) {
                Ok(()) => Err(error),
                Err(_) => {
                    self.current = None;
                    Err(error)
                }
            };
        }
        current.len += bytes.len() as u64;
        Ok(())
    }
}
