//! What is loaded: files, or bytes at hand.

use super::report::Meter;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::rdf::{Compression, RdfFormat, format_of_path};
use oxiri::Iri;
use oxrdf::GraphName;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

/// Where a source's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadContent {
    /// In a file, compressed or not as its extension tells.
    File(PathBuf),
    /// At hand, not compressed, with a name for messages.
    Bytes {
        /// The name that messages use.
        name: String,
        /// The document.
        bytes: Vec<u8>,
    },
}

/// A document to load. Its blank node labels are its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadSource {
    /// The document.
    pub content: LoadContent,
    /// Its format; `None`: the one that the file's extension tells.
    pub format: Option<RdfFormat>,
    /// The IRI against which relative IRIs in it are resolved.
    pub base: Option<Iri<String>>,
    /// The graph of the statements that name none.
    pub graph: GraphName,
}

impl LoadSource {
    /// A file, its format told by its extension, for the default graph.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self {
            content: LoadContent::File(path.into()),
            format: None,
            base: None,
            graph: GraphName::DefaultGraph,
        }
    }

    /// Bytes of a format, for the default graph.
    pub fn bytes(name: impl Into<String>, bytes: Vec<u8>, format: RdfFormat) -> Self {
        let name = name.into();
        Self {
            content: LoadContent::Bytes { name, bytes },
            format: Some(format),
            base: None,
            graph: GraphName::DefaultGraph,
        }
    }

    /// The name that messages use.
    pub fn name(&self) -> String {
        match &self.content {
            LoadContent::File(path) => path.display().to_string(),
            LoadContent::Bytes { name, .. } => name.clone(),
        }
    }

    /// The format, given or told by the extension.
    pub(super) fn resolved_format(&self) -> Result<RdfFormat> {
        let told = match &self.content {
            LoadContent::File(path) => format_of_path(path),
            LoadContent::Bytes { .. } => None,
        };
        self.format.or(told).ok_or_else(|| {
            Error::new(
                ErrorKind::UnsupportedMediaType,
                format!(
                    "the name of {} does not tell its format; give one with --format (nt, nq, ttl, trig, rdf, jsonld)",
                    self.name()
                ),
            )
        })
    }

    /// A reader of the document, decompressed; the bytes that it takes from the file are counted.
    pub(super) fn open<'r>(&'r self, meter: &'r Meter<'_>) -> Result<Box<dyn Read + Send + 'r>> {
        match &self.content {
            LoadContent::Bytes { bytes, .. } => Ok(Box::new(Counted(&bytes[..], meter))),
            LoadContent::File(path) => File::open(path)
                .and_then(|file| Compression::of_path(path).reader(Counted(file, meter)))
                .map_err(|e| self.unreadable(e)),
        }
    }

    /// The error for a document that cannot be read.
    pub(super) fn unreadable(&self, cause: io::Error) -> Error {
        match cause.kind() {
            io::ErrorKind::NotFound => Error::new(
                ErrorKind::NotFound,
                format!("there is no file {}", self.name()),
            ),
            _ => Error::user_file(format_args!("cannot read {}", self.name()), cause),
        }
    }
}

struct Counted<'m, R>(R, &'m Meter<'m>);

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.read_bytes(read as u64);
        Ok(read)
    }
}

/// The bytes of all sources, as they lie on disk. A file that does not exist is found here, before anything is done.
pub(super) fn bytes_total(sources: &[LoadSource]) -> Result<u64> {
    let bytes = |source: &LoadSource| match &source.content {
        LoadContent::Bytes { bytes, .. } => Ok(bytes.len() as u64),
        LoadContent::File(path) => std::fs::metadata(path)
            .map(|metadata| metadata.len())
            .map_err(|e| source.unreadable(e)),
    };
    sources.iter().map(bytes).sum()
}
