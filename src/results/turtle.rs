//! Terms in the syntax of N-Triples.

use super::cells::{write_blank_label, write_parts};
use super::escape;
use crate::diagnostics::Result;
use crate::term::{LiteralSort, ResolveTerm, TermView};
use oxrdf::BaseDirection;

/// One term as N-Triples 1.2 writes it.
pub fn write_term(term: TermView<'_>, terms: &dyn ResolveTerm, out: &mut Vec<u8>) -> Result<()> {
    match term {
        TermView::Iri(iri) => write_iri(iri, out),
        TermView::Blank { number, local } => {
            out.extend_from_slice(b"_:");
            write_blank_label(number, local, out);
        }
        TermView::Literal { lexical, sort } => {
            out.push(b'"');
            escape::turtle_string(lexical, out);
            out.push(b'"');
            write_sort(sort, out);
        }
        TermView::Triple(parts) => {
            let before: [&[u8]; 3] = [b"<<( ", b" ", b" "];
            return write_parts(parts, before, b" )>>", write_term, terms, out);
        }
    }
    Ok(())
}

fn write_iri(iri: &str, out: &mut Vec<u8>) {
    out.push(b'<');
    escape::turtle_iri(iri, out);
    out.push(b'>');
}

fn write_sort(sort: LiteralSort<'_>, out: &mut Vec<u8>) {
    match sort {
        LiteralSort::String => {}
        LiteralSort::Lang(language, direction) => {
            out.push(b'@');
            out.extend_from_slice(language.as_bytes());
            match direction {
                None => {}
                Some(BaseDirection::Ltr) => out.extend_from_slice(b"--ltr"),
                Some(BaseDirection::Rtl) => out.extend_from_slice(b"--rtl"),
            }
        }
        LiteralSort::Typed(datatype) => {
            out.extend_from_slice(b"^^");
            write_iri(datatype, out);
        }
    }
}
