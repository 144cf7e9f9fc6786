//! Updates: one request is one transaction, all of it or nothing.
//!
//! [`run`] runs the operations of a SPARQL Update request one after the other, each on the state that those before it
//! left (SPARQL 1.1 Update, section 3); [`put`], [`post`] and [`delete`] are the writing half of the Graph Store
//! Protocol. All of them work on [`Changes`], and nothing is seen by others before it is committed.
//!
//! The store keeps quads, not graphs: a graph without quads does not exist. So CREATE makes nothing, and operations
//! on a graph that does not exist find it empty. The WHERE of an update sees the default graph of the store, whatever
//! `query.default_graph` says, since that is the graph which its templates write to.

mod changes;
mod clear;
mod coding;
mod document;
mod graph_store;
mod load;
mod modify;
mod terms;

pub use coding::{CODINGS, compression_of_coding};
pub use document::Document;
pub use graph_store::{GraphChange, GraphChoice, Precondition, delete, exists, post, put};
pub use load::LoadSources;

use crate::diagnostics::{Error, ErrorKind, Result};
use crate::exec::QueryControl;
use crate::storage::{Logged, Store};
use changes::Changes;
use document::LoadError;
use load::Fetched;
use oxiri::Iri;
use spargebra::{GraphUpdateOperation as Operation, Update};
use terms::DocumentTerms;

/// What a request says beside its text.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The protocol's `using-graph-uri`.
    pub using_graphs: Vec<String>,
    /// The protocol's `using-named-graph-uri`.
    pub using_named_graphs: Vec<String>,
    /// Where LOAD may read.
    pub sources: LoadSources,
}

/// Runs an update; what it changed is in the log.
///
/// # Errors
/// An operation fails, the request is over a limit, or the store cannot be written; then nothing was changed.
pub fn run(
    store: &Store,
    update: Update,
    surroundings: &Surroundings,
    control: &QueryControl,
) -> Result<Logged> {
    check_dataset(&update, surroundings)?;
    // Other servers may be slow; writers do not wait for them.
    let mut fetched = load::fetch_all(&update.operations, &surroundings.sources.web, control)?;
    let mut changes = Changes::begin(store, control)?;
    for operation in update.operations {
        apply(
            &mut changes,
            operation,
            surroundings,
            &mut fetched,
            update.base_iri.as_ref(),
        )?;
    }
    changes.commit()
}

/// The dataset may be given by the protocol or by the operations, not by both (SPARQL 1.1 Protocol, section 2.2.3).
fn check_dataset(update: &Update, surroundings: &Surroundings) -> Result<()> {
    let is_given =
        !surroundings.using_graphs.is_empty() || !surroundings.using_named_graphs.is_empty();
    let says_using = |o: &Operation| matches!(o, Operation::DeleteInsert { using: Some(_), .. });
    if is_given && update.operations.iter().any(says_using) {
        return Err(Error::new(
            ErrorKind::BadRequest,
            "an operation says USING or WITH, so using-graph-uri and using-named-graph-uri cannot be given too",
        ));
    }
    Ok(())
}

fn apply(
    changes: &mut Changes,
    operation: Operation,
    surroundings: &Surroundings,
    fetched: &mut Fetched,
    base: Option<&Iri<String>>,
) -> Result<()> {
    changes.check()?;
    match operation {
        Operation::InsertData { data } => {
            let mut terms = DocumentTerms::default();
            for quad in &data {
                let quad = terms.data(changes, quad)?;
                changes.insert(quad)?;
            }
            Ok(())
        }
        Operation::DeleteData { data } => {
            for quad in data {
                if let Some(quad) = terms::lookup_quad(changes, &quad)? {
                    changes.delete(quad)?;
                }
            }
            Ok(())
        }
        Operation::DeleteInsert {
            delete,
            insert,
            using,
            pattern,
        } => {
            let templates = modify::Templates::new(delete, insert);
            modify::modify(
                changes,
                &templates,
                &pattern,
                using.as_ref(),
                surroundings,
                base,
            )
        }
        Operation::Load {
            silent,
            source,
            destination,
        } => match load::load(
            changes,
            &source,
            &destination,
            &surroundings.sources.folders,
            fetched,
        ) {
            Err(LoadError::Document(_)) if silent => Ok(()),
            loaded => Ok(loaded?),
        },
        Operation::Clear { graph, .. } | Operation::Drop { graph, .. } => {
            clear::clear(changes, &GraphChoice::from(graph))
        }
        Operation::Create { silent, graph } => {
            let choice = GraphChoice::Named(graph);
            let state = changes.state()?;
            if !silent && exists(&state, &choice)? {
                let message = format!("CREATE: {choice} exists already; CREATE SILENT lets it be");
                return Err(Error::new(ErrorKind::BadRequest, message));
            }
            Ok(())
        }
    }
}
