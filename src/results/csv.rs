//! SPARQL 1.2 Query Results CSV Format: terms as the text of `STR()`, quoted as RFC 4180 says.

use super::cells::{Cells, write_blank_label, write_parts};
use crate::diagnostics::Result;
use crate::term::{ResolveTerm, TermId, TermView};
use oxrdf::Variable;

/// The header line.
pub fn write_head(variables: &[Variable], out: &mut Vec<u8>) {
    for (i, variable) in variables.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(variable.as_str().as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

/// One solution; the field of an unbound variable is empty.
pub fn write_row(
    row: impl Iterator<Item = TermId>,
    cells: &mut Cells,
    terms: &dyn ResolveTerm,
    out: &mut Vec<u8>,
) -> Result<()> {
    for (i, id) in row.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        if id.is_bound() {
            cells.write(id, terms, out)?;
        }
    }
    out.extend_from_slice(b"\r\n");
    Ok(())
}

/// One term as a field.
pub fn write_term(term: TermView<'_>, terms: &dyn ResolveTerm, out: &mut Vec<u8>) -> Result<()> {
    match term {
        TermView::Iri(text) | TermView::Literal { lexical: text, .. } => write_field(text, out),
        TermView::Blank { number, local } => {
            out.extend_from_slice(b"_:");
            write_blank_label(number, local, out);
        }
        TermView::Triple(parts) => {
            let mut inner = Vec::new();
            let before: [&[u8]; 3] = [b"<<( ", b" ", b" "];
            write_parts(parts, before, b" )>>", write_part, terms, &mut inner)?;
            // The bytes were put together from whole texts.
            write_field(&String::from_utf8_lossy(&inner), out);
        }
    }
    Ok(())
}

/// A part of a triple term: like a field, but a literal is always in quotation marks.
fn write_part(term: TermView<'_>, terms: &dyn ResolveTerm, out: &mut Vec<u8>) -> Result<()> {
    match term {
        TermView::Literal { lexical, .. } => {
            write_quoted(lexical, out);
            Ok(())
        }
        other => write_term(other, terms, out),
    }
}

fn write_field(text: &str, out: &mut Vec<u8>) {
    let is_special = |b: u8| matches!(b, b'"' | b',' | b'\n' | b'\r');
    if text.bytes().any(is_special) {
        write_quoted(text, out);
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

fn write_quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for (i, piece) in text.as_bytes().split(|&b| b == b'"').enumerate() {
        if i > 0 {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(piece);
    }
    out.push(b'"');
}
