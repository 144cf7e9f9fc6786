//! Keeping a store: copies, compaction, and the proof that nothing is damaged.

use super::Engine;
use crate::diagnostics::Result;
use crate::storage::{Store, VerifyReport};
use std::path::Path;

impl Engine {
    /// Copies the store to a new directory, where it is a store, while others read and write; gives the sequence number
    /// of the last commit in the copy.
    ///
    /// # Errors
    /// The directory is not empty, or writing failed.
    pub fn backup(&self, to: &Path) -> Result<u64> {
        self.store.backup(to)
    }

    /// Rewrites the store to one run and a sorted dictionary of the terms that are used, while others read and write.
    ///
    /// # Errors
    /// The store is open for reading only or damaged, or writing failed; then it is as it was.
    pub fn compact(&self) -> Result<()> {
        self.store.compact()
    }

    /// Reads all of the store in a directory that nobody writes and says what is wrong, also where that keeps it from being
    /// opened.
    ///
    /// # Errors
    /// There is no store, it is of another version, another process has it open for writing, or the operating system
    /// refuses to read it.
    pub fn verify_location(location: &Path) -> Result<VerifyReport> {
        Store::verify_location(location)
    }

    /// Reads all of the store and says what is wrong.
    pub fn verify(&self) -> VerifyReport {
        self.store.verify()
    }
}
