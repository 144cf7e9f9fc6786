//! The files of a store directory and their names.
//!
//! ```text
//!  lock                held by the process that has the store open
//!  manifest            which of the files below count, see `manifest`
//!  000001.terms        a segment of the dictionary, see `dictionary`
//!  000002.spog …       the permutations of a set of quads, see `index`
//!  000002.statistics   what was counted while the set was written
//!  000017.log          the commits from the 17th on, see `log`
//! ```
//!
//! Each set of quads and each segment takes a number of its own for its files. A file is complete and durable before
//! the manifest names it, and files that no manifest names are left over from a load or merge that was killed.

use super::files::Directory;
use super::permutation::Permutation;
use crate::diagnostics::Result;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The number that the names of a load's files begin with.
pub type FileNumber = u64;

/// The lock file.
pub const LOCK: &str = "lock";
/// The manifest.
pub const MANIFEST: &str = "manifest";
/// The manifest while it is written.
pub const MANIFEST_NEW: &str = "manifest.new";

const TERMS: &str = "terms";
const STATISTICS: &str = "statistics";
const LOG: &str = "log";

fn path(location: &Path, number: FileNumber, extension: &str) -> PathBuf {
    location.join(format!("{number:06}.{extension}"))
}

/// The file of a segment of the dictionary.
pub fn terms_path(location: &Path, number: FileNumber) -> PathBuf {
    path(location, number, TERMS)
}

/// The file of a permutation of a run.
pub fn index_path(location: &Path, number: FileNumber, permutation: Permutation) -> PathBuf {
    path(location, number, permutation.name())
}

/// The file of a run's statistics.
pub fn statistics_path(location: &Path, number: FileNumber) -> PathBuf {
    path(location, number, STATISTICS)
}

/// The name of the log file that begins with a commit.
pub fn log_name(sequence: u64) -> String {
    format!("{sequence:06}.{LOG}")
}

/// The number of the first commit of a log file, by its name.
pub fn log_sequence(name: &str) -> Option<u64> {
    let (number, extension) = name.split_once('.')?;
    if extension == LOG {
        number.parse().ok()
    } else {
        None
    }
}

/// The number of a file that belongs to a load, by its name.
pub fn number_of(name: &str) -> Option<FileNumber> {
    let (number, extension) = name.split_once('.')?;
    let known = [TERMS, STATISTICS].contains(&extension)
        || Permutation::ALL.iter().any(|p| p.name() == extension);
    if known { number.parse().ok() } else { None }
}

/// The files of a number, which go when they are retired and nobody holds this any more.
#[derive(Debug)]
pub struct Numbered {
    directory: Directory,
    number: FileNumber,
    is_retired: AtomicBool,
}

impl Numbered {
    /// The files of a number.
    pub fn new(directory: &Directory, number: FileNumber) -> Self {
        Self {
            directory: directory.clone(),
            number,
            is_retired: AtomicBool::new(false),
        }
    }

    /// The path of the file of a permutation.
    pub fn index_path(&self, permutation: Permutation) -> PathBuf {
        index_path(self.directory.location(), self.number, permutation)
    }

    /// Says that no manifest names them any more.
    pub fn retire(&self) {
        self.is_retired.store(true, Ordering::Relaxed);
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        if self.is_retired.load(Ordering::Relaxed) {
            // What cannot be removed now is removed when the store is opened again.
            let _ = remove_numbered(&self.directory, self.number);
        }
    }
}

/// Whether a directory holds anything that is not of a store.
///
/// # Errors
/// The directory cannot be read.
pub fn holds_other_files(directory: &Directory) -> Result<bool> {
    let known = |name: &str| {
        [LOCK, MANIFEST, MANIFEST_NEW].contains(&name)
            || number_of(name).is_some()
            || log_sequence(name).is_some()
    };
    Ok(directory.names()?.iter().any(|name| !known(name)))
}

/// Removes the files whose number is not among these, and a manifest that was not completed.
///
/// # Errors
/// The directory cannot be read, or a file cannot be removed.
pub fn remove_leftovers(directory: &Directory, live: &HashSet<FileNumber>) -> Result<()> {
    for name in directory.names()? {
        let left_over = match number_of(&name) {
            Some(number) => !live.contains(&number),
            None => name == MANIFEST_NEW,
        };
        if left_over {
            directory.remove(&name)?;
        }
    }
    Ok(())
}

/// Removes the files of a number.
///
/// # Errors
/// The directory cannot be read, or a file cannot be removed.
pub fn remove_numbered(directory: &Directory, number: FileNumber) -> Result<()> {
    for name in directory.names()? {
        if number_of(&name) == Some(number) {
            directory.remove(&name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::files::OperatingSystem;
    use std::sync::Arc;

    #[test]
    fn names_of_load_files_carry_their_number_and_others_are_left_alone() {
        for (name, number) in [
            ("000001.terms", Some(1)),
            ("000012.spog", Some(12)),
            ("1234567.statistics", Some(1_234_567)),
            ("manifest", None),
            ("lock", None),
            ("notes.terms", None),
            ("000001.txt", None),
        ] {
            assert_eq!(number_of(name), number, "{name}");
        }
    }

    #[test]
    fn only_files_of_unnamed_loads_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "lock",
            "manifest",
            "manifest.new",
            "000001.spog",
            "000002.terms",
            "a.txt",
        ] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let directory = Directory::new(dir.path(), Arc::new(OperatingSystem));
        remove_leftovers(&directory, &HashSet::from([1])).unwrap();
        let mut left = directory.names().unwrap();
        left.sort();
        assert_eq!(left, ["000001.spog", "a.txt", "lock", "manifest"]);
    }
}
