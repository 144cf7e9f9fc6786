//! SPARQL 1.2 Query Results JSON Format: terms, and what stands around them.

use super::cells::{Cells, write_blank_label, write_parts};
use super::escape;
use crate::diagnostics::Result;
use crate::term::{LiteralSort, ResolveTerm, TermId, TermView};
use oxrdf::{BaseDirection, Variable};

/// The head, up to the first row.
pub fn write_head(variables: &[Variable], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"head\":{\"vars\":[");
    for (i, variable) in variables.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"\"" } else { b",\"" });
        escape::json(variable.as_str(), out);
        out.push(b'"');
    }
    out.extend_from_slice(b"]},\"results\":{\"bindings\":[");
}

/// What is written before a value of each variable.
pub fn keys(variables: &[Variable]) -> Vec<Vec<u8>> {
    let key = |v: &Variable| {
        let mut key = vec![b'"'];
        escape::json(v.as_str(), &mut key);
        key.extend_from_slice(b"\":");
        key
    };
    variables.iter().map(key).collect()
}

/// One solution; unbound variables are left out.
pub fn write_row(
    row: impl Iterator<Item = TermId>,
    keys: &[Vec<u8>],
    first: bool,
    cells: &mut Cells,
    terms: &dyn ResolveTerm,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.extend_from_slice(if first { b"\n{" } else { b",\n{" });
    let mut separate = false;
    for (id, key) in row.zip(keys) {
        if id.is_bound() {
            if separate {
                out.push(b',');
            }
            separate = true;
            out.extend_from_slice(key);
            cells.write(id, terms, out)?;
        }
    }
    out.push(b'}');
    Ok(())
}

/// The end.
pub const TAIL: &[u8] = b"\n]}}\n";

/// One term as a JSON object.
pub fn write_term(term: TermView<'_>, terms: &dyn ResolveTerm, out: &mut Vec<u8>) -> Result<()> {
    match term {
        TermView::Iri(iri) => {
            out.extend_from_slice(b"{\"type\":\"uri\",\"value\":\"");
            escape::json(iri, out);
        }
        TermView::Blank { number, local } => {
            out.extend_from_slice(b"{\"type\":\"bnode\",\"value\":\"");
            write_blank_label(number, local, out);
        }
        TermView::Literal { lexical, sort } => {
            out.extend_from_slice(b"{\"type\":\"literal\",\"value\":\"");
            escape::json(lexical, out);
            write_sort(sort, out);
        }
        TermView::Triple(parts) => {
            let before: [&[u8]; 3] = [
                b"{\"type\":\"triple\",\"value\":{\"subject\":",
                b",\"predicate\":",
                b",\"object\":",
            ];
            return write_parts(parts, before, b"}}", write_term, terms, out);
        }
    }
    out.extend_from_slice(b"\"}");
    Ok(())
}

/// The members after the value, up to the last closing quote.
fn write_sort(sort: LiteralSort<'_>, out: &mut Vec<u8>) {
    match sort {
        LiteralSort::String => {}
        LiteralSort::Lang(language, direction) => {
            out.extend_from_slice(b"\",\"xml:lang\":\"");
            escape::json(language, out);
            match direction {
                None => {}
                Some(BaseDirection::Ltr) => out.extend_from_slice(b"\",\"its:dir\":\"ltr"),
                Some(BaseDirection::Rtl) => out.extend_from_slice(b"\",\"its:dir\":\"rtl"),
            }
        }
        LiteralSort::Typed(datatype) => {
            out.extend_from_slice(b"\",\"datatype\":\"");
            escape::json(datatype, out);
        }
    }
}
