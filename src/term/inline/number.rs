//! Inline numbers: `xsd:integer`, `xsd:decimal`, `xsd:double` and `xsd:float`.
//!
//! ```text
//!  integer         [value + 2^59: 60]
//!  decimal         [sign: 1] [scale: 4] [mantissa: 55]                             value = mantissa / 10^scale
//!  double, float   [form: 2] [sign: 1] [exponent: 6] [scale: 4] [mantissa: 47]     value = mantissa * 10^(exponent - scale)
//! ```
//!
//! The scale is the number of digits after the point, 0 when there is no point. The form of a double says how its
//! exponent is written: not at all, with `E`, with `e`; the fourth form is for INF, -INF and NaN. Doubles are taken in
//! only where mantissa and power of ten are exact, so that one multiplication or division gives the nearest value.

use crate::term::{Tag, TermId};
use oxsdatatypes::Decimal;
use std::io::Write;

const INTEGER_BIAS: i64 = 1 << 59;
const SCALE_MAX: u32 = 15;
const DECIMAL_MANTISSA_BITS: u32 = 55;
const DOUBLE_MANTISSA_BITS: u32 = 47;
/// The largest power of ten that an `f64` holds exactly.
const EXACT_POWER_MAX: i32 = 22;
const EXPONENT_BIAS: i32 = 32;
const SPECIAL_FORM: u64 = 3;
const SPECIALS: [(&str, f64); 3] = [
    ("INF", f64::INFINITY),
    ("-INF", f64::NEG_INFINITY),
    ("NaN", f64::NAN),
];

const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// What a mantissa of each scale is multiplied by to get units of 10^-18, in which [`Decimal`] counts.
const DECIMAL_UNITS: [i128; 16] = {
    let mut units = [1_000_000_000_000_000_000; 16];
    let mut scale = 1;
    while scale < units.len() {
        units[scale] = units[scale - 1] / 10;
        scale += 1;
    }
    units
};

impl TermId {
    /// The id of an `xsd:integer` in canonical form, if it fits.
    #[inline]
    pub const fn encode_integer(value: i64) -> Option<Self> {
        if value < -INTEGER_BIAS || value >= INTEGER_BIAS {
            return None;
        }
        Some(Self::new(Tag::Integer, (value + INTEGER_BIAS) as u64))
    }

    /// The value of an inline `xsd:integer`.
    #[inline]
    pub const fn as_integer(self) -> Option<i64> {
        match self.tag() {
            Tag::Integer => Some(self.payload() as i64 - INTEGER_BIAS),
            _ => None,
        }
    }

    /// The signed mantissa and the scale of an inline `xsd:decimal`: the value is `mantissa / 10^scale`.
    #[inline]
    pub const fn as_scaled_decimal(self) -> Option<(i64, u32)> {
        match self.tag() {
            Tag::Decimal => {
                let payload = self.payload();
                let mantissa = (payload & ((1 << DECIMAL_MANTISSA_BITS) - 1)) as i64;
                let scale = (payload >> DECIMAL_MANTISSA_BITS & 15) as u32;
                let negative = payload >> (DECIMAL_MANTISSA_BITS + 4) == 1;
                Some((if negative { -mantissa } else { mantissa }, scale))
            }
            _ => None,
        }
    }

    /// The value of an inline `xsd:decimal`.
    #[inline]
    pub fn as_decimal(self) -> Option<Decimal> {
        let (mantissa, scale) = self.as_scaled_decimal()?;
        // The mantissa is below 2^55 and the factor at most 10^18, so the product fits.
        let units = i128::from(mantissa) * DECIMAL_UNITS[scale as usize];
        Some(Decimal::from_be_bytes(units.to_be_bytes()))
    }

    /// The value of an inline `xsd:double`.
    #[inline]
    pub fn as_double(self) -> Option<f64> {
        (self.tag() == Tag::Double).then(|| floating_value(self.payload()))
    }

    /// The value of an inline `xsd:float`.
    #[inline]
    pub fn as_float(self) -> Option<f32> {
        (self.tag() == Tag::Float).then(|| floating_value(self.payload()) as f32)
    }
}

/// A number as written: its digits without the point, and where the point was.
struct Digits {
    negative: bool,
    mantissa: u64,
    scale: u32,
}

