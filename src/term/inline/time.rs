//! Inline dates: `xsd:dateTime`, `xsd:date` and `xsd:gYear`, years 0001 to 9999.
//!
//! ```text
//!  dateTime   [year: 14] [month: 4] [day: 5] [hour: 5] [minute: 6] [second: 6] [millisecond: 10] [digits: 2] [zone: 8]
//!  date       [year: 14] [month: 4] [day: 5] [zone: 8]
//!  gYear      [year: 14] [zone: 8]
//! ```
//!
//! `digits` is how many digits the fraction of the second is written with, 0 to 3. A zone is absent (0), `Z` (1), an
//! offset in quarters of an hour from -14:00 (2) to +14:00 (114), or `-00:00` (115). Within one zone the order of ids
//! is the order of time.

use crate::term::{Tag, TermId};
use std::cmp::Ordering;
use std::io::Write;

const ZONE_ABSENT: u8 = 0;
const ZONE_Z: u8 = 1;
const ZONE_PLUS_ZERO: u8 = 2 + 14 * 4;
const ZONE_MINUS_ZERO: u8 = 115;
const DAY_MS: i64 = 86_400_000;
/// How far an absent zone may be from UTC (XSD 1.1 Part 2, section 3.3.7).
const ZONE_MS_MAX: i64 = 14 * 3_600_000;

/// The fields of an inline date, as written; those that its datatype lacks are the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// 1 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 24; 24 only at the very end of a day.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999.
    pub millis: u16,
    fraction_digits: u8,
    zone: u8,
}

/// A moment on the time line, where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    /// Milliseconds since 0001-01-01T00:00:00, in UTC if `zoned` and else in an unknown zone.
    pub millis: i64,
    /// Whether a zone was written.
    pub zoned: bool,
}

impl PartialOrd for Instant {
    /// The order of XSD 1.1: with and without a zone are comparable only more than 14 hours apart.
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.zoned == other.zoned {
            return Some(self.millis.cmp(&other.millis));
        }
        let distance = self.millis - other.millis;
        (distance.abs() > ZONE_MS_MAX).then(|| distance.cmp(&0))
    }
}

impl Fields {
    /// The offset from UTC in minutes, if a zone was written.
    pub fn zone_minutes(&self) -> Option<i16> {
        match self.zone {
            ZONE_ABSENT => None,
            ZONE_Z | ZONE_MINUS_ZERO.. => Some(0),
            zone => Some((i16::from(zone) - i16::from(ZONE_PLUS_ZERO)) * 15),
        }
    }

    /// The moment at which the date, year or dateTime begins.
    #[inline]
    pub fn instant(&self) -> Instant {
        let days = days_before_year(self.year) + days_before_month(self.year, self.month);
        let seconds =
            i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second)
                - i64::from(self.zone_minutes().unwrap_or(0)) * 60;
        Instant {
            millis: (days + i64::from(self.day) - 1) * DAY_MS
                + seconds * 1000
                + i64::from(self.millis),
            zoned: self.zone != ZONE_ABSENT,
        }
    }
}

