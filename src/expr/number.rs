//! Numbers of the four XSD kinds and their arithmetic, promotion and canonical forms.
//!
//! Operands are promoted integer, decimal, float, double (XPath 3.1, section B.1); integer division gives a decimal.
//! Integers hold 38 digits, decimals 18 after the point; what goes beyond is an overflow, never a wrong number.

use super::raise::ExprErrorKind;
use oxsdatatypes::{Decimal, Double};
use std::cmp::Ordering;
use std::fmt;

/// The value of a numeric literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// `xsd:integer` and what is derived from it.
    Integer(i128),
    /// `xsd:decimal`.
    Decimal(Decimal),
    /// `xsd:float`.
    Float(f32),
    /// `xsd:double`.
    Double(f64),
}

/// Two numbers after promotion to one kind.
enum Pair {
    Integer(i128, i128),
    Decimal(Decimal, Decimal),
    Float(f32, f32),
    Double(f64, f64),
}

type Outcome = Result<Number, ExprErrorKind>;

impl Number {
    /// The number as a double, rounded where need be.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Integer(i) => i as f64,
            Self::Decimal(d) => Double::from(d).into(),
            Self::Float(f) => f.into(),
            Self::Double(d) => d,
        }
    }

    /// The number as a float, rounded where need be.
    pub fn to_f32(self) -> f32 {
        match self {
            Self::Integer(i) => i as f32,
            Self::Decimal(d) => oxsdatatypes::Float::from(d).into(),
            Self::Float(f) => f,
            Self::Double(d) => d as f32,
        }
    }

    /// The number as a decimal; doubles must be finite.
    pub fn to_decimal(self) -> Option<Decimal> {
        match self {
            Self::Integer(i) => i.checked_mul(DECIMAL_UNIT).map(decimal_of_units),
            Self::Decimal(d) => Some(d),
            Self::Float(f) => Decimal::try_from(oxsdatatypes::Float::from(f)).ok(),
            Self::Double(d) => Decimal::try_from(Double::from(d)).ok(),
        }
    }

    /// The number without its fraction; doubles must be finite.
    pub fn to_integer(self) -> Option<i128> {
        match self {
            Self::Integer(i) => Some(i),
            Self::Decimal(d) => Some(decimal_units(d) / DECIMAL_UNIT),
            Self::Float(f) => truncate(f.into()),
            Self::Double(d) => truncate(d),
        }
    }

    /// Whether it is zero or not a number, which makes its effective boolean value false.
    pub fn is_zero_or_nan(self) -> bool {
        match self {
            Self::Integer(i) => i == 0,
            Self::Decimal(d) => d == Decimal::default(),
            Self::Float(f) => f == 0.0 || f.is_nan(),
            Self::Double(d) => d == 0.0 || d.is_nan(),
        }
    }

    fn promote(self, other: Self) -> Option<Pair> {
        Some(match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => Pair::Integer(a, b),
            (Self::Double(_), _) | (_, Self::Double(_)) => {
                Pair::Double(self.to_f64(), other.to_f64())
            }
            (Self::Float(_), _) | (_, Self::Float(_)) => Pair::Float(self.to_f32(), other.to_f32()),
            _ => Pair::Decimal(self.to_decimal()?, other.to_decimal()?),
        })
    }

    /// `op:numeric-add`.
    ///
    /// # Errors
    /// Overflow.
    pub fn add(self, other: Self) -> Outcome {
        match self.promote(other).ok_or(ExprErrorKind::Overflow)? {
            Pair::Integer(a, b) => integer(a.checked_add(b)),
            Pair::Decimal(a, b) => decimal(a.checked_add(b)),
            Pair::Float(a, b) => Ok(Self::Float(a + b)),
            Pair::Double(a, b) => Ok(Self::Double(a + b)),
        }
    }

    /// `op:numeric-subtract`.
    ///
    /// # Errors
    /// Overflow.
    pub fn subtract(self, other: Self) -> Outcome {
        match self.promote(other).ok_or(ExprErrorKind::Overflow)? {
            Pair::Integer(a, b) => integer(a.checked_sub(b)),
            Pair::Decimal(a, b) => decimal(a.checked_sub(b)),
            Pair::Float(a, b) => Ok(Self::Float(a - b)),
            Pair::Double(a, b) => Ok(Self::Double(a - b)),
        }
    }

    /// `op:numeric-multiply`; decimals are rounded to 18 digits after the point.
    ///
    /// # Errors
    /// Overflow.
    pub fn multiply(self, other: Self) -> Outcome {
        match self.promote(other).ok_or(ExprErrorKind::Overflow)? {
            Pair::Integer(a, b) => integer(a.checked_mul(b)),
            Pair::Decimal(a, b) => decimal(multiply_rounded(a, b)),
            Pair::Float(a, b) => Ok(Self::Float(a * b)),
            Pair::Double(a, b) => Ok(Self::Double(a * b)),
        }
    }

    /// `op:numeric-divide`; two integers give a decimal.
    ///
    /// # Errors
    /// Overflow, and division of an integer or decimal by zero.
    pub fn divide(self, other: Self) -> Outcome {
        let (a, b) = match self.promote(other).ok_or(ExprErrorKind::Overflow)? {
            Pair::Integer(a, b) => (Self::Integer(a).to_decimal(), Self::Integer(b).to_decimal()),
            Pair::Decimal(a, b) => (Some(a), Some(b)),
            Pair::Float(a, b) => return Ok(Self::Float(a / b)),
            Pair::Double(a, b) => return Ok(Self::Double(a / b)),
        };
        let (Some(a), Some(b)) = (a, b) else {
            return Err(ExprErrorKind::Overflow);
        };
        if b == Decimal::default() {
            return Err(ExprErrorKind::DivisionByZero);
        }
        decimal(a.checked_div(b))
    }

    /// `op:numeric-unary-minus`.
    ///
    /// # Errors
    /// Overflow.
    pub fn negate(self) -> Outcome {
        match self {
            Self::Integer(i) => integer(i.checked_neg()),
            Self::Decimal(d) => decimal(d.checked_neg()),
            Self::Float(f) => Ok(Self::Float(-f)),
            Self::Double(d) => Ok(Self::Double(-d)),
        }
    }

    /// The order by value after promotion; `None` when one is NaN.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        match self.promote(other) {
            Some(Pair::Integer(a, b)) => Some(a.cmp(&b)),
            Some(Pair::Decimal(a, b)) => Some(a.cmp(&b)),
            Some(Pair::Float(a, b)) => a.partial_cmp(&b),
            Some(Pair::Double(a, b)) => a.partial_cmp(&b),
            // One is an integer beyond every decimal.
            None => self.to_integer()?.partial_cmp(&other.to_integer()?),
        }
    }

    /// A total order by value over all kinds of numbers, NaN first.
    pub fn total_cmp(self, other: Self) -> Ordering {
        let (a, b) = (self.order_key(), other.order_key());
        a.0.cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2))
    }

    /// The whole part, rounded down; the rest in units of 10^-18; and the rest as a double, for what lies between two
    /// units or beyond all whole parts. Comparing these in turn is a total order, as comparing after promotion is not.
    fn order_key(self) -> (i128, i128, f64) {
        match self {
            Self::Integer(i) => (i, 0, 0.0),
            Self::Decimal(d) => {
                let units = decimal_units(d);
                let rest = units.rem_euclid(DECIMAL_UNIT);
                let whole = units.div_euclid(DECIMAL_UNIT);
                (whole, rest, rest as f64 / DECIMAL_UNIT as f64)
            }
            Self::Float(f) => floating_order_key(f.into()),
            Self::Double(d) => floating_order_key(d),
        }
    }

    /// The local name of its datatype in the XML Schema namespace.
    pub const fn datatype(self) -> &'static str {
        match self {
            Self::Integer(_) => "http://www.w3.org/2001/XMLSchema#integer",
            Self::Decimal(_) => "http://www.w3.org/2001/XMLSchema#decimal",
            Self::Float(_) => "http://www.w3.org/2001/XMLSchema#float",
            Self::Double(_) => "http://www.w3.org/2001/XMLSchema#double",
        }
    }

    /// The text that `fn:string` gives (XPath Functions 3.1, section 19.1.2.2): doubles of usual size without exponent.
    pub fn to_plain_string(self) -> String {
        match self {
            Self::Float(f) if is_usual_size(f.abs().into()) => f.to_string(),
            Self::Double(d) if is_usual_size(d.abs()) => d.to_string(),
            _ => self.to_string(),
        }
    }
}

