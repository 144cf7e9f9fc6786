//! Dirt: what production data holds where something else is usual.
//!
//! About one value in a hundred of those that pass through here is replaced by what a hurried editor, an import script
//! or an old form left behind: "2009?", "in press", the 30th of February, a number as text, an IRI where a literal is
//! usual. Every replacement is legal RDF.

use super::calendar::Day;
use super::draw::Draw;
use super::statements::{Object, date, date_time, hundredths};
use super::vocabulary::xsd;

/// One in so many values is dirty.
pub const ONE_IN: u64 = 90;

/// The object as it is usual, or its dirty relative.
pub fn soil<'a>(draw: &mut Draw, usual: Object<'a>) -> Object<'a> {
    if draw.below(ONE_IN) > 0 {
        return usual;
    }
    match usual {
        Object::Integer(value) => dirty_integer(draw, value),
        Object::Hundredths(value) | Object::Price(value) => {
            dirty_number(draw, &hundredths(value), xsd::DECIMAL)
        }
        Object::Double(value) => dirty_number(draw, &format!("{value}"), xsd::DOUBLE),
        Object::Boolean(value) => Object::plain(if value { "yes" } else { "no" }),
        Object::Year(year) => dirty_year(draw, year, xsd::G_YEAR),
        Object::Date(day) => dirty_date(draw, day),
        Object::DateTime(day, second) => dirty_date_time(draw, day, second),
        Object::Plain(text) if text.starts_with("10.") => {
            Object::Iri(format!("https://doi.org/{text}").into())
        }
        Object::Plain(_) | Object::Lang(..) => Object::plain(draw.pick(&["", "?", "n/a", "TODO"])),
        other => other,
    }
}

/// A year as `xsd:integer`, or its dirty relative.
pub fn soil_year_number(draw: &mut Draw, year: u64) -> Object<'static> {
    if draw.below(ONE_IN) > 0 {
        Object::Integer(year as i64)
    } else {
        dirty_year(draw, year, xsd::INTEGER)
    }
}

fn dirty_integer(draw: &mut Draw, value: i64) -> Object<'static> {
    match draw.below(5) {
        0 => Object::Plain(format!("about {value}").into()),
        1 => Object::plain("n/a"),
        2 => Object::Typed(format!("{value}?").into(), xsd::INTEGER),
        _ => Object::Plain(value.to_string().into()),
    }
}

fn dirty_number(draw: &mut Draw, lexical: &str, datatype: &'static str) -> Object<'static> {
    match draw.below(4) {
        0 => Object::plain("n/a"),
        1 => Object::Plain(lexical.replace('.', ",").into()),
        2 => Object::Typed(format!("~{lexical}").into(), datatype),
        _ => Object::Plain(lexical.to_owned().into()),
    }
}

fn dirty_year(draw: &mut Draw, year: u64, datatype: &'static str) -> Object<'static> {
    match draw.below(6) {
        0 => Object::Plain(format!("{year}?").into()),
        1 => Object::Typed(format!("{year}?").into(), datatype),
        2 => Object::plain("in press"),
        3 => Object::Typed("in press".into(), datatype),
        4 => Object::Plain(format!("c. {year}").into()),
        _ => Object::Plain(year.to_string().into()),
    }
}

fn dirty_date(draw: &mut Draw, day: Day) -> Object<'static> {
    let (year, month, number) = day.civil();
    match draw.below(7) {
        0 => Object::Typed(format!("{year}-02-30").into(), xsd::DATE),
        1 => Object::Typed(format!("{number}.{month}.{year}").into(), xsd::DATE),
        2 => Object::plain("in press"),
        3 => Object::Plain(format!("{year}-{month:02}").into()),
        4 => Object::Plain(format!("{year}?").into()),
        5 => Object::Iri(format!("http://kaluta.example/date/{}", date(day)).into()),
        _ => Object::Plain(date(day).into()),
    }
}

fn dirty_date_time(draw: &mut Draw, day: Day, second: u64) -> Object<'static> {
    match draw.below(4) {
        0 => Object::Typed(format!("{}T25:61:00Z", date(day)).into(), xsd::DATE_TIME),
        1 => Object::Typed(
            date_time(day, second).replace('T', " ").into(),
            xsd::DATE_TIME,
        ),
        2 => Object::plain("yesterday"),
        _ => Object::Plain(date(day).into()),
    }
}
