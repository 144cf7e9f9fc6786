//! Points in time as logs write them, as seconds since 1970.

/// `10/Oct/2000:13:55:36 -0700`, as web servers write it.
pub fn parse_access_log_time(text: &str) -> Option<f64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (moment, offset) = text.trim().split_once(' ')?;
    let (date, time) = moment.split_once(':')?;
    let mut date = date.split('/');
    let day = date.next()?.parse().ok()?;
    let name = date.next()?;
    let month = MONTHS.iter().position(|month| *month == name)? as i64 + 1;
    let year = date.next()?.parse().ok()?;
    Some(days(year, month, day)? as f64 * 86_400.0 + time_s(time)? - offset_s(offset)?)
}

/// `2000-10-10T13:55:36.5-07:00` (RFC 3339).
pub fn parse_rfc3339(text: &str) -> Option<f64> {
    let (date, rest) = text.trim().split_once(['T', 't', ' '])?;
    let mut date = date.split('-').map(|part| part.parse().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let zone = rest.find(['Z', 'z', '+', '-'])?;
    let (time, offset) = rest.split_at(zone);
    let offset_s = match offset {
        "Z" | "z" => 0.0,
        offset => offset_s(&offset.replace(':', ""))?,
    };
    Some(days(year, month, day)? as f64 * 86_400.0 + time_s(time)? - offset_s)
}

fn time_s(text: &str) -> Option<f64> {
    let mut parts = text.split(':').map(|part| part.parse::<f64>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    Some(hours * 3600.0 + minutes * 60.0 + seconds)
}

/// `-0700`
fn offset_s(text: &str) -> Option<f64> {
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let digits = text.get(1..)?;
    let (hours, minutes) = digits.split_at_checked(2)?;
    let seconds = hours.parse::<f64>().ok()? * 3600.0 + minutes.parse::<f64>().ok()? * 60.0;
    Some(sign * seconds)
}

/// Days since 1970 of a date in the proleptic Gregorian calendar; years begin in March, so that leap days end them.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(0..=9999).contains(&year) {
        return None;
    }
    let year = if month < 3 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let days_in_year = (153 * month_from_march + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(365 * year + leap_days + days_in_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_both_kinds() {
        let check = |found: Option<f64>, wanted: Option<f64>| assert_eq!(found, wanted);
        check(
            parse_access_log_time("01/Jan/1970:00:00:00 +0000"),
            Some(0.0),
        );
        check(
            parse_access_log_time("10/Oct/2000:13:55:36 -0700"),
            Some(971_211_336.0),
        );
        check(
            parse_access_log_time("29/Feb/2024:12:00:00 +0100"),
            Some(1_709_204_400.0),
        );
        check(parse_access_log_time("10/Okt/2000:13:55:36 -0700"), None);
        check(
            parse_rfc3339("2000-10-10T13:55:36-07:00"),
            Some(971_211_336.0),
        );
        check(
            parse_rfc3339("2000-10-10T20:55:36.25Z"),
            Some(971_211_336.25),
        );
        check(parse_rfc3339("2000-10-10"), None);
        check(parse_rfc3339("2000-13-10T20:55:36Z"), None);
    }
}
