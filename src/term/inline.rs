//! Terms whose value and lexical form both fit into the 60 bits below an id's tag.
//!
//! [`TermId::encode_inline`] takes a literal in only when its lexical form is valid for its datatype (XSD 1.1 Part 2)
//! and [`resolve`] gives back exactly the same text; whatever it declines is a number into the dictionary. So one
//! literal has one id, and a filter on numbers or dates reads values out of ids alone. The layouts stand in
//! [`number`] and [`time`]; they are part of the format on disk.

pub mod number;
pub mod time;

use super::{LiteralSort, Tag, TermId, TermView};

/// What the IRIs of all XML Schema datatypes begin with.
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

impl TermId {
    /// The id of a literal that fits, or `None` when the dictionary must hold it.
    pub fn encode_inline(lexical: &str, datatype: &str) -> Option<Self> {
        let text = lexical.as_bytes();
        match datatype.strip_prefix(XSD)? {
            "integer" => number::encode_integer_text(text),
            "decimal" => number::encode_decimal(text),
            "double" => number::encode_double(lexical),
            "float" => number::encode_float(lexical),
            "boolean" => encode_boolean(text),
            "dateTime" => time::encode_date_time(text),
            "date" => time::encode_date(text),
            "gYear" => time::encode_gyear(text),
            _ => None,
        }
    }

    /// The id of `true` or `false`, in its canonical form.
    #[inline]
    pub const fn from_boolean(value: bool) -> Self {
        Self::new(Tag::Boolean, value as u64)
    }

    /// The value of an inline `xsd:boolean`.
    #[inline]
    pub const fn as_boolean(self) -> Option<bool> {
        match self.tag() {
            Tag::Boolean => Some(self.payload() & 1 == 1),
            _ => None,
        }
    }
}

/// The lexical forms of `xsd:boolean`; a form's place is its payload, and its lowest bit the value.
const BOOLEAN_FORMS: [&str; 4] = ["false", "true", "0", "1"];

fn encode_boolean(text: &[u8]) -> Option<TermId> {
    let form = BOOLEAN_FORMS.iter().position(|f| f.as_bytes() == text)?;
    Some(TermId::new(Tag::Boolean, form as u64))
}

/// The datatype IRI of the literals that a tag stands for, if it is an inline tag.
pub const fn datatype(tag: Tag) -> Option<&'static str> {
    Some(match tag {
        Tag::Boolean => "http://www.w3.org/2001/XMLSchema#boolean",
        Tag::Integer => "http://www.w3.org/2001/XMLSchema#integer",
        Tag::Decimal => "http://www.w3.org/2001/XMLSchema#decimal",
        Tag::Double => "http://www.w3.org/2001/XMLSchema#double",
        Tag::Float => "http://www.w3.org/2001/XMLSchema#float",
        Tag::DateTime => "http://www.w3.org/2001/XMLSchema#dateTime",
        Tag::Date => "http://www.w3.org/2001/XMLSchema#date",
        Tag::GYear => "http://www.w3.org/2001/XMLSchema#gYear",
        _ => return None,
    })
}

