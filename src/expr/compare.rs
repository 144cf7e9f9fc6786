//! Comparison of values: `=` and `<` of expressions, and the order of ORDER BY.
//!
//! `=` works on values where both are known, on terms where they are not; two different literals of which one has no
//! known value can be neither equal nor unequal, and so are values of known but unlike kinds unequal (SPARQL 1.2 Query,
//! `sameValue`, which agrees with RDFterm-equal of 1.1 wherever that gives no error). A date without a zone and one
//! with a zone within 14 hours are incomparable. [`order_cmp`] is total: what `<` does not order is ordered by kind
//! and text (SPARQL 1.1 Query, section 15.1).

use super::terms::QueryTerms;
use super::value::{AnyDuration, LangText, Temporal, Value, inline_number};
use crate::diagnostics::Result;
use crate::term::{Tag, TermId};
use oxrdf::BaseDirection;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Whether two terms are equal by value; `None` when that cannot be told.
pub(super) fn equals(a: &Value<'_>, b: &Value<'_>, terms: &QueryTerms) -> Result<Option<bool>> {
    use Value as V;
    Ok(match (a, b) {
        (V::Iri(a), V::Iri(b)) => Some(a == b),
        (V::Blank(a), V::Blank(b)) => Some(a == b),
        (V::Triple(a), V::Triple(b)) => equal_triples(a, b, terms)?,
        (V::Iri(_) | V::Blank(_) | V::Triple(_), _)
        | (_, V::Iri(_) | V::Blank(_) | V::Triple(_)) => Some(false),
        (V::Opaque(a), V::Opaque(b)) => (a == b).then_some(true),
        (V::Opaque(_), V::Lang(_)) | (V::Lang(_), V::Opaque(_)) => Some(false),
        (V::Opaque(_), _) | (_, V::Opaque(_)) => None,
        (V::String(a), V::String(b)) => Some(a == b),
        (V::Lang(a), V::Lang(b)) => Some(a.lexical == b.lexical && same_language(a, b)),
        (V::Boolean(a), V::Boolean(b)) => Some(a == b),
        (V::Number(a), V::Number(b)) => Some(a.compare(*b) == Some(Ordering::Equal)),
        (V::Temporal(a), V::Temporal(b)) if a.is_like(*b) => {
            a.compare(*b).map(|order| order == Ordering::Equal)
        }
        (V::Duration(a), V::Duration(b)) => Some(a.general() == b.general()),
        _ => Some(false),
    })
}

/// Whether two terms are equal by value, from their ids where these tell.
pub(super) fn equal_ids(a: TermId, b: TermId) -> Option<bool> {
    let is_text = |tag| matches!(tag, Tag::Iri | Tag::Blank | Tag::String);
    let (kind, other) = (a.tag(), b.tag());
    if a == b {
        return match kind {
            Tag::Double | Tag::Float => inline_number(a).map(|n| !n.to_f64().is_nan()),
            _ => Some(true),
        };
    }
    if is_text(kind) && is_text(other) {
        return Some(false);
    }
    if matches!(kind, Tag::Iri | Tag::Blank) || matches!(other, Tag::Iri | Tag::Blank) {
        return Some(false);
    }
    match (a.as_integer(), b.as_integer()) {
        (Some(_), Some(_)) => Some(false),
        _ => None,
    }
}

/// The order of two dates, years or dateTimes of one datatype, from their ids; `None` for others, and where a missing zone
/// leaves it open.
#[inline]
pub(super) fn order_of_moments(a: TermId, b: TermId) -> Option<Ordering> {
    let is_moment = matches!(a.tag(), Tag::DateTime | Tag::Date | Tag::GYear);
    if !is_moment || a.tag() != b.tag() {
        return None;
    }
    let (a, b) = (a.as_date_fields()?, b.as_date_fields()?);
    a.instant().partial_cmp(&b.instant())
}

fn equal_triples(a: &[TermId; 3], b: &[TermId; 3], terms: &QueryTerms) -> Result<Option<bool>> {
    let mut all = Some(true);
    for (&a, &b) in a.iter().zip(b) {
        match equals_by_id(a, b, terms)? {
            Some(true) => {}
            Some(false) => return Ok(Some(false)),
            None => all = None,
        }
    }
    Ok(all)
}

