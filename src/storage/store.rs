//! An open store directory: its lock, its manifest, and the snapshot that readers take.

use super::background::Background;
use super::backup;
use super::compact::{self, CompactState};
use super::durability::Acknowledger;
use super::files::{Directory, OperatingSystem};
use super::flush::{flush, flush_in_turn};
use super::inspect;
use super::layout;
use super::load::{self, LoadOptions, LoadProgress, LoadReport, LoadSource};
use super::log::{self, LogWriter, LoggedCommit};
use super::manifest::Manifest;
use super::shared::{Shared, StoreOptions};
use super::snapshot::Snapshot;
use super::stack::Stack;
use super::transaction::Transaction;
use super::verify::{self, VerifyReport};
use super::writer::{Turnstile, Writer};
use crate::diagnostics::{Error, ErrorKind, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(super) shared: Arc<Shared>,
    /// Flushes what commits brought; `None` when the store is open for reading only.
    background: Option<Background>,
}

impl Store {
    /// Opens the store in a directory for reading and writing, and creates an empty one where there is none. Files
    /// left over from a killed load are removed. Its commits are durable when they are acknowledged.
    ///
    /// # Errors
    /// Another process has it open, the directory holds other files, or a file cannot be read or is damaged.
    pub fn open(location: &Path) -> Result<Self> {
        Self::open_with(location, &StoreOptions::default())
    }

    /// The same, with a say in how it is written.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(location: &Path, options: &StoreOptions) -> Result<Self> {
        std::fs::create_dir_all(location)
            .map_err(|e| Error::io_at("cannot create", location, e))?;
        let directory = Directory::new(location, Arc::new(OperatingSystem));
        if Manifest::read(&directory)?.is_none() && layout::holds_other_files(&directory)? {
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
            .map_err(|e| Error::io_at("cannot open", location, e))?;
        lock.try_lock().map_err(|e| lock_error(location, e))?;
        Self::open_locked(directory, Some(lock), options)
    }

    /// The same for a store that must be there already, so that a mistyped name makes none.
    ///
    /// # Errors
    /// As [`Self::open`], and when there is none.
    pub fn open_existing(location: &Path, options: &StoreOptions) -> Result<Self> {
        let directory = Directory::new(location, Arc::new(OperatingSystem));
        match Manifest::read(&directory)? {
            Some(_) => Self::open_with(location, options),
            None => Err(no_store(location)),
        }
    }

    /// Opens a store that nobody else has open.
    pub(super) fn open_locked(
        directory: Directory,
        lock: Option<File>,
        options: &StoreOptions,
    ) -> Result<Self> {
        let manifest = match Manifest::read(&directory)? {
            Some(manifest) => manifest,
            None => {
                let manifest = Manifest::default();
                manifest.write(&directory)?;
                manifest
            }
        };
        layout::remove_leftovers(&directory, &manifest.live_numbers())?;
        let writer = recover(&directory, &manifest)?;
        // What is built upon from now on must be durable, which it need not be when this process was killed before.
        for name in directory.names()? {
            if layout::log_sequence(&name).is_some() {
                let path = directory.location().join(name);
                directory
                    .files()
                    .sync(&path)
                    .map_err(|e| Error::io_at("cannot sync", &path, e))?;
            }
        }
        directory.sync()?;
        let mut store = Self::new(directory, manifest, writer, lock, options);
        store.background = Some(Background::spawn(&store.shared)?);
        Ok(store)
    }

    /// Opens the store in a directory for reading; others may do so at the same time, but none may write.
    ///
    /// # Errors
    /// There is no store, another process has it open for writing, or a file cannot be read or is damaged.
    pub fn open_read_only(location: &Path) -> Result<Self> {
        let lock = lock_shared(location)?;
        let directory = Directory::new(location, Arc::new(OperatingSystem));
        let manifest = Manifest::read(&directory)?.ok_or_else(|| no_store(location))?;
        let writer = recover(&directory, &manifest)?;
        let options = StoreOptions::default();
        Ok(Self::new(directory, manifest, writer, Some(lock), &options))
    }

    /// Reads everything in the directory of a store and says what is wrong, also where that keeps it from being opened.
    ///
    /// # Errors
    /// There is no store, it is of another version, another process has it open for writing, or the operating system
    /// refuses to read it.
    pub fn verify_location(location: &Path) -> Result<VerifyReport> {
        let _lock = lock_shared(location)?;
        inspect::verify_directory(&Directory::new(location, Arc::new(OperatingSystem)))
    }

    fn new(
        directory: Directory,
        manifest: Manifest,
        writer: Writer,
        lock: Option<File>,
        options: &StoreOptions,
    ) -> Self {
        let acknowledger = Acknowledger::new(options.durability, Arc::clone(&writer.snapshot));
        let turnstile = Turnstile::new(writer);
        Self {
            shared: Arc::new(Shared::new(
                directory,
                acknowledger,
                turnstile,
                manifest,
                options.clone(),
                lock,
            )),
            background: None,
        }
    }

    /// The directory.
    pub fn location(&self) -> &Path {
        self.shared.directory.location()
    }

    /// Whether it is open for reading only.
    pub fn is_read_only(&self) -> bool {
        self.background.is_none()
    }

