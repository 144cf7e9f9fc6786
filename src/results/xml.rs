//! SPARQL 1.2 Query Results XML Format: terms, and what stands around them.

use super::cells::{Cells, write_blank_label, write_parts};
use super::escape;
use crate::diagnostics::Result;
use crate::term::{LiteralSort, ResolveTerm, TermId, TermView};
use oxrdf::{BaseDirection, Variable};

/// How every document begins.
pub const PROLOGUE: &[u8] =
    b"<?xml version=\"1.0\"?>\n<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\"><head>";

/// The head, up to the first row. Names of variables need no escaping: none of their characters is special in XML.
pub fn write_head(variables: &[Variable], out: &mut Vec<u8>) {
    out.extend_from_slice(PROLOGUE);
    for variable in variables {
        out.extend_from_slice(b"<variable name=\"");
        out.extend_from_slice(variable.as_str().as_bytes());
        out.extend_from_slice(b"\"/>");
    }
    out.extend_from_slice(b"</head><results>");
}

/// What is written before a value of each variable.
pub fn keys(variables: &[Variable]) -> Vec<Vec<u8>> {
    let key = |v: &Variable| format!("<binding name=\"{}\">", v.as_str()).into_bytes();
    variables.iter().map(key).collect()
}

/// One solution; unbound variables are left out.
pub fn write_row(
    row: impl Iterator<Item = TermId>,
    keys: &[Vec<u8>],
    cells: &mut Cells,
    terms: &dyn ResolveTerm,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.extend_from_slice(b"\n<result>");
    for (id, key) in row.zip(keys) {
        if id.is_bound() {
            out.extend_from_slice(key);
            cells.write(id, terms, out)?;
            out.extend_from_slice(b"</binding>");
        }
    }
    out.extend_from_slice(b"</result>");
    Ok(())
}

/// The end.
pub const TAIL: &[u8] = b"\n</results></sparql>\n";

/// One term as an XML element.
pub fn write_term(term: TermView<'_>, terms: &dyn ResolveTerm, out: &mut Vec<u8>) -> Result<()> {
    match term {
        TermView::Iri(iri) => {
            out.extend_from_slice(b"<uri>");
            escape::xml(iri, out)?;
            out.extend_from_slice(b"</uri>");
        }
        TermView::Blank { number, local } => {
            out.extend_from_slice(b"<bnode>");
            write_blank_label(number, local, out);
            out.extend_from_slice(b"</bnode>");
        }
        TermView::Literal { lexical, sort } => {
            write_literal_start(sort, out)?;
            escape::xml(lexical, out)?;
            out.extend_from_slice(b"</literal>");
        }
        TermView::Triple(parts) => {
            let before: [&[u8]; 3] = [
                b"<triple><subject>",
                b"</subject><predicate>",
                b"</predicate><object>",
            ];
            return write_parts(parts, before, b"</object></triple>", write_term, terms, out);
        }
    }
    Ok(())
}

fn write_literal_start(sort: LiteralSort<'_>, out: &mut Vec<u8>) -> Result<()> {
    match sort {
        LiteralSort::String => out.extend_from_slice(b"<literal>"),
        LiteralSort::Lang(language, direction) => {
            out.extend_from_slice(b"<literal xml:lang=\"");
            escape::xml(language, out)?;
            if let Some(direction) = direction {
                out.extend_from_slice(match direction {
                    BaseDirection::Ltr => b"\" its:dir=\"ltr",
                    BaseDirection::Rtl => b"\" its:dir=\"rtl",
                });
                out.extend_from_slice(
                    b"\" its:version=\"2.0\" xmlns:its=\"http://www.w3.org/2005/11/its",
                );
            }
            out.extend_from_slice(b"\">");
        }
        LiteralSort::Typed(datatype) => {
            out.extend_from_slice(b"<literal datatype=\"");
            escape::xml(datatype, out)?;
            out.extend_from_slice(b"\">");
        }
    }
    Ok(())
}
