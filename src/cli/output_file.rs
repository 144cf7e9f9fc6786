//! A file that a command writes. It takes its place, and that of a file that was there before, only when it is whole.

use crate::diagnostics::{Error, Result};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that is being written.
pub struct OutputFile {
    path: PathBuf,
    content: Content,
}

enum Content {
    /// Beside the place that it will take; it vanishes with this value.
    Temporary(NamedTempFile),
    /// A device or a pipe, which nothing can take the place of.
    Special(File),
}

impl OutputFile {
    /// Begins a file.
    ///
    /// # Errors
    /// There cannot be such a file.
    pub fn create(path: &Path) -> Result<Self> {
        let failed = |e| Error::user_file(format_args!("creating {}", path.display()), e);
        let before = fs::metadata(path).ok();
        if before.as_ref().is_some_and(|before| !before.is_file()) {
            let file = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Self {
                path: path.to_owned(),
                content: Content::Special(file),
            });
        }
        // What a symbolic link points to is replaced, and not the link.
        let path = match before {
            Some(_) => path.canonicalize().map_err(failed)?,
            None => path.to_owned(),
        };
        let permissions = before.map(|before| before.permissions());
        let temporary = temporary_beside(&path, permissions).map_err(failed)?;
        let content = Content::Temporary(temporary);
        Ok(Self { path, content })
    }

    /// The name that messages use.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// It cannot be written to the end; then what was there before is still there.
    pub fn finish(self) -> Result<()> {
        let failed = |e| Error::user_file(format_args!("writing {}", self.path.display()), e);
        match self.content {
            Content::Special(mut file) => file.flush().map_err(failed),
            Content::Temporary(file) => {
                file.as_file().sync_all().map_err(failed)?;
                let placed = file.persist(&self.path);
                placed.map(drop).map_err(|e| failed(e.error))
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.content {
            Content::Temporary(file) => file.write(bytes),
            Content::Special(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.content {
            Content::Temporary(file) => file.flush(),
            Content::Special(file) => file.flush(),
        }
    }
}

/// A temporary file in the folder of a path, with the permissions of the file that it will replace, or those of a new one.
fn temporary_beside(path: &Path, permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kaluta-");
    let new = new_permissions();
    if let Some(permissions) = permissions.or(new) {
        builder.permissions(permissions);
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => builder.tempfile_in(folder),
        _ => builder.tempfile_in("."),
    }
}

/// Those of a file that is created without further ado, of which the process's mask takes its share.
#[cfg(unix)]
fn new_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn new_permissions() -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn a_file_is_replaced_when_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.nq");
        for text in ["first", "second"] {
            let mut file = OutputFile::create(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let mut unfinished = OutputFile::create(&path).unwrap();
        unfinished.write_all(b"third").unwrap();
        drop(unfinished);
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(names(folder.path()), ["out.nq"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let mut file = OutputFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(
            fs::metadata(&real).unwrap().permissions().mode() & 0o777,
            0o640
        );
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(OutputFile::create(folder.path()).is_err());
        assert!(OutputFile::create(&folder.path().join("missing/out")).is_err());
    }
}
