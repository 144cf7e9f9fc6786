//! What an expression computes with: the value of a term.
//!
//! A [`Value`] is read from an id (an inline one without any dictionary access) and goes back to an id with the
//! canonical lexical form of its datatype. Text is borrowed where it lies. Literals whose datatype this server does
//! not know, and literals that are ill-typed, are opaque: they keep their text, and only term equality applies.

use super::number::{self, Number};
use super::terms::QueryTerms;
use crate::diagnostics::Result;
use crate::term::{LiteralSort, Tag, TermId, TermView, inline};
use oxrdf::BaseDirection;
use oxsdatatypes::{
    Date, DateTime, DayTimeDuration, Duration, GDay, GMonth, GMonthDay, GYear, GYearMonth, Time,
    YearMonthDuration,
};
use std::borrow::Cow;
use std::str::FromStr;

/// The value of a term.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Iri(Cow<'a, str>),
    Blank(TermId),
    Triple([TermId; 3]),
    String(Cow<'a, str>),
    Lang(LangText<'a>),
    Boolean(bool),
    Number(Number),
    Temporal(Temporal),
    Duration(AnyDuration),
    Opaque(Opaque<'a>),
}

/// A language-tagged string, with or without a base direction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LangText<'a> {
    pub lexical: Cow<'a, str>,
    pub language: Cow<'a, str>,
    pub direction: Option<BaseDirection>,
}

/// A literal without a value here.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Opaque<'a> {
    pub lexical: Cow<'a, str>,
    pub datatype: Cow<'a, str>,
}

/// A point or a recurring span on the time line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Temporal {
    DateTime(DateTime),
    Date(Date),
    Time(Time),
    GYear(GYear),
    GYearMonth(GYearMonth),
    GMonth(GMonth),
    GMonthDay(GMonthDay),
    GDay(GDay),
}

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AnyDuration {
    General(Duration),
    YearMonth(YearMonthDuration),
    DayTime(DayTimeDuration),
}

impl AnyDuration {
    /// The value as an `xsd:duration`.
    pub(super) fn general(self) -> Duration {
        match self {
            Self::General(d) => d,
            Self::YearMonth(d) => d.into(),
            Self::DayTime(d) => d.into(),
        }
    }
}

impl<'a> Value<'a> {
    /// The value of an id that has one; `buffer` lends its bytes.
    pub(super) fn decode(id: TermId, terms: &QueryTerms, buffer: &'a mut Vec<u8>) -> Result<Self> {
        if let Some(value) = decode_inline(id) {
            return Ok(value);
        }
        Ok(match terms.resolve(id, buffer)? {
            TermView::Iri(iri) => Self::Iri(Cow::Borrowed(iri)),
            TermView::Blank { .. } => Self::Blank(id),
            TermView::Triple(ids) => Self::Triple(ids),
            TermView::Literal { lexical, sort } => Self::of_literal(lexical, sort),
        })
    }

    /// The value of a literal.
    pub(super) fn of_literal(lexical: &'a str, sort: LiteralSort<'a>) -> Self {
        match sort {
            LiteralSort::String => Self::String(Cow::Borrowed(lexical)),
            LiteralSort::Lang(language, direction) => Self::Lang(LangText {
                lexical: Cow::Borrowed(lexical),
                language: Cow::Borrowed(language),
                direction,
            }),
            LiteralSort::Typed(datatype) => {
                parse_typed(lexical, datatype).unwrap_or(Self::Opaque(Opaque {
                    lexical: Cow::Borrowed(lexical),
                    datatype: Cow::Borrowed(datatype),
                }))
            }
        }
    }

    /// The id of the term that has this value in canonical form.
    pub(super) fn intern(&self, terms: &QueryTerms) -> Result<TermId> {
        match self {
            Self::Boolean(b) => return Ok(TermId::from_boolean(*b)),
            Self::Blank(id) => return Ok(*id),
            Self::Triple(ids) => return terms.intern(&TermView::Triple(*ids)),
            Self::Number(Number::Integer(i)) => {
                let small = i64::try_from(*i).ok();
                if let Some(id) = small.and_then(TermId::encode_integer) {
                    return Ok(id);
                }
            }
            Self::Iri(iri) => return terms.intern(&TermView::Iri(iri)),
            _ => {}
        }
        let lexical = self.lexical();
        let sort = match self {
            Self::Lang(text) => LiteralSort::Lang(&text.language, text.direction),
            _ => match self.datatype() {
                Some(XSD_STRING) | None => LiteralSort::String,
                Some(datatype) => LiteralSort::Typed(datatype),
            },
        };
        terms.intern(&TermView::Literal {
            lexical: &lexical,
            sort,
        })
    }

