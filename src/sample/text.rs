//! Titles, abstracts, comments and names, made up of [`super::words`].
//!
//! Longer words and longer texts are rarer, common words come up again and again, and every long text has technical
//! terms of its own, as in real prose; that is what a dictionary of terms meets in production.

use super::draw::Draw;
use super::words::{
    ADJECTIVES, ASPECTS, CONNECTIVES, FAMILY_NAMES, FIELDS, GIVEN_NAMES, LANGUAGES, NOUNS,
    OPENINGS, STUDIES, TERM_BEGINNINGS, TERM_ENDS, TERM_MIDDLES, VERBS,
};

/// The title of an English article.
pub fn title(draw: &mut Draw) -> String {
    let mut title = format!(
        "{} {} {}",
        draw.pick(&STUDIES),
        draw.pick(&ADJECTIVES),
        draw.pick(&NOUNS)
    );
    match draw.below(5) {
        0 => title += &format!(" in {} {}", draw.pick(&ADJECTIVES), draw.pick(&NOUNS)),
        1 => title += &format!(": the case of {}", term(draw)),
        2 => title += &format!(" and \"{}\" {}", draw.pick(&ADJECTIVES), draw.pick(&NOUNS)),
        3 => {
            title += &format!(
                " of {} {} {}",
                term(draw),
                draw.pick(&CONNECTIVES),
                draw.pick(&NOUNS)
            )
        }
        _ => (),
    }
    title
}

/// A title in one of the [`LANGUAGES`], given by its place there.
pub fn foreign_title(draw: &mut Draw, language: usize) -> String {
    let field = FIELDS[draw.below(FIELDS.len() as u64) as usize][language];
    let aspect = ASPECTS[draw.below(ASPECTS.len() as u64) as usize][language];
    format!("{field}: {aspect} ({})", draw.between(1, 400))
}

/// The place of a language among the [`LANGUAGES`], English left out.
pub fn foreign_language(draw: &mut Draw) -> usize {
    1 + draw.power(LANGUAGES.len() as u64 - 1, 2) as usize
}

/// An abstract of so many sentences; long ones are divided into paragraphs.
pub fn long_text(draw: &mut Draw, sentences: u64) -> String {
    let mut text = String::with_capacity(sentences as usize * 120);
    for n in 0..sentences {
        if n > 0 {
            text.push(if n % 6 == 0 { '\n' } else { ' ' });
        }
        sentence(draw, &mut text);
    }
    text
}

/// The text of a comment.
pub fn comment(draw: &mut Draw) -> String {
    let mut text = draw.pick(&OPENINGS).to_owned();
    for _ in 0..draw.power(6, 2) {
        text.push(' ');
        sentence(draw, &mut text);
    }
    text
}

/// A keyword as authors type them, not always in the same case.
pub fn keyword(draw: &mut Draw) -> String {
    let noun = NOUNS[draw.zipf(NOUNS.len() as u64) as usize];
    match draw.below(10) {
        0 => noun.to_uppercase(),
        1 | 2 => format!("{} {noun}", draw.pick(&ADJECTIVES)),
        3 => format!(" {noun}"),
        _ => noun.to_owned(),
    }
}

/// A given and a family name.
pub fn person_name(draw: &mut Draw) -> (String, String) {
    let mut given = draw.pick(&GIVEN_NAMES).to_owned();
    if draw.chance(35) {
        given.push(' ');
        given.push((b'A' + draw.below(26) as u8) as char);
        given.push('.');
    }
    let mut family = draw.pick(&FAMILY_NAMES).to_owned();
    if draw.chance(8) {
        family = format!("{family}-{}", draw.pick(&FAMILY_NAMES));
    }
    (given, family)
}

/// The name of an account.
pub fn nick(draw: &mut Draw, number: u64) -> String {
    format!(
        "{}{}{number}",
        draw.pick(&ADJECTIVES).replace('-', "_"),
        draw.pick(&["_", ".", ""])
    )
}

/// A technical term.
fn term(draw: &mut Draw) -> String {
    format!(
        "{}{}{}",
        draw.pick(&TERM_BEGINNINGS),
        draw.pick(&TERM_MIDDLES),
        draw.pick(&TERM_ENDS)
    )
}

fn sentence(draw: &mut Draw, text: &mut String) {
    let start = text.len();
    text.push_str(draw.pick(&ADJECTIVES));
    text[start..=start].make_ascii_uppercase();
    for word in [draw.pick(&NOUNS), draw.pick(&VERBS), draw.pick(&ADJECTIVES)] {
        text.push(' ');
        text.push_str(word);
    }
    text.push(' ');
    text.push_str(&term(draw));
    for _ in 0..draw.run_length(60, 6) {
        let noun = NOUNS[draw.power(NOUNS.len() as u64, 2) as usize];
        for word in [draw.pick(&CONNECTIVES), noun] {
            text.push(' ');
            text.push_str(word);
        }
    }
    if draw.chance(20) {
        text.push_str(&format!(
            " (p < 0.0{}, n = {})",
            draw.between(1, 9),
            draw.between(8, 4000)
        ));
    }
    text.push('.');
}
