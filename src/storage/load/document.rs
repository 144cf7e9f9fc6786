//! Documents of the other formats, each parsed as a whole by one thread.

use super::intern::Interner;
use super::parse::{Piece, Shared, lock};
use super::report::SkippedStatement;
use crate::diagnostics::{Error, ErrorKind, Result, TextPosition};
use crate::rdf::{RdfFormat, SyntaxFault, watched};
use crate::storage::load::source::LoadSource;
use oxrdf::{Quad, Triple};
use oxrdfio::{RdfParseError, RdfParser};

/// The quads after which the size of the chunk is looked at.
const QUADS_AT_ONCE: usize = 4096;

/// Parses the document of a piece.
///
/// # Errors
/// It cannot be read, or does not parse and the load is not lenient.
pub fn parse_document(
    shared: &Shared<'_>,
    interner: &mut Interner,
    piece: &Piece,
    format: RdfFormat,
) -> Result<()> {
    let source = &shared.sources[piece.source as usize];
    let mut parser = RdfParser::from_format(format).with_default_graph(source.graph.clone());
    if let Some(base) = &source.base {
        parser = parser
            .with_base_iri(base.as_str())
            .map_err(|e| Error::new(ErrorKind::Settings, "the base is no IRI").caused_by(e))?;
    }
    let (document, watch) = watched(format, source.open(shared.meter)?);
    let mut told = interner.quads();
    for quad in parser.for_reader(document) {
        match quad {
            Ok(quad) => push(interner, piece.source, quad).map_err(|e| e.context(source.name()))?,
            Err(RdfParseError::Io(e)) => return Err(source.unreadable(e)),
            Err(RdfParseError::Syntax(e)) => refuse(shared, piece, source, watch.fault(&e))?,
        }
        if interner.quads() - told >= QUADS_AT_ONCE {
            shared.meter.read_quads((interner.quads() - told) as u64);
            shared.seal_if_full(interner)?;
            told = interner.quads();
        }
    }
    shared.meter.read_quads((interner.quads() - told) as u64);
    match watch.fault_of_end() {
        Some(fault) => refuse(shared, piece, source, fault),
        None => Ok(()),
    }
}

fn push(interner: &mut Interner, source: u32, quad: Quad) -> Result<()> {
    let Quad {
        subject,
        predicate,
        object,
        graph_name,
    } = quad;
    let triple = Triple::new(subject, predicate, object);
    interner.push(source, &triple, &graph_name).map_err(|_| {
        Error::new(
            ErrorKind::Syntax,
            format!("a term of this statement is not allowed: {triple}"),
        )
    })
}

/// Skips what does not parse in a lenient load; in any other it is an error.
fn refuse(
    shared: &Shared<'_>,
    piece: &Piece,
    source: &LoadSource,
    fault: SyntaxFault,
) -> Result<()> {
    let SyntaxFault {
        message,
        place,
        excerpt,
    } = fault;
    if shared.lenient {
        let line = place.map_or(0, |(line, _)| line);
        let skipped = SkippedStatement {
            source: source.name(),
            line,
            message,
        };
        lock(&shared.skipped).add((piece.number, line), skipped);
        return Ok(());
    }
    let error = Error::new(ErrorKind::Syntax, message);
    Err(match place {
        Some((line, column)) => error.at(TextPosition {
            file: Some(source.name()),
            line,
            column,
            excerpt,
        }),
        None => error.context(source.name()),
    })
}
