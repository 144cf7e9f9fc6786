//! Answers that were seen before: a body is parsed the first time it comes, and known by its hash from then on.
//!
//! While the clock runs a client thread only hashes a body and asks whether it is known; a new one is kept and parsed when
//! the run is over, so that the check costs the measurement neither time nor a core.

use super::checksum::Answer;
use super::failure::Failure;
use super::workload::QueryForm;
use foldhash::quality::FixedState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names one body as an answer to one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyKey {
    query: usize,
    bytes: u64,
    hash: u64,
}

impl BodyKey {
    /// The key of a body.
    pub fn new(query: usize, media_type: &str, body: &[u8]) -> Self {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(media_type.as_bytes());
        hasher.write(body);
        Self {
            query,
            bytes: body.len() as u64,
            hash: hasher.finish(),
        }
    }
}

/// The answers of every body seen so far, shared by the client threads.
#[derive(Default)]
pub struct Answers(Mutex<HashMap<BodyKey, Result<Answer, Failure>>>);

impl Answers {
    /// The answer in a body that was seen before.
    pub fn recall(&self, key: &BodyKey) -> Option<Result<Answer, Failure>> {
        self.lock().get(key).cloned()
    }

    /// The answer in a body that is at hand; parsed if it is new.
    pub fn check(
        &self,
        key: BodyKey,
        form: QueryForm,
        media_type: &str,
        body: &[u8],
    ) -> Result<Answer, Failure> {
        let answer = || Answer::parse(form, media_type, body);
        self.lock().entry(key).or_insert_with(answer).clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BodyKey, Result<Answer, Failure>>> {
        // The map is whole after each of its operations, whatever happened to the thread that held it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
