//! A mapped file whose bytes are verified piece by piece, each the first time it is touched.
//!
//! ```text
//!  0       the content, in pages of 64 KiB
//!  E       crc32c of each page (32 bits each), the last page ends at E
//!  end-16  E (64 bits) | crc32c of the page checksums and of E (32 bits) | 0 (32 bits)
//! ```

use crate::diagnostics::{Error, Result};
use crate::storage::files::{FileSystem, NewFile};
use crate::storage::mapped::Mapped;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const PAGE_BYTES: u64 = 1 << 16;
const FOOTER_BYTES: u64 = 16;

/// Writes a file of verified pages.
pub struct PageWriter {
    file: NewFile,
    offset: u64,
    page: u32,
    checksums: Vec<u8>,
}

impl PageWriter {
    /// Begins a new file.
    ///
    /// # Errors
    /// The file exists already or cannot be made.
    pub fn create(files: &dyn FileSystem, path: &Path) -> Result<Self> {
        Ok(Self {
            file: NewFile::create(files, path)?,
            offset: 0,
            page: 0,
            checksums: Vec::new(),
        })
    }

    /// The bytes written so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.file.write(bytes)?;
        while !bytes.is_empty() {
            let room = (PAGE_BYTES - self.offset % PAGE_BYTES) as usize;
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.page = crc32c::crc32c_append(self.page, now);
            self.offset += now.len() as u64;
            if self.offset.is_multiple_of(PAGE_BYTES) {
                self.end_page();
            }
            bytes = later;
        }
        Ok(())
    }

    /// Appends zeros up to the next multiple of eight bytes.
    ///
    /// # Errors
    /// Writing failed.
    pub fn align(&mut self) -> Result<()> {
        let padding = self.offset.next_multiple_of(8) - self.offset;
        self.write(&[0; 8][..padding as usize])
    }

    /// Completes the file and makes it durable.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(mut self) -> Result<()> {
        if !self.offset.is_multiple_of(PAGE_BYTES) {
            self.end_page();
        }
        let mut tail = std::mem::take(&mut self.checksums);
        tail.extend(self.offset.to_le_bytes());
        tail.extend(u64::from(crc32c::crc32c(&tail)).to_le_bytes());
        self.file.write(&tail)?;
        self.file.finish()
    }

    fn end_page(&mut self) {
        self.checksums.extend(self.page.to_le_bytes());
        self.page = 0;
    }
}

/// A file of verified pages, open for reading.
#[derive(Debug)]
pub struct PagedFile {
    mapped: Mapped,
    content_bytes: u64,
    /// One bit for each page that has been verified.
    verified: Vec<AtomicU64>,
}

impl PagedFile {
    /// Opens a file and verifies the checksums of its pages, not yet the pages.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    pub fn open(files: &dyn FileSystem, path: &Path) -> Result<Self> {
        let mapped = Mapped::open(files, path)?;
        let len = mapped.bytes().len() as u64;
        let damaged = || mapped.corruption(len, "the page checksums fail their checksum");
        let footer = len.checked_sub(FOOTER_BYTES).ok_or_else(damaged)?;
        let content_bytes = number_at(mapped.slice(footer, 8)?).ok_or_else(damaged)?;
        let checksum = number_at(mapped.slice(footer + 8, 8)?).ok_or_else(damaged)?;
        let pages = content_bytes.div_ceil(PAGE_BYTES);
        if content_bytes > footer || content_bytes + pages * 4 != footer {
            return Err(damaged());
        }
        let covered = mapped.slice(content_bytes, footer + 8 - content_bytes)?;
        if u64::from(crc32c::crc32c(covered)) != checksum {
            return Err(damaged());
        }
        let verified = (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self {
            mapped,
            content_bytes,
            verified,
        })
    }

    /// The bytes of the whole file.
    pub fn bytes(&self) -> u64 {
        self.mapped.bytes().len() as u64
    }

    /// The bytes of its content.
    pub fn content_bytes(&self) -> u64 {
        self.content_bytes
    }

    /// Bytes of the content, verified.
    ///
    /// # Errors
    /// They lie outside, or their page fails its checksum.
    #[inline]
    pub fn read(&self, offset: u64, len: u64) -> Result<&[u8]> {
        let end = offset
            .checked_add(len)
            .filter(|&end| end <= self.content_bytes);
        let end = end.ok_or_else(|| self.corruption(offset, "it should hold more there"))?;
        if len > 0 {
            for page in offset / PAGE_BYTES..=(end - 1) / PAGE_BYTES {
                let bit = 1 << (page % 64);
                if self.verified[(page / 64) as usize].load(Ordering::Relaxed) & bit == 0 {
                    self.verify(page)?;
                }
            }
        }
        self.mapped.slice(offset, len)
    }

    #[cold]
    fn verify(&self, page: u64) -> Result<()> {
        let start = page * PAGE_BYTES;
        let end = (start + PAGE_BYTES).min(self.content_bytes);
        let content = self.mapped.slice(start, end - start)?;
        let stored = self.mapped.slice(self.content_bytes + page * 4, 4)?;
        if crc32c::crc32c(content).to_le_bytes() != stored {
            return Err(self.corruption(start, "the page fails its checksum"));
        }
        self.verified[(page / 64) as usize].fetch_or(1 << (page % 64), Ordering::Relaxed);
        Ok(())
    }

    /// An error that names this file and a place in it.
    #[cold]
    pub fn corruption(&self, offset: u64, what: impl std::fmt::Display) -> Error {
        self.mapped.corruption(offset, what)
    }
}

fn number_at(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::ErrorKind;
    use crate::storage::files::OperatingSystem;

    #[test]
    fn content_comes_back_and_flipped_bytes_are_found_where_they_are_read() {
        let dir = tempfile::tempdir().unwrap();
        for len in [0, 1, 65_535, 65_536, 65_537, 300_000_usize] {
            let content: Vec<u8> = (0..len).map(|i| (i * 7 + i / 256) as u8).collect();
            let path = dir.path().join(format!("good{len}"));
            let mut writer = PageWriter::create(&OperatingSystem, &path).unwrap();
            content.chunks(1000).for_each(|c| writer.write(c).unwrap());
            writer.finish().unwrap();
            let file = PagedFile::open(&OperatingSystem, &path).unwrap();
            assert_eq!(file.read(0, len as u64).unwrap(), content);
            assert!(file.read(1, len as u64).is_err());
            let good = std::fs::read(&path).unwrap();
            for place in (0..good.len()).step_by(9973).chain(len..good.len()) {
                let mut bad = good.clone();
                bad[place] ^= 4;
                let path = dir.path().join("bad");
                std::fs::write(&path, bad).unwrap();
                let outcome = PagedFile::open(&OperatingSystem, &path)
                    .and_then(|f| f.read(0, len as u64).map(drop));
                assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Corruption);
            }
        }
    }
}
