//! Days as numbers, and how XML Schema writes them (XSD 1.1 part 2, 3.3.7 and 3.3.9).

/// The first year of the platform.
pub const FIRST_YEAR: u64 = 1990;

/// The number of days that the sample covers: 1990-01-01 to 2024-12-31.
pub const DAYS: u64 = 12_784;

/// A day, counted from 1990-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub u64);

impl Day {
    /// The day that lies `part` of `whole` through the years of the sample.
    pub fn at(part: u64, whole: u64) -> Self {
        Self(part * (DAYS - 1) / whole.max(1))
    }

    /// The day so many days later, at most the last day of the sample.
    pub fn after(self, days: u64) -> Self {
        Self((self.0 + days).min(DAYS - 1))
    }

    /// The day so many days earlier, at least the first day of the sample.
    pub fn before(self, days: u64) -> Self {
        Self(self.0.saturating_sub(days))
    }

    /// Year, month and day of the month.
    pub fn civil(self) -> (u64, u64, u64) {
        let (mut year, mut rest) = (FIRST_YEAR, self.0);
        while rest >= days_in_year(year) {
            rest -= days_in_year(year);
            year += 1;
        }
        let mut month = 1;
        while rest >= days_in_month(year, month) {
            rest -= days_in_month(year, month);
            month += 1;
        }
        (year, month, rest + 1)
    }

    /// The year.
    pub fn year(self) -> u64 {
        self.civil().0
    }
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in_year(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_in_month(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn civil_days() {
        let check = |day, civil| assert_eq!(Day(day).civil(), civil);
        check(0, (1990, 1, 1));
        check(31, (1990, 2, 1));
        check(365, (1991, 1, 1));
        check(789, (1992, 2, 29));
        check(DAYS - 1, (2024, 12, 31));
    }
}
