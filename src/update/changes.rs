//! The changes of one request: a transaction, its limits, and the state that they make.

use crate::diagnostics::Result;
use crate::exec::QueryControl;
use crate::storage::{Logged, Quad, Snapshot, Store, Transaction};
use crate::term::{TermId, TermView};
use std::sync::Arc;

/// What a changed quad is taken to cost in memory, with its places in the log and in the indexes.
const QUAD_BYTES: u64 = 256;
/// The changes after which the limits are looked at.
const STEP: u64 = 1024;

/// The changes of a request, seen by nobody else before they are committed.
pub struct Changes {
    transaction: Transaction,
    control: QueryControl,
    /// The state with all changes so far, where it is known.
    state: Option<Arc<Snapshot>>,
    changed: u64,
    text_bytes: u64,
}

impl Changes {
    /// Waits for its turn to write, and begins.
    ///
    /// # Errors
    /// The store cannot be written, or the request is over already.
    pub fn begin(store: &Store, control: &QueryControl) -> Result<Self> {
        let transaction = store.begin()?;
        control.check()?;
        Ok(Self {
            state: Some(transaction.snapshot()),
            transaction,
            control: control.clone(),
            changed: 0,
            text_bytes: 0,
        })
    }

    /// The limits of the request.
    pub fn control(&self) -> &QueryControl {
        &self.control
    }

    /// Fails when the request is over or has grown too large.
    ///
    /// # Errors
    /// It was cancelled, is past its deadline, or holds more memory than it may.
    pub fn check(&self) -> Result<()> {
        self.check_with(0)
    }

    /// The same, with some bytes that are held for changes to come.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn check_with(&self, held_bytes: usize) -> Result<()> {
        self.control.check()?;
        let changed_bytes = self.changed * QUAD_BYTES + self.text_bytes;
        self.control.check_memory(changed_bytes + held_bytes as u64)
    }

    /// The state that the changes so far make.
    ///
    /// # Errors
    /// Reading the store failed.
    pub fn state(&mut self) -> Result<Arc<Snapshot>> {
        if let Some(state) = &self.state {
            return Ok(Arc::clone(state));
        }
        let state = self.transaction.staged()?;
        self.state = Some(Arc::clone(&state));
        Ok(state)
    }

    /// The id of a term that needs the dictionary; a new one is added.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn intern(&mut self, term: &TermView<'_>) -> Result<TermId> {
        self.text_bytes += match term {
            TermView::Literal { lexical, .. } => lexical.len() as u64,
            _ => 0,
        };
        self.transaction.intern(term)
    }

    /// The id of a term that needs the dictionary, if the store or an earlier change has it.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn lookup(&self, term: &TermView<'_>) -> Result<Option<TermId>> {
        self.transaction.lookup(term)
    }

    /// A blank node that the store does not have.
    pub fn fresh_blank(&mut self) -> TermId {
        self.transaction.fresh_blank()
    }

    /// Adds a quad.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn insert(&mut self, quad: Quad) -> Result<()> {
        self.transaction.insert(quad);
        self.count()
    }

    /// Takes a quad away.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn delete(&mut self, quad: Quad) -> Result<()> {
        self.transaction.delete(quad);
        self.count()
    }

    fn count(&mut self) -> Result<()> {
        self.state = None;
        self.changed += 1;
        if self.changed.is_multiple_of(STEP) {
            return self.check();
        }
        Ok(())
    }

    /// Appends all of it to the log.
    ///
    /// # Errors
    /// The request is over already, or writing failed; then nothing was changed.
    pub fn commit(self) -> Result<Logged> {
        self.check()?;
        self.transaction.commit()
    }
}
