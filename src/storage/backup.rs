//! A copy of a store while it is in use, which is itself a store.
//!
//! Files are given a second name where that can be done, so a copy on the same file system takes no room of its own
//! until the store has moved on. That is safe because no file is written again: commits of the store go to log files
//! that are not part of the copy.

use super::files::Directory;
use super::layout;
use super::manifest::Manifest;
use crate::diagnostics::{Error, ErrorKind, Result};
use std::path::Path;

/// Copies what a manifest names, and with `with_logs` the log, to a new directory.
///
/// # Errors
/// The directory is not empty, or writing failed; then it is empty again, as far as that can be done.
pub fn copy(from: &Directory, manifest: &Manifest, with_logs: bool, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).map_err(|e| Error::io_at("cannot create", to, e))?;
    let to = from.beside(to);
    if !to.names()?.is_empty() {
        return Err(Error::new(
            ErrorKind::BadRequest,
            format!(
                "{} is not empty; name a new directory for the backup",
                to.location().display()
            ),
        ));
    }
    copy_files(from, manifest, with_logs, &to).inspect_err(|_| {
        for name in to.names().unwrap_or_default() {
            // What cannot be removed either is no store, as its manifest is missing.
            let _ = to.files().remove(&to.location().join(name));
        }
    })
}

fn copy_files(
    from: &Directory,
    manifest: &Manifest,
    with_logs: bool,
    to: &Directory,
) -> Result<()> {
    let live = manifest.live_numbers();
    for name in from.names()? {
        let is_part = layout::number_of(&name).is_some_and(|number| live.contains(&number))
            || (with_logs && layout::log_sequence(&name).is_some());
        if is_part {
            let (source, copy) = (from.location().join(&name), to.location().join(&name));
            from.files()
                .link(&source, &copy)
                .map_err(|e| Error::io_at("cannot write", &copy, e))?;
        }
    }
    to.files()
        .create(&to.location().join(layout::LOCK))
        .map_err(|e| Error::io_at("cannot write", to.location(), e))?;
    // Only with its manifest, which comes last, is it a store.
    manifest.write(to)
}