fn is_usual_size(magnitude: f64) -> bool {
    magnitude == 0.0 || (1e-6..1e6).contains(&magnitude)
}

impl fmt::Display for Number {
    /// The canonical lexical form (XSD 1.1 Part 2, section 3.3).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Integer(i) => write!(f, "{i}"),
            Self::Decimal(d) => write!(f, "{d}"),
            Self::Float(x) => write_floating(x.into(), || format!("{x:E}"), f),
            Self::Double(x) => write_floating(x, || format!("{x:E}"), f),
        }
    }
}

fn write_floating(
    value: f64,
    shortest: impl Fn() -> String,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if value.is_nan() {
        return f.write_str("NaN");
    }
    if value.is_infinite() {
        return f.write_str(if value > 0.0 { "INF" } else { "-INF" });
    }
    let text = shortest();
    match text.split_once('E') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => {
            write!(f, "{mantissa}.0E{exponent}")
        }
        _ => f.write_str(&text),
    }
}

fn integer(value: Option<i128>) -> Outcome {
    value.map(Number::Integer).ok_or(ExprErrorKind::Overflow)
}

fn decimal(value: Option<Decimal>) -> Outcome {
    value.map(Number::Decimal).ok_or(ExprErrorKind::Overflow)
}

fn floating_order_key(value: f64) -> (i128, i128, f64) {
    if value.is_nan() {
        return (i128::MIN, i128::MIN, 0.0);
    }
    let whole = value.floor();
    if truncate(whole).is_none() {
        return (whole as i128, 0, value);
    }
    let rest = value - whole;
    let units = (rest * DECIMAL_UNIT as f64).round();
    (whole as i128, units as i128, rest)
}

