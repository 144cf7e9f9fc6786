//! Authors with their affiliations, and the accounts of readers.

use super::calendar::Day;
use super::dirt::soil;
use super::draw::Draw;
use super::plan::{Plan, distinct};
use super::record::{Class, Record};
use super::statements::{Blank, Object, Statements};
use super::text;
use super::vocabulary::{dcterms, foaf, owl, own, rdf, rdfs, sioc};
use super::words::{ASPECTS, CITIES, FIELDS};
use std::io::{self, Write};

/// Writes an author and the blank nodes of the affiliations.
pub fn write_person<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::Person, number);
    let (given, family) = text::person_name(&mut draw);
    to.about(Record::new(Class::Person, number));
    to.add(rdf::TYPE, Object::iri(foaf::PERSON))?;
    to.add(foaf::NAME, Object::plain(format!("{given} {family}")))?;
    if draw.chance(90) {
        to.add(foaf::GIVEN_NAME, Object::plain(given))?;
        to.add(foaf::FAMILY_NAME, Object::plain(family))?;
    }
    if draw.chance(40) {
        to.add(
            foaf::MBOX,
            Object::Iri(format!("mailto:author{number}@mail.example").into()),
        )?;
    }
    if draw.chance(50) {
        to.add(
            own::ORCID,
            Object::plain(format!(
                "0000-{:04}-{:04}-{:04}",
                number / 10_000,
                number % 10_000,
                number * 7 % 10_000
            )),
        )?;
    }
    if draw.chance(60) {
        let h_index = draw.power(90, 3) as i64;
        to.add(own::H_INDEX, soil(&mut draw, Object::Integer(h_index)))?;
    }
    if draw.chance(20) {
        to.add(
            foaf::HOMEPAGE,
            Object::Iri(format!("http://people.example/~{number}").into()),
        )?;
    }
    if number % 29 == 4 {
        to.add(
            owl::SAME_AS,
            Object::Iri(format!("http://authors.example/id/{number}").into()),
        )?;
    }
    write_acquaintances(to, plan, number, &mut draw)?;
    let affiliations = if draw.chance(75) {
        draw.run_length(15, 3)
    } else {
        0
    };
    for index in 1..=affiliations {
        let blank = Blank {
            kind: "affiliation",
            owner: number,
            index,
        };
        to.about(Record::new(Class::Person, number));
        to.add(own::AFFILIATION, Object::Blank(blank))?;
        write_affiliation(to, plan, blank, &mut draw)?;
    }
    Ok(())
}

fn write_acquaintances<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
    draw: &mut Draw,
) -> io::Result<()> {
    let count = draw.power(6, 2);
    for other in distinct(draw, count, |draw| 1 + draw.power(plan.people, 2)) {
        if other != number {
            to.add(foaf::KNOWS, Object::record(Class::Person, other))?;
        }
    }
    Ok(())
}

fn write_affiliation<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    blank: Blank,
    draw: &mut Draw,
) -> io::Result<()> {
    to.about_blank(blank);
    let organization = 1 + draw.power(plan.organizations, 2);
    to.add(
        own::ORGANIZATION,
        Object::record(Class::Organization, organization),
    )?;
    if draw.chance(60) {
        let field = FIELDS[draw.power(FIELDS.len() as u64, 2) as usize][0];
        let aspect = ASPECTS[draw.below(ASPECTS.len() as u64) as usize][0];
        to.add(
            own::DEPARTMENT,
            Object::plain(format!("Department of {field}, {aspect} group")),
        )?;
    }
    if draw.chance(70) {
        let since = draw.between(1985, 2024);
        to.add(own::SINCE, soil(draw, Object::Year(since)))?;
    }
    Ok(())
}

/// Writes a reader's account.
pub fn write_user<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::User, number);
    let joined = Day::at(number, plan.users + plan.users / 8);
    to.about(Record::new(Class::User, number));
    to.add(rdf::TYPE, Object::iri(sioc::USER_ACCOUNT))?;
    let nick = text::nick(&mut draw, number);
    to.add(foaf::NICK, soil(&mut draw, Object::plain(nick)))?;
    let second = draw.below(86_400);
    to.add(
        own::JOINED,
        soil(&mut draw, Object::DateTime(joined, second)),
    )?;
    if draw.chance(25) {
        let person = 1 + draw.below(plan.people);
        to.add(sioc::ACCOUNT_OF, Object::record(Class::Person, person))?;
    }
    if draw.chance(60) {
        to.add(
            own::COUNTRY,
            Object::plain(CITIES[draw.power(CITIES.len() as u64, 2) as usize].3),
        )?;
    }
    let reputation = draw.power(50_000, 4);
    to.add(
        own::REPUTATION,
        soil(
            &mut draw,
            if number % 10 == 7 {
                Object::Double(reputation as f64 / 4.0)
            } else {
                Object::Integer(reputation as i64)
            },
        ),
    )?;
    if draw.chance(45) {
        let seen = joined.after(draw.power(3000, 2));
        to.add(
            own::LAST_SEEN,
            soil(&mut draw, Object::DateTime(seen, second)),
        )?;
    }
    if draw.chance(20) {
        to.add(rdfs::LABEL, Object::plain(text::keyword(&mut draw)))?;
    }
    if draw.chance(30) {
        to.add(
            dcterms::LANGUAGE,
            Object::plain(draw.pick(&["en", "de", "fr", "es", "en-GB"])),
        )?;
    }
    let follows = draw.power(12, 3);
    for other in distinct(&mut draw, follows, |draw| 1 + draw.power(plan.users, 3)) {
        if other != number {
            to.add(sioc::FOLLOWS, Object::record(Class::User, other))?;
        }
    }
    Ok(())
}
