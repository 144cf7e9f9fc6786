//! Triples and quads in any RDF format.
//!
//! N-Triples and N-Quads have a quick writer of their own; the other formats go through `oxrdfio`.

use super::cells::Cells;
use super::{turtle, xml_limits};
use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::term::{LiteralSort, ResolveTerm, TermId, TermView};
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term, Triple};
use oxrdfio::{RdfFormat, RdfSerializer, WriterQuadSerializer};
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::rc::Rc;

/// Writes the triples of a graph, or the quads of a dataset.
pub struct QuadsWriter(Syntax);

enum Syntax {
    Lines(Cells),
    Serializer {
        serializer: Box<WriterQuadSerializer<Pipe>>,
        pipe: Pipe,
        is_xml: bool,
    },
}

impl QuadsWriter {
    /// Begins an answer in a format.
    pub fn start(format: RdfFormat) -> Self {
        Self(match format {
            RdfFormat::NTriples | RdfFormat::NQuads => {
                Syntax::Lines(Cells::new(turtle::write_term))
            }
            format => {
                let pipe = Pipe::default();
                Syntax::Serializer {
                    serializer: Box::new(
                        RdfSerializer::from_format(format).for_writer(pipe.clone()),
                    ),
                    pipe,
                    is_xml: format == RdfFormat::RdfXml,
                }
            }
        })
    }

    /// Appends some rows of a batch: columns subject, predicate, object, and perhaps graph.
    ///
    /// A format without graphs must be given rows of one graph without that column.
    ///
    /// # Errors
    /// A term cannot be looked up, or the format cannot carry it.
    pub fn write_rows(
        &mut self,
        batch: &Batch,
        rows: Range<usize>,
        terms: &dyn ResolveTerm,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match &mut self.0 {
            Syntax::Lines(cells) => {
                for i in rows {
                    write_line(batch.columns().iter().map(|c| c[i]), cells, terms, out)?;
                }
            }
            Syntax::Serializer {
                serializer,
                pipe,
                is_xml,
            } => {
                for i in rows {
                    let quad = to_quad(batch, i, terms)?;
                    if *is_xml {
                        xml_limits::check(&quad)?;
                    }
                    serializer.serialize_quad(&quad).map_err(refused)?;
                }
                pipe.drain_into(out);
            }
        }
        Ok(())
    }

    /// Appends everything after the last statement.
    ///
    /// # Errors
    /// The format cannot be closed.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<()> {
        if let Syntax::Serializer {
            serializer, pipe, ..
        } = self.0
        {
            serializer.finish().map_err(refused)?;
            pipe.drain_into(out);
        }
        Ok(())
    }
}

fn write_line(
    row: impl Iterator<Item = TermId>,
    cells: &mut Cells,
    terms: &dyn ResolveTerm,
    out: &mut Vec<u8>,
) -> Result<()> {
    for id in row {
        if id != TermId::DEFAULT_GRAPH {
            cells.write(id, terms, out)?;
            out.push(b' ');
        }
    }
    out.extend_from_slice(b".\n");
    Ok(())
}

/// Where a serializer of `oxrdfio` writes to, and where its bytes are taken from between batches.
#[derive(Clone, Default)]
struct Pipe(Rc<RefCell<Vec<u8>>>);

impl Pipe {
    fn drain_into(&self, out: &mut Vec<u8>) {
        out.append(&mut self.0.borrow_mut());
    }
}

impl io::Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A pipe never fails, so what a serializer reports is a statement that its format cannot carry.
fn refused(cause: io::Error) -> Error {
    Error::new(
        crate::diagnostics::ErrorKind::NotAcceptable,
        format!("the format cannot carry this answer: {cause}; ask for N-Triples or N-Quads"),
    )
}

pub(super) fn to_quad(batch: &Batch, row: usize, terms: &dyn ResolveTerm) -> Result<Quad> {
    let ids: Vec<TermId> = batch.columns().iter().map(|c| c[row]).collect();
    let [subject, predicate, object, graph @ ..] = ids.as_slice() else {
        return Err(Error::internal("a statement of fewer than three columns"));
    };
    Ok(Quad::new(
        to_subject(*subject, terms)?,
        to_iri(*predicate, terms)?,
        to_term(*object, terms)?,
        match graph {
            [] | [TermId::DEFAULT_GRAPH] => GraphName::DefaultGraph,
            [id, ..] => to_subject(*id, terms)?.into(),
        },
    ))
}

fn to_subject(id: TermId, terms: &dyn ResolveTerm) -> Result<NamedOrBlankNode> {
    match to_term(id, terms)? {
        Term::NamedNode(node) => Ok(node.into()),
        Term::BlankNode(node) => Ok(node.into()),
        other => Err(Error::internal(format!("{other} cannot be a subject"))),
    }
}

fn to_iri(id: TermId, terms: &dyn ResolveTerm) -> Result<NamedNode> {
    match to_term(id, terms)? {
        Term::NamedNode(node) => Ok(node),
        other => Err(Error::internal(format!("{other} cannot be a predicate"))),
    }
}

/// The term of an id, its text owned.
///
/// # Errors
/// The term cannot be looked up.
pub fn to_term(id: TermId, terms: &dyn ResolveTerm) -> Result<Term> {
    let mut buffer = Vec::new();
    Ok(match terms.resolve(id, &mut buffer)? {
        TermView::Iri(iri) => NamedNode::new_unchecked(iri).into(),
        TermView::Blank { number, local } => {
            let prefix = if local { 'c' } else { 'b' };
            BlankNode::new_unchecked(format!("{prefix}{number}")).into()
        }
        TermView::Literal { lexical, sort } => to_literal(lexical, sort).into(),
        TermView::Triple([s, p, o]) => {
            Triple::new(to_subject(s, terms)?, to_iri(p, terms)?, to_term(o, terms)?).into()
        }
    })
}

fn to_literal(lexical: &str, sort: LiteralSort<'_>) -> Literal {
    match sort {
        LiteralSort::String => Literal::new_simple_literal(lexical),
        LiteralSort::Lang(language, None) => {
            Literal::new_language_tagged_literal_unchecked(lexical, language)
        }
        LiteralSort::Lang(language, Some(direction)) => {
            Literal::new_directional_language_tagged_literal_unchecked(lexical, language, direction)
        }
        LiteralSort::Typed(datatype) => {
            Literal::new_typed_literal(lexical, NamedNode::new_unchecked(datatype))
        }
    }
}
