//! The manifest: which files make up the store.
//!
//! ```text
//!  kaluta-manifest 2
//!  { … }                   JSON
//!  crc32c 89abcdef         of all before this line
//! ```
//!
//! It is replaced as a whole: written under another name, made durable, and renamed; so there is an old one or a new
//! one at any time, never a mixture.

use super::files::{Directory, NewFile};
use super::layout::{self, FileNumber};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::term::TermId;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;

const HEAD: &str = "kaluta-manifest ";
const VERSION: u32 = 2;

/// A set of quads in files, as the manifest names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetEntry {
    /// The number of its files.
    pub number: FileNumber,
    /// The number of its quads.
    pub quads: u64,
    /// The id of the graph of all its quads, if it is but one.
    pub graph: Option<u64>,
}

impl SetEntry {
    /// The graph of all its quads, if it is but one.
    pub fn graph(&self) -> Option<TermId> {
        self.graph.map(TermId::from_bits)
    }
}

/// A run, as the manifest names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEntry {
    /// The quads that it inserts.
    pub inserted: Option<SetEntry>,
    /// The quads that it deletes.
    pub deleted: Option<SetEntry>,
}

/// What the store is made of, but for the commits that only the log has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The runs, oldest first.
    pub runs: Vec<RunEntry>,
    /// The segments of the dictionary, oldest first.
    pub segments: Vec<FileNumber>,
    /// The number of the next blank node.
    pub next_blank: u64,
    /// The number of the next files.
    pub next_number: FileNumber,
    /// The number of the last commit that is in the runs; the log has those that follow.
    pub sequence: u64,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            segments: Vec::new(),
            next_blank: 0,
            next_number: 1,
            sequence: 0,
        }
    }
}

impl Manifest {
    /// The numbers of all files that count.
    pub fn live_numbers(&self) -> HashSet<FileNumber> {
        let sets =
            |run: &RunEntry| [&run.inserted, &run.deleted].map(|set| Some(set.as_ref()?.number));
        let runs = self.runs.iter().flat_map(sets).flatten();
        runs.chain(self.segments.iter().copied()).collect()
    }

    /// Reads the manifest of a store; `None` when there is none.
    ///
    /// # Errors
    /// It cannot be read, is damaged, or is of another version.
    pub fn read(directory: &Directory) -> Result<Option<Self>> {
        let path = directory.location().join(layout::MANIFEST);
        match directory.files().map(&path) {
            Ok(mapped) => Self::parse(mapped.bytes(), &path).map(Some),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io_at("cannot read", &path, e)),
        }
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Self> {
        let damaged = |what: &str| {
            Error::corruption(format!(
                "{} is damaged: {what}; restore the store from a backup or load it again",
                path.display()
            ))
        };
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not UTF-8"))?;
        let head = text
            .strip_prefix(HEAD)
            .and_then(|rest| rest.split_once('\n'));
        let (version, _) = head.ok_or_else(|| damaged("it does not begin as a manifest"))?;
        let checksum_start = text
            .rfind("crc32c ")
            .ok_or_else(|| damaged("it has no checksum"))?;
        let (covered, checksum) = text.split_at(checksum_start);
        if checksum != checksum_line(covered) {
            return Err(damaged("it fails its checksum"));
        }
        if version != VERSION.to_string() {
            return Err(Error::new(
                ErrorKind::FormatVersion,
                format!(
                    "{} has format version {version}, this program reads {VERSION}; load the data again",
                    path.display()
                ),
            ));
        }
        let json = covered.split_once('\n').map_or("", |(_, json)| json);
        serde_json::from_str(json).map_err(|e| damaged("it is not what it should be").caused_by(e))
    }

    fn serialize(&self) -> Result<String> {
        let json = serde_json::to_string_pretty(self)
            .map_err(|e| Error::internal("cannot serialize the manifest").caused_by(e))?;
        let covered = format!("{HEAD}{VERSION}\n{json}\n");
        let checksum = checksum_line(&covered);
        Ok(covered + &checksum)
    }

    /// Replaces the manifest of a store; when this returns, the new one is durable.
    ///
    /// # Errors
    /// Writing failed; then the old one still counts.
    pub fn write(&self, directory: &Directory) -> Result<()> {
        let text = self.serialize()?;
        let [new, path] =
            [layout::MANIFEST_NEW, layout::MANIFEST].map(|name| directory.location().join(name));
        // A writing that failed may have left it.
        let _ = directory.files().remove(&new);
        let mut file = NewFile::create(directory.files(), &new)?;
        file.write(text.as_bytes())?;
        file.finish()?;
        directory
            .files()
            .rename(&new, &path)
            .map_err(|e| Error::io_at("cannot write", &path, e))?;
        directory.sync()
    }
}

fn checksum_line(covered: &str) -> String {
    format!("crc32c {:08x}\n", crc32c::crc32c(covered.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::files::OperatingSystem;
    use std::sync::Arc;

    fn sample() -> Manifest {
        Manifest {
            runs: vec![RunEntry {
                inserted: Some(SetEntry {
                    number: 2,
                    quads: 10,
                    graph: Some(1),
                }),
                deleted: Some(SetEntry {
                    number: 3,
                    quads: 1,
                    graph: None,
                }),
            }],
            segments: vec![1, 2],
            next_blank: 7,
            next_number: 4,
            sequence: 5,
        }
    }

    #[test]
    fn a_manifest_comes_back_and_none_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let directory = Directory::new(dir.path(), Arc::new(OperatingSystem));
        assert_eq!(Manifest::read(&directory).unwrap(), None);
        sample().write(&directory).unwrap();
        assert_eq!(Manifest::read(&directory).unwrap(), Some(sample()));
        assert_eq!(sample().live_numbers(), HashSet::from([1, 2, 3]));
    }

    #[test]
    fn every_flipped_byte_is_found_and_another_version_is_named() {
        let path = Path::new("manifest");
        let good = sample().serialize().unwrap();
        for place in 0..good.len() {
            let mut bad = good.clone().into_bytes();
            bad[place] ^= 1;
            let error = Manifest::parse(&bad, path).expect_err("a byte is flipped");
            assert_eq!(error.kind(), ErrorKind::Corruption, "byte {place}");
        }
        let later = good.replace("manifest 2\n", "manifest 3\n");
        let covered = later.split("crc32c").next().unwrap();
        let later = format!("{covered}{}", checksum_line(covered));
        let error = Manifest::parse(later.as_bytes(), path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FormatVersion);
    }
}