/// Reads `-?(0|[1-9][0-9]*)(\.[0-9]+)?`, the only form from which the text can be rebuilt.
fn parse_digits(text: &[u8], mantissa_bits: u32) -> Option<Digits> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (whole, fraction) = match text.iter().position(|&c| c == b'.') {
        Some(point) => (&text[..point], Some(&text[point + 1..])),
        None => (text, None),
    };
    let leading_zero = whole.len() > 1 && whole[0] == b'0';
    if whole.is_empty() || leading_zero || fraction.is_some_and(<[u8]>::is_empty) {
        return None;
    }
    let fraction = fraction.unwrap_or_default();
    if fraction.len() > SCALE_MAX as usize || whole.len() > 18 {
        return None;
    }
    let mut mantissa = 0_u64;
    for c in whole.iter().chain(fraction) {
        let digit = c.is_ascii_digit().then(|| u64::from(c - b'0'))?;
        mantissa = mantissa.checked_mul(10)?.checked_add(digit)?;
    }
    (mantissa >> mantissa_bits == 0).then_some(Digits {
        negative,
        mantissa,
        scale: fraction.len() as u32,
    })
}

pub(super) fn encode_integer_text(text: &[u8]) -> Option<TermId> {
    let digits = parse_digits(text, 60)?;
    if digits.scale != 0 || (digits.negative && digits.mantissa == 0) {
        return None;
    }
    let value = digits.mantissa as i64;
    TermId::encode_integer(if digits.negative { -value } else { value })
}

pub(super) fn encode_decimal(text: &[u8]) -> Option<TermId> {
    let digits = parse_digits(text, DECIMAL_MANTISSA_BITS)?;
    let high = u64::from(digits.negative) << 4 | u64::from(digits.scale);
    let payload = high << DECIMAL_MANTISSA_BITS | digits.mantissa;
    Some(TermId::new(Tag::Decimal, payload))
}

pub(super) fn encode_double(lexical: &str) -> Option<TermId> {
    Some(TermId::new(Tag::Double, floating_payload(lexical)?))
}

pub(super) fn encode_float(lexical: &str) -> Option<TermId> {
    let payload = floating_payload(lexical)?;
    if payload >> 58 != SPECIAL_FORM {
        // Rounding twice, to a double and then to a float, may miss the nearest float.
        let nearest: f32 = lexical.parse().ok()?;
        if !nearest.is_finite() || (floating_value(payload) as f32).to_bits() != nearest.to_bits() {
            return None;
        }
    }
    Some(TermId::new(Tag::Float, payload))
}

fn floating_payload(lexical: &str) -> Option<u64> {
    if let Some(special) = SPECIALS.iter().position(|(name, _)| *name == lexical) {
        return Some(SPECIAL_FORM << 58 | special as u64);
    }
    let text = lexical.as_bytes();
    let (text, form, exponent) = match text.iter().position(|&c| c == b'E' || c == b'e') {
        Some(at) => {
            let form = if text[at] == b'E' { 1 } else { 2 };
            (&text[..at], form, parse_exponent(&text[at + 1..])?)
        }
        None => (text, 0, 0),
    };
    let digits = parse_digits(text, DOUBLE_MANTISSA_BITS)?;
    if (exponent - digits.scale as i32).abs() > EXACT_POWER_MAX {
        return None;
    }
    let sign = u64::from(digits.negative);
    let high = ((form << 1 | sign) << 6 | (exponent + EXPONENT_BIAS) as u64) << 4;
    Some((high | u64::from(digits.scale)) << DOUBLE_MANTISSA_BITS | digits.mantissa)
}

/// Reads `0|-?[1-9][0-9]?` below the bias.
fn parse_exponent(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        _ => (1, text),
    };
    let value = match digits {
        [b'0'] if sign == 1 => 0,
        [d @ b'1'..=b'9'] => i32::from(d - b'0'),
        [t @ b'1'..=b'9', d @ b'0'..=b'9'] => i32::from(t - b'0') * 10 + i32::from(d - b'0'),
        _ => return None,
    };
    (value < EXPONENT_BIAS).then_some(sign * value)
}