/// The literal of an inline id; `buffer` is overwritten and lends its bytes to the answer.
///
/// # Panics
/// When the id is not inline: callers look at the tag first.
pub fn resolve(id: TermId, buffer: &mut Vec<u8>) -> TermView<'_> {
    let Some(datatype) = datatype(id.tag()) else {
        panic!("{id:?} is not an inline term");
    };
    buffer.clear();
    match id.tag() {
        Tag::Boolean => {
            buffer.extend_from_slice(BOOLEAN_FORMS[(id.payload() & 3) as usize].as_bytes());
        }
        Tag::Integer => number::write_integer(id, buffer),
        Tag::Decimal => number::write_decimal(id, buffer),
        Tag::Double | Tag::Float => number::write_floating(id, buffer),
        Tag::DateTime => time::write_date_time(id, buffer),
        Tag::Date => time::write_date(id, buffer),
        _ => time::write_gyear(id, buffer),
    }
    TermView::Literal {
        lexical: std::str::from_utf8(buffer).unwrap_or_default(),
        sort: LiteralSort::Typed(datatype),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(datatype: &str, lexical: &str, inline: bool) {
        let datatype = format!("{XSD}{datatype}");
        let id = TermId::encode_inline(lexical, &datatype);
        assert_eq!(id.is_some(), inline, "{lexical:?} of {datatype}");
        if let Some(id) = id {
            let expected = TermView::Literal {
                lexical,
                sort: LiteralSort::Typed(&datatype),
            };
            assert_eq!(resolve(id, &mut Vec::new()), expected);
        }
    }

    #[test]
    fn common_lexical_forms_are_inline_and_come_back() {
        for (datatype, texts) in [
            ("boolean", "true false 1 0"),
            (
                "integer",
                "0 1 -1 42 576460752303423487 -576460752303423488",
            ),
            (
                "decimal",
                "0 1 1.50 -0.0 0.05 -12.250 0.000000000000001 36028797018963967",
            ),
            (
                "double",
                "1 1.0 -0 0.1 1.5E3 2e-7 1E22 INF -INF NaN 1.0E-21",
            ),
            ("float", "1 1.5 0.1 -2.5E10 INF NaN"),
            (
                "dateTime",
                "2020-02-29T12:30:59 0001-01-01T00:00:00Z 9999-12-31T24:00:00 2020-01-01T00:00:00.5+01:30
                 2020-01-01T00:00:00.500-00:00 2020-01-01T00:00:00.00+00:00 2020-01-01T00:00:00-14:00",
            ),
            ("date", "2020-02-29 2021-12-31Z 1999-01-01+14:00"),
            ("gYear", "1999 2000Z 0001-05:00"),
        ] {
            for text in texts.split_whitespace() {
                check(datatype, text, true);
            }
        }
    }

    #[test]
    fn other_lexical_forms_and_ill_typed_literals_go_to_the_dictionary() {
        for (datatype, texts) in [
            ("boolean", "TRUE yes 01"),
            (
                "integer",
                "01 +1 -0 - 1.0 576460752303423488 -576460752303423489 99999999999999999999 1x",
            ),
            (
                "decimal",
                "+1.0 01.0 .5 5. . - 1e3 0.0000000000000001 36028797018963968 00.1",
            ),
            (
                "double",
                "+1 01 1. .5 1E+3 1E03 1E-0 1e40 infinity inf 1E 123456789012345678 1e--1 nan",
            ),
            ("float", "0.1234567890123456 1.f 340282357E31"),
            (
                "dateTime",
                "2020-13-01T00:00:00 2019-02-29T00:00:00 2020-01-01T24:00:01 2020-01-01T00:60:00
                 2020-01-01T00:00:60 2020-01-01T00:00:00.1234 -2020-01-01T00:00:00 0000-01-01T00:00:00
                 12020-01-01T00:00:00 2020-01-01T00:00:00+01:20 2020-01-01T00:00:00+14:15 2020-01-01
                 2020-01-01T00:00:00. 2020-1-01T00:00:00 2020-01-01T00:00:00z",
            ),
            ("date", "2009-02-30 2020-00-10 2020-01-00 2020-01-01T 99-01-01"),
            ("gYear", "99 2009? 0000 10000 2000- 2000+1:00"),
            ("string", "1"),
        ] {
            for text in texts.split_whitespace() {
                check(datatype, text, false);
            }
        }
        for datatype in ["integer", "decimal", "double", "dateTime", "boolean"] {
            check(datatype, "", false);
            check(datatype, " 1", false);
        }
    }

    proptest! {
        #[test]
        fn what_is_taken_in_comes_back(
            text in "[-+]?[0-9]{0,6}\\.?[0-9]{0,6}([eE][-+]?[0-9]{1,2})?|\
                     [0-9]{4}-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,4})?)?(Z|[-+][01][0-9]:(00|15|30|45))?",
            datatype in "integer|decimal|double|float|boolean|dateTime|date|gYear",
        ) {
            let datatype = format!("{XSD}{datatype}");
            if let Some(id) = TermId::encode_inline(&text, &datatype) {
                let mut buffer = Vec::new();
                let TermView::Literal { lexical, sort } = resolve(id, &mut buffer) else {
                    return Err(TestCaseError::fail("not a literal"));
                };
                prop_assert_eq!(lexical, text.as_str());
                prop_assert_eq!(sort, LiteralSort::Typed(&datatype));
            }
        }

        #[test]
        fn any_bits_resolve_to_something(tag in 3_u64..=10, payload in 0..=TermId::PAYLOAD_MASK) {
            resolve(TermId::from_bits(tag << 60 | payload), &mut Vec::new());
        }
    }
}
