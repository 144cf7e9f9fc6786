//! N-Triples and N-Quads, line by line: a line is a statement, so each can be parsed and skipped by itself.
//!
//! A line without a backslash goes through the parser without its checks of IRIs and language tags, since the
//! interner checks each new one; in such a line there is nothing else that the parser would check. A line that turns
//! out bad is parsed once more with all checks, for the message and the column.

use super::intern::Interner;
use super::parse::{Piece, Shared, lock};
use super::report::SkippedStatement;
use crate::diagnostics::{Error, ErrorKind, Result, TextPosition};
use crate::rdf::excerpt;
use oxrdf::{GraphName, Quad, Triple};
use oxttl::{NQuadsParser, NTriplesParser, TurtleSyntaxError};
use std::io::{self, BufRead, Read};

/// The bytes that are read before a cut.
const PIECE_BYTES: u64 = 1 << 20;

/// A format whose statements are lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFormat {
    /// N-Triples.
    NTriples,
    /// N-Quads.
    NQuads,
}

/// Cuts a document into pieces of whole lines, and hands each on with the number of its first line, until `emit`
/// wants no more.
///
/// # Errors
/// Reading failed.
pub fn cut_lines(
    mut reader: impl Read,
    mut emit: impl FnMut(u64, Vec<u8>) -> bool,
) -> io::Result<()> {
    let mut carry = Vec::new();
    let mut line = 1;
    loop {
        let mut piece = std::mem::take(&mut carry);
        piece.reserve(PIECE_BYTES as usize + 4096);
        let fresh = piece.len();
        let read = reader.by_ref().take(PIECE_BYTES).read_to_end(&mut piece)?;
        if read > 0 {
            let Some(last) = piece[fresh..].iter().rposition(|&b| b == b'\n') else {
                carry = piece;
                continue;
            };
            carry = piece.split_off(fresh + last + 1);
        }
        let lines = piece.iter().filter(|&&b| b == b'\n').count() as u64;
        if !piece.is_empty() && !emit(line, piece) || read == 0 {
            return Ok(());
        }
        line += lines;
    }
}

/// Parses the lines of a piece.
///
/// # Errors
/// A line does not parse, and the load is not lenient.
pub fn parse_lines(
    shared: &Shared<'_>,
    interner: &mut Interner,
    piece: &Piece,
    format: LineFormat,
    first_line: u64,
    mut bytes: &[u8],
) -> Result<()> {
    let source = &shared.sources[piece.source as usize];
    let mut number = first_line;
    let before = interner.quads();
    while !bytes.is_empty() {
        let all = bytes;
        let len = bytes.skip_until(b'\n').unwrap_or(all.len());
        let line = &all[..len];
        let kept = interner.quads();
        let outcome = parse_line(interner, piece.source, &source.graph, format, line);
        if let Err((column, message)) = outcome {
            interner.truncate(kept);
            if !shared.lenient {
                let position = TextPosition {
                    file: Some(source.name()),
                    line: number,
                    column: column + 1,
                    excerpt: excerpt(line, column + 1),
                };
                return Err(Error::new(ErrorKind::Syntax, message).at(position));
            }
            let skipped = SkippedStatement {
                source: source.name(),
                line: number,
                message,
            };
            lock(&shared.skipped).add((piece.number, number), skipped);
        }
        number += 1;
    }
    shared.meter.read_quads((interner.quads() - before) as u64);
    Ok(())
}

/// The column, from 0, and the message of what is wrong with a line.
type LineError = (u64, String);

fn parse_line(
    interner: &mut Interner,
    source: u32,
    graph: &GraphName,
    format: LineFormat,
    line: &[u8],
) -> Result<(), LineError> {
    let kept = interner.quads();
    if !line.contains(&b'\\') && push_line(interner, source, graph, format, line, true).is_ok() {
        return Ok(());
    }
    interner.truncate(kept);
    push_line(interner, source, graph, format, line, false)
}

/// Parses a line and interns its statement, with or without the parser's own checks.
fn push_line(
    interner: &mut Interner,
    source: u32,
    graph: &GraphName,
    format: LineFormat,
    line: &[u8],
    quick: bool,
) -> Result<(), LineError> {
    let mut push = |triple: Triple, graph: &GraphName| {
        let invalid = |_| (0, "a term of this statement is not allowed".to_owned());
        interner.push(source, &triple, graph).map_err(invalid)
    };
    match format {
        LineFormat::NTriples => {
            let parser = NTriplesParser::new();
            let parser = if quick { parser.lenient() } else { parser };
            for triple in parser.for_slice(line) {
                push(triple.map_err(line_error)?, graph)?;
            }
        }
        LineFormat::NQuads => {
            let parser = NQuadsParser::new();
            let parser = if quick { parser.lenient() } else { parser };
            for quad in parser.for_slice(line) {
                let Quad {
                    subject,
                    predicate,
                    object,
                    graph_name,
                } = quad.map_err(line_error)?;
                let graph = if graph_name.is_default_graph() {
                    graph
                } else {
                    &graph_name
                };
                push(Triple::new(subject, predicate, object), graph)?;
            }
        }
    }
    Ok(())
}

fn line_error(error: TurtleSyntaxError) -> LineError {
    (error.location().start.column, error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_at_line_ends_and_know_their_first_line() {
        let line = format!("{}\n", "x".repeat(99));
        let mut text = line.repeat(30_000);
        text.push_str(&"y".repeat(3_000_000));
        let mut together = Vec::new();
        let mut pieces = 0;
        cut_lines(text.as_bytes(), |first_line, bytes| {
            let before = together.iter().filter(|&&b| b == b'\n').count() as u64;
            assert_eq!(first_line, before + 1);
            together.extend(bytes);
            pieces += 1;
            true
        })
        .unwrap();
        assert!(together == text.as_bytes());
        assert_eq!(pieces, 4);
    }
}
