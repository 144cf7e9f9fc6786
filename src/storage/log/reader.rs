//! Reading the log when a store is opened.

use super::commit::LoggedCommit;
use super::record::{FILE_HEAD_BYTES, FileHead, Record, candidates, read_file_head};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::storage::files::Directory;
use crate::storage::layout;
use crate::storage::mapped::Mapped;

/// Hands on every commit of the log that follows commit `sequence`, in order, and gives the number of the last and the
/// bytes of all log files.
///
/// # Errors
/// A file cannot be read, a commit that was acknowledged is damaged or missing, or `each` fails.
pub fn read_after(
    directory: &Directory,
    sequence: u64,
    mut each: impl FnMut(LoggedCommit) -> Result<()>,
) -> Result<(u64, u64)> {
    let names = directory.names()?;
    let mut firsts: Vec<u64> = names
        .iter()
        .filter_map(|n| layout::log_sequence(n))
        .collect();
    firsts.sort_unstable();
    let mut files = Vec::new();
    for &first in &firsts {
        let path = directory.location().join(layout::log_name(first));
        files.push(LogFile::open(
            Mapped::open(directory.files(), &path)?,
            first,
        )?);
    }
    let bytes = files.iter().map(|f| f.mapped.bytes().len() as u64).sum();
    let mut last = sequence;
    for (place, file) in files.iter().enumerate() {
        let next = firsts.get(place + 1).copied();
        file.read(sequence, next, &mut last, &mut each)?;
    }
    Ok((last, bytes))
}

struct LogFile {
    mapped: Mapped,
    first: u64,
    /// Whether its head was written as a whole; if not, no commit in it was ever acknowledged.
    is_begun: bool,
}

impl LogFile {
    fn open(mapped: Mapped, first: u64) -> Result<Self> {
        let is_begun = match read_file_head(mapped.bytes()) {
            FileHead::First(sequence) if sequence == first => true,
            FileHead::Torn if no_record_follows(mapped.bytes()) => false,
            FileHead::First(_) | FileHead::Torn => {
                return Err(mapped.corruption(0, "the head of the log fails its checksum"));
            }
            FileHead::Version(version) => {
                return Err(Error::new(
                    ErrorKind::FormatVersion,
                    format!(
                        "{} has format version {version}, which this program does not read; open the store once with the program that wrote it and run `compact`",
                        mapped.path().display()
                    ),
                ));
            }
        };
        Ok(Self {
            mapped,
            first,
            is_begun,
        })
    }

    /// Hands on its commits after `last`. `next` is the first of the next file; what that builds upon was durable before
    /// it began. Commits up to `held` are not needed.
    fn read(
        &self,
        held: u64,
        next: Option<u64>,
        last: &mut u64,
        each: &mut impl FnMut(LoggedCommit) -> Result<()>,
    ) -> Result<()> {
        let bytes = self.mapped.bytes();
        let mut offset = FILE_HEAD_BYTES;
        let mut expected = self.first;
        while self.is_begun && offset < bytes.len() {
            let Some((record, len)) = Record::decode(&bytes[offset..]) else {
                break;
            };
            if !record.payload.is_empty() {
                if next.is_some_and(|next| record.sequence >= next) {
                    break;
                }
                if record.sequence != expected {
                    return Err(self.missing(offset, expected));
                }
                expected += 1;
                if record.sequence > *last {
                    if record.sequence != *last + 1 {
                        return Err(self.missing(offset, *last + 1));
                    }
                    each(self.commit(&record, offset)?)?;
                    *last = record.sequence;
                }
            }
            offset += len;
        }
        let followed = next.map_or(0, |next| next - 1);
        let acknowledged = followed.max(self.durable_after(offset));
        let needed = expected.max(held + 1);
        if acknowledged >= needed {
            return Err(self.missing(offset, needed));
        }
        if offset < bytes.len() {
            tracing::warn!(
                file = %self.mapped.path().display(),
                offset,
                "the log ends in a commit that was not completed; it was never acknowledged and is left out"
            );
        }
        Ok(())
    }

    fn commit(&self, record: &Record<'_>, offset: usize) -> Result<LoggedCommit> {
        LoggedCommit::decode(record.sequence, record.payload).ok_or_else(|| {
            self.mapped
                .corruption(offset as u64, "the commit there contradicts itself")
        })
    }

    /// The last commit that records beyond a place say was durable.
    fn durable_after(&self, offset: usize) -> u64 {
        let bytes = self.mapped.bytes();
        let records = candidates(bytes, offset).filter_map(|at| Record::decode(&bytes[at..]));
        records.map(|(record, _)| record.durable).max().unwrap_or(0)
    }

    fn missing(&self, offset: usize, sequence: u64) -> Error {
        self.mapped.corruption(
            offset as u64,
            format_args!("commit {sequence} should be there, which was acknowledged"),
        )
    }
}

fn no_record_follows(bytes: &[u8]) -> bool {
    candidates(bytes, FILE_HEAD_BYTES).all(|at| Record::decode(&bytes[at..]).is_none())
}
