//! The data that the components work on: a small store on disk, its terms, and rows of its ids.

use kaluta::batch::Batch;
use kaluta::diagnostics::{Error, Result};
use kaluta::results::RdfFormat;
use kaluta::storage::{
    ColumnMask, LoadOptions, LoadSource, Permutation, QuadColumn, Snapshot, Store,
};
use kaluta::term::{TermId, TermStore, TermView};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// The rows of a batch, which both numbers of iterations are a multiple of.
pub const ROWS: usize = 1_000;

/// Subjects of the store; each has a title, a next one, a year and a dirty year.
pub const SUBJECTS: usize = 100_000;
const XSD_INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";

/// A store and what is in it.
pub struct Fixture {
    /// The open store.
    pub store: Store,
    /// What it holds.
    pub snapshot: Arc<Snapshot>,
    /// The IRIs of the subjects.
    pub subjects: Vec<String>,
    /// Its document.
    pub document: String,
    folder: TempDir,
}

impl Fixture {
    /// Makes it.
    ///
    /// # Errors
    /// The store cannot be made.
    pub fn new() -> Result<Self> {
        let folder = tempfile::tempdir().map_err(|e| Error::io("making a folder", e))?;
        let subjects: Vec<_> = (0..SUBJECTS).map(subject).collect();
        let document = document(&subjects);
        let store = Store::open(&folder.path().join("store"))?;
        let source = LoadSource::bytes(
            "document",
            document.clone().into_bytes(),
            RdfFormat::NTriples,
        );
        store.bulk_load(vec![source], &LoadOptions::default(), &())?;
        Ok(Self {
            snapshot: store.snapshot(),
            store,
            subjects,
            document,
            folder,
        })
    }

    /// A copy of the store, for another process or engine to open.
    ///
    /// # Errors
    /// There is a copy of this name, or none can be made.
    pub fn copy(&self, name: &str) -> Result<PathBuf> {
        let copy = self.folder.path().join(name);
        self.store.backup(&copy)?;
        Ok(copy)
    }

    /// The id of a predicate.
    ///
    /// # Errors
    /// The store cannot be read, or does not have it.
    pub fn predicate(&self, name: &str) -> Result<TermId> {
        self.iri(&format!("http://example.org/{name}"))
    }

    /// The id of an IRI.
    ///
    /// # Errors
    /// The store cannot be read, or does not have it.
    pub fn iri(&self, iri: &str) -> Result<TermId> {
        let found = self.snapshot.lookup(&TermView::Iri(iri))?;
        found.ok_or_else(|| Error::internal(format!("the store lacks {iri}")))
    }

    /// Subjects and objects of a predicate, in the order of the subjects.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn pairs(&self, predicate: &str) -> Result<Batch> {
        let columns = ColumnMask::NONE
            .with(QuadColumn::Subject)
            .with(QuadColumn::Object);
        let prefix = [self.predicate(predicate)?];
        let mut scan = self.snapshot.scan(Permutation::Psog, &prefix, columns)?;
        let mut pairs = Batch::empty(2);
        while let Some(block) = scan.next_block()? {
            let rows = [QuadColumn::Subject, QuadColumn::Object].map(|c| block.column(c).to_vec());
            pairs.append(&Batch::new(rows.to_vec(), block.rows()));
        }
        Ok(pairs)
    }

    /// A batch of the objects of a predicate, those of the first subjects.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn objects(&self, predicate: &str) -> Result<Batch> {
        let pairs = self.pairs(predicate)?.slice(0, ROWS);
        Ok(Batch::new(vec![pairs.column(1).to_vec()], pairs.rows()))
    }
}

/// The id of a number.
///
/// # Panics
/// Never: every number of 32 bits fits into an id.
pub fn integer(number: u32) -> TermId {
    TermId::encode_inline(&number.to_string(), XSD_INTEGER).expect("a small integer fits an id")
}

fn subject(n: usize) -> String {
    format!("http://example.org/article/{n}")
}

fn document(subjects: &[String]) -> String {
    let mut text = String::new();
    for (n, subject) in subjects.iter().enumerate() {
        let next = &subjects[(n * 7 + 1) % subjects.len()];
        let year = 1900 + n % 120;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "<{subject}> <http://example.org/title> \"The title of article {n}\" .\n\
             <{subject}> <http://example.org/next> <{next}> .\n\
             <{subject}> <http://example.org/year> \"{year}\"^^<{XSD_INTEGER}> .\n\
             <{subject}> <http://example.org/dirty> \"{year}? ({n})\" .\n"
        );
    }
    text
}
