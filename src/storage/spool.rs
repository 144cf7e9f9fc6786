//! Bytes that wait to be read again: in memory while they are few, in a nameless temporary file when they are many.
//!
//! The file lies in the store's directory, which is where there is room, and vanishes with the process.

use crate::diagnostics::{Error, Result};
use std::io::{BufWriter, Read, Seek, Write};
use std::path::Path;
use tempfile::SpooledTempFile;

const CHUNK_BYTES: usize = 1 << 16;

fn failed(cause: std::io::Error) -> Error {
    Error::io("cannot write or read a temporary file of the load", cause)
}

/// Bytes being written.
#[derive(Debug)]
pub struct Spool {
    file: BufWriter<SpooledTempFile>,
}

impl Spool {
    /// An empty spool that keeps up to `memory_bytes_max` in memory, and beyond that moves to a file in `directory`.
    pub fn new(directory: &Path, memory_bytes_max: usize) -> Self {
        let file = tempfile::spooled_tempfile_in(memory_bytes_max, directory);
        let file = BufWriter::with_capacity(CHUNK_BYTES, file);
        Self { file }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Writing failed.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(failed)
    }

    /// Turns to reading, from the start.
    ///
    /// # Errors
    /// Writing or seeking failed.
    pub fn read(self) -> Result<SpoolReader> {
        let mut file = self.file.into_inner().map_err(|e| failed(e.into_error()))?;
        file.rewind().map_err(failed)?;
        Ok(SpoolReader {
            file,
            buffer: vec![0; CHUNK_BYTES],
            start: 0,
            end: 0,
        })
    }
}

/// Bytes being read, in order.
#[derive(Debug)]
pub struct SpoolReader {
    file: SpooledTempFile,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl SpoolReader {
    /// Goes back to the start.
    ///
    /// # Errors
    /// Seeking failed.
    pub fn rewind(&mut self) -> Result<()> {
        (self.start, self.end) = (0, 0);
        self.file.rewind().map_err(failed)
    }

    /// The next bytes, as many as are at hand; `None` at the end.
    ///
    /// # Errors
    /// Reading failed.
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>> {
        if self.start == self.end {
            self.start = 0;
            self.end = self.file.read(&mut self.buffer).map_err(failed)?;
        }
        let chunk = &self.buffer[self.start..self.end];
        self.start = self.end;
        Ok((!chunk.is_empty()).then_some(chunk))
    }

    /// Fills `bytes` with the next ones; `false` at the end.
    ///
    /// # Errors
    /// Reading failed, or the bytes end in the middle.
    #[inline]
    pub fn read_exact(&mut self, bytes: &mut [u8]) -> Result<bool> {
        if let Some(now) = self.buffer[self.start..self.end].get(..bytes.len()) {
            bytes.copy_from_slice(now);
            self.start += bytes.len();
            return Ok(true);
        }
        self.read_across(bytes)
    }

    fn read_across(&mut self, bytes: &mut [u8]) -> Result<bool> {
        let mut filled = 0;
        while filled < bytes.len() {
            if self.start == self.end {
                self.start = 0;
                self.end = self.file.read(&mut self.buffer).map_err(failed)?;
                if self.end == 0 {
                    return match filled {
                        0 => Ok(false),
                        _ => Err(failed(std::io::ErrorKind::UnexpectedEof.into())),
                    };
                }
            }
            let now = (self.end - self.start).min(bytes.len() - filled);
            bytes[filled..filled + now].copy_from_slice(&self.buffer[self.start..self.start + now]);
            self.start += now;
            filled += now;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_memory_and_from_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let content: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        for memory_bytes_max in [0, 1 << 30] {
            let mut spool = Spool::new(dir.path(), memory_bytes_max);
            content.chunks(12).for_each(|c| spool.write(c).unwrap());
            let mut reader = spool.read().unwrap();
            let mut all = Vec::new();
            let mut record = [0; 16];
            while reader.read_exact(&mut record).unwrap() {
                all.extend_from_slice(&record);
            }
            assert!(all == content);
        }
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            0,
            "no file has a name"
        );
    }

    #[test]
    fn an_empty_spool_ends_at_once_and_a_cut_record_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let mut reader = Spool::new(dir.path(), 10).read().unwrap();
        assert!(reader.next_chunk().unwrap().is_none());
        assert!(!reader.read_exact(&mut [0; 4]).unwrap());
        let mut spool = Spool::new(dir.path(), 10);
        spool.write(b"abc").unwrap();
        assert!(spool.read().unwrap().read_exact(&mut [0; 4]).is_err());
    }
}
