//! The sample data set: a scholarly publishing platform that never was, the same from the same seed on every machine.
//!
//! Journals, issues, articles, authors, institutions, a tree of subjects, categories in several languages, readers,
//! comments in reply threads and ratings, in the shape of production data: skewed degrees, long texts, optional properties
//! that are often missing, blank nodes, many datatypes, and about one dirty value in a hundred. [`Sample`] writes it as
//! N-Triples, record after record, without remembering any of them, so the memory needed does not grow with the size.
//! The queries that are asked of it stand in `queries/`.

mod articles;
mod calendar;
mod comments;
mod dirt;
mod draw;
mod journals;
mod people;
mod plan;
mod record;
mod statements;
mod subjects;
mod text;
mod vocabulary;
#[rustfmt::skip] // one word a line would hide the lists
mod words;

use plan::Plan;
use statements::Statements;
use std::io::{self, Write};

/// The size of the sample that the project measures itself on.
pub const SAMPLE_TRIPLES: u64 = 1_400_000;

/// The seed of that sample.
pub const SAMPLE_SEED: u64 = 2008;

/// A sample data set of some size.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// How many triples to write; from a few hundred on all classes of records are there.
    pub triples: u64,
    /// Where the random choices start: another seed makes other data of the same shape.
    pub seed: u64,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            triples: SAMPLE_TRIPLES,
            seed: SAMPLE_SEED,
        }
    }
}

impl Sample {
    /// Writes the sample as N-Triples, and returns the number of triples, all of them different.
    ///
    /// `progress` is told now and then how many triples have been written. An error is one of writing to `out`.
    pub fn write(&self, out: &mut impl Write, progress: &mut dyn FnMut(u64)) -> io::Result<u64> {
        let plan = Plan::new(self.triples, self.seed);
        let mut to = Statements::new(out, self.triples, progress);
        write_records(&mut to, plan.categories, |to, number| {
            subjects::write_category(to, &plan, number)
        })?;
        write_records(&mut to, plan.subjects, |to, number| {
            subjects::write_subject(to, &plan, number)
        })?;
        write_records(&mut to, plan.organizations, |to, number| {
            journals::write_organization(to, &plan, number)
        })?;
        write_records(&mut to, plan.journals, |to, number| {
            journals::write_journal(to, &plan, number)
        })?;
        write_records(&mut to, plan.issues, |to, number| {
            journals::write_issue(to, &plan, number)
        })?;
        write_records(&mut to, plan.people, |to, number| {
            people::write_person(to, &plan, number)
        })?;
        write_records(&mut to, plan.users, |to, number| {
            people::write_user(to, &plan, number)
        })?;
        write_records(&mut to, plan.articles, |to, number| {
            articles::write_article(to, &plan, number)
        })?;
        write_records(&mut to, plan.comments, |to, number| {
            comments::write_comment(to, &plan, number)
        })?;
        write_records(&mut to, u64::MAX, |to, number| {
            comments::write_rating(to, &plan, number)
        })?;
        to.finish()
    }
}

/// Writes the records of one class, from the first to the last or until there are enough statements.
fn write_records<W: Write>(
    to: &mut Statements<'_, W>,
    count: u64,
    write_one: impl Fn(&mut Statements<'_, W>, u64) -> io::Result<()>,
) -> io::Result<()> {
    for number in 1..=count {
        if to.is_full() {
            break;
        }
        write_one(to, number)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