fn truncate(value: f64) -> Option<i128> {
    let limit = i128::MAX as f64;
    (value > -limit && value < limit).then_some(value as i128)
}

const DECIMAL_UNIT: i128 = 1_000_000_000_000_000_000;

/// A decimal in units of 10^-18.
pub(super) fn decimal_units(d: Decimal) -> i128 {
    i128::from_be_bytes(d.to_be_bytes())
}

/// The reverse of [`decimal_units`].
pub(super) fn decimal_of_units(units: i128) -> Decimal {
    Decimal::from_be_bytes(units.to_be_bytes())
}

/// The product to 18 digits after the point, where the exact product has more.
fn multiply_rounded(a: Decimal, b: Decimal) -> Option<Decimal> {
    if let Some(exact) = a.checked_mul(b) {
        return Some(exact);
    }
    let (a, b) = (decimal_units(a), decimal_units(b));
    let magnitude = multiply_and_divide(a.unsigned_abs(), b.unsigned_abs())?;
    let magnitude = i128::try_from(magnitude).ok()?;
    let product = if (a < 0) == (b < 0) {
        magnitude
    } else {
        -magnitude
    };
    Some(decimal_of_units(product))
}

/// `a * b / 10^18` rounded, over 256 bits in four limbs.
fn multiply_and_divide(a: u128, b: u128) -> Option<u128> {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let low = a0 * b0;
    let (middle, carry) = (a0 * b1).overflowing_add(a1 * b0);
    let second = (low >> 64) + (middle & LOW);
    let high = a1 * b1 + (middle >> 64) + (second >> 64) + (u128::from(carry) << 64);
    let limbs = [high >> 64, high & LOW, second & LOW, low & LOW];
    let unit = DECIMAL_UNIT as u128;
    let mut quotient = 0_u128;
    let mut remainder = 0;
    for limb in limbs {
        let dividend = (remainder << 64) | limb;
        if quotient >> 64 != 0 {
            return None;
        }
        quotient = (quotient << 64) | (dividend / unit);
        remainder = dividend % unit;
    }
    quotient.checked_add(u128::from(remainder * 2 >= unit))
}

/// Reads the lexical form of an `xsd:integer`; `None` when it is none or has more than 38 digits.
pub fn parse_integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_valid = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
    is_valid.then(|| text.parse().ok()).flatten()
}

/// Reads the lexical form of an `xsd:decimal`, rounding towards zero after 18 digits; `None` when it is none or too large.
pub fn parse_decimal(text: &str) -> Option<Decimal> {
    if let Ok(decimal) = text.parse() {
        return Some(decimal);
    }
    let (whole, fraction) = text.split_once('.')?;
    let kept = fraction.get(..18)?;
    let is_valid = fraction.bytes().all(|c| c.is_ascii_digit());
    is_valid
        .then(|| format!("{whole}.{kept}").parse().ok())
        .flatten()
}

/// Reads the lexical form of an `xsd:double`.
pub fn parse_double(text: &str) -> Option<f64> {
    match text {
        "INF" | "+INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ if is_floating(text) => text.parse().ok(),
        _ => None,
    }
}

/// Reads the lexical form of an `xsd:float`.
pub fn parse_float(text: &str) -> Option<f32> {
    if is_floating(text) {
        return text.parse().ok();
    }
    parse_double(text).map(|d| d as f32)
}

