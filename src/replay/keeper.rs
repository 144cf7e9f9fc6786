//! Keeps a server of our own alive during one run: if it ends before it is told to, another one takes its place.
//!
//! The requests that were under way have failed and stay failed; the run goes on with the next ones. What ended, and with
//! which words, is kept for the report.

use super::endpoint::Endpoint;
use super::server::{Server, ServerCommand};
use crate::diagnostics::Result;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A server that is replaced when it breaks down.
pub struct Keeper<'a> {
    command: &'a ServerCommand,
    state: Mutex<State>,
}

struct State {
    /// None where it could not be replaced.
    server: Option<Server>,
    endpoint: Endpoint,
    breakdowns: Vec<String>,
}

/// How the servers of a run ended.
pub struct End {
    /// What was wrong with each that ended during the run.
    pub breakdowns: Vec<String>,
    /// What was wrong with the last one's end.
    pub bad_end: Option<String>,
}

impl<'a> Keeper<'a> {
    /// Starts the server.
    pub fn start(command: &'a ServerCommand) -> Result<Self> {
        let server = command.start()?;
        let state = State {
            endpoint: server.endpoint().clone(),
            server: Some(server),
            breakdowns: Vec::new(),
        };
        Ok(Self {
            command,
            state: Mutex::new(state),
        })
    }

    /// Where the server answers now.
    pub fn endpoint(&self) -> Endpoint {
        self.lock().endpoint.clone()
    }

    /// The process id of the server.
    pub fn pid(&self) -> Option<u32> {
        self.lock().server.as_ref().map(Server::pid)
    }

    /// Takes notice that a connection broke. If the server has ended, it is replaced; the new one's address is told, also
    /// to those who come while another client's notice is seen to.
    pub fn replacement(&self, lost: &Endpoint) -> Option<Endpoint> {
        let mut state = self.lock();
        if let Some(words) = state.server.as_mut().and_then(Server::broke_down) {
            state.breakdowns.push(words);
            state.server = None;
            match self.command.start() {
                Ok(server) => {
                    state.endpoint = server.endpoint().clone();
                    state.server = Some(server);
                    return Some(state.endpoint.clone());
                }
                Err(e) => state.breakdowns.push(e.to_string()),
            }
        }
        (state.endpoint != *lost).then(|| state.endpoint.clone())
    }

    /// Ends the server.
    pub fn stop(self) -> Result<End> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        Ok(End {
            breakdowns: state.breakdowns,
            bad_end: match state.server {
                Some(server) => server.stop()?,
                None => None,
            },
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole after each of its operations, whatever happened to the thread that held it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
