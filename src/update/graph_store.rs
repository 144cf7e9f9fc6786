//! The writing half of the Graph Store Protocol (SPARQL 1.1 Graph Store HTTP Protocol, section 5).
//!
//! A graph exists when it has quads; the default graph and the dataset as a whole always do.

use super::changes::Changes;
use super::clear::clear;
use super::document::Document;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::exec::QueryControl;
use crate::storage::{Commit, Permutation, Snapshot, Store};
use crate::term::{TermStore, TermView};
use oxrdf::NamedNode;
use spargebra::algebra::GraphTarget;
use std::fmt;

/// Which graphs are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphChoice {
    /// The default graph.
    Default,
    /// One named graph.
    Named(NamedNode),
    /// Every named graph.
    AllNamed,
    /// The whole dataset.
    All,
}

impl From<GraphTarget> for GraphChoice {
    fn from(target: GraphTarget) -> Self {
        match target {
            GraphTarget::NamedNode(iri) => Self::Named(iri),
            GraphTarget::DefaultGraph => Self::Default,
            GraphTarget::NamedGraphs => Self::AllNamed,
            GraphTarget::AllGraphs => Self::All,
        }
    }
}

impl fmt::Display for GraphChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the default graph"),
            Self::Named(iri) => write!(f, "the graph {iri}"),
            Self::AllNamed => f.write_str("every named graph"),
            Self::All => f.write_str("the dataset"),
        }
    }
}

/// What must hold of the present state, else nothing is done (RFC 9110, section 13.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Precondition {
    /// Nothing.
    #[default]
    None,
    /// `If-Match: *`: the graph exists.
    Exists,
    /// `If-None-Match: *`: it does not exist.
    IsMissing,
    /// `If-Match`: the store is in one of these states, by sequence number.
    IsAt(Vec<u64>),
}

/// What was done.
#[derive(Clone, Copy, Debug)]
pub struct GraphChange {
    /// The commit.
    pub commit: Commit,
    /// Whether the graph existed before.
    pub existed: bool,
}

/// Replaces what some graphs hold by documents.
///
/// # Errors
/// A document does not parse, a precondition does not hold, the request is over a limit, or the store cannot be
/// written; then nothing was changed.
pub fn put(
    store: &Store,
    choice: &GraphChoice,
    documents: Vec<Document>,
    precondition: &Precondition,
    control: &QueryControl,
) -> Result<GraphChange> {
    write(store, choice, precondition, control, |changes| {
        clear(changes, choice)?;
        insert_all(changes, documents)
    })
}

/// Adds documents.
///
/// # Errors
/// As [`put`].
pub fn post(
    store: &Store,
    choice: &GraphChoice,
    documents: Vec<Document>,
    precondition: &Precondition,
    control: &QueryControl,
) -> Result<GraphChange> {
    write(store, choice, precondition, control, |changes| {
        insert_all(changes, documents)
    })
}

/// Takes some graphs away.
///
/// # Errors
/// As [`put`], and [`ErrorKind::NotFound`] when a named graph does not exist.
pub fn delete(
    store: &Store,
    choice: &GraphChoice,
    precondition: &Precondition,
    control: &QueryControl,
) -> Result<GraphChange> {
    write(store, choice, precondition, control, |changes| {
        let state = changes.state()?;
        if !exists(&state, choice)? {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("{choice} does not exist"),
            ));
        }
        clear(changes, choice)
    })
}

fn write(
    store: &Store,
    choice: &GraphChoice,
    precondition: &Precondition,
    control: &QueryControl,
    change: impl FnOnce(&mut Changes) -> Result<()>,
) -> Result<GraphChange> {
    let mut changes = Changes::begin(store, control)?;
    let state = changes.state()?;
    let existed = exists(&state, choice)?;
    check(precondition, &state, choice, existed)?;
    change(&mut changes)?;
    let commit = changes.commit()?.durable()?;
    Ok(GraphChange { commit, existed })
}

fn insert_all(changes: &mut Changes, documents: Vec<Document>) -> Result<()> {
    documents
        .into_iter()
        .try_for_each(|document| Ok(document.insert(changes)?))
}

fn check(
    precondition: &Precondition,
    state: &Snapshot,
    choice: &GraphChoice,
    existed: bool,
) -> Result<()> {
    let (holds, why) = match precondition {
        Precondition::None => return Ok(()),
        Precondition::Exists => (existed, "does not exist"),
        Precondition::IsMissing => (!existed, "exists already"),
        Precondition::IsAt(sequences) => (
            existed && sequences.contains(&state.sequence()),
            "is not as it was: the store has changed since; read it again",
        ),
    };
    if holds {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::PreconditionFailed,
        format!("{choice} {why}"),
    ))
}

/// Whether graphs exist in a state.
///
/// # Errors
/// Reading the store failed.
pub fn exists(state: &Snapshot, choice: &GraphChoice) -> Result<bool> {
    let GraphChoice::Named(iri) = choice else {
        return Ok(true);
    };
    match state.lookup(&TermView::Iri(iri.as_str()))? {
        Some(graph) => Ok(state.count(Permutation::Gspo, &[graph])? > 0),
        None => Ok(false),
    }
}
