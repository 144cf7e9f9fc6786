//! Keeping a store: copies, compaction, and the proof that nothing is damaged.

use super::Engine;
use crate::diagnostics::Result;
use crate::storage::VerifyReport;
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

    /// Reads all of the store and says what is wrong.
    pub fn verify(&self) -> VerifyReport {
        self.store.verify()
    }
}
