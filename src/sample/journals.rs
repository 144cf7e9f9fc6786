//! Institutions, journals and their issues.

use super::calendar::FIRST_YEAR;
use super::dirt::soil;
use super::draw::Draw;
use super::plan::{Plan, distinct};
use super::record::{Class, Record};
use super::statements::{Object, Statements};
use super::text;
use super::vocabulary::{bibo, dcterms, foaf, geo, own, rdf, rdfs};
use super::words::{ASPECTS, CITIES, FIELDS, LANGUAGES};
use std::io::{self, Write};

/// Writes an institution: names in the language of its city, a place on Earth, sometimes a parent institution.
pub fn write_organization<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::Organization, number);
    let (city, city_at_home, language, country) =
        CITIES[draw.power(CITIES.len() as u64, 2) as usize];
    let kind = draw.pick(&[
        "University of",
        "Institute of Technology",
        "Academy of Sciences",
        "University Press",
        "Research Fund",
    ]);
    to.about(Record::new(Class::Organization, number));
    to.add(rdf::TYPE, Object::iri(foaf::ORGANIZATION))?;
    to.add(foaf::NAME, Object::plain(format!("{kind} {city} {number}")))?;
    to.add(
        rdfs::LABEL,
        Object::lang(format!("{kind} {city_at_home} {number}"), language),
    )?;
    to.add(own::COUNTRY, Object::plain(country))?;
    to.add(own::CITY, Object::lang(city, "en"))?;
    if city != city_at_home {
        to.add(own::CITY, Object::lang(city_at_home, language))?;
    }
    to.add(
        own::ESTABLISHED,
        soil(&mut draw, Object::Year(1700 + number * 7 % 300)),
    )?;
    if draw.chance(70) {
        let staff = 20 + draw.power(20_000, 3) as i64;
        to.add(own::STAFF, soil(&mut draw, Object::Integer(staff)))?;
    }
    if draw.chance(60) {
        let (lat, long) = (draw.below(140_000) as f64, draw.below(350_000) as f64);
        to.add(geo::LAT, Object::Double((lat - 60_000.0) / 1000.0))?;
        to.add(geo::LONG, Object::Double((long - 170_000.0) / 1000.0))?;
    }
    if number > 1 && draw.chance(35) {
        let parent = 1 + draw.power(number - 1, 2);
        to.add(
            dcterms::IS_PART_OF,
            Object::record(Class::Organization, parent),
        )?;
    }
    to.add(
        foaf::HOMEPAGE,
        Object::Iri(format!("http://org{number}.example/").into()),
    )
}

/// Writes a journal.
pub fn write_journal<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::Journal, number);
    let language = if draw.chance(70) {
        0
    } else {
        text::foreign_language(&mut draw)
    };
    to.about(Record::new(Class::Journal, number));
    to.add(rdf::TYPE, Object::iri(bibo::JOURNAL))?;
    to.add(
        dcterms::TITLE,
        Object::lang(journal_title(number, language), LANGUAGES[language]),
    )?;
    to.add(dcterms::LANGUAGE, Object::plain(LANGUAGES[language]))?;
    to.add(
        bibo::ISSN,
        Object::plain(format!(
            "{:04}-{:04}",
            number / 10_000 % 10_000,
            number % 10_000
        )),
    )?;
    if draw.chance(60) {
        to.add(
            bibo::EISSN,
            Object::plain(format!(
                "9{:03}-{:04}",
                number / 10_000 % 1000,
                number % 10_000
            )),
        )?;
    }
    let publisher = 1 + draw.power(plan.organizations, 3);
    to.add(
        dcterms::PUBLISHER,
        Object::record(Class::Organization, publisher),
    )?;
    let categories = draw.run_length(30, 3);
    for category in distinct(&mut draw, categories, |draw| {
        1 + draw.power(plan.categories, 2)
    }) {
        to.add(own::CATEGORY, Object::record(Class::Category, category))?;
    }
    if draw.chance(70) {
        to.add(
            foaf::HOMEPAGE,
            Object::Iri(format!("http://journal{number}.example/").into()),
        )?;
    }
    let founded = FIRST_YEAR - draw.power(120, 2);
    to.add(own::FOUNDED, soil(&mut draw, Object::Year(founded)))?;
    write_impact_factor(to, number, &mut draw)
}

/// Journals 3, 20, 37 and so on have none and say so in words.
fn write_impact_factor<W: Write>(
    to: &mut Statements<'_, W>,
    number: u64,
    draw: &mut Draw,
) -> io::Result<()> {
    if number % 17 == 3 {
        return to.add(own::IMPACT_FACTOR, Object::plain("n/a"));
    }
    let hundredths = 20 + draw.power(4000, 4) as i64;
    to.add(
        own::IMPACT_FACTOR,
        soil(draw, Object::Hundredths(hundredths)),
    )
}

fn journal_title(number: u64, language: usize) -> String {
    let field = FIELDS[(number % FIELDS.len() as u64) as usize][language];
    let aspect = ASPECTS[(number / FIELDS.len() as u64 % ASPECTS.len() as u64) as usize][language];
    match LANGUAGES[language] {
        "en" => format!("Journal of {field} and {aspect}"),
        "de" => format!("Zeitschrift: {field} und {aspect}"),
        "fr" => format!("Revue : {field} et {aspect}"),
        "es" => format!("Revista: {field} y {aspect}"),
        _ => format!("{field} · {aspect}"),
    }
}

/// Writes an issue.
pub fn write_issue<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::Issue, number);
    let day = plan.day_of_issue(number);
    let journal = 1 + draw.power(plan.journals, 2);
    to.about(Record::new(Class::Issue, number));
    to.add(rdf::TYPE, Object::iri(bibo::ISSUE_CLASS))?;
    to.add(dcterms::IS_PART_OF, Object::record(Class::Journal, journal))?;
    to.add(
        bibo::VOLUME,
        soil(
            &mut draw,
            Object::Integer((day.year() - FIRST_YEAR + 1) as i64),
        ),
    )?;
    to.add(bibo::ISSUE, Object::Integer(draw.between(1, 12) as i64))?;
    to.add(dcterms::ISSUED, soil(&mut draw, Object::Date(day)))?;
    if number % 8 == 3 {
        to.add(
            dcterms::TITLE,
            Object::lang(format!("Special issue: {}", text::title(&mut draw)), "en"),
        )?;
    }
    Ok(())
}
