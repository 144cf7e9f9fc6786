//! What all expressions of one query share.

use super::raise::ErrorTally;
use super::terms::QueryTerms;
use crate::diagnostics::Result;
use crate::term::{TermId, TermStore};
use oxiri::Iri;
use oxsdatatypes::DateTime;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// The terms, errors, base IRI and clock of one query. It lives on the query's thread.
pub struct ExprContext {
    /// The terms of the query.
    pub terms: QueryTerms,
    /// The expression errors of the query.
    pub errors: ErrorTally,
    base: Option<Iri<String>>,
    now: OnceCell<DateTime>,
    scopes: Cell<u32>,
    labels: RefCell<HashMap<BlankLabel, TermId>>,
}

/// `BNODE("label")` within one solution.
#[derive(PartialEq, Eq, Hash)]
struct BlankLabel {
    scope: u32,
    row: u64,
    label: Box<str>,
}

/// A sequence of solutions, within which rows are numbered; see [`ExprContext::new_scope`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolutionScope(pub(super) u32);

impl ExprContext {
    /// The context of a query over this dictionary, whose relative IRIs are resolved against `base`.
    pub fn new(store: Arc<dyn TermStore>, base: Option<Iri<String>>) -> Self {
        Self {
            terms: QueryTerms::new(store),
            errors: ErrorTally::default(),
            base,
            now: OnceCell::new(),
            scopes: Cell::new(0),
            labels: RefCell::default(),
        }
    }

    /// A new sequence of solutions. Expressions compiled for one scope must be given the same rows in the same order;
    /// only between them `BNODE("x")` gives the same blank node for the same row (SPARQL 1.1 Query, section 17.4.2.9).
    pub fn new_scope(&self) -> SolutionScope {
        self.scopes.set(self.scopes.get() + 1);
        SolutionScope(self.scopes.get())
    }

    /// The base IRI of the query.
    pub(super) fn base(&self) -> Option<&Iri<String>> {
        self.base.as_ref()
    }

    /// The moment of the query, the same for all its expressions.
    pub(super) fn now(&self) -> DateTime {
        *self.now.get_or_init(DateTime::now)
    }

    /// The blank node of a label within one solution.
    pub(super) fn labelled_blank(&self, scope: SolutionScope, row: u64, label: &str) -> TermId {
        let key = BlankLabel {
            scope: scope.0,
            row,
            label: label.into(),
        };
        let mut labels = self.labels.borrow_mut();
        *labels
            .entry(key)
            .or_insert_with(|| self.terms.fresh_blank())
    }

    /// Ends the query's expressions: reports what was raised, and a failure that a sort met.
    ///
    /// # Errors
    /// Reading the dictionary failed while two terms were compared.
    pub fn finish(&self) -> Result<()> {
        self.errors.finish();
        self.terms.check()
    }
}
