//! Asking other SPARQL services: what may be asked, and how (SPARQL 1.1 Federated Query; SPARQL 1.1 Protocol, section 2).
//!
//! [`Guard`] says which endpoints a query may name, and which addresses they may have. [`Client`] sends a query to one
//! of them and gives the bytes of its answer; it waits no longer than the settings and the query's own limits allow.
//! What is sent, and what becomes of the answer, is decided in `crate::exec`.

mod address;
mod client;
mod failure;
mod guard;

pub use client::{Client, Reply, Watch};
pub use failure::{AskError, Failure};
pub use guard::{Endpoint, Guard};

use crate::diagnostics::Result;
use crate::settings::ServiceSettings;
use std::time::Duration;

/// The setting that lists the endpoints of SERVICE.
const SERVICES_SETTING: &str = "service.allow";
/// The setting that lists the documents of LOAD.
const DOCUMENTS_SETTING: &str = "update.load_urls";

/// What every query of a server may ask of other services.
#[derive(Debug, Default)]
pub struct Services {
    guard: Guard,
    bindings_max: usize,
    timeout: Option<Duration>,
}

impl Services {
    /// The services of the settings.
    ///
    /// # Errors
    /// An entry of the allow list is no endpoint.
    pub fn new(settings: &ServiceSettings) -> Result<Self> {
        Ok(Self {
            guard: Guard::new(SERVICES_SETTING, &settings.allow, &settings.private_hosts)?,
            bindings_max: settings.bindings_max,
            timeout: settings.timeout(),
        })
    }

    /// Where LOAD may fetch documents, with the hosts and the time-out of services.
    ///
    /// # Errors
    /// An entry of the list is no URL.
    pub fn of_documents(urls: &[String], settings: &ServiceSettings) -> Result<Self> {
        Ok(Self {
            guard: Guard::new(DOCUMENTS_SETTING, urls, &settings.private_hosts)?,
            ..Self::new(settings)?
        })
    }

    /// How many bindings are sent with one request, at most.
    pub fn bindings_max(&self) -> usize {
        match self.bindings_max {
            0 => usize::MAX,
            n => n,
        }
    }
}
