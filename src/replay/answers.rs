//! Answers that were seen before: a body is parsed the first time it comes, and known by its hash from then on.
//!
//! While the clock runs a client thread only hashes a body and asks whether it is known; a new one is kept and parsed when
//! the run is over, so that the check costs the measurement neither time nor a core. What is kept has a bound; a new body
//! beyond it is checked at once, between two requests.

use super::checksum::{Answer, Expected};
use super::failure::Failure;
use foldhash::quality::FixedState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many bytes of new bodies are kept at a time.
const KEPT_BYTES_MAX: usize = 64 << 20;

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
pub struct Answers {
    known: Mutex<HashMap<BodyKey, Result<Answer, Failure>>>,
    kept_bytes: AtomicUsize,
}

impl Answers {
    /// The answer in a body that was seen before.
    pub fn recall(&self, key: &BodyKey) -> Option<Result<Answer, Failure>> {
        self.lock().get(key).cloned()
    }

    /// Whether a new body may be kept; if so, its bytes count until they are released.
    pub fn may_keep(&self, body: &[u8]) -> bool {
        let before = self.kept_bytes.fetch_add(body.len(), Ordering::Relaxed);
        let may = before + body.len() <= KEPT_BYTES_MAX;
        if !may {
            self.release(body);
        }
        may
    }

    /// Says that a body is kept no longer.
    pub fn release(&self, body: &[u8]) {
        self.kept_bytes.fetch_sub(body.len(), Ordering::Relaxed);
    }

    /// The answer in a body that is at hand; parsed if it is new.
    pub fn check(
        &self,
        key: BodyKey,
        expected: &Expected,
        media_type: &str,
        body: &[u8],
    ) -> Result<Answer, Failure> {
        if let Some(known) = self.recall(&key) {
            return known;
        }
        let outcome = Answer::read(expected, media_type, body);
        self.lock().entry(key).or_insert(outcome).clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<BodyKey, Result<Answer, Failure>>> {
        // The map is whole after each of its operations, whatever happened to the thread that held it.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
