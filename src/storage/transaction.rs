//! A transaction: changes that come together or not at all.
//!
//! It has the turn as writer from its begin to its commit, so what it reads is what it writes upon. Its changes are
//! kept apart until [`Transaction::commit`], and dropping it leaves nothing. Within it the last word on a quad counts.

use super::dictionary::{MemorySegment, encode_key, section_of};
use super::log::LoggedCommit;
use super::membership;
use super::permutation::Quad;
use super::run::{QuadSet, Run};
use super::shared::Shared;
use super::snapshot::Snapshot;
use super::stack::{Height, Stack};
use super::writer::Turn;
use crate::diagnostics::{Error, Result};
use crate::term::{LiteralSort, Tag, TermId, TermStore, TermView};
use std::sync::Arc;

/// What a commit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its number; that of the last commit before when it changed nothing.
    pub sequence: u64,
    /// The quads that were not there before.
    pub inserted: u64,
    /// The quads that are not there any more.
    pub deleted: u64,
}

/// A commit that is in the log. Nobody sees it before it is durable.
#[derive(Debug)]
#[must_use = "it is not durable yet"]
pub struct Logged {
    shared: Arc<Shared>,
    commit: Commit,
}

impl Logged {
    /// Waits until it is durable, and visible to everyone.
    ///
    /// # Errors
    /// The log could not be synced; whether the commit is on disk is not known until the store is opened again.
    pub fn durable(self) -> Result<Commit> {
        self.shared.acknowledger.wait(self.commit.sequence)?;
        Ok(self.commit)
    }

    /// Tells when it is durable, or the error of [`Self::durable`], on whatever thread. The calling thread may be needed
    /// for a sync of the log.
    pub fn when_durable(self, tell: impl FnOnce(Result<Commit>) + Send + 'static) {
        let Self { shared, commit } = self;
        let tell = move |outcome: Result<()>| tell(outcome.map(|()| commit));
        shared.acknowledger.when_durable(commit.sequence, tell);
    }
}

/// Changes that come together or not at all.
#[derive(Debug)]
pub struct Transaction {
    shared: Arc<Shared>,
    turn: Turn,
    begun: Arc<Snapshot>,
    /// What lies above is of this transaction.
    floor: Height,
    /// The state at begin, and the changes that were staged.
    staged: Arc<Snapshot>,
    /// The terms and changes since.
    terms: MemorySegment,
    changes: Vec<(Quad, Change)>,
    /// The number of the first blank node since.
    first_blank: u64,
    next_blank: u64,
    /// Terms that were found in the dictionary, since most of them are asked for again.
    found: Found,
    key: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Insert,
    Delete,
}

impl Transaction {
    /// Begins a transaction with the newest state.
    pub(super) fn begin(shared: &Arc<Shared>, turn: Turn) -> Self {
        let (begun, next_blank) = {
            let writer = turn.writer();
            (Arc::clone(&writer.snapshot), writer.next_blank)
        };
        Self {
            shared: Arc::clone(shared),
            turn,
            floor: Stack::of(&begun).height(),
            staged: Arc::clone(&begun),
            begun,
            terms: MemorySegment::default(),
            changes: Vec::new(),
            first_blank: next_blank,
            next_blank,
            found: Found::default(),
            key: Vec::new(),
        }
    }

