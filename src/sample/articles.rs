//! Articles: titles, abstracts, dates, numbers, authors, subjects, citations, pages and funding.
//!
//! Articles are numbered in the order of publication. Most citations go back in time and to the old and famous; some go
//! to a neighbour that cites back, so the citation graph has cycles of two and three.

use super::calendar::Day;
use super::dirt::{soil, soil_year_number};
use super::draw::Draw;
use super::plan::{Plan, distinct};
use super::record::{Class, Record};
use super::statements::{Blank, Object, Statements};
use super::text;
use super::vocabulary::{bibo, dcterms, own, rdf, rdfs};
use super::words::LANGUAGES;
use std::io::{self, Write};

/// Writes an article and its blank nodes.
pub fn write_article<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
) -> io::Result<()> {
    let mut draw = plan.draw(Class::Article, number);
    let issue = plan.issue_of_article(number);
    let day = plan.day_of_issue(issue).before(draw.power(40, 3));
    to.about(Record::new(Class::Article, number));
    write_kind(to, number, &mut draw)?;
    to.add(dcterms::IS_PART_OF, Object::record(Class::Issue, issue))?;
    write_texts(to, number, &mut draw)?;
    write_dates(to, number, day, &mut draw)?;
    write_numbers(to, &mut draw)?;
    write_authors(to, plan, &mut draw)?;
    write_headings(to, plan, &mut draw)?;
    for cited in citations(plan, number, &mut draw) {
        to.add(bibo::CITES, Object::record(Class::Article, cited))?;
    }
    write_pages(to, number, &mut draw)?;
    write_funding(to, plan, number, &mut draw)
}

fn write_kind<W: Write>(
    to: &mut Statements<'_, W>,
    number: u64,
    draw: &mut Draw,
) -> io::Result<()> {
    to.add(rdf::TYPE, Object::iri(bibo::ACADEMIC_ARTICLE))?;
    let kind = [own::RESEARCH, own::REVIEW, own::LETTER, own::EDITORIAL][draw.power(4, 2) as usize];
    to.add(rdf::TYPE, Object::iri(kind))?;
    let is_retracted = number % 97 == 13;
    let status = match draw.below(50) {
        _ if is_retracted => own::WITHDRAWN,
        0 => own::IN_PRESS,
        _ => own::PUBLISHED,
    };
    to.add(bibo::STATUS, Object::iri(status))?;
    if is_retracted {
        to.add(own::RETRACTED, Object::Boolean(true))?;
        to.add(
            own::RETRACTION_REASON,
            Object::lang(text::long_text(draw, 1), "en"),
        )?;
    }
    Ok(())
}

fn write_texts<W: Write>(
    to: &mut Statements<'_, W>,
    number: u64,
    draw: &mut Draw,
) -> io::Result<()> {
    let language = if draw.chance(85) {
        0
    } else {
        text::foreign_language(draw)
    };
    let is_tagged = write_titles(to, language, draw)?;
    if draw.chance(90) {
        to.add(dcterms::LANGUAGE, Object::plain(LANGUAGES[language]))?;
    }
    if draw.chance(80) {
        let sentences = 2 + draw.power(54, 2);
        let text = text::long_text(draw, sentences);
        let text = if is_tagged {
            Object::lang(text, "en")
        } else {
            Object::plain(text)
        };
        to.add(dcterms::ABSTRACT, text)?;
    }
    if draw.chance(88) {
        to.add(
            bibo::DOI,
            soil(draw, Object::plain(format!("10.5072/kaluta.{number}"))),
        )?;
    }
    if draw.chance(10) {
        to.add(
            rdfs::SEE_ALSO,
            Object::Iri(format!("http://preprints.example/{}", number * 31 % 100_003).into()),
        )?;
    }
    Ok(())
}

