//! Constructor functions of XML Schema datatypes (SPARQL 1.2 Query, section 17.5; XPath Functions 3.1, section 19).
//!
//! White space around a string is not part of the value it is cast to. A string cast from a number is the one of
//! `fn:string`.

use super::At;
use super::arguments::only;
use crate::expr::node::Node;
use crate::expr::number::{self, Number};
use crate::expr::raise::{ExprErrorKind, Outcome};
use crate::expr::value::{AnyDuration, Temporal, Value, parse_boolean};
use crate::term::{LiteralSort, TermId, TermView, inline::XSD};
use oxsdatatypes::{
    Date, DateTime, DayTimeDuration, GDay, GMonth, GMonthDay, GYear, GYearMonth, Time,
    YearMonthDuration,
};
use std::borrow::Cow;

/// Whether there is a constructor function of this name.
pub(in crate::expr) fn is_known(name: &str) -> bool {
    is_derived_integer(name)
        || name.strip_prefix(XSD).is_some_and(|name| {
            matches!(
                name,
                "string"
                    | "boolean"
                    | "integer"
                    | "decimal"
                    | "float"
                    | "double"
                    | "dateTime"
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
        })
}

/// Whether this is the constructor of a datatype derived from `xsd:integer`, whose literals keep that datatype.
pub(super) fn is_derived_integer(name: &str) -> bool {
    name.strip_prefix(XSD)
        .is_some_and(|name| name != "integer" && number::integer_range(name).is_some())
}

/// A cast to a datatype derived from `xsd:integer`.
pub(super) fn derived_integer(name: &str, args: &mut [Node], at: At<'_>) -> Outcome<TermId> {
    let value = only(args, at)?.value(at.row, at.cx)?;
    let range = name.strip_prefix(XSD).and_then(number::integer_range);
    let (Some(integer), Some((min, max))) = (to_integer(&value), range) else {
        return at.fail(ExprErrorKind::Cast);
    };
    if integer < min || integer > max {
        return at.fail(ExprErrorKind::Cast);
    }
    let literal = TermView::Literal {
        lexical: &integer.to_string(),
        sort: LiteralSort::Typed(name),
    };
    Ok(at.cx.terms.intern(&literal)?)
}

/// Any other cast.
pub(super) fn cast<'n>(name: &str, args: &'n mut [Node], at: At<'_>) -> Outcome<Value<'n>> {
    let Some(name) = name.strip_prefix(XSD) else {
        return at.fail(ExprErrorKind::UnknownFunction);
    };
    let value = only(args, at)?.value(at.row, at.cx)?;
    let result = match name {
        "string" => to_string(value),
        "boolean" => to_boolean(&value).map(Value::Boolean),
        "integer" => to_integer(&value).map(|i| Value::Number(Number::Integer(i))),
        "decimal" => to_decimal(&value).map(Value::Number),
        "float" => to_float(&value).map(|f| Value::Number(Number::Float(f))),
        "double" => to_double(&value).map(|d| Value::Number(Number::Double(d))),
        "duration" | "yearMonthDuration" | "dayTimeDuration" => {
            to_duration(name, &value).map(Value::Duration)
        }
        _ => to_temporal(name, &value).map(Value::Temporal),
    };
    result.map_or_else(|| at.fail(ExprErrorKind::Cast), Ok)
}

/// The text of a string without the white space around it (XSD 1.1 Part 2, `whiteSpace` collapse).
fn trimmed<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::String(text) => Some(text.trim_matches([' ', '\t', '\r', '\n'])),
        _ => None,
    }
}

fn to_string(value: Value<'_>) -> Option<Value<'_>> {
    let text = match value {
        Value::Number(n) => Cow::Owned(n.to_plain_string()),
        other => other.into_lexical()?,
    };
    Some(Value::String(text))
}

fn to_boolean(value: &Value<'_>) -> Option<bool> {
    match value {
        Value::Boolean(b) => Some(*b),
        Value::Number(n) => Some(!n.is_zero_or_nan()),
        _ => parse_boolean(trimmed(value)?),
    }
}

fn to_integer(value: &Value<'_>) -> Option<i128> {
    match value {
        Value::Boolean(b) => Some((*b).into()),
        Value::Number(n) => n.to_integer(),
        _ => number::parse_integer(trimmed(value)?),
    }
}

fn to_decimal(value: &Value<'_>) -> Option<Number> {
    let decimal = match value {
        Value::Boolean(b) => Number::Integer((*b).into()).to_decimal(),
        Value::Number(n) => n.to_decimal(),
        _ => number::parse_decimal(trimmed(value)?),
    };
    decimal.map(Number::Decimal)
}

fn to_float(value: &Value<'_>) -> Option<f32> {
    match value {
        Value::Boolean(b) => Some((*b).into()),
        Value::Number(n) => Some(n.to_f32()),
        _ => number::parse_float(trimmed(value)?),
    }
}

fn to_double(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Boolean(b) => Some((*b).into()),
        Value::Number(n) => Some(n.to_f64()),
        _ => number::parse_double(trimmed(value)?),
    }
}

fn to_temporal(name: &str, value: &Value<'_>) -> Option<Temporal> {
    let t = match value {
        Value::Temporal(t) => *t,
        _ => return Temporal::parse(trimmed(value)?, name),
    };
    use Temporal as T;
    Some(match (name, t) {
        ("dateTime", T::DateTime(_))
        | ("date", T::Date(_))
        | ("time", T::Time(_))
        | ("gYear", T::GYear(_))
        | ("gYearMonth", T::GYearMonth(_))
        | ("gMonth", T::GMonth(_))
        | ("gMonthDay", T::GMonthDay(_))
        | ("gDay", T::GDay(_)) => t,
        ("dateTime", T::Date(t)) => T::DateTime(DateTime::try_from(t).ok()?),
        ("time", T::DateTime(t)) => T::Time(Time::from(t)),
        (_, T::DateTime(t)) => part_of_date(name, Date::try_from(t).ok()?)?,
        (_, T::Date(t)) => part_of_date(name, t)?,
        _ => return None,
    })
}

fn part_of_date(name: &str, date: Date) -> Option<Temporal> {
    Some(match name {
        "date" => Temporal::Date(date),
        "gYear" => Temporal::GYear(GYear::try_from(date).ok()?),
        "gYearMonth" => Temporal::GYearMonth(GYearMonth::from(date)),
        "gMonth" => Temporal::GMonth(GMonth::from(date)),
        "gMonthDay" => Temporal::GMonthDay(GMonthDay::from(date)),
        "gDay" => Temporal::GDay(GDay::from(date)),
        _ => return None,
    })
}

fn to_duration(name: &str, value: &Value<'_>) -> Option<AnyDuration> {
    if let Value::Duration(d) = value {
        let general = d.general();
        return match name {
            "duration" => Some(AnyDuration::General(general)),
            "yearMonthDuration" => YearMonthDuration::try_from(general)
                .ok()
                .map(AnyDuration::YearMonth),
            _ => DayTimeDuration::try_from(general)
                .ok()
                .map(AnyDuration::DayTime),
        };
    }
    let text = trimmed(value)?;
    match name {
        "duration" => text.parse().ok().map(AnyDuration::General),
        "yearMonthDuration" => text.parse().ok().map(AnyDuration::YearMonth),
        _ => text.parse().ok().map(AnyDuration::DayTime),
    }
}
