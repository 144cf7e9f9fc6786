//! Categories and subject headings: labels in several languages, and a tree of broader and narrower subjects (SKOS).

use super::draw::Draw;
use super::plan::Plan;
use super::record::{Class, Record};
use super::statements::{Object, Statements};
use super::text;
use super::vocabulary::{own, rdf, rdfs, skos};
use super::words::{ASPECTS, FIELDS, LANGUAGES, RESEARCH};
use std::io::{self, Write};

/// Writes a category: one of the fields, with its label in most languages.
pub fn write_category<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::Category, number);
    let field = &FIELDS[(number - 1) as usize];
    to.about(Record::new(Class::Category, number));
    to.add(rdf::TYPE, Object::iri(own::CATEGORY_CLASS))?;
    for (language, label) in LANGUAGES.into_iter().zip(field) {
        if language == "en" || draw.chance(80) {
            to.add(rdfs::LABEL, Object::lang(*label, language))?;
        }
    }
    if number % 3 == 2 {
        to.add(rdfs::LABEL, Object::plain(field[0]))?;
    }
    to.add(
        rdfs::COMMENT,
        Object::lang(text::long_text(&mut draw, 1), "en"),
    )
}

/// Writes a subject and the statement of its broader subject that this one is narrower.
pub fn write_subject<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::Subject, number);
    let record = Record::new(Class::Subject, number);
    to.about(record);
    to.add(rdf::TYPE, Object::iri(skos::CONCEPT))?;
    to.add(skos::IN_SCHEME, Object::iri(own::SUBJECT_SCHEME))?;
    to.add(skos::NOTATION, Object::plain(format!("S{number:05}")))?;
    write_labels(to, number, &mut draw)?;
    if draw.chance(40) {
        to.add(
            skos::DEFINITION,
            Object::lang(text::long_text(&mut draw, 2), "en"),
        )?;
    }
    if draw.chance(25) {
        let related = 1 + (number + draw.below(plan.subjects - 1)) % plan.subjects;
        to.add(skos::RELATED, Object::record(Class::Subject, related))?;
    }
    match Plan::broader_subject(number) {
        None => to.add(skos::TOP_CONCEPT_OF, Object::iri(own::SUBJECT_SCHEME)),
        Some(broader) => {
            let broader = Record::new(Class::Subject, broader);
            to.add(skos::BROADER, Object::Record(broader))?;
            to.about(broader);
            to.add(skos::NARROWER, Object::Record(record))
        }
    }
}

fn write_labels<W: Write>(
    to: &mut Statements<'_, W>,
    number: u64,
    draw: &mut Draw,
) -> io::Result<()> {
    for (place, language) in LANGUAGES.into_iter().enumerate() {
        if place == 0 || draw.chance(45) {
            to.add(
                skos::PREF_LABEL,
                Object::lang(label(number, place), language),
            )?;
        }
    }
    if draw.chance(30) {
        to.add(
            skos::ALT_LABEL,
            Object::plain(format!("{} ({number})", label(number, 0).to_lowercase())),
        )?;
    }
    Ok(())
}

/// "Research" at the top, the fields below, then "Biology – methods", further down "Biology – methods – risk".
fn label(number: u64, language: usize) -> String {
    let aspect = |subject: u64| ASPECTS[(subject % ASPECTS.len() as u64) as usize][language];
    let field = |subject: u64| {
        let place = subject.checked_sub(2)? as usize;
        FIELDS.get(place).map(|field| field[language])
    };
    let Some(broader) = Plan::broader_subject(number) else {
        return RESEARCH[language].to_owned();
    };
    if let Some(field) = field(number) {
        return field.to_owned();
    }
    let ancestors = std::iter::successors(Some(broader), |subject| Plan::broader_subject(*subject));
    let field = ancestors
        .into_iter()
        .find_map(field)
        .unwrap_or(RESEARCH[language]);
    if broader < FIELDS.len() as u64 + 2 {
        format!("{field} – {}", aspect(number))
    } else {
        format!("{field} – {} – {}", aspect(broader), aspect(number))
    }
}