/// Writes one title, sometimes another one in another language; says whether the editor of the first tagged the language.
fn write_titles<W: Write>(
    to: &mut Statements<'_, W>,
    language: usize,
    draw: &mut Draw,
) -> io::Result<bool> {
    let title = if language == 0 {
        text::title(draw)
    } else {
        text::foreign_title(draw, language)
    };
    let is_tagged = language > 0 || draw.chance(60);
    let title = if is_tagged {
        Object::lang(title, LANGUAGES[language])
    } else {
        Object::plain(title)
    };
    to.add(dcterms::TITLE, soil(draw, title))?;
    if draw.chance(8) {
        let other = text::foreign_language(draw);
        if other != language {
            let title = Object::lang(text::foreign_title(draw, other), LANGUAGES[other]);
            to.add(dcterms::TITLE, title)?;
        }
    }
    Ok(is_tagged)
}

fn write_dates<W: Write>(
    to: &mut Statements<'_, W>,
    number: u64,
    day: Day,
    draw: &mut Draw,
) -> io::Result<()> {
    let second = draw.below(86_400);
    let issued = match draw.below(20) {
        0 | 1 => Object::Year(day.year()),
        2 => Object::DateTime(day, second),
        _ => Object::Date(day),
    };
    to.add(dcterms::ISSUED, soil(draw, issued))?;
    to.add(own::YEAR, soil_year_number(draw, day.year()))?;
    if draw.chance(70) {
        let created = day.before(30 + draw.power(500, 2));
        to.add(
            dcterms::CREATED,
            soil(draw, Object::DateTime(created, second)),
        )?;
    }
    if draw.chance(60) {
        let accepted = day.before(draw.between(3, 29));
        to.add(own::ACCEPTED, soil(draw, Object::Date(accepted)))?;
    }
    if draw.chance(35) {
        let modified = day.after(draw.power(900, 3));
        to.add(
            dcterms::MODIFIED,
            soil(draw, Object::DateTime(modified, second)),
        )?;
    }
    if number % 41 == 9 {
        to.add(own::EMBARGO_UNTIL, soil(draw, Object::Date(day.after(365))))?;
    }
    Ok(())
}

fn write_numbers<W: Write>(to: &mut Statements<'_, W>, draw: &mut Draw) -> io::Result<()> {
    let views = draw.power(200_000, 4);
    if draw.chance(95) {
        to.add(own::VIEWS, soil(draw, Object::Integer(views as i64)))?;
    }
    if draw.chance(80) {
        let downloads = draw.below(views / 2 + 1);
        to.add(
            own::DOWNLOADS,
            soil(draw, Object::Integer(downloads as i64)),
        )?;
    }
    if draw.chance(60) {
        let score = draw.below(1000) as i64;
        to.add(own::SCORE, soil(draw, Object::Hundredths(score)))?;
    }
    if draw.chance(40) {
        let altmetric = draw.power(80_000, 3) as f64 / 8.0;
        to.add(own::ALTMETRIC, soil(draw, Object::Double(altmetric)))?;
    }
    if draw.chance(30) {
        let fee = draw.between(10, 70) as i64 * 5000;
        to.add(own::FEE, soil(draw, Object::Price(fee)))?;
    }
    if draw.chance(70) {
        let is_open = draw.chance(55);
        to.add(own::OPEN_ACCESS, soil(draw, Object::Boolean(is_open)))?;
    }
    if draw.chance(50) {
        let license = draw.pick(&["by", "by", "by-nc", "by-sa", "by-nc-nd"]);
        to.add(
            dcterms::LICENSE,
            Object::Iri(format!("http://licenses.example/{license}/4.0").into()),
        )?;
    }
    Ok(())
}

fn write_authors<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    draw: &mut Draw,
) -> io::Result<()> {
    let count = draw.run_length(68, 14);
    let authors = distinct(draw, count, |draw| 1 + draw.power(plan.people, 2));
    let person = |number: u64| Object::record(Class::Person, number);
    for author in &authors {
        to.add(dcterms::CREATOR, person(*author))?;
    }
    if draw.chance(75) {
        to.add(own::FIRST_AUTHOR, person(authors[0]))?;
    }
    if draw.chance(40) {
        let place = draw.below(authors.len() as u64) as usize;
        to.add(own::CORRESPONDING_AUTHOR, person(authors[place]))?;
    }
    Ok(())
}

