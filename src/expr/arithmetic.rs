//! The operators `+ - * /` and the signs, over numbers and over dates and durations.
//!
//! Numbers follow XPath's operator mapping; dates and durations follow SEP-0002 of the SPARQL community group, which
//! takes the operators of XPath Functions 3.1, sections 8 and 9, into SPARQL.

use super::context::ExprContext;
use super::node::{Node, Row};
use super::number::Number;
use super::raise::{ExprErrorKind, Outcome, Place, raise};
use super::value::{AnyDuration, Temporal, Value};
use oxsdatatypes::{Date, DateTime, DayTimeDuration, Decimal, Duration, Time, YearMonthDuration};

/// An arithmetic operator and its operands.
pub(super) struct Arithmetic {
    pub operator: ArithmeticOperator,
    pub operands: Vec<Node>,
    pub place: Place,
}

/// The arithmetic operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArithmeticOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Plus,
    Minus,
}

type Computed = Result<Value<'static>, ExprErrorKind>;

impl Arithmetic {
    /// The result, when the operands are numbers that can be had from ids; see [`Node::number`].
    pub(super) fn number(&mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<Option<Number>> {
        let [left, right] = &mut *self.operands else {
            return Ok(None);
        };
        let (Some(a), Some(b)) = (left.number(row, cx)?, right.number(row, cx)?) else {
            return Ok(None);
        };
        match compute(self.operator, a, b) {
            Ok(n) => Ok(Some(n)),
            Err(kind) => Err(raise(kind, self.place, cx).into()),
        }
    }

    pub(super) fn value(&mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<Value<'static>> {
        if let Some(n) = self.number(row, cx)? {
            return Ok(Value::Number(n));
        }
        let computed = match &mut *self.operands {
            [operand] => {
                let value = operand.value(row, cx)?;
                sign(self.operator, &value)
            }
            [left, right] => {
                let (a, b) = (left.value(row, cx)?, right.value(row, cx)?);
                apply(self.operator, &a, &b)
            }
            _ => Err(ExprErrorKind::Argument),
        };
        computed.map_err(|kind| raise(kind, self.place, cx).into())
    }
}

/// The error of an operand that the operator does not take.
fn misfit(values: &[&Value<'_>]) -> ExprErrorKind {
    let is_ill_typed = |v: &&&Value<'_>| matches!(v, Value::Opaque(o) if o.is_ill_typed());
    if values.iter().any(|v| is_ill_typed(&v)) {
        ExprErrorKind::IllTyped
    } else {
        ExprErrorKind::Type
    }
}

fn sign(operator: ArithmeticOperator, value: &Value<'_>) -> Computed {
    let negates = operator == ArithmeticOperator::Minus;
    match value {
        Value::Number(n) if negates => Ok(Value::Number(n.negate()?)),
        Value::Number(n) => Ok(Value::Number(*n)),
        Value::Duration(d) if negates => Ok(Value::Duration(negate_duration(*d)?)),
        Value::Duration(d) => Ok(Value::Duration(*d)),
        _ => Err(misfit(&[value])),
    }
}

fn negate_duration(d: AnyDuration) -> Result<AnyDuration, ExprErrorKind> {
    match d {
        AnyDuration::General(d) => d.checked_neg().map(AnyDuration::General),
        AnyDuration::YearMonth(d) => d.checked_neg().map(AnyDuration::YearMonth),
        AnyDuration::DayTime(d) => d.checked_neg().map(AnyDuration::DayTime),
    }
    .ok_or(ExprErrorKind::Overflow)
}

fn apply(operator: ArithmeticOperator, a: &Value<'_>, b: &Value<'_>) -> Computed {
    use ArithmeticOperator as Op;
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compute(operator, *a, *b).map(Value::Number),
        (Value::Temporal(t), Value::Duration(d)) if matches!(operator, Op::Add | Op::Subtract) => {
            shift(*t, *d, operator == Op::Subtract)
        }
        (Value::Duration(d), Value::Temporal(t)) if operator == Op::Add => shift(*t, *d, false),
        (Value::Temporal(a), Value::Temporal(b)) if operator == Op::Subtract => {
            distance(*a, *b).ok_or_else(|| misfit(&[&Value::Temporal(*a)]))?
        }
        (Value::Duration(a), Value::Duration(b)) => combine(operator, *a, *b),
        (Value::Duration(d), Value::Number(n)) if matches!(operator, Op::Multiply | Op::Divide) => {
            scale(*d, *n, operator == Op::Divide)
        }
        (Value::Number(n), Value::Duration(d)) if operator == Op::Multiply => scale(*d, *n, false),
        _ => Err(misfit(&[a, b])),
    }
}

fn compute(operator: ArithmeticOperator, a: Number, b: Number) -> Result<Number, ExprErrorKind> {
    match operator {
        ArithmeticOperator::Add => a.add(b),
        ArithmeticOperator::Subtract => a.subtract(b),
        ArithmeticOperator::Multiply => a.multiply(b),
        _ => a.divide(b),
    }
}

/// A date moved by a duration.
fn shift(t: Temporal, d: AnyDuration, back: bool) -> Computed {
    let moved = match t {
        Temporal::DateTime(t) => shift_date_time(t, d, back).map(Temporal::DateTime),
        Temporal::Date(t) => shift_date(t, d, back).map(Temporal::Date),
        Temporal::Time(t) => match d {
            AnyDuration::DayTime(d) => shift_time(t, d, back).map(Temporal::Time),
            _ => return Err(ExprErrorKind::Type),
        },
        _ => return Err(ExprErrorKind::Type),
    };
    moved.map(Value::Temporal).ok_or(ExprErrorKind::Overflow)
}

fn shift_date_time(t: DateTime, d: AnyDuration, back: bool) -> Option<DateTime> {
    match (d, back) {
        (AnyDuration::YearMonth(d), false) => t.checked_add_year_month_duration(d),
        (AnyDuration::YearMonth(d), true) => t.checked_sub_year_month_duration(d),
        (AnyDuration::DayTime(d), false) => t.checked_add_day_time_duration(d),
        (AnyDuration::DayTime(d), true) => t.checked_sub_day_time_duration(d),
        (AnyDuration::General(d), false) => t.checked_add_duration(d),
        (AnyDuration::General(d), true) => t.checked_sub_duration(d),
    }
}

fn shift_date(t: Date, d: AnyDuration, back: bool) -> Option<Date> {
    match (d, back) {
        (AnyDuration::YearMonth(d), false) => t.checked_add_year_month_duration(d),
        (AnyDuration::YearMonth(d), true) => t.checked_sub_year_month_duration(d),
        (AnyDuration::DayTime(d), false) => t.checked_add_day_time_duration(d),
        (AnyDuration::DayTime(d), true) => t.checked_sub_day_time_duration(d),
        (AnyDuration::General(d), false) => t.checked_add_duration(d),
        (AnyDuration::General(d), true) => t.checked_sub_duration(d),
    }
}

fn shift_time(t: Time, d: DayTimeDuration, back: bool) -> Option<Time> {
    if back {
        t.checked_sub_day_time_duration(d)
    } else {
        t.checked_add_day_time_duration(d)
    }
}

/// The time between two of one datatype; `None` for datatypes without a difference.
fn distance(a: Temporal, b: Temporal) -> Option<Computed> {
    let between = match (a, b) {
        (Temporal::DateTime(a), Temporal::DateTime(b)) => a.checked_sub(b),
        (Temporal::Date(a), Temporal::Date(b)) => a.checked_sub(b),
        (Temporal::Time(a), Temporal::Time(b)) => a.checked_sub(b),
        _ => return None,
    };
    let value = between.map(|d| Value::Duration(AnyDuration::DayTime(d)));
    Some(value.ok_or(ExprErrorKind::Overflow))
}

/// Sums, differences and ratios of durations.
fn combine(operator: ArithmeticOperator, a: AnyDuration, b: AnyDuration) -> Computed {
    use AnyDuration as D;
    let adds = match operator {
        ArithmeticOperator::Add => true,
        ArithmeticOperator::Subtract => false,
        ArithmeticOperator::Divide => return ratio(a, b),
        _ => return Err(ExprErrorKind::Type),
    };
    let combined = match (a, b) {
        (D::YearMonth(a), D::YearMonth(b)) => if adds {
            a.checked_add(b)
        } else {
            a.checked_sub(b)
        }
        .map(D::YearMonth),
        (D::DayTime(a), D::DayTime(b)) => if adds {
            a.checked_add(b)
        } else {
            a.checked_sub(b)
        }
        .map(D::DayTime),
        _ => {
            let (a, b): (Duration, Duration) = (a.general(), b.general());
            if adds {
                a.checked_add(b)
            } else {
                a.checked_sub(b)
            }
            .map(D::General)
        }
    };
    combined.map(Value::Duration).ok_or(ExprErrorKind::Overflow)
}

fn ratio(a: AnyDuration, b: AnyDuration) -> Computed {
    let (a, b) = match (a, b) {
        (AnyDuration::YearMonth(a), AnyDuration::YearMonth(b)) => (months(a), months(b)),
        (AnyDuration::DayTime(a), AnyDuration::DayTime(b)) => (a.as_seconds(), b.as_seconds()),
        _ => return Err(ExprErrorKind::Type),
    };
    let ratio = Number::Decimal(a).divide(Number::Decimal(b))?;
    Ok(Value::Number(ratio))
}

fn months(d: YearMonthDuration) -> Decimal {
    Decimal::from(d.years() * 12 + d.months())
}

/// A duration times or through a number.
fn scale(d: AnyDuration, n: Number, divides: bool) -> Computed {
    let amount = match d {
        AnyDuration::YearMonth(d) => months(d),
        AnyDuration::DayTime(d) => d.as_seconds(),
        AnyDuration::General(_) => return Err(ExprErrorKind::Type),
    };
    let amount = Number::Decimal(amount);
    let scaled = if divides {
        amount.divide(n)?
    } else {
        amount.multiply(n)?
    };
    let scaled = scaled.to_decimal().ok_or(ExprErrorKind::Overflow)?;
    Ok(Value::Duration(match d {
        AnyDuration::YearMonth(_) => {
            let rounded = scaled.checked_round().ok_or(ExprErrorKind::Overflow)?;
            let months = Number::Decimal(rounded).to_integer();
            let months = months.and_then(|m| i64::try_from(m).ok());
            AnyDuration::YearMonth(YearMonthDuration::new(
                months.ok_or(ExprErrorKind::Overflow)?,
            ))
        }
        _ => AnyDuration::DayTime(DayTimeDuration::new(scaled)),
    }))
}
