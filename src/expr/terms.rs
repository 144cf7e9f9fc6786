//! The terms of one query: inline, stored in the dictionary, or made by the query itself.
//!
//! [`QueryTerms`] gives every term exactly one id while the query runs, so that joins, DISTINCT and GROUP BY over
//! computed values compare numbers and nothing else. It uses interior mutability: a query runs on one thread. A small
//! cache stands before the dictionary, because computed terms tend to come again.

use super::local::{LocalTerms, encode_key, tag_of};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::term::{LiteralSort, ResolveTerm, Tag, TermId, TermStore, TermView, inline};
use oxrdf::{BlankNode, Literal, NamedNode, Term, Triple};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// The number of look-ups that the cache remembers; a power of two.
const CACHE_SLOTS: usize = 512;

/// All terms that one query can meet.
pub struct QueryTerms {
    store: Arc<dyn TermStore>,
    local: RefCell<LocalTerms>,
    labels: RefCell<HashMap<String, TermId>>,
    stored: RefCell<Vec<Option<CachedLookup>>>,
    key: RefCell<Vec<u8>>,
    failure: RefCell<Option<Error>>,
    lookups: Cell<u64>,
}

/// A term that the dictionary was found to hold.
struct CachedLookup {
    tag: Tag,
    key: Box<[u8]>,
    id: TermId,
}

impl QueryTerms {
    /// The terms of a query over this dictionary.
    pub fn new(store: Arc<dyn TermStore>) -> Self {
        Self {
            store,
            local: RefCell::default(),
            labels: RefCell::default(),
            stored: RefCell::default(),
            key: RefCell::default(),
            failure: RefCell::default(),
            lookups: Cell::new(0),
        }
    }

    /// The dictionary below.
    pub fn store(&self) -> &dyn TermStore {
        &*self.store
    }

    /// The id of a term that the data may hold, or `None` when neither the id nor the dictionary has it.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn lookup(&self, term: &TermView<'_>) -> Result<Option<TermId>> {
        if let Some(id) = encode(term) {
            return Ok(Some(id));
        }
        if tag_of(term).is_none() || is_about_local_terms(term) {
            return Ok(None);
        }
        self.lookups.set(self.lookups.get() + 1);
        self.store.lookup(term)
    }

    /// The one id that this term has within the query.
    ///
    /// # Errors
    /// Reading the dictionary failed, or the query made more than four billion terms.
    pub fn intern(&self, term: &TermView<'_>) -> Result<TermId> {
        if let Some(id) = encode(term) {
            return Ok(id);
        }
        let Some(tag) = tag_of(term) else {
            return Err(Error::internal("a blank node outside every dictionary"));
        };
        let mut key = self.key.borrow_mut();
        encode_key(term, &mut key);
        let hash = self.local.borrow().hash_key(&key);
        if let Some(id) = self.local.borrow().find(tag, hash, &key) {
            return Ok(id);
        }
        if let Some(id) = self.cached(tag, hash, &key) {
            return Ok(id);
        }
        if let Some(id) = self.lookup(term)? {
            self.remember(tag, hash, &key, id);
            return Ok(id);
        }
        let pushed = self.local.borrow_mut().push(term, hash, &key);
        pushed.ok_or_else(|| {
            Error::new(
                ErrorKind::MemoryLimit,
                "the query makes more than four billion terms",
            )
        })
    }

    fn cached(&self, tag: Tag, hash: u64, key: &[u8]) -> Option<TermId> {
        let stored = self.stored.borrow();
        let slot = stored.get(hash as usize % CACHE_SLOTS)?.as_ref()?;
        (slot.tag == tag && *slot.key == *key).then_some(slot.id)
    }

    fn remember(&self, tag: Tag, hash: u64, key: &[u8], id: TermId) {
        let mut stored = self.stored.borrow_mut();
        if stored.is_empty() {
            stored.resize_with(CACHE_SLOTS, || None);
        }
        stored[hash as usize % CACHE_SLOTS] = Some(CachedLookup {
            tag,
            key: key.into(),
            id,
        });
    }

    /// The term of any id that has a value; `buffer` is overwritten and lends its bytes to the answer.
    ///
    /// # Errors
    /// Reading the dictionary failed, or the id stands for no term.
    pub fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>> {
        match id.tag() {
            Tag::Unbound => Err(Error::internal(format!("{id:?} stands for no term"))),
            Tag::Blank => Ok(TermView::Blank {
                number: id.number(),
                local: id.is_local(),
            }),
            tag if !tag.is_stored() => Ok(inline::resolve(id, buffer)),
            _ if id.is_local() => self
                .local
                .borrow()
                .resolve(id, buffer)
                .ok_or_else(|| Error::internal(format!("{id:?} is not of this query"))),
            _ => self.store.resolve(id, buffer),
        }
    }

    /// A blank node distinct from all others.
    pub fn fresh_blank(&self) -> TermId {
        self.local.borrow_mut().fresh_blank()
    }

    /// The bytes of memory that the terms made by the query take.
    pub fn local_bytes(&self) -> usize {
        self.local.borrow().bytes_held()
    }

    /// How often the dictionary was asked for a term's id.
    pub fn lookups(&self) -> u64 {
        self.lookups.get()
    }

    /// The term of an id, owned. Blank nodes are labelled by their numbers.
    ///
    /// # Errors
    /// As [`Self::resolve`].
    pub fn to_term(&self, id: TermId) -> Result<Term> {
        let mut buffer = Vec::new();
        Ok(match self.resolve(id, &mut buffer)? {
            TermView::Iri(iri) => NamedNode::new_unchecked(iri).into(),
            TermView::Blank { number, local } => {
                let scope = if local { 'q' } else { 'b' };
                BlankNode::new_unchecked(format!("{scope}{number}")).into()
            }
            TermView::Literal { lexical, sort } => to_literal(lexical, sort).into(),
            TermView::Triple([s, p, o]) => self.to_triple(s, p, o)?.into(),
        })
    }

    fn to_triple(&self, s: TermId, p: TermId, o: TermId) -> Result<Triple> {
        let (s, p, o) = (self.to_term(s)?, self.to_term(p)?, self.to_term(o)?);
        Triple::from_terms(s, p, o).map_err(|e| Error::corruption(format!("a triple term: {e}")))
    }

    /// The id of an owned term. A blank node label stands for one fresh blank node throughout the query.
    ///
    /// # Errors
    /// As [`Self::intern`].
    pub fn from_term(&self, term: &Term) -> Result<TermId> {
        self.from_document_term(term, &mut self.labels.borrow_mut())
    }

    /// The id of an owned term of a document, whose blank node labels stand for the nodes in `labels`, or for fresh ones.
    ///
    /// # Errors
    /// As [`Self::intern`].
    pub fn from_document_term(
        &self,
        term: &Term,
        labels: &mut HashMap<String, TermId>,
    ) -> Result<TermId> {
        match term {
            Term::NamedNode(iri) => self.intern(&TermView::Iri(iri.as_str())),
            Term::BlankNode(node) => {
                let label = node.as_str().to_owned();
                Ok(*labels.entry(label).or_insert_with(|| self.fresh_blank()))
            }
            Term::Literal(literal) => self.intern(&view_literal(literal)),
            Term::Triple(triple) => {
                let subject = Term::from(triple.subject.clone());
                let ids = [
                    self.from_document_term(&subject, labels)?,
                    self.intern(&TermView::Iri(triple.predicate.as_str()))?,
                    self.from_document_term(&triple.object, labels)?,
                ];
                self.intern(&TermView::Triple(ids))
            }
        }
    }

    /// Keeps a failure that a comparison within a sort cannot return; the first one counts.
    pub(super) fn keep_failure(&self, error: Error) {
        self.failure.borrow_mut().get_or_insert(error);
    }

    /// Reports a failure to read a term since the last call; to be called after every sort that used
    /// [`order_cmp`](super::order_cmp).
    ///
    /// # Errors
    /// Reading the dictionary failed while two terms were compared.
    pub fn check(&self) -> Result<()> {
        self.failure.borrow_mut().take().map_or(Ok(()), Err)
    }
}

