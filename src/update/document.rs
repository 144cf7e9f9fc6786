//! RDF documents on their way into a transaction.

use super::changes::Changes;
use super::terms::DocumentTerms;
use crate::diagnostics::{Error, ErrorKind, Result, TextPosition};
use crate::rdf::{ParserWatch, RdfFormat, SyntaxFault, watched};
use crate::storage::Quad;
use oxrdf::GraphName;
use oxrdfio::{RdfParseError, RdfParser};
use std::io::Read;

/// The quads after which the request's limits are looked at.
const STEP: usize = 1024;

/// Why a document was not loaded: by its own fault, which SILENT ignores, or since the request or the store cannot go on,
/// which it does not (SPARQL 1.1 Update, section 3.1.4).
#[derive(Debug)]
pub enum LoadError {
    /// It may not or cannot be had, or does not parse.
    Document(Error),
    /// The request is over, cancelled or over a limit, or the store failed.
    Request(Error),
}

impl From<Error> for LoadError {
    fn from(error: Error) -> Self {
        Self::Request(error)
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Document(error) | LoadError::Request(error) => error,
        }
    }
}

/// A document that is read, and where its statements go.
pub struct Document {
    /// The name that messages use.
    pub name: String,
    /// Its bytes, decompressed.
    pub reader: Box<dyn Read + Send>,
    /// Its format.
    pub format: RdfFormat,
    /// The IRI against which relative ones in it are resolved.
    pub base: Option<String>,
    /// The graph of its statements; `None`: those that it names itself, and the default graph for the others.
    pub graph: Option<GraphName>,
}

impl Document {
    /// Its quads. The terms are interned, but nothing is inserted.
    ///
    /// # Errors
    /// It cannot be read or does not parse (with line and column), or the request is over a limit.
    fn read(self, changes: &mut Changes) -> Result<Vec<Quad>, LoadError> {
        let parser = parser(self.format, self.base.as_deref(), self.graph);
        let parser = parser.map_err(LoadError::Document)?;
        let mut terms = DocumentTerms::default();
        let mut quads: Vec<Quad> = Vec::new();
        let (document, watch) = watched(self.format, self.reader);
        let name = &self.name;
        for quad in parser.for_reader(document) {
            let quad = quad.map_err(|e| LoadError::Document(failed(name, e, &watch)))?;
            quads.push(terms.parsed(changes, &quad)?);
            if quads.len().is_multiple_of(STEP) {
                changes.check_with(quads.len() * size_of::<Quad>())?;
            }
        }
        match watch.fault_of_end() {
            Some(fault) => Err(LoadError::Document(syntax_error(name, fault))),
            None => Ok(quads),
        }
    }

    /// Inserts its quads.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn insert(self, changes: &mut Changes) -> Result<(), LoadError> {
        for quad in self.read(changes)? {
            changes.insert(quad)?;
        }
        Ok(())
    }
}

/// A parser for a document; without a graph, for the statements of all graphs that it names.
fn parser(format: RdfFormat, base: Option<&str>, graph: Option<GraphName>) -> Result<RdfParser> {
    let mut parser = RdfParser::from_format(format);
    if let Some(base) = base {
        parser = parser.with_base_iri(base).map_err(|e| {
            let message = format!("the base <{base}> is not an absolute IRI");
            Error::new(ErrorKind::BadRequest, message).caused_by(e)
        })?;
    }
    Ok(match graph {
        Some(graph) => parser.without_named_graphs().with_default_graph(graph),
        None => parser,
    })
}

fn failed(name: &str, cause: RdfParseError, watch: &ParserWatch) -> Error {
    match cause {
        RdfParseError::Syntax(cause) => syntax_error(name, watch.fault(&cause)),
        RdfParseError::Io(cause) => {
            // The bytes came from the client, so what is wrong with them is the client's to know.
            let message = format!("reading {name}: {cause}");
            Error::new(ErrorKind::BadRequest, message).caused_by(cause)
        }
    }
}

/// The error for what does not parse, with its place where that is known.
fn syntax_error(name: &str, fault: SyntaxFault) -> Error {
    let error = Error::new(ErrorKind::Syntax, format!("{name}: {}", fault.message));
    match fault.place {
        Some((line, column)) => error.at(TextPosition {
            file: None,
            line,
            column,
            excerpt: fault.excerpt,
        }),
        None => error,
    }
}