    /// The state at begin.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.begun)
    }

    /// The state at begin with the changes so far, which nobody else sees.
    ///
    /// # Errors
    /// The store is damaged.
    pub fn staged(&mut self) -> Result<Arc<Snapshot>> {
        if !self.changes.is_empty() || !self.terms.is_empty() {
            let run = self.take_changes()?;
            let mut stack = Stack::of(&self.staged);
            stack.push(self.floor, run, std::mem::take(&mut self.terms));
            self.staged = stack.snapshot(self.begun.sequence());
            self.first_blank = self.next_blank;
        }
        Ok(Arc::clone(&self.staged))
    }

    /// The changes since the last time, as far as they change anything.
    fn take_changes(&mut self) -> Result<Run> {
        let mut changes = std::mem::take(&mut self.changes);
        // The sort is stable, so the last word on a quad stays last.
        changes.sort_by_key(|(quad, _)| *quad);
        let last_words = changes.chunk_by(|a, b| a.0 == b.0).filter_map(<[_]>::last);
        let (mut inserted, mut deleted) = (Vec::new(), Vec::new());
        let (mut known, mut words) = (Vec::new(), Vec::new());
        for &(quad, change) in last_words {
            // What has a term that came with these changes cannot be there already.
            if !quad.iter().any(|&id| self.is_new(id)) {
                known.push(quad);
                words.push(change);
            } else if change == Change::Insert {
                inserted.push(quad);
            }
        }
        let held = membership::held(&self.staged, &known)?;
        let new = inserted.len();
        for ((quad, change), is_held) in known.into_iter().zip(words).zip(held) {
            match (change, is_held) {
                (Change::Insert, false) => inserted.push(quad),
                (Change::Delete, true) => deleted.push(quad),
                (Change::Insert, true) | (Change::Delete, false) => {}
            }
        }
        if new > 0 && new < inserted.len() {
            // A stable sort finds the two sorted parts and merges them.
            inserted.sort();
        }
        Ok(Run {
            inserted: QuadSet::in_memory(inserted),
            deleted: QuadSet::in_memory(deleted),
        })
    }

    /// Whether an id is of a term that came since the changes were staged.
    fn is_new(&self, id: TermId) -> bool {
        match id.tag() {
            Tag::Blank => id.number() >= self.first_blank,
            tag if Tag::STORED.contains(&tag) => id.number() >= self.staged.dictionary().len(tag),
            _ => false,
        }
    }

    /// The id of a term, if the store or this transaction has it.
    ///
    /// # Errors
    /// The store is damaged.
    pub fn lookup(&self, term: &TermView<'_>) -> Result<Option<TermId>> {
        if let Some(id) = without_dictionary(term) {
            return Ok(Some(id));
        }
        let mut key = Vec::new();
        match encode_key(term, &mut key) {
            Some(tag) => self.find(tag, &key),
            None => self.staged.lookup(term),
        }
    }

    fn find(&self, tag: Tag, key: &[u8]) -> Result<Option<TermId>> {
        let dictionary = self.staged.dictionary();
        if let Some(place) = self.terms.find(tag, key) {
            return Ok(Some(TermId::new(tag, dictionary.len(tag) + place)));
        }
        dictionary.find(tag, key)
    }

    /// The id of a term, which the dictionary gets with the commit if it does not have it.
    ///
    /// # Errors
    /// The store is damaged, or the term is or holds one that a query made.
    pub fn intern(&mut self, term: &TermView<'_>) -> Result<TermId> {
        if let Some(id) = without_dictionary(term) {
            return Ok(id);
        }
        let mut key = std::mem::take(&mut self.key);
        let id = self.intern_key(term, &mut key);
        self.key = key;
        id
    }

    fn intern_key(&mut self, term: &TermView<'_>, key: &mut Vec<u8>) -> Result<TermId> {
        let is_local = match term {
            TermView::Triple(parts) => parts.iter().any(|id| id.is_local()),
            TermView::Blank { .. } => true,
            TermView::Iri(_) | TermView::Literal { .. } => false,
        };
        let tag = encode_key(term, key).filter(|_| !is_local);
        let tag = tag.ok_or_else(|| Error::internal(format!("{term:?} cannot be stored")))?;
        if let Some(id) = self.found.get(tag, key) {
            return Ok(id);
        }
        if let Some(id) = self.find(tag, key)? {
            self.found.add(tag, key, id);
            return Ok(id);
        }
        let place = self.terms.add(tag, key);
        let place = place.ok_or_else(|| Error::internal("a transaction has too many terms"))?;
        Ok(TermId::new(tag, self.staged.dictionary().len(tag) + place))
    }

    /// A blank node that the store does not have.
    pub fn fresh_blank(&mut self) -> TermId {
        self.next_blank += 1;
        TermId::new(Tag::Blank, self.next_blank - 1)
    }

    /// Inserts a quad of stored ids.
    pub fn insert(&mut self, quad: Quad) {
        self.changes.push((quad, Change::Insert));
    }

    /// Deletes a quad of stored ids.
    pub fn delete(&mut self, quad: Quad) {
        self.changes.push((quad, Change::Delete));
    }

    /// Appends the changes to the log. The next writer goes on while they are made durable, so that their commits share a
    /// sync.
    ///
    /// # Errors
    /// The store is damaged, or the log cannot be written; then nothing was changed.
    pub fn commit(mut self) -> Result<Logged> {
        self.staged()?;
        let (run, terms) = Stack::of(&self.staged).above(self.floor);
        let rows = |set: &Option<QuadSet>| set.as_ref().map_or(0, QuadSet::len);
        let mut commit = Commit {
            sequence: self.begun.sequence(),
            inserted: rows(&run.inserted),
            deleted: rows(&run.deleted),
        };
        if run.rows() > 0 {
            commit.sequence += 1;
            self.append(LoggedCommit {
                sequence: commit.sequence,
                next_blank: self.next_blank,
                terms,
                first_terms: LoggedCommit::first_terms(self.begun.dictionary()),
                run,
            })?;
        }
        let shared = Arc::clone(&self.shared);
        Ok(Logged { shared, commit })
    }

    fn append(&self, commit: LoggedCommit) -> Result<()> {
        let acknowledger = &self.shared.acknowledger;
        let mut writer = self.turn.writer();
        writer.log.append(&commit, acknowledger.durable())?;
        writer.push(commit);
        acknowledger.appended(&writer.snapshot, writer.log.file());
        if writer.is_flush_due(&self.shared.options) {
            self.shared.chores.ask_for_flush();
        }
        Ok(())
    }
}

/// Terms that were found, and their ids.
#[derive(Debug, Default)]
struct Found {
    terms: MemorySegment,
    ids: [Vec<TermId>; Tag::STORED.len()],
}

impl Found {
    /// The memory beyond which it begins anew.
    const BYTES_MAX: usize = 16 << 20;

    fn get(&self, tag: Tag, key: &[u8]) -> Option<TermId> {
        let place = self.terms.find(tag, key)?;
        let ids = &self.ids[section_of(tag)?];
        ids.get(usize::try_from(place).ok()?).copied()
    }

    fn add(&mut self, tag: Tag, key: &[u8], id: TermId) {
        if self.terms.memory_bytes() > Self::BYTES_MAX {
            *self = Self::default();
        }
        if let Some(section) = section_of(tag)
            && self.terms.add(tag, key).is_some()
        {
            self.ids[section].push(id);
        }
    }
}

/// The id of a term that needs no dictionary: a stored blank node, or a literal whose value fits the id.
fn without_dictionary(term: &TermView<'_>) -> Option<TermId> {
    match *term {
        TermView::Blank {
            number,
            local: false,
        } => Some(TermId::new(Tag::Blank, number)),
        TermView::Literal {
            lexical,
            sort: LiteralSort::Typed(datatype),
        } => TermId::encode_inline(lexical, datatype),
        _ => None,
    }
}