/// The id of a term that needs no dictionary.
fn encode(term: &TermView<'_>) -> Option<TermId> {
    match *term {
        TermView::Literal {
            lexical,
            sort: LiteralSort::Typed(datatype),
        } => TermId::encode_inline(lexical, datatype),
        TermView::Blank {
            number,
            local: true,
        } => Some(TermId::local(Tag::Blank, number)),
        TermView::Blank { number, .. } => Some(TermId::new(Tag::Blank, number)),
        _ => None,
    }
}

/// A triple term about terms that the dictionary does not hold is not in it either.
fn is_about_local_terms(term: &TermView<'_>) -> bool {
    matches!(term, TermView::Triple(ids) if ids.iter().any(|id| id.is_local()))
}

impl ResolveTerm for QueryTerms {
    fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>> {
        Self::resolve(self, id, buffer)
    }
}

/// A literal's text, borrowed.
pub fn view_literal(literal: &Literal) -> TermView<'_> {
    let sort = match (literal.language(), literal.datatype()) {
        (Some(language), _) => LiteralSort::Lang(language, literal.direction()),
        (None, oxrdf::vocab::xsd::STRING) => LiteralSort::String,
        (None, datatype) => LiteralSort::Typed(datatype.as_str()),
    };
    TermView::Literal {
        lexical: literal.value(),
        sort,
    }
}

fn to_literal(lexical: &str, sort: LiteralSort<'_>) -> Literal {
    match sort {
        LiteralSort::String => Literal::new_simple_literal(lexical),
        LiteralSort::Lang(language, None) => {
            Literal::new_language_tagged_literal_unchecked(lexical, language)
        }
        LiteralSort::Lang(language, Some(direction)) => {
            Literal::new_directional_language_tagged_literal_unchecked(lexical, language, direction)
        }
        LiteralSort::Typed(datatype) => {
            Literal::new_typed_literal(lexical, NamedNode::new_unchecked(datatype))
        }
    }
}
