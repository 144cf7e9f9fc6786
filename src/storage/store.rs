//! An open store directory: its lock, its manifest, and the snapshot that readers take.

use super::layout;
use super::load::{self, LoadOptions, LoadProgress, LoadReport, LoadSource};
use super::manifest::Manifest;
use super::snapshot::Snapshot;
use crate::diagnostics::{Error, ErrorKind, Result};
use arc_swap::ArcSwap;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// An open store.
#[derive(Debug)]
pub struct Store {
    location: PathBuf,
    snapshot: ArcSwap<Snapshot>,
    /// Held by whoever writes; `None` in a store that is open for reading only.
    writer: Option<Mutex<Writer>>,
    /// Locked as long as it is open.
    _lock: File,
}

/// What a writer goes on from.
#[derive(Debug)]
pub(super) enum Writer {
    /// The manifest on disk.
    At(Manifest),
    /// Replacing the manifest failed, so it is not known which one is on disk.
    Broken,
}

impl Store {
    /// Opens the store in a directory for reading and writing, and creates an empty one where there is none. Files
    /// left over from a killed load are removed.
    ///
    /// # Errors
    /// Another process has it open, the directory holds other files, or a file cannot be read or is damaged.
    pub fn open(location: &Path) -> Result<Self> {
        std::fs::create_dir_all(location)
            .map_err(|e| Error::io(format_args!("cannot create {}", location.display()), e))?;
        let existing = Manifest::read(location)?;
        if existing.is_none() && layout::holds_other_files(location)? {
            return Err(Error::new(
                ErrorKind::Settings,
                format!(
                    "{} is neither empty nor a store; name another directory",
                    location.display()
                ),
            ));
        }
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(location.join(layout::LOCK))
            .map_err(|e| Error::io(format_args!("cannot open {}", location.display()), e))?;
        lock.try_lock().map_err(|e| lock_error(location, e))?;
        // Another process may have written between the first look and the lock.
        let manifest = match Manifest::read(location)? {
            Some(manifest) => manifest,
            None => {
                let manifest = Manifest::default();
                manifest.write(location)?;
                manifest
            }
        };
        layout::remove_leftovers(location, &manifest.live_numbers())?;
        let snapshot = Snapshot::open(location, &manifest)?;
        Ok(Self {
            location: location.to_path_buf(),
            snapshot: ArcSwap::from_pointee(snapshot),
            writer: Some(Mutex::new(Writer::At(manifest))),
            _lock: lock,
        })
    }

    /// Opens the store in a directory for reading; others may do so at the same time, but none may write.
    ///
    /// # Errors
    /// There is no store, another process has it open for writing, or a file cannot be read or is damaged.
    pub fn open_read_only(location: &Path) -> Result<Self> {
        let missing = || {
            Error::new(
                ErrorKind::NotFound,
                format!(
                    "there is no store in {}; make one with `kaluta load`",
                    location.display()
                ),
            )
        };
        let lock = match File::open(location.join(layout::LOCK)) {
            Ok(lock) => lock,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(missing()),
            Err(e) => {
                return Err(Error::io(
                    format_args!("cannot open {}", location.display()),
                    e,
                ));
            }
        };
        lock.try_lock_shared()
            .map_err(|e| lock_error(location, e))?;
        let manifest = Manifest::read(location)?.ok_or_else(missing)?;
        let snapshot = Snapshot::open(location, &manifest)?;
        Ok(Self {
            location: location.to_path_buf(),
            snapshot: ArcSwap::from_pointee(snapshot),
            writer: None,
            _lock: lock,
        })
    }

    /// The directory.
    pub fn location(&self) -> &Path {
        &self.location
    }

    /// The newest state.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Whether it can be written.
    pub fn is_read_only(&self) -> bool {
        self.writer.is_none()
    }

    pub(super) fn check_writable(&self) -> Result<&Mutex<Writer>> {
        self.writer
            .as_ref()
            .ok_or_else(|| Error::new(ErrorKind::Forbidden, "the store is open for reading only"))
    }

    /// Adds the quads of some sources, all of them or, when an error is returned, none.
    ///
    /// # Errors
    /// A source cannot be read or does not parse, writing failed, or the store is open for reading only.
    pub fn bulk_load(
        &self,
        sources: Vec<LoadSource>,
        options: &LoadOptions,
        progress: &dyn LoadProgress,
    ) -> Result<LoadReport> {
        let writer = self.check_writable()?;
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Writer::At(manifest) = &*writer else {
            return Err(Error::new(
                ErrorKind::Io,
                "an earlier write to the store failed; restart, so that it is opened again",
            ));
        };
        let before = self.snapshot();
        let written = load::run(
            &self.location,
            &before,
            manifest,
            sources,
            options,
            progress,
        )
        .and_then(|(next, report)| {
            let snapshot = Snapshot::open(&self.location, &next)?;
            Ok((next, report, snapshot))
        });
        let (next, report, snapshot) = written.inspect_err(|_| {
            // What cannot be removed now is removed when the store is opened again.
            let _ = layout::remove_leftovers(&self.location, &manifest.live_numbers());
        })?;
        if let Err(error) = next.write(&self.location) {
            *writer = Writer::Broken;
            return Err(error);
        }
        self.snapshot.store(Arc::new(snapshot));
        *writer = Writer::At(next);
        Ok(report)
    }
}

fn lock_error(location: &Path, error: TryLockError) -> Error {
    match error {
        TryLockError::WouldBlock => Error::new(
            ErrorKind::Locked,
            format!(
                "the store in {} is open in another process; stop that process, or send your request to its server",
                location.display()
            ),
        ),
        TryLockError::Error(e) => Error::io(format_args!("cannot lock {}", location.display()), e),
    }
}