impl TermId {
    /// The fields of an inline `xsd:dateTime`, `xsd:date` or `xsd:gYear`.
    #[inline]
    pub fn as_date_fields(self) -> Option<Fields> {
        let mut bits = self.payload();
        let mut take = |width: u32| {
            let field = bits & ((1 << width) - 1);
            bits >>= width;
            field
        };
        let mut fields = Fields {
            year: 1,
            month: 1,
            day: 1,
            hour: 0,
            minute: 0,
            second: 0,
            millis: 0,
            fraction_digits: 0,
            zone: take(8) as u8,
        };
        match self.tag() {
            Tag::DateTime => {
                fields.fraction_digits = take(2) as u8;
                fields.millis = take(10) as u16;
                fields.second = take(6) as u8;
                fields.minute = take(6) as u8;
                fields.hour = take(5) as u8;
                fields.day = take(5) as u8;
                fields.month = take(4) as u8;
            }
            Tag::Date => {
                fields.day = take(5) as u8;
                fields.month = take(4) as u8;
            }
            Tag::GYear => {}
            _ => return None,
        }
        fields.year = take(14) as u16;
        Some(fields)
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in_month(year: u16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_before_year(year: u16) -> i64 {
    let past = i64::from(year) - 1;
    past * 365 + past / 4 - past / 100 + past / 400
}

fn days_before_month(year: u16, month: u8) -> i64 {
    const DAYS: [i64; 13] = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap_day = i64::from(month > 2 && is_leap(year));
    DAYS[usize::from(month).min(12)] + leap_day
}

/// Takes fields off the front of a text.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn digits(&mut self, count: usize) -> Option<u16> {
        let (field, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        field.iter().try_fold(0, |n, c| {
            c.is_ascii_digit().then(|| n * 10 + u16::from(c - b'0'))
        })
    }

    fn field(&mut self, range: std::ops::RangeInclusive<u8>) -> Option<u8> {
        let value = self.digits(2)? as u8;
        range.contains(&value).then_some(value)
    }

    fn expect(&mut self, c: u8) -> Option<()> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        (first == c).then_some(())
    }

    fn year(&mut self) -> Option<u16> {
        self.digits(4).filter(|&y| y > 0)
    }

    fn month_and_day(&mut self, year: u16) -> Option<(u8, u8)> {
        self.expect(b'-')?;
        let month = self.field(1..=12)?;
        self.expect(b'-')?;
        let day = self.field(1..=days_in_month(year, month))?;
        Some((month, day))
    }

    /// Hour, minute, second, milliseconds and how many digits these had.
    fn clock(&mut self) -> Option<(u8, u8, u8, u16, u8)> {
        let hour = self.field(0..=24)?;
        self.expect(b':')?;
        let minute = self.field(0..=59)?;
        self.expect(b':')?;
        let second = self.field(0..=59)?;
        let (millis, digits) = self.fraction()?;
        let past_midnight = hour == 24 && (minute, second, millis) != (0, 0, 0);
        (!past_midnight).then_some((hour, minute, second, millis, digits))
    }

    fn fraction(&mut self) -> Option<(u16, u8)> {
        if self.0.first() != Some(&b'.') {
            return Some((0, 0));
        }
        self.0 = &self.0[1..];
        let count = self.0.iter().take_while(|c| c.is_ascii_digit()).count();
        if !(1..=3).contains(&count) {
            return None;
        }
        let unit = [100, 10, 1][count - 1];
        Some((self.digits(count)? * unit, count as u8))
    }

    /// The zone, which ends the text.
    fn zone(mut self) -> Option<u8> {
        let sign = match self.0 {
            [] => return Some(ZONE_ABSENT),
            b"Z" => return Some(ZONE_Z),
            b"-00:00" => return Some(ZONE_MINUS_ZERO),
            [sign @ (b'+' | b'-'), rest @ ..] => {
                self.0 = rest;
                *sign
            }
            _ => return None,
        };
        let hours = self.field(0..=14)?;
        self.expect(b':')?;
        let minutes = self.field(0..=59)?;
        let too_far = hours == 14 && minutes > 0;
        if !self.0.is_empty() || !minutes.is_multiple_of(15) || too_far {
            return None;
        }
        let quarters = hours * 4 + minutes / 15;
        Some(match sign {
            b'+' => ZONE_PLUS_ZERO + quarters,
            _ => ZONE_PLUS_ZERO - quarters,
        })
    }
}

pub(super) fn encode_date_time(text: &[u8]) -> Option<TermId> {
    let mut cursor = Cursor(text);
    let year = cursor.year()?;
    let (month, day) = cursor.month_and_day(year)?;
    cursor.expect(b'T')?;
    let (hour, minute, second, millis, digits) = cursor.clock()?;
    let zone = cursor.zone()?;
    let date = (u64::from(year) << 4 | u64::from(month)) << 5 | u64::from(day);
    let minutes = (date << 5 | u64::from(hour)) << 6 | u64::from(minute);
    let clock = (minutes << 6 | u64::from(second)) << 10 | u64::from(millis);
    let payload = (clock << 2 | u64::from(digits)) << 8 | u64::from(zone);
    Some(TermId::new(Tag::DateTime, payload))
}

pub(super) fn encode_date(text: &[u8]) -> Option<TermId> {
    let mut cursor = Cursor(text);
    let year = cursor.year()?;
    let (month, day) = cursor.month_and_day(year)?;
    let zone = cursor.zone()?;
    let date = (u64::from(year) << 4 | u64::from(month)) << 5 | u64::from(day);
    Some(TermId::new(Tag::Date, date << 8 | u64::from(zone)))
}

pub(super) fn encode_gyear(text: &[u8]) -> Option<TermId> {
    let mut cursor = Cursor(text);
    let year = cursor.year()?;
    let zone = cursor.zone()?;
    Some(TermId::new(
        Tag::GYear,
        u64::from(year) << 8 | u64::from(zone),
    ))
}

pub(super) fn write_date_time(id: TermId, buffer: &mut Vec<u8>) {
    let Some(f) = id.as_date_fields() else { return };
    let _ = write!(
        buffer,
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        f.year, f.month, f.day, f.hour, f.minute, f.second
    );
    match f.fraction_digits {
        0 => {}
        1 => _ = write!(buffer, ".{}", f.millis / 100),
        2 => _ = write!(buffer, ".{:02}", f.millis / 10),
        _ => _ = write!(buffer, ".{:03}", f.millis),
    }
    write_zone(f, buffer);
}

pub(super) fn write_date(id: TermId, buffer: &mut Vec<u8>) {
    let Some(f) = id.as_date_fields() else { return };
    let _ = write!(buffer, "{:04}-{:02}-{:02}", f.year, f.month, f.day);
    write_zone(f, buffer);
}

pub(super) fn write_gyear(id: TermId, buffer: &mut Vec<u8>) {
    let Some(f) = id.as_date_fields() else { return };
    let _ = write!(buffer, "{:04}", f.year);
    write_zone(f, buffer);
}

fn write_zone(f: Fields, buffer: &mut Vec<u8>) {
    let zone = match f.zone {
        ZONE_ABSENT => return,
        ZONE_Z => return buffer.push(b'Z'),
        zone => zone,
    };
    let negative = !(ZONE_PLUS_ZERO..ZONE_MINUS_ZERO).contains(&zone);
    let minutes = f.zone_minutes().unwrap_or(0).unsigned_abs();
    let sign = if negative { '-' } else { '+' };
    let _ = write!(buffer, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxsdatatypes::DateTime;
    use proptest::prelude::*;
    use std::str::FromStr;

    fn instant(text: &str) -> Instant {
        let id = encode_date_time(text.as_bytes()).expect("fits");
        id.as_date_fields().expect("a date").instant()
    }

    proptest! {
        #[test]
        fn instants_compare_as_xsd_says(
            a in "20(19|20)-(01|02|12)-(01|28)T(00|24):00:00(\\.5)?(Z|[-+](09|14):00)?",
            b in "20(19|20)-(01|03|12)-(01|31)T(10|24):00:00(Z|[-+](09|14):00)?",
        ) {
            if let (Ok(x), Ok(y)) = (DateTime::from_str(&a), DateTime::from_str(&b)) {
                prop_assert_eq!(instant(&a).partial_cmp(&instant(&b)), x.partial_cmp(&y));
            }
        }
    }

    #[test]
    fn a_day_of_24_hours_ends_where_the_next_begins() {
        assert_eq!(
            instant("2019-12-31T24:00:00Z"),
            instant("2020-01-01T00:00:00Z")
        );
    }
}