    /// The newest state.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.shared.acknowledger.published()
    }

    /// The bytes of all its files, those of the log and those that readers of older states still hold included.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn disk_bytes(&self) -> Result<u64> {
        self.shared.directory.bytes()
    }

    /// How often the log was made durable for commits since the store was opened; commits that waited together share it.
    pub fn log_syncs(&self) -> u64 {
        self.shared.acknowledger.syncs()
    }

    fn check_writable(&self) -> Result<()> {
        if self.is_read_only() {
            return Err(Error::new(
                ErrorKind::Forbidden,
                "the store is open for reading only",
            ));
        }
        self.shared.acknowledger.check()
    }

    /// Begins a transaction, once it is its turn: there is one at a time.
    ///
    /// # Errors
    /// The store is open for reading only, or a write before failed in such a way that it must be opened again.
    pub fn begin(&self) -> Result<Transaction> {
        self.check_writable()?;
        let turn = self.shared.turnstile.enter();
        self.shared.acknowledger.check()?;
        Ok(Transaction::begin(&self.shared, turn))
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
        self.check_writable()?;
        let shared = &self.shared;
        let mut manifest = shared.manifest();
        let turn = shared.turnstile.enter();
        shared.acknowledger.check()?;
        flush_in_turn(shared, &mut manifest, &turn)?;
        let mut writer = turn.writer();
        let written = load::run(
            &shared.directory,
            &writer.snapshot,
            &manifest,
            sources,
            options,
            progress,
        )
        .and_then(|(next, report)| {
            let snapshot = Snapshot::open(&shared.directory, &next)?;
            next.prepare(&shared.directory)?;
            Ok((next, report, Arc::new(snapshot)))
        });
        let (next, report, snapshot) = written.inspect_err(|_| {
            // What cannot be removed now is removed when the store is opened again.
            let _ = layout::remove_leftovers(&shared.directory, &manifest.live_numbers());
        })?;
        Manifest::replace(&shared.directory).inspect_err(|_| shared.acknowledger.fail())?;
        shared.acknowledger.publish(&snapshot);
        writer.next_blank = next.next_blank;
        writer.on_disk = Stack::of(&snapshot).height();
        writer.frozen = writer.on_disk;
        writer.snapshot = snapshot;
        *manifest = next;
        Ok(report)
    }
}

impl Store {
    /// Copies the store, as it is now, to a new directory, where it is a store; others read and write on meanwhile. Gives
    /// the sequence number of the last commit in the copy.
    ///
    /// # Errors
    /// The directory is not empty, or writing failed.
    pub fn backup(&self, to: &Path) -> Result<u64> {
        let is_read_only = self.is_read_only();
        let mut manifest = self.shared.manifest();
        if !is_read_only {
            flush(&self.shared, &mut manifest)?;
        }
        backup::copy(&self.shared.directory, &manifest, is_read_only, to)?;
        Ok(match is_read_only {
            // The copy has the log, and what it holds.
            true => self.snapshot().sequence(),
            false => manifest.sequence,
        })
    }

    /// Rewrites the store to one run and a sorted dictionary of the terms that are used; others read and write on
    /// meanwhile. Tells now and then how far it is.
    ///
    /// # Errors
    /// The store is open for reading only or damaged, or writing failed; then it is as it was.
    pub fn compact(&self, progress: &dyn Fn(CompactState)) -> Result<()> {
        self.check_writable()?;
        compact::compact(&self.shared, &|state| {
            progress(state);
            Ok(())
        })
    }

    /// Reads everything and says what is wrong.
    pub fn verify(&self) -> VerifyReport {
        verify::verify(&self.snapshot())
    }

    /// Ends the background work and marks the end of the log.
    pub(super) fn close(&mut self) {
        // The background work may have the turn; it ends first.
        if self.background.take().is_none() || self.shared.acknowledger.check().is_err() {
            return;
        }
        let Some(turn) = self.shared.turnstile.try_enter() else {
            return;
        };
        let mut writer = turn.writer();
        if self.shared.acknowledger.sync_all().is_ok() {
            let sequence = writer.snapshot.sequence();
            // Without the mark damage to the last commits would be taken for a torn tail; they are there all the same.
            let _ = writer.log.append_mark(sequence);
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}

/// The state of a manifest with the commits that only the log has.
pub(super) fn recover(directory: &Directory, manifest: &Manifest) -> Result<Writer> {
    let snapshot = Arc::new(Snapshot::open(directory, manifest)?);
    let on_disk = Stack::of(&snapshot).height();
    let mut writer = Writer {
        snapshot,
        on_disk,
        frozen: on_disk,
        next_blank: manifest.next_blank,
        log: LogWriter::new(directory),
    };
    log::read_after(directory, manifest.sequence, |commit| {
        let dictionary = writer.snapshot.dictionary();
        if commit.first_terms != LoggedCommit::first_terms(dictionary) {
            return Err(Error::corruption(format!(
                "commit {} of the log in {} does not follow from the dictionary; restore the store from a backup",
                commit.sequence,
                directory.location().display()
            )));
        }
        writer.push(commit);
        Ok(())
    })?;
    Ok(writer)
}

/// Locks a store for reading.
fn lock_shared(location: &Path) -> Result<File> {
    let lock = File::open(location.join(layout::LOCK)).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => no_store(location),
        _ => Error::io_at("cannot open", location, e),
    })?;
    lock.try_lock_shared()
        .map_err(|e| lock_error(location, e))?;
    Ok(lock)
}

/// The error for a directory without a store.
pub(super) fn no_store(location: &Path) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!(
            "there is no store in {}; make one with `kaluta load`",
            location.display()
        ),
    )
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
        TryLockError::Error(e) => Error::io_at("cannot lock", location, e),
    }
}
