//! The files of an own server's store: copied where the server is going to change them, dropped from the page cache where
//! it is to start cold.

use crate::diagnostics::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A copy of a store beside it, on the same device; it is removed when this is dropped.
pub fn copy(store: &Path) -> Result<TempDir> {
    let failed = |e| Error::io(format_args!("copying the store {}", store.display()), e);
    let store = store.canonicalize().map_err(failed)?;
    let beside = store.parent().unwrap_or(&store);
    let copy = tempfile::Builder::new()
        .prefix("replay-")
        .tempdir_in(beside)
        .map_err(failed)?;
    for path in files(&store)? {
        let name = path.strip_prefix(&store).unwrap_or(&path);
        let target = copy.path().join(name);
        let folder = target.parent().unwrap_or(copy.path());
        fs::create_dir_all(folder).map_err(failed)?;
        fs::copy(&path, &target).map_err(failed)?;
    }
    Ok(copy)
}

/// Asks the kernel to forget what it holds of a store's files. It keeps what some process has mapped, and need not obey.
#[cfg(target_os = "linux")]
pub fn drop_from_page_cache(store: &Path) -> Result<()> {
    use rustix::fs::{Advice, fadvise};
    for path in files(store)? {
        let failed = |e| {
            let doing = format_args!("dropping {} from the page cache", path.display());
            Error::io(doing, e)
        };
        let file = fs::File::open(&path).map_err(failed)?;
        // What is not written yet cannot be dropped.
        file.sync_data().map_err(failed)?;
        fadvise(&file, 0, None, Advice::DontNeed).map_err(|e| failed(e.into()))?;
    }
    Ok(())
}

/// Where there is no such request the files stay where they are.
#[cfg(not(target_os = "linux"))]
pub fn drop_from_page_cache(_: &Path) -> Result<()> {
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| Error::io(format_args!("reading {}", folder.display()), e);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        match path.is_dir() {
            true => found.extend(files(&path)?),
            false => found.push(path),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_all_files_and_is_gone_in_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        fs::create_dir_all(store.join("inner")).unwrap();
        fs::write(store.join("a"), "1").unwrap();
        fs::write(store.join("inner/b"), "2").unwrap();
        let copied = copy(&store).unwrap();
        drop_from_page_cache(copied.path()).unwrap();
        fs::write(copied.path().join("a"), "changed").unwrap();
        assert_eq!(fs::read_to_string(store.join("a")).unwrap(), "1");
        assert_eq!(
            fs::read_to_string(copied.path().join("inner/b")).unwrap(),
            "2"
        );
        let path = copied.path().to_owned();
        drop(copied);
        assert!(!path.exists() && store.exists());
    }
}
