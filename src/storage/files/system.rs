//! The operating system's files.

use super::{FileSystem, OutputFile};
use crate::storage::mapped::Mapped;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The files of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct OperatingSystem;

impl OutputFile for File {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self;
        file.write_all(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }
}

impl FileSystem for OperatingSystem {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn OutputFile>> {
        let mut options = OpenOptions::new();
        let file = options.append(true).create_new(true).open(path)?;
        Ok(Arc::new(file))
    }

    fn map(&self, path: &Path) -> io::Result<Mapped> {
        Mapped::of_file(path)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        if fs::hard_link(from, to).is_ok() {
            return Ok(());
        }
        fs::copy(from, to)?;
        File::open(to)?.sync_all()
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn names(&self, location: &Path) -> io::Result<Vec<String>> {
        fs::read_dir(location)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect()
    }

    fn len(&self, path: &Path) -> io::Result<u64> {
        fs::metadata(path).map(|file| file.len())
    }

    fn sync_directory(&self, location: &Path) -> io::Result<()> {
        File::open(location)?.sync_all()
    }
}