/// Rust also reads words such as "inf", which XSD does not know.
fn is_floating(text: &str) -> bool {
    text.bytes()
        .all(|c| matches!(c, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E'))
}

/// The smallest and largest values of the datatypes derived from `xsd:integer`, by local name.
pub fn integer_range(local_name: &str) -> Option<(i128, i128)> {
    Some(match local_name {
        "integer" => (i128::MIN, i128::MAX),
        "nonPositiveInteger" => (i128::MIN, 0),
        "negativeInteger" => (i128::MIN, -1),
        "nonNegativeInteger" => (0, i128::MAX),
        "positiveInteger" => (1, i128::MAX),
        "long" => (i64::MIN.into(), i64::MAX.into()),
        "int" => (i32::MIN.into(), i32::MAX.into()),
        "short" => (i16::MIN.into(), i16::MAX.into()),
        "byte" => (i8::MIN.into(), i8::MAX.into()),
        "unsignedLong" => (0, u64::MAX.into()),
        "unsignedInt" => (0, u32::MAX.into()),
        "unsignedShort" => (0, u16::MAX.into()),
        "unsignedByte" => (0, u8::MAX.into()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dec(text: &str) -> Number {
        Number::Decimal(parse_decimal(text).expect("a decimal"))
    }

    #[test]
    fn arithmetic_keeps_to_the_promotion_rules() {
        let check = |outcome: Outcome, expected: &str| {
            let text = outcome.map_or_else(|e| format!("{e:?}"), |n| n.to_string());
            assert_eq!(text, expected);
        };
        check(Number::Integer(7).divide(Number::Integer(2)), "3.5");
        check(
            Number::Integer(1).divide(Number::Integer(0)),
            "DivisionByZero",
        );
        check(Number::Double(1.0).divide(Number::Integer(0)), "INF");
        check(dec("0.1").add(dec("0.2")), "0.3");
        check(Number::Integer(1).add(Number::Double(0.5)), "1.5E0");
        check(Number::Float(2.0).multiply(dec("1.5")), "3.0E0");
        check(
            Number::Integer(i128::MAX).add(Number::Integer(1)),
            "Overflow",
        );
        check(
            dec("0.333333333333333333").multiply(dec("0.333333333333333333")),
            "0.111111111111111111",
        );
        check(
            dec("-0.000000000000000003").multiply(dec("0.5")),
            "-0.000000000000000002",
        );
        check(Number::Double(32100.0).negate(), "-3.21E4");
        check(Number::Double(0.0).add(Number::Integer(0)), "0.0E0");
    }

    #[test]
    fn plain_strings_have_no_exponent_where_the_size_is_usual() {
        for (value, expected) in [(32100.0, "32100"), (1e6, "1.0E6"), (0.0, "0"), (1.5, "1.5")] {
            assert_eq!(Number::Double(value).to_plain_string(), expected);
        }
    }

    #[test]
    fn words_that_only_rust_reads_are_no_numbers() {
        for text in ["inf", "nan", "infinity", "", "e", "1e", "0x1", " 1"] {
            assert_eq!(parse_double(text), None, "{text:?}");
            assert_eq!(parse_float(text), None, "{text:?}");
        }
        assert_eq!(parse_decimal("1.0000000000000000001"), parse_decimal("1"));
        assert_eq!(parse_decimal("1.000000000000000000x"), None);
    }

    #[test]
    fn big_integers_compare_with_decimals() {
        let big = Number::Integer(10_i128.pow(30));
        assert_eq!(big.compare(dec("1.5")), Some(Ordering::Greater));
        assert_eq!(dec("1.5").compare(big), Some(Ordering::Less));
        let exact = dec("12345678901234567890.5");
        assert_eq!(
            exact.compare(Number::Integer(12_345_678_901_234_567_891)),
            Some(Ordering::Less)
        );
    }

    proptest! {
        #[test]
        fn wide_products_agree_with_narrow_ones(a in any::<u64>(), b in any::<u64>()) {
            let (a, b) = (u128::from(a), u128::from(b));
            let unit = DECIMAL_UNIT as u128;
            prop_assert_eq!(multiply_and_divide(a, b), Some((a * b + unit / 2) / unit));
        }

        #[test]
        fn the_total_order_is_one(a in number(), b in number(), c in number()) {
            prop_assert_eq!(a.total_cmp(b), b.total_cmp(a).reverse());
            if a.total_cmp(b).is_le() && b.total_cmp(c).is_le() {
                prop_assert!(a.total_cmp(c).is_le());
            }
        }
    }

    fn number() -> impl Strategy<Value = Number> {
        prop_oneof![
            (-3_i128..3).prop_map(Number::Integer),
            Just(Number::Integer(9_007_199_254_740_993)),
            Just(Number::Integer(i128::MAX)),
            (-300_i64..300).prop_map(|n| dec(&format!("{}.{}", n / 100, (n % 100).abs()))),
            Just(dec("9007199254740992.5")),
            (-3.0_f64..3.0).prop_map(Number::Double),
            Just(Number::Double(9_007_199_254_740_992.0)),
            Just(Number::Double(f64::NAN)),
            Just(Number::Double(f64::INFINITY)),
            (-3.0_f32..3.0).prop_map(Number::Float),
        ]
    }
}
