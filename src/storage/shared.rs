//! What a store, its transactions and its background work share.

use super::background::Chores;
use super::durability::Acknowledger;
use super::files::Directory;
use super::manifest::Manifest;
use super::writer::Turnstile;
use crate::settings::Durability;
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How a store is written.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// What it takes for a commit to be acknowledged.
    pub durability: Durability,
    /// The insertions and deletions that may be in memory before they are written to files in the background.
    pub memory_rows_max: u64,
    /// The bytes of a log file beyond which the same is done.
    pub log_bytes_max: u64,
    /// The terms from which on the store compacts itself when half of them are garbage; 0 for never.
    pub compact_terms_min: u64,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            memory_rows_max: 500_000,
            log_bytes_max: 64 << 20,
            compact_terms_min: 1_000_000,
        }
    }
}

/// What a store that may be written shares. Who takes both, takes the manifest first and the turn second.
#[derive(Debug)]
pub struct Shared {
    /// Its directory.
    pub directory: Directory,
    /// What of the log is durable, and the state that readers take.
    pub acknowledger: Acknowledger,
    /// Where writers wait.
    pub turnstile: Arc<Turnstile>,
    /// How it is written.
    pub options: StoreOptions,
    /// Tells the background work what to do.
    pub chores: Chores,
    manifest: Mutex<Manifest>,
    /// Locked as long as the store or a transaction is open; a store in memory has none.
    _lock: Option<File>,
}

impl Shared {
    /// Shares the parts of a store.
    pub fn new(
        directory: Directory,
        acknowledger: Acknowledger,
        turnstile: Turnstile,
        manifest: Manifest,
        options: StoreOptions,
        lock: Option<File>,
    ) -> Self {
        Self {
            directory,
            acknowledger,
            turnstile: Arc::new(turnstile),
            options,
            chores: Chores::default(),
            manifest: Mutex::new(manifest),
            _lock: lock,
        }
    }

    /// The manifest on disk. Who holds it is the only one who writes files other than the log.
    pub fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
