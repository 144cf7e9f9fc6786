//! Changing a store by single quads, which this version cannot do yet: [`Store::begin`] says so.

use super::permutation::Quad;
use super::snapshot::Snapshot;
use super::store::Store;
use crate::diagnostics::{Error, Result};
use crate::term::{TermId, TermStore, TermView};
use std::sync::Arc;

/// What a transaction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The number of the state that it made.
    pub sequence: u64,
    /// The quads that were not there before.
    pub inserted: u64,
    /// The quads that are not there any more.
    pub deleted: u64,
}

/// Changes that become visible all at once, or not at all.
pub struct Transaction {
    snapshot: Arc<Snapshot>,
    never: std::convert::Infallible,
}

impl Store {
    /// Begins to write.
    ///
    /// # Errors
    /// Always, in this version.
    pub fn begin(&self) -> Result<Transaction> {
        self.check_writable()?;
        Err(Error::unsupported("changing a store by single quads"))
    }
}

impl Transaction {
    /// The state at its beginning.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot)
    }

    /// The state that its changes so far make.
    ///
    /// # Errors
    /// Reading the store failed.
    pub fn staged(&mut self) -> Result<Arc<Snapshot>> {
        match self.never {}
    }

    /// The id of a term, a new one where there is none.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn intern(&mut self, _term: &TermView<'_>) -> Result<TermId> {
        match self.never {}
    }

    /// The id of a term, if there is one.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn lookup(&self, term: &TermView<'_>) -> Result<Option<TermId>> {
        self.snapshot.lookup(term)
    }

    /// A blank node that the store does not have.
    pub fn fresh_blank(&mut self) -> TermId {
        match self.never {}
    }

    /// Adds a quad.
    pub fn insert(&mut self, _quad: Quad) {
        match self.never {}
    }

    /// Takes a quad away.
    pub fn delete(&mut self, _quad: Quad) {
        match self.never {}
    }

    /// Makes the changes visible.
    ///
    /// # Errors
    /// Writing failed.
    pub fn commit(self) -> Result<Commit> {
        match self.never {}
    }
}
