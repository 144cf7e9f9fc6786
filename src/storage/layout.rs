//! The files of a store directory and their names.
//!
//! ```text
//!  lock                held by the process that has the store open
//!  manifest            which of the files below count, see `manifest`
//!  000001.terms        a segment of the dictionary, see `dictionary`
//!  000002.spog …       the permutations of a run, see `index`
//!  000002.statistics   what was counted while the run was written
//! ```
//!
//! Each load takes a number of its own for its files. A file is complete and durable before the manifest names it,
//! and files that no manifest names are left over from a load that was killed.

use super::permutation::Permutation;
use crate::diagnostics::{Error, Result};
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

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

/// The number of a file that belongs to a load, by its name.
fn number_of(name: &str) -> Option<FileNumber> {
    let (number, extension) = name.split_once('.')?;
    let known = [TERMS, STATISTICS].contains(&extension)
        || Permutation::ALL.iter().any(|p| p.name() == extension);
    if known { number.parse().ok() } else { None }
}

/// Whether a directory holds anything that is not of a store.
///
/// # Errors
/// The directory cannot be read.
pub fn holds_other_files(location: &Path) -> Result<bool> {
    let known =
        |name: &str| [LOCK, MANIFEST, MANIFEST_NEW].contains(&name) || number_of(name).is_some();
    Ok(names(location)?.iter().any(|name| !known(name)))
}

/// Removes the files of loads whose number is not among these.
///
/// # Errors
/// The directory cannot be read, or a file cannot be removed.
pub fn remove_leftovers(location: &Path, live: &HashSet<FileNumber>) -> Result<()> {
    for name in names(location)? {
        let left_over = match number_of(&name) {
            Some(number) => !live.contains(&number),
            None => name == MANIFEST_NEW,
        };
        if left_over {
            let path = location.join(&name);
            std::fs::remove_file(&path)
                .map_err(|e| Error::io(format_args!("cannot remove {}", path.display()), e))?;
        }
    }
    Ok(())
}

/// Makes the names in a directory durable.
///
/// # Errors
/// The operating system refuses.
pub fn sync_directory(location: &Path) -> Result<()> {
    File::open(location)
        .and_then(|directory| directory.sync_all())
        .map_err(|e| Error::io(format_args!("cannot sync {}", location.display()), e))
}

fn names(location: &Path) -> Result<Vec<String>> {
    let describe = |e| Error::io(format_args!("cannot list {}", location.display()), e);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(location).map_err(describe)? {
        let name = entry.map_err(describe)?.file_name();
        names.push(name.to_string_lossy().into_owned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        remove_leftovers(dir.path(), &HashSet::from([1])).unwrap();
        let mut left = names(dir.path()).unwrap();
        left.sort();
        assert_eq!(left, ["000001.spog", "a.txt", "lock", "manifest"]);
    }
}
