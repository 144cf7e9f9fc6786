//! What the store asks of a file system: few things, so that tests can put a faulty one in its place.
//!
//! Everything that must survive a crash goes through here. A file is written from its start and only ever grows, but
//! for [`OutputFile::set_len`], which takes back an append that failed. Bytes are durable after [`OutputFile::sync`],
//! names after [`FileSystem::sync_directory`].

#[cfg(test)]
pub mod faulty;
mod system;

pub use system::OperatingSystem;

use super::mapped::Mapped;
use crate::diagnostics::{Error, Result};
use std::fmt::Debug;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file being written.
pub trait OutputFile: Debug + Send + Sync {
    /// Writes bytes at the end.
    ///
    /// # Errors
    /// Writing failed; some of the bytes may have been written.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Makes all that was written durable.
    ///
    /// # Errors
    /// The operating system refuses; then nobody knows what is durable.
    fn sync(&self) -> io::Result<()>;

    /// Cuts off what lies beyond a length.
    ///
    /// # Errors
    /// The operating system refuses.
    fn set_len(&self, len: u64) -> io::Result<()>;
}

/// Where files are kept.
pub trait FileSystem: Debug + Send + Sync {
    /// Begins a new file.
    ///
    /// # Errors
    /// It exists already, or cannot be made.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn OutputFile>>;

    /// A file as memory.
    ///
    /// # Errors
    /// It does not exist or cannot be mapped.
    fn map(&self, path: &Path) -> io::Result<Mapped>;

    /// Makes a file durable that another process may have written.
    ///
    /// # Errors
    /// The operating system refuses.
    fn sync(&self, path: &Path) -> io::Result<()>;

    /// Gives a file another name, in place of any that has it.
    ///
    /// # Errors
    /// The operating system refuses.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a file a second name, or copies it where that cannot be done.
    ///
    /// # Errors
    /// The operating system refuses.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Takes a name away; who has the file mapped keeps it.
    ///
    /// # Errors
    /// The operating system refuses.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// The names in a directory.
    ///
    /// # Errors
    /// It cannot be read.
    fn names(&self, location: &Path) -> io::Result<Vec<String>>;

    /// The bytes of a file.
    ///
    /// # Errors
    /// It does not exist or cannot be looked at.
    fn len(&self, path: &Path) -> io::Result<u64>;

    /// Makes the names in a directory durable.
    ///
    /// # Errors
    /// The operating system refuses.
    fn sync_directory(&self, location: &Path) -> io::Result<()>;
}

/// The directory of a store, and the file system that it is in.
#[derive(Clone, Debug)]
pub struct Directory {
    location: PathBuf,
    files: Arc<dyn FileSystem>,
}

impl Directory {
    /// A directory of a file system.
    pub fn new(location: &Path, files: Arc<dyn FileSystem>) -> Self {
        Self {
            location: location.to_path_buf(),
            files,
        }
    }

    /// Another directory of the same file system.
    pub fn beside(&self, location: &Path) -> Self {
        Self::new(location, Arc::clone(&self.files))
    }

    /// Where it is.
    pub fn location(&self) -> &Path {
        &self.location
    }

    /// The file system.
    pub fn files(&self) -> &dyn FileSystem {
        &*self.files
    }

    /// The names in it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn names(&self) -> Result<Vec<String>> {
        self.files
            .names(&self.location)
            .map_err(|e| Error::io_at("cannot list", &self.location, e))
    }

    /// The bytes of all files in it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for name in self.names()? {
            let path = self.location.join(name);
            bytes += match self.files.len(&path) {
                Ok(len) => len,
                // It went since the directory was listed.
                Err(e) if e.kind() == io::ErrorKind::NotFound => 0,
                Err(e) => return Err(Error::io_at("cannot look at", &path, e)),
            };
        }
        Ok(bytes)
    }

    /// Makes the names in it durable.
    ///
    /// # Errors
    /// The operating system refuses.
    pub fn sync(&self) -> Result<()> {
        self.files
            .sync_directory(&self.location)
            .map_err(|e| Error::io_at("cannot sync", &self.location, e))
    }

    /// Removes one of its files.
    ///
    /// # Errors
    /// The operating system refuses.
    pub fn remove(&self, name: &str) -> Result<()> {
        let path = self.location.join(name);
        self.files
            .remove(&path)
            .map_err(|e| Error::io_at("cannot remove", &path, e))
    }
}

/// A new file, written through a buffer.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    file: BufWriter<Appender>,
}

#[derive(Debug)]
struct Appender(Arc<dyn OutputFile>);

impl Write for Appender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile {
    /// Begins a new file.
    ///
    /// # Errors
    /// It exists already, or cannot be made.
    pub fn create(files: &dyn FileSystem, path: &Path) -> Result<Self> {
        let file = files
            .create(path)
            .map_err(|e| Error::io_at("cannot create", path, e))?;
        Ok(Self {
            path: path.to_path_buf(),
            file: BufWriter::with_capacity(1 << 18, Appender(file)),
        })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Writing failed.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| self.failed(e))
    }

    /// Completes the file and makes it durable.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(mut self) -> Result<()> {
        let flushed = self.file.flush();
        flushed
            .and_then(|()| self.file.get_ref().0.sync())
            .map_err(|e| self.failed(e))
    }

    fn failed(&self, cause: io::Error) -> Error {
        Error::io_at("cannot write", &self.path, cause)
    }
}