    /// What STR gives: the IRI, or the lexical form of the literal in canonical form; nothing for other terms.
    pub(super) fn lexical(&self) -> Cow<'_, str> {
        match self {
            Self::Iri(text) | Self::String(text) => Cow::Borrowed(text),
            Self::Lang(text) => Cow::Borrowed(&text.lexical),
            Self::Opaque(literal) => Cow::Borrowed(&literal.lexical),
            Self::Boolean(b) => Cow::Borrowed(if *b { "true" } else { "false" }),
            Self::Number(n) => Cow::Owned(n.to_string()),
            Self::Temporal(t) => Cow::Owned(t.to_string()),
            Self::Duration(d) => Cow::Owned(d.to_string()),
            Self::Blank(_) | Self::Triple(_) => Cow::Borrowed(""),
        }
    }

    /// As [`Self::lexical`], keeping text that is borrowed; `None` for blank nodes and triple terms.
    pub(super) fn into_lexical(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Blank(_) | Self::Triple(_) => None,
            Self::Iri(text) | Self::String(text) => Some(text),
            Self::Lang(text) => Some(text.lexical),
            Self::Opaque(literal) => Some(literal.lexical),
            computed => Some(Cow::Owned(computed.lexical().into_owned())),
        }
    }

    /// The datatype IRI of a literal.
    pub(super) fn datatype(&self) -> Option<&str> {
        Some(match self {
            Self::Iri(_) | Self::Blank(_) | Self::Triple(_) => return None,
            Self::String(_) => XSD_STRING,
            Self::Lang(text) if text.direction.is_some() => RDF_DIR_LANG_STRING,
            Self::Lang(_) => RDF_LANG_STRING,
            Self::Boolean(_) => "http://www.w3.org/2001/XMLSchema#boolean",
            Self::Number(n) => n.datatype(),
            Self::Temporal(t) => t.datatype(),
            Self::Duration(d) => d.datatype(),
            Self::Opaque(literal) => &literal.datatype,
        })
    }

    /// The same value with its text owned.
    pub(super) fn into_owned(self) -> Value<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Iri(text) => Value::Iri(owned(text)),
            Self::String(text) => Value::String(owned(text)),
            Self::Lang(text) => Value::Lang(LangText {
                lexical: owned(text.lexical),
                language: owned(text.language),
                direction: text.direction,
            }),
            Self::Opaque(literal) => Value::Opaque(Opaque {
                lexical: owned(literal.lexical),
                datatype: owned(literal.datatype),
            }),
            Self::Blank(id) => Value::Blank(id),
            Self::Triple(ids) => Value::Triple(ids),
            Self::Boolean(b) => Value::Boolean(b),
            Self::Number(n) => Value::Number(n),
            Self::Temporal(t) => Value::Temporal(t),
            Self::Duration(d) => Value::Duration(d),
        }
    }

    /// The same value, its text borrowed from this one.
    pub(super) fn reborrow(&self) -> Value<'_> {
        match self {
            Self::Iri(text) => Value::Iri(Cow::Borrowed(text)),
            Self::String(text) => Value::String(Cow::Borrowed(text)),
            Self::Lang(text) => Value::Lang(LangText {
                lexical: Cow::Borrowed(&text.lexical),
                language: Cow::Borrowed(&text.language),
                direction: text.direction,
            }),
            Self::Opaque(literal) => Value::Opaque(Opaque {
                lexical: Cow::Borrowed(&literal.lexical),
                datatype: Cow::Borrowed(&literal.datatype),
            }),
            Self::Blank(id) => Value::Blank(*id),
            Self::Triple(ids) => Value::Triple(*ids),
            Self::Boolean(b) => Value::Boolean(*b),
            Self::Number(n) => Value::Number(*n),
            Self::Temporal(t) => Value::Temporal(*t),
            Self::Duration(d) => Value::Duration(*d),
        }
    }

    /// The bytes of text that it owns or borrows.
    pub(super) fn text_bytes(&self) -> usize {
        match self {
            Self::Iri(text) | Self::String(text) => text.len(),
            Self::Lang(text) => text.lexical.len() + text.language.len(),
            Self::Opaque(literal) => literal.lexical.len() + literal.datatype.len(),
            _ => 0,
        }
    }
}

impl Opaque<'_> {
    /// Whether the datatype is one whose values this server knows, so that the literal is ill-typed (or too large).
    pub(super) fn is_ill_typed(&self) -> bool {
        self.datatype
            .strip_prefix(inline::XSD)
            .is_some_and(is_known_local_name)
    }
}

pub(super) const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
pub(super) const RDF_LANG_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";
pub(super) const RDF_DIR_LANG_STRING: &str =
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString";

fn is_known_local_name(name: &str) -> bool {
    number::integer_range(name).is_some()
        || matches!(
            name,
            "string"
                | "boolean"
                | "decimal"
                | "float"
                | "double"
                | "dateTime"
                | "dateTimeStamp"
                | "date"
                | "time"
                | "gYear"
                | "gYearMonth"
                | "gMonth"
                | "gMonthDay"
                | "gDay"
                | "duration"
                | "yearMonthDuration"
                | "dayTimeDuration"
        )
}

/// The number within an inline id.
#[inline]
pub(super) fn inline_number(id: TermId) -> Option<Number> {
    match id.tag() {
        Tag::Integer => id.as_integer().map(|i| Number::Integer(i.into())),
        Tag::Decimal => id.as_decimal().map(Number::Decimal),
        Tag::Double => id.as_double().map(Number::Double),
        Tag::Float => id.as_float().map(Number::Float),
        _ => None,
    }
}

