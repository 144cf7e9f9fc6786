//! Functions on dates and times (SPARQL 1.2 Query, section 17.4.5; ADJUST of SEP-0002).
//!
//! Fields of inline dates are read from the id. The functions take `xsd:dateTime` and, where it has the field, any other
//! datatype of XSD's calendar.

use super::At;
use super::arguments::{both, misfit, only};
use crate::expr::node::Node;
use crate::expr::number::Number;
use crate::expr::raise::{ExprErrorKind, Outcome};
use crate::expr::value::{AnyDuration, Temporal, Value};
use crate::term::{Tag, TermId};
use oxsdatatypes::{DayTimeDuration, Decimal, TimezoneOffset};
use spargebra::algebra::Function;
use std::borrow::Cow;

/// NOW: one moment for the whole query.
pub(super) fn now(at: At<'_>) -> Value<'static> {
    Value::Temporal(Temporal::DateTime(at.cx.now()))
}

fn temporal(node: &mut Node, at: At<'_>) -> Outcome<Temporal> {
    match node.value(at.row, at.cx)? {
        Value::Temporal(t) => Ok(t),
        other => at.fail(misfit(&other)),
    }
}

/// YEAR, MONTH, DAY, HOURS, MINUTES and SECONDS.
pub(super) fn field(function: &Function, args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let arg = only(args, at)?;
    if arg.hands_on_a_term() {
        let id = arg.id(at.row, at.cx)?;
        if let Some(n) = inline_field(function, id) {
            return Ok(Value::Number(Number::Integer(n.into())));
        }
    }
    let t = temporal(arg, at)?;
    let number = match function {
        Function::Seconds => seconds(t).map(Number::Decimal),
        _ => integer_field(function, t).map(|n| Number::Integer(n.into())),
    };
    number.map_or_else(|| at.fail(ExprErrorKind::Type), |n| Ok(Value::Number(n)))
}

/// A field as it is written, but for 24:00:00, which is the next day.
fn inline_field(function: &Function, id: TermId) -> Option<u16> {
    let fields = id.as_date_fields().filter(|f| f.hour < 24)?;
    let tag = id.tag();
    Some(match function {
        Function::Year => fields.year,
        Function::Month if tag != Tag::GYear => fields.month.into(),
        Function::Day if tag != Tag::GYear => fields.day.into(),
        Function::Hours if tag == Tag::DateTime => fields.hour.into(),
        Function::Minutes if tag == Tag::DateTime => fields.minute.into(),
        _ => return None,
    })
}

fn integer_field(function: &Function, t: Temporal) -> Option<i64> {
    use Temporal as T;
    Some(match (function, t) {
        (Function::Year, T::DateTime(t)) => t.year(),
        (Function::Year, T::Date(t)) => t.year(),
        (Function::Year, T::GYear(t)) => t.year(),
        (Function::Year, T::GYearMonth(t)) => t.year(),
        (Function::Month, T::DateTime(t)) => t.month().into(),
        (Function::Month, T::Date(t)) => t.month().into(),
        (Function::Month, T::GYearMonth(t)) => t.month().into(),
        (Function::Month, T::GMonthDay(t)) => t.month().into(),
        (Function::Month, T::GMonth(t)) => t.month().into(),
        (Function::Day, T::DateTime(t)) => t.day().into(),
        (Function::Day, T::Date(t)) => t.day().into(),
        (Function::Day, T::GMonthDay(t)) => t.day().into(),
        (Function::Day, T::GDay(t)) => t.day().into(),
        (Function::Hours, T::DateTime(t)) => t.hour().into(),
        (Function::Hours, T::Time(t)) => t.hour().into(),
        (Function::Minutes, T::DateTime(t)) => t.minute().into(),
        (Function::Minutes, T::Time(t)) => t.minute().into(),
        _ => return None,
    })
}

fn seconds(t: Temporal) -> Option<Decimal> {
    match t {
        Temporal::DateTime(t) => Some(t.second()),
        Temporal::Time(t) => Some(t.second()),
        _ => None,
    }
}

fn offset(t: Temporal) -> Option<TimezoneOffset> {
    match t {
        Temporal::DateTime(t) => t.timezone_offset(),
        Temporal::Date(t) => t.timezone_offset(),
        Temporal::Time(t) => t.timezone_offset(),
        Temporal::GYear(t) => t.timezone_offset(),
        Temporal::GYearMonth(t) => t.timezone_offset(),
        Temporal::GMonth(t) => t.timezone_offset(),
        Temporal::GMonthDay(t) => t.timezone_offset(),
        Temporal::GDay(t) => t.timezone_offset(),
    }
}

/// TIMEZONE, which needs a zone, and TZ, which gives an empty string without one.
pub(super) fn zone(function: &Function, args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let offset = offset(temporal(only(args, at)?, at)?);
    match (function, offset) {
        (Function::Tz, None) => Ok(Value::String(Cow::Borrowed(""))),
        (Function::Tz, Some(offset)) => Ok(Value::String(Cow::Owned(offset.to_string()))),
        (_, Some(offset)) => {
            let duration = DayTimeDuration::from(offset);
            Ok(Value::Duration(AnyDuration::DayTime(duration)))
        }
        (_, None) => at.fail(ExprErrorKind::Argument),
    }
}

/// ADJUST: the same moment in another zone.
pub(super) fn adjust(args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let (subject, zone) = both(args, at)?;
    let t = temporal(subject, at)?;
    let zone = match zone.value(at.row, at.cx)? {
        Value::Duration(AnyDuration::DayTime(d)) => TimezoneOffset::try_from(d),
        Value::Duration(AnyDuration::General(d)) => TimezoneOffset::try_from(d),
        other => return at.fail(misfit(&other)),
    };
    let Ok(zone) = zone else {
        return at.fail(ExprErrorKind::Argument);
    };
    let adjusted = match t {
        Temporal::DateTime(t) => t.adjust(Some(zone)).map(Temporal::DateTime),
        Temporal::Date(t) => t.adjust(Some(zone)).map(Temporal::Date),
        Temporal::Time(t) => t.adjust(Some(zone)).map(Temporal::Time),
        _ => return at.fail(ExprErrorKind::Type),
    };
    match adjusted {
        Some(t) => Ok(Value::Temporal(t)),
        None => at.fail(ExprErrorKind::Overflow),
    }
}
