//! Files read as memory: the one place of this room with `unsafe` code.
//!
//! A [`Mapped`] file is immutable: the store writes each file once, under a number of its own, and removes it only
//! when no manifest names it. What the bytes mean is for others; that they are whole is told by their checksums.

use super::files::FileSystem;
use crate::diagnostics::{Error, Result};
use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A whole file, mapped.
#[derive(Debug)]
pub struct Mapped {
    path: PathBuf,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Map(Mmap),
    /// An empty file, which cannot be mapped.
    Empty,
    /// A file of a file system that is in memory: its bytes, in words so that they are aligned, and their number.
    #[cfg(test)]
    Words(Vec<u64>, usize),
}

impl Mapped {
    /// Maps a file of a file system.
    ///
    /// # Errors
    /// The file cannot be opened or mapped.
    pub fn open(files: &dyn FileSystem, path: &Path) -> Result<Self> {
        files
            .map(path)
            .map_err(|e| Error::io_at("cannot map", path, e))
    }

    /// Maps a file of the operating system.
    ///
    /// # Errors
    /// The file cannot be opened or mapped.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let path = path.to_path_buf();
        if file.metadata()?.len() == 0 {
            let bytes = Bytes::Empty;
            return Ok(Self { path, bytes });
        }
        // SAFETY: files of a store are never written again once they are named by a manifest, and the store's lock
        // keeps other processes of this program from removing them; who truncates them by other means gets a signal
        // from the operating system, never a silent change of type-checked data, for all reads are plain bytes.
        let bytes = Bytes::Map(unsafe { Mmap::map(&file) }?);
        Ok(Self { path, bytes })
    }

    /// A file that is in memory.
    #[cfg(test)]
    pub fn of_bytes(path: &Path, bytes: &[u8]) -> Self {
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        Self {
            path: path.to_path_buf(),
            bytes: Bytes::Words(words.collect(), bytes.len()),
        }
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All of its bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Map(map) => map,
            Bytes::Empty => &[],
            #[cfg(test)]
            // SAFETY: every byte of a word is a valid u8, and `align_to` gives in its middle part only whole items; bytes
            // have no alignment, so that part is all of the words.
            Bytes::Words(words, len) => unsafe { &words.align_to::<u8>().1[..*len] },
        }
    }

    /// The bytes from `offset` on, `len` of them.
    ///
    /// # Errors
    /// The file is shorter.
    #[inline]
    pub fn slice(&self, offset: u64, len: u64) -> Result<&[u8]> {
        usize::try_from(offset)
            .ok()
            .zip(usize::try_from(len).ok())
            .and_then(|(offset, len)| self.bytes().get(offset..offset.checked_add(len)?))
            .ok_or_else(|| {
                self.corruption(offset, "the file ends before what it should hold there")
            })
    }

    /// An error that names this file and a place in it.
    #[cold]
    pub fn corruption(&self, offset: u64, what: impl std::fmt::Display) -> Error {
        Error::corruption(format!(
            "{} is damaged at byte {offset}: {what}; restore the store from a backup or load it again",
            self.path.display()
        ))
    }
}

/// Bytes as little-endian words, without a copy; `None` when they are not aligned to words.
#[inline]
pub fn words(bytes: &[u8]) -> Option<&[u64]> {
    const { assert!(cfg!(target_endian = "little"), "files are little-endian") };
    // SAFETY: every bit pattern is a valid u64, and `align_to` gives in its middle part only aligned, whole words.
    match unsafe { bytes.align_to::<u64>() } {
        ([], words, []) => Some(words),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_bytes_are_words_and_others_are_refused() {
        let numbers = [1_u64, u64::MAX, 3];
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("words");
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        std::fs::write(&path, bytes).unwrap();
        let mapped = Mapped::of_file(&path).unwrap();
        assert_eq!(words(mapped.bytes()), Some(&numbers[..]));
        assert_eq!(words(&mapped.bytes()[1..9]), None);
        assert_eq!(words(&mapped.bytes()[..7]), None);
    }

    #[test]
    fn reading_past_the_end_is_corruption_that_names_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("short");
        std::fs::write(&path, b"12345678").unwrap();
        let mapped = Mapped::of_file(&path).unwrap();
        assert_eq!(mapped.slice(2, 3).unwrap(), b"345");
        for (offset, len) in [(8, 1), (0, 9), (u64::MAX, 2)] {
            let error = mapped.slice(offset, len).unwrap_err();
            assert!(error.to_string().contains("short"), "{error}");
        }
    }
}