fn decode_inline(id: TermId) -> Option<Value<'static>> {
    match id.tag() {
        Tag::Boolean => id.as_boolean().map(Value::Boolean),
        Tag::DateTime | Tag::Date | Tag::GYear => {
            let mut buffer = Vec::with_capacity(32);
            let TermView::Literal {
                lexical,
                sort: LiteralSort::Typed(datatype),
            } = inline::resolve(id, &mut buffer)
            else {
                return None;
            };
            Temporal::parse(lexical, datatype.strip_prefix(inline::XSD)?).map(Value::Temporal)
        }
        _ => inline_number(id).map(Value::Number),
    }
}

/// The value of a typed literal, if its datatype is known and its lexical form is one of it.
fn parse_typed<'a>(lexical: &'a str, datatype: &str) -> Option<Value<'a>> {
    let name = datatype.strip_prefix(inline::XSD)?;
    Some(match name {
        "string" => Value::String(Cow::Borrowed(lexical)),
        "boolean" => Value::Boolean(parse_boolean(lexical)?),
        "decimal" => Value::Number(Number::Decimal(number::parse_decimal(lexical)?)),
        "double" => Value::Number(Number::Double(number::parse_double(lexical)?)),
        "float" => Value::Number(Number::Float(number::parse_float(lexical)?)),
        "duration" => Value::Duration(AnyDuration::General(lexical.parse().ok()?)),
        "yearMonthDuration" => Value::Duration(AnyDuration::YearMonth(lexical.parse().ok()?)),
        "dayTimeDuration" => Value::Duration(AnyDuration::DayTime(lexical.parse().ok()?)),
        _ => match number::integer_range(name) {
            Some((min, max)) => {
                let value = number::parse_integer(lexical).filter(|i| (min..=max).contains(i))?;
                Value::Number(Number::Integer(value))
            }
            None => Value::Temporal(Temporal::parse(lexical, name)?),
        },
    })
}

/// Reads the lexical form of an `xsd:boolean`.
pub(super) fn parse_boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

impl Temporal {
    /// Reads a lexical form of the datatype with this local name in the XML Schema namespace.
    pub(super) fn parse(lexical: &str, local_name: &str) -> Option<Self> {
        fn read<T: FromStr>(lexical: &str) -> Option<T> {
            lexical.parse().ok()
        }
        match local_name {
            "dateTime" => read(lexical).map(Self::DateTime),
            "dateTimeStamp" => read(lexical)
                .filter(|d: &DateTime| d.timezone_offset().is_some())
                .map(Self::DateTime),
            "date" => read(lexical).map(Self::Date),
            "time" => read(lexical).map(Self::Time),
            "gYear" => read(lexical).map(Self::GYear),
            "gYearMonth" => read(lexical).map(Self::GYearMonth),
            "gMonth" => read(lexical).map(Self::GMonth),
            "gMonthDay" => read(lexical).map(Self::GMonthDay),
            "gDay" => read(lexical).map(Self::GDay),
            _ => None,
        }
    }

    fn datatype(self) -> &'static str {
        match self {
            Self::DateTime(_) => "http://www.w3.org/2001/XMLSchema#dateTime",
            Self::Date(_) => "http://www.w3.org/2001/XMLSchema#date",
            Self::Time(_) => "http://www.w3.org/2001/XMLSchema#time",
            Self::GYear(_) => "http://www.w3.org/2001/XMLSchema#gYear",
            Self::GYearMonth(_) => "http://www.w3.org/2001/XMLSchema#gYearMonth",
            Self::GMonth(_) => "http://www.w3.org/2001/XMLSchema#gMonth",
            Self::GMonthDay(_) => "http://www.w3.org/2001/XMLSchema#gMonthDay",
            Self::GDay(_) => "http://www.w3.org/2001/XMLSchema#gDay",
        }
    }
}

impl std::fmt::Display for Temporal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::DateTime(t) => t.fmt(f),
            Self::Date(t) => t.fmt(f),
            Self::Time(t) => t.fmt(f),
            Self::GYear(t) => t.fmt(f),
            Self::GYearMonth(t) => t.fmt(f),
            Self::GMonth(t) => t.fmt(f),
            Self::GMonthDay(t) => t.fmt(f),
            Self::GDay(t) => t.fmt(f),
        }
    }
}

impl AnyDuration {
    fn datatype(self) -> &'static str {
        match self {
            Self::General(_) => "http://www.w3.org/2001/XMLSchema#duration",
            Self::YearMonth(_) => "http://www.w3.org/2001/XMLSchema#yearMonthDuration",
            Self::DayTime(_) => "http://www.w3.org/2001/XMLSchema#dayTimeDuration",
        }
    }
}

impl std::fmt::Display for AnyDuration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::General(d) => d.fmt(f),
            Self::YearMonth(d) => d.fmt(f),
            Self::DayTime(d) => d.fmt(f),
        }
    }
}
