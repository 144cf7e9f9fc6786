//! SPARQL 1.2 Query Results TSV Format: terms in Turtle's syntax, numbers and booleans bare where Turtle allows it.

use super::cells::{Cells, write_parts};
use super::turtle;
use crate::diagnostics::Result;
use crate::term::{LiteralSort, ResolveTerm, TermId, TermView};
use oxrdf::Variable;
use oxrdf::vocab::xsd;

/// The header line.
pub fn write_head(variables: &[Variable], out: &mut Vec<u8>) {
    for (i, variable) in variables.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"?" } else { b"\t?" });
        out.extend_from_slice(variable.as_str().as_bytes());
    }
    out.push(b'\n');
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
            out.push(b'\t');
        }
        if id.is_bound() {
            cells.write(id, terms, out)?;
        }
    }
    out.push(b'\n');
    Ok(())
}

/// One term as a field.
pub fn write_term(term: TermView<'_>, terms: &dyn ResolveTerm, out: &mut Vec<u8>) -> Result<()> {
    match term {
        TermView::Literal {
            lexical,
            sort: LiteralSort::Typed(datatype),
        } if is_bare(lexical, datatype) => {
            out.extend_from_slice(lexical.as_bytes());
            Ok(())
        }
        TermView::Triple(parts) => {
            let before: [&[u8]; 3] = [b"<<( ", b" ", b" "];
            write_parts(parts, before, b" )>>", write_term, terms, out)
        }
        other => turtle::write_term(other, terms, out),
    }
}

/// Whether Turtle's grammar reads this text, without quotes, as this datatype (rules INTEGER, DECIMAL, DOUBLE).
fn is_bare(lexical: &str, datatype: &str) -> bool {
    if datatype == xsd::BOOLEAN.as_str() {
        return matches!(lexical, "true" | "false");
    }
    match number_kind(lexical.as_bytes()) {
        Some(NumberKind::Integer) => datatype == xsd::INTEGER.as_str(),
        Some(NumberKind::Decimal) => datatype == xsd::DECIMAL.as_str(),
        Some(NumberKind::Double) => datatype == xsd::DOUBLE.as_str(),
        None => false,
    }
}

enum NumberKind {
    Integer,
    Decimal,
    Double,
}

fn number_kind(text: &[u8]) -> Option<NumberKind> {
    let (whole, rest) = digits(unsigned(text));
    let (fraction, rest, point) = match rest {
        [b'.', after @ ..] => {
            let (fraction, rest) = digits(after);
            (fraction, rest, true)
        }
        _ => (0, rest, false),
    };
    match rest {
        [] if point => (fraction > 0).then_some(NumberKind::Decimal),
        [] => (whole > 0).then_some(NumberKind::Integer),
        [b'e' | b'E', exponent @ ..] => {
            let (count, rest) = digits(unsigned(exponent));
            (whole + fraction > 0 && count > 0 && rest.is_empty()).then_some(NumberKind::Double)
        }
        _ => None,
    }
}

fn unsigned(text: &[u8]) -> &[u8] {
    match text {
        [b'+' | b'-', rest @ ..] => rest,
        _ => text,
    }
}

/// The number of leading digits, and what follows them.
fn digits(text: &[u8]) -> (usize, &[u8]) {
    let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
    (count, &text[count..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_turtle_reads_back_as_the_same_literal_is_bare() {
        let check = |lexical: &str, datatype: oxrdf::NamedNodeRef<'_>, bare: bool| {
            assert_eq!(
                is_bare(lexical, datatype.as_str()),
                bare,
                "{lexical} {datatype}"
            );
        };
        check("5", xsd::INTEGER, true);
        check("-05", xsd::INTEGER, true);
        check("+", xsd::INTEGER, false);
        check("5", xsd::DECIMAL, false);
        check("5", xsd::INT, false);
        check(".5", xsd::DECIMAL, true);
        check("5.", xsd::DECIMAL, false);
        check("1.e3", xsd::DOUBLE, true);
        check("1e-3", xsd::DOUBLE, true);
        check("e3", xsd::DOUBLE, false);
        check("1e", xsd::DOUBLE, false);
        check("INF", xsd::DOUBLE, false);
        check("true", xsd::BOOLEAN, true);
        check("1", xsd::BOOLEAN, false);
    }
}