fn equals_by_id(a: TermId, b: TermId, terms: &QueryTerms) -> Result<Option<bool>> {
    if let Some(known) = equal_ids(a, b) {
        return Ok(Some(known));
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let a = Value::decode(a, terms, &mut left)?;
    let b = Value::decode(b, terms, &mut right)?;
    equals(&a, &b, terms)
}

/// Whether two language-tagged strings have the same tag, in whatever case, and the same base direction.
pub(super) fn same_language(a: &LangText<'_>, b: &LangText<'_>) -> bool {
    a.language.eq_ignore_ascii_case(&b.language) && a.direction == b.direction
}

/// The order of `<`; `None` when the operator is not defined for these values.
pub(super) fn compare(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    use Value as V;
    match (a, b) {
        (V::Number(a), V::Number(b)) => a.compare(*b),
        (V::String(a), V::String(b)) => Some(a.cmp(b)),
        (V::Lang(a), V::Lang(b)) if same_language(a, b) => Some(a.lexical.cmp(&b.lexical)),
        (V::Boolean(a), V::Boolean(b)) => Some(a.cmp(b)),
        (V::Temporal(a), V::Temporal(b)) => a.compare(*b),
        (V::Duration(a), V::Duration(b)) => a.general().partial_cmp(&b.general()),
        _ => None,
    }
}

/// Whether two numbers are unordered because one is NaN, for which every comparison is false and not an error.
pub(super) fn are_numbers(a: &Value<'_>, b: &Value<'_>) -> bool {
    matches!((a, b), (Value::Number(_), Value::Number(_)))
}

impl Temporal {
    fn is_like(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// The order of two of one datatype; `None` for unlike ones and where a missing zone leaves it open.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::DateTime(a), Self::DateTime(b)) => a.partial_cmp(&b),
            (Self::Date(a), Self::Date(b)) => a.partial_cmp(&b),
            (Self::Time(a), Self::Time(b)) => a.partial_cmp(&b),
            (Self::GYear(a), Self::GYear(b)) => a.partial_cmp(&b),
            (Self::GYearMonth(a), Self::GYearMonth(b)) => a.partial_cmp(&b),
            (Self::GMonth(a), Self::GMonth(b)) => a.partial_cmp(&b),
            (Self::GMonthDay(a), Self::GMonthDay(b)) => a.partial_cmp(&b),
            (Self::GDay(a), Self::GDay(b)) => a.partial_cmp(&b),
            _ => None,
        }
    }

    /// The place on the time line in bytes that compare as it does, a missing zone read as UTC.
    fn timeline(self) -> (i128, bool) {
        let bytes = match self {
            Self::DateTime(t) => t.to_be_bytes(),
            Self::Date(t) => t.to_be_bytes(),
            Self::Time(t) => t.to_be_bytes(),
            Self::GYear(t) => t.to_be_bytes(),
            Self::GYearMonth(t) => t.to_be_bytes(),
            Self::GMonth(t) => t.to_be_bytes(),
            Self::GMonthDay(t) => t.to_be_bytes(),
            Self::GDay(t) => t.to_be_bytes(),
        };
        let mut value = [0; 16];
        value.copy_from_slice(&bytes[..16]);
        (i128::from_be_bytes(value), bytes[16..] != [u8::MAX; 2])
    }

    const fn rank(self) -> u8 {
        match self {
            Self::DateTime(_) => 0,
            Self::Date(_) => 1,
            Self::GYear(_) => 2,
            Self::GYearMonth(_) => 3,
            Self::GMonthDay(_) => 4,
            Self::GMonth(_) => 5,
            Self::GDay(_) => 6,
            Self::Time(_) => 7,
        }
    }
}

/// The total order of ORDER BY over ids: unbound, blank nodes, IRIs, literals, triple terms; numbers by value, then
/// other literals by kind and value, strings by text whatever their language, unknown datatypes last.
///
/// Values that are equal compare as equal, so that the next comparator decides. A failure to read a term is kept in
/// `terms` and reported by [`QueryTerms::check`].
pub fn order_cmp(a: TermId, b: TermId, terms: &QueryTerms) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    if let Some(order) = order_ids(a, b, terms) {
        return order;
    }
    order_values(a, b, terms).unwrap_or_else(|error| {
        terms.keep_failure(error);
        a.cmp(&b)
    })
}