/// The parts of a double's payload: form, sign, exponent, scale, mantissa.
#[inline]
fn floating_parts(payload: u64) -> (u64, bool, i32, u32, u64) {
    let mantissa = payload & ((1 << DOUBLE_MANTISSA_BITS) - 1);
    let high = payload >> DOUBLE_MANTISSA_BITS;
    let exponent = (high >> 4 & 63) as i32 - EXPONENT_BIAS;
    (
        high >> 11,
        high >> 10 & 1 == 1,
        exponent,
        (high & 15) as u32,
        mantissa,
    )
}

#[inline]
fn floating_value(payload: u64) -> f64 {
    let (form, negative, exponent, scale, mantissa) = floating_parts(payload);
    if form == SPECIAL_FORM {
        return SPECIALS[(mantissa % 3) as usize].1;
    }
    let power = exponent - scale as i32;
    let factor = POWERS_OF_TEN[power.abs().min(EXACT_POWER_MAX) as usize];
    let magnitude = if power < 0 {
        mantissa as f64 / factor
    } else {
        mantissa as f64 * factor
    };
    if negative { -magnitude } else { magnitude }
}

pub(super) fn write_integer(id: TermId, buffer: &mut Vec<u8>) {
    let _ = write!(buffer, "{}", id.payload() as i64 - INTEGER_BIAS);
}

pub(super) fn write_decimal(id: TermId, buffer: &mut Vec<u8>) {
    let payload = id.payload();
    let mantissa = payload & ((1 << DECIMAL_MANTISSA_BITS) - 1);
    let scale = (payload >> DECIMAL_MANTISSA_BITS & 15) as u32;
    write_digits(
        payload >> (DECIMAL_MANTISSA_BITS + 4) == 1,
        mantissa,
        scale,
        buffer,
    );
}

pub(super) fn write_floating(id: TermId, buffer: &mut Vec<u8>) {
    let (form, negative, exponent, scale, mantissa) = floating_parts(id.payload());
    if form == SPECIAL_FORM {
        buffer.extend_from_slice(SPECIALS[(mantissa % 3) as usize].0.as_bytes());
        return;
    }
    write_digits(negative, mantissa, scale, buffer);
    let letter = match form {
        0 => return,
        1 => 'E',
        _ => 'e',
    };
    let _ = write!(buffer, "{letter}{exponent}");
}

/// Writes into a vector, which cannot fail.
fn write_digits(negative: bool, mantissa: u64, scale: u32, buffer: &mut Vec<u8>) {
    if negative {
        buffer.push(b'-');
    }
    let unit = 10_u64.pow(scale);
    let _ = write!(buffer, "{}", mantissa / unit);
    if scale > 0 {
        let _ = write!(
            buffer,
            ".{:0width$}",
            mantissa % unit,
            width = scale as usize
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::inline::XSD;
    use proptest::prelude::*;

    #[test]
    fn integers_are_ordered_as_their_ids() {
        let ids: Vec<_> = [-INTEGER_BIAS, -5, -1, 0, 7, INTEGER_BIAS - 1]
            .into_iter()
            .map(|v| TermId::encode_integer(v).expect("fits"))
            .collect();
        assert!(ids.is_sorted());
        assert_eq!(ids[1].as_integer(), Some(-5));
    }

    proptest! {
        #[test]
        fn values_are_those_of_the_text(text in "-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,10})?(E-?[1-9][0-9]?)?") {
            if let Some(id) = TermId::encode_inline(&text, &format!("{XSD}double")) {
                let value = id.as_double().expect("a double");
                prop_assert_eq!(value.to_bits(), text.parse::<f64>().expect("a number").to_bits());
            }
            if let Some(id) = TermId::encode_inline(&text, &format!("{XSD}float")) {
                let value = id.as_float().expect("a float");
                prop_assert_eq!(value.to_bits(), text.parse::<f32>().expect("a number").to_bits());
            }
            if let Some(id) = TermId::encode_inline(&text, &format!("{XSD}decimal")) {
                prop_assert_eq!(id.as_decimal(), text.parse().ok());
            }
            if let Some(id) = TermId::encode_inline(&text, &format!("{XSD}integer")) {
                prop_assert_eq!(id.as_integer(), text.parse().ok());
            }
        }
    }
}
