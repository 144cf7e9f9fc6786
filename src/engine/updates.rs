//! Changing a store: updates, and graphs replaced, extended or taken away as a whole.

use super::Engine;
use crate::diagnostics::Result;
use crate::exec::QueryControl;
use crate::federation::Services;
use crate::settings::{ServiceSettings, UpdateSettings};
use crate::sparql::{Limits, Prologue, parse_update};
use crate::storage::Logged;
use crate::update::{
    self, Document, GraphChange, GraphChoice, LoadSources, Precondition, Surroundings,
};
use spargebra::Update;
use std::sync::Arc;

/// The longest text of an update, in bytes: it may hold data.
const TEXT_BYTES_MAX: usize = 1 << 30;

/// An update as it came in.
#[derive(Clone, Debug, Default)]
pub struct UpdateRequest {
    /// The text.
    pub text: String,
    /// The IRI that relative ones in the text are resolved against.
    pub base: Option<String>,
    /// The protocol's `using-graph-uri`.
    pub using_graphs: Vec<String>,
    /// The protocol's `using-named-graph-uri`.
    pub using_named_graphs: Vec<String>,
}

/// An update that parses.
pub struct PreparedUpdate {
    update: Update,
    surroundings: Surroundings,
}

impl Engine {
    /// Lets LOAD read what the settings list; without, it reads nothing.
    ///
    /// # Errors
    /// The settings name what is no URL.
    pub fn with_load_sources(
        mut self,
        update: &UpdateSettings,
        service: &ServiceSettings,
    ) -> Result<Self> {
        self.load_sources = LoadSources {
            folders: update.load_folders.clone(),
            web: Arc::new(Services::of_documents(&update.load_urls, service)?),
        };
        Ok(self)
    }

    /// Whether the store is open for reading only.
    pub fn is_read_only(&self) -> bool {
        self.store.is_read_only()
    }

    /// Parses an update.
    ///
    /// # Errors
    /// [`crate::diagnostics::ErrorKind::Syntax`] with line, column and excerpt.
    pub fn prepare_update(&self, request: &UpdateRequest) -> Result<PreparedUpdate> {
        let limits = Limits {
            text_bytes_max: TEXT_BYTES_MAX,
            ..Limits::default()
        };
        let prologue = Prologue {
            base: request.base.as_deref(),
            has_default_prefixes: self.has_default_prefixes,
        };
        Ok(PreparedUpdate {
            update: parse_update(&request.text, prologue, &limits)?,
            surroundings: Surroundings {
                using_graphs: request.using_graphs.clone(),
                using_named_graphs: request.using_named_graphs.clone(),
                sources: self.load_sources.clone(),
            },
        })
    }

    /// Runs an update: all of it, or, on an error, none. It is done when it is [durable](Logged::durable).
    ///
    /// # Errors
    /// An operation fails, the request is over a limit, or the store cannot be written.
    pub fn update(&self, update: PreparedUpdate, control: &QueryControl) -> Result<Logged> {
        let control = control.clone().with_services(&self.services);
        update::run(&self.store, update.update, &update.surroundings, &control)
    }

    /// Replaces what some graphs hold by documents.
    ///
    /// # Errors
    /// A document does not parse, the precondition does not hold, the request is over a limit, or the store cannot be
    /// written; then nothing was changed.
    pub fn put_graph(
        &self,
        choice: &GraphChoice,
        documents: Vec<Document>,
        precondition: &Precondition,
        control: &QueryControl,
    ) -> Result<GraphChange> {
        update::put(&self.store, choice, documents, precondition, control)
    }

    /// Adds documents to some graphs.
    ///
    /// # Errors
    /// As [`Self::put_graph`].
    pub fn post_graph(
        &self,
        choice: &GraphChoice,
        documents: Vec<Document>,
        precondition: &Precondition,
        control: &QueryControl,
    ) -> Result<GraphChange> {
        update::post(&self.store, choice, documents, precondition, control)
    }

    /// Takes some graphs away.
    ///
    /// # Errors
    /// As [`Self::put_graph`], and when a named graph does not exist.
    pub fn delete_graph(
        &self,
        choice: &GraphChoice,
        precondition: &Precondition,
        control: &QueryControl,
    ) -> Result<GraphChange> {
        update::delete(&self.store, choice, precondition, control)
    }
}