/// The order as far as ids tell without reading terms.
fn order_ids(a: TermId, b: TermId, terms: &QueryTerms) -> Option<Ordering> {
    let (kind, other) = (a.tag(), b.tag());
    if kind.is_literal() && other.is_literal() {
        if let (Some(x), Some(y)) = (a.as_integer(), b.as_integer()) {
            return Some(x.cmp(&y));
        }
        if let (Some(x), Some(y)) = (inline_number(a), inline_number(b)) {
            return Some(x.total_cmp(y));
        }
    } else if kind != other {
        return Some(kind.cmp(&other));
    }
    match kind {
        Tag::Unbound | Tag::Blank => Some(a.cmp(&b)),
        Tag::DateTime | Tag::Date | Tag::GYear if kind == other => {
            let (x, y) = (a.as_date_fields()?.instant(), b.as_date_fields()?.instant());
            Some((x.millis, x.zoned).cmp(&(y.millis, y.zoned)))
        }
        Tag::Iri | Tag::String | Tag::LangString if kind == other => {
            let sorted = terms.store().sorted_len(kind);
            let is_sorted = |id: TermId| !id.is_local() && id.number() < sorted;
            (is_sorted(a) && is_sorted(b)).then(|| a.cmp(&b))
        }
        _ => None,
    }
}

fn order_values(a: TermId, b: TermId, terms: &QueryTerms) -> Result<Ordering> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let x = Value::decode(a, terms, &mut left)?;
    let y = Value::decode(b, terms, &mut right)?;
    use Value as V;
    Ok(match (&x, &y) {
        (V::Iri(x), V::Iri(y)) => x.cmp(y),
        (V::Boolean(x), V::Boolean(y)) => x.cmp(y),
        (V::Number(x), V::Number(y)) => x.total_cmp(*y),
        (V::Temporal(x), V::Temporal(y)) => (x.rank(), x.timeline()).cmp(&(y.rank(), y.timeline())),
        (V::Duration(x), V::Duration(y)) => order_durations(*x, *y),
        (V::Opaque(x), V::Opaque(y)) => (&x.lexical, &x.datatype).cmp(&(&y.lexical, &y.datatype)),
        (V::Triple(x), V::Triple(y)) => {
            let parts = x.iter().zip(y).map(|(&x, &y)| order_cmp(x, y, terms));
            parts.fold(Ordering::Equal, Ordering::then)
        }
        _ => match (as_text(&x), as_text(&y)) {
            (Some(x), Some(y)) => order_texts(&x, &y),
            _ => literal_rank(&x).cmp(&literal_rank(&y)),
        },
    })
}

const fn literal_rank(value: &Value<'_>) -> u8 {
    match value {
        Value::Boolean(_) => 1,
        Value::Number(_) => 2,
        Value::Temporal(_) => 3,
        Value::Duration(_) => 4,
        Value::String(_) | Value::Lang(_) => 5,
        Value::Opaque(_) => 6,
        Value::Iri(_) | Value::Blank(_) | Value::Triple(_) => 0,
    }
}

/// By text, then by language and base direction, none first, which is the order of a sorted dictionary.
fn order_texts(a: &LangText<'_>, b: &LangText<'_>) -> Ordering {
    fn tag<'v>(text: &'v LangText<'_>) -> impl Iterator<Item = u8> + 'v {
        let direction = match text.direction {
            None => "",
            Some(BaseDirection::Ltr) => "--ltr",
            Some(BaseDirection::Rtl) => "--rtl",
        };
        text.language.bytes().chain(direction.bytes())
    }
    a.lexical.cmp(&b.lexical).then_with(|| tag(a).cmp(tag(b)))
}

/// A text with or without a language.
fn as_text<'v>(value: &'v Value<'_>) -> Option<LangText<'v>> {
    match value.reborrow() {
        Value::Lang(text) => Some(text),
        Value::String(lexical) => Some(LangText {
            lexical,
            language: Cow::Borrowed(""),
            direction: None,
        }),
        _ => None,
    }
}

/// By months and seconds as one number, a month read as 30 days, then by months.
fn order_durations(a: AnyDuration, b: AnyDuration) -> Ordering {
    const SECONDS_OF_A_MONTH: i128 = 30 * 86_400 * 1_000_000_000_000_000_000;
    let key = |d: AnyDuration| {
        let bytes = d.general().to_be_bytes();
        let (mut months, mut seconds) = ([0; 8], [0; 16]);
        months.copy_from_slice(&bytes[..8]);
        seconds.copy_from_slice(&bytes[8..]);
        let months = i64::from_be_bytes(months);
        let whole = SECONDS_OF_A_MONTH
            .saturating_mul(months.into())
            .saturating_add(i128::from_be_bytes(seconds));
        (whole, months)
    };
    key(a).cmp(&key(b))
}
