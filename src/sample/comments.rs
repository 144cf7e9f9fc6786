//! Comments in reply threads, and ratings.
//!
//! Most comments answer a recent comment, so threads branch and some run long; now and then two readers argue, each reply
//! answering the one before, for half a hundred comments.

use super::calendar::Day;
use super::dirt::soil;
use super::draw::Draw;
use super::plan::Plan;
use super::record::{Class, Record};
use super::statements::{Object, Statements};
use super::text;
use super::vocabulary::{dcterms, own, rdf, rdfs, sioc};
use super::words::LANGUAGES;
use std::io::{self, Write};

/// One in so many blocks of comments is an argument.
const ARGUMENT_EVERY: u64 = 30;

/// So many comments make a block.
const BLOCK: u64 = 50;

/// Writes a comment.
pub fn write_comment<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::Comment, number);
    to.about(Record::new(Class::Comment, number));
    to.add(rdf::TYPE, Object::iri(sioc::POST))?;
    if let Some(answered) = answered_comment(number, &mut draw) {
        to.add(sioc::REPLY_OF, Object::record(Class::Comment, answered))?;
    } else {
        let published = plan.articles_before_comment(number);
        let article = Object::record(Class::Article, 1 + draw.power(published, 3));
        to.add(sioc::REPLY_OF, article.clone())?;
        to.add(own::ABOUT, article)?;
    }
    if draw.chance(97) {
        let user = 1 + draw.power(plan.users, 3);
        to.add(sioc::HAS_CREATOR, Object::record(Class::User, user))?;
    }
    write_body(to, number, &mut draw)?;
    let (day, second) = (plan.day_of_comment(number), draw.below(86_400));
    to.add(
        dcterms::CREATED,
        soil(&mut draw, Object::DateTime(day, second)),
    )?;
    if draw.chance(70) {
        let likes = draw.power(500, 4) as i64;
        to.add(own::LIKES, soil(&mut draw, Object::Integer(likes)))?;
    }
    if number % 37 == 5 {
        to.add(own::FLAGGED, soil(&mut draw, Object::Boolean(true)))?;
    }
    Ok(())
}

fn answered_comment(number: u64, draw: &mut Draw) -> Option<u64> {
    let (block, place) = ((number - 1) / BLOCK, (number - 1) % BLOCK);
    if block.is_multiple_of(ARGUMENT_EVERY) {
        return (place > 0).then(|| number - 1);
    }
    let distance = 1 + draw.power(12, 2);
    (draw.chance(70) && number > distance).then(|| number - distance)
}

fn write_body<W: Write>(
    to: &mut Statements<'_, W>,
    number: u64,
    draw: &mut Draw,
) -> io::Result<()> {
    let content = text::comment(draw);
    let content = match draw.below(10) {
        0..7 => Object::plain(content),
        7..9 => Object::lang(content, "en"),
        _ => Object::lang(content, LANGUAGES[text::foreign_language(draw)]),
    };
    to.add(sioc::CONTENT, content)?;
    if number % 5 == 2 {
        to.add(
            dcterms::TITLE,
            Object::plain(format!("Re: {}", text::keyword(draw).trim())),
        )?;
    }
    Ok(())
}

/// Writes a rating.
pub fn write_rating<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::Rating, number);
    to.about(Record::new(Class::Rating, number));
    to.add(rdf::TYPE, Object::iri(own::RATING))?;
    let article = 1 + draw.power(plan.articles, 3);
    to.add(own::RATES, Object::record(Class::Article, article))?;
    let stars = 5 - draw.power(5, 2) as i64;
    let stars = match draw.below(100) {
        0..75 => Object::Integer(stars),
        75..90 => Object::Hundredths(stars * 100 - 50),
        90..99 => Object::Double(stars as f64),
        _ => Object::plain(draw.pick(&["five", "4/5", "*****", "good"])),
    };
    to.add(own::STARS, soil(&mut draw, stars))?;
    if draw.chance(90) {
        let user = 1 + draw.power(plan.users, 2);
        to.add(own::BY, Object::record(Class::User, user))?;
    }
    if draw.chance(80) {
        let day = Day(draw.between(4000, 12_000));
        to.add(dcterms::CREATED, soil(&mut draw, Object::Date(day)))?;
    }
    if draw.chance(10) {
        to.add(rdfs::COMMENT, Object::plain(text::comment(&mut draw)))?;
    }
    Ok(())
}