fn write_headings<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    draw: &mut Draw,
) -> io::Result<()> {
    let subjects = draw.run_length(50, 5);
    for subject in distinct(draw, subjects, |draw| 1 + draw.zipf(plan.subjects)) {
        to.add(dcterms::SUBJECT, Object::record(Class::Subject, subject))?;
    }
    if draw.chance(85) {
        let category = 1 + draw.power(plan.categories, 2);
        to.add(own::CATEGORY, Object::record(Class::Category, category))?;
    }
    let mut keywords = (0..draw.below(5))
        .map(|_| text::keyword(draw))
        .collect::<Vec<_>>();
    keywords.sort();
    keywords.dedup();
    for keyword in keywords {
        to.add(own::KEYWORD, Object::plain(keyword))?;
    }
    Ok(())
}

fn citations(plan: &Plan, number: u64, draw: &mut Draw) -> Vec<u64> {
    let count = if draw.chance(70) {
        1 + draw.power(36, 3)
    } else {
        0
    };
    let earlier = number - 1;
    let mut cited = distinct(draw, count, |draw| match draw.below(100) {
        0..3 => 1 + draw.below(plan.articles),
        3..20 => number.saturating_sub(1 + draw.zipf(300)),
        _ => 1 + draw.power(earlier, 2),
    });
    let ring = match number % 16 {
        0 => [number + 1, 0],
        1 => [number.saturating_sub(1), number + 1],
        2 => [number.saturating_sub(2), 0],
        _ => [0, 0],
    };
    for other in ring {
        if !cited.contains(&other) {
            cited.push(other);
        }
    }
    cited.retain(|other| (1..=plan.articles).contains(other) && *other != number);
    cited
}

fn write_pages<W: Write>(
    to: &mut Statements<'_, W>,
    number: u64,
    draw: &mut Draw,
) -> io::Result<()> {
    if !draw.chance(60) {
        return Ok(());
    }
    let blank = Blank {
        kind: "pages",
        owner: number,
        index: 1,
    };
    let (first, count) = (draw.between(1, 900) as i64, draw.run_length(90, 60) as i64);
    to.add(own::PAGES, Object::Blank(blank))?;
    to.about_blank(blank);
    to.add(bibo::PAGE_START, soil(draw, Object::Integer(first)))?;
    to.add(
        bibo::PAGE_END,
        soil(draw, Object::Integer(first + count - 1)),
    )?;
    if draw.chance(30) {
        to.add(own::PAGE_COUNT, soil(draw, Object::Integer(count)))?;
    }
    to.about(Record::new(Class::Article, number));
    Ok(())
}

fn write_funding<W: Write>(
    to: &mut Statements<'_, W>,
    plan: &Plan,
    number: u64,
    draw: &mut Draw,
) -> io::Result<()> {
    let grants = if draw.chance(15) {
        draw.run_length(30, 4)
    } else {
        0
    };
    for index in 1..=grants {
        let blank = Blank {
            kind: "grant",
            owner: number,
            index,
        };
        to.about(Record::new(Class::Article, number));
        to.add(own::FUNDING, Object::Blank(blank))?;
        to.about_blank(blank);
        let funder = 1 + draw.power(plan.organizations, 2);
        to.add(own::FUNDER, Object::record(Class::Organization, funder))?;
        to.add(
            own::GRANT_NUMBER,
            Object::plain(format!(
                "{}-{number}/{index}",
                draw.pick(&["ERX", "NSG", "DFB", "KAK"])
            )),
        )?;
        if draw.chance(60) {
            let thousands = draw.between(5, 900) as i64;
            let amount = if draw.chance(70) {
                Object::Price(thousands * 100_000)
            } else {
                Object::Double(thousands as f64 * 1000.0)
            };
            to.add(own::AMOUNT, soil(draw, amount))?;
        }
    }
    Ok(())
}
