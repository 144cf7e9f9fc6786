//! Numbers as values.
//!
//! The standards say which number an operation has, and not always how it is written: `2`, `2.0` and `2.0E0` are the same
//! `xsd:double`. Where a test is about the number, both sides are brought to one form.

use oxrdf::vocab::xsd;
use oxrdf::{Literal, Term};
use oxsdatatypes::Decimal;
use std::str::FromStr;

/// The term with its number in one form; datatypes are kept apart, and what is no number stays.
pub fn canonical_number(term: Term) -> Term {
    let Term::Literal(literal) = &term else {
        return term;
    };
    let (text, datatype) = (literal.value(), literal.datatype());
    let form = if datatype == xsd::DOUBLE || datatype == xsd::FLOAT {
        float_form(text)
    } else if datatype == xsd::DECIMAL || datatype == xsd::INTEGER {
        Decimal::from_str(text).ok().map(|d| d.to_string())
    } else {
        None
    };
    match form {
        Some(form) => Literal::new_typed_literal(form, datatype.into_owned()).into(),
        None => term,
    }
}

/// Fifteen digits: sums in another order differ in the last bits.
fn float_form(text: &str) -> Option<String> {
    let value: f64 = match text {
        "INF" | "+INF" => f64::INFINITY,
        "-INF" => f64::NEG_INFINITY,
        _ => text.parse().ok()?,
    };
    // Minus zero equals zero.
    Some(format!("{:.13e}", value + 0.0))
}
