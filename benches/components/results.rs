//! Serializing, per row of answers of a thousand: solutions of an IRI, a string and a year, and triples of the first two.
//!
//! Only the years and the predicate come more than once in an answer.

use crate::fixture::{Fixture, ROWS, SUBJECTS};
use crate::measure::Component;
use kaluta::batch::Batch;
use kaluta::diagnostics::Result;
use kaluta::expr::QueryTerms;
use kaluta::results::{QuadsWriter, RdfFormat, SolutionsFormat, SolutionsWriter};
use kaluta::term::TermStore;
use oxrdf::Variable;
use std::rc::Rc;
use std::sync::Arc;

/// The components of this group.
///
/// # Errors
/// The store cannot be read.
pub fn components(fixture: &Fixture) -> Result<Vec<Component<'_>>> {
    let titles = fixture.pairs("title")?;
    let years = fixture.pairs("year")?;
    let columns = [titles.column(0), titles.column(1), years.column(1)];
    let solutions = Batch::new(columns.map(<[_]>::to_vec).to_vec(), titles.rows());
    let predicate = vec![fixture.predicate("title")?; titles.rows()];
    let triples = vec![
        titles.column(0).to_vec(),
        predicate,
        titles.column(1).to_vec(),
    ];
    let triples = Rc::new(Batch::new(triples, titles.rows()));
    let store = Arc::clone(&fixture.snapshot) as Arc<dyn TermStore>;
    let terms = Rc::new(QueryTerms::new(store));
    let solutions = Rc::new(solutions);
    let formats = [
        ("JSON", SolutionsFormat::Json),
        ("XML", SolutionsFormat::Xml),
        ("CSV", SolutionsFormat::Csv),
        ("TSV", SolutionsFormat::Tsv),
    ];
    let mut components: Vec<_> = formats
        .into_iter()
        .map(|(name, format)| solution(name, format, &solutions, &terms))
        .collect();
    let formats = [
        RdfFormat::NTriples,
        RdfFormat::NQuads,
        RdfFormat::Turtle,
        RdfFormat::TriG,
        RdfFormat::RdfXml,
        RdfFormat::JsonLd {
            profile: Default::default(),
        },
    ];
    let quads = |format| quad(format, &triples, &terms);
    components.extend(formats.into_iter().map(quads));
    Ok(components)
}

fn solution<'a>(
    name: &str,
    format: SolutionsFormat,
    rows: &Rc<Batch>,
    terms: &Rc<QueryTerms>,
) -> Component<'a> {
    let variables = ["article", "title", "year"].map(Variable::new_unchecked);
    let (rows, terms, mut out) = (Rc::clone(rows), Rc::clone(terms), Vec::new());
    let mut start = 0;
    let write = move || {
        out.clear();
        start = next_piece(start);
        let mut writer = SolutionsWriter::start(format, &variables, &mut out);
        let range = start..start + ROWS;
        let written = writer.write_rows(&rows, range, &*terms, &mut out);
        written.expect("the terms can be read");
        writer.finish(&mut out);
        out.len()
    };
    let name = format!("serialize a solution, {name}");
    Component::of_many(name, ROWS as u64, write)
        .note("three columns; looking the terms up is in it")
}

fn quad<'a>(format: RdfFormat, rows: &Rc<Batch>, terms: &Rc<QueryTerms>) -> Component<'a> {
    let (rows, terms, mut out) = (Rc::clone(rows), Rc::clone(terms), Vec::new());
    let mut start = 0;
    let write = move || {
        out.clear();
        start = next_piece(start);
        let mut writer = QuadsWriter::start(format);
        let range = start..start + ROWS;
        let written = writer.write_rows(&rows, range, &*terms, &mut out);
        written.expect("the terms can be read");
        writer.finish(&mut out).expect("the format can carry them");
        out.len()
    };
    let name = format!("serialize a triple, {}", format.name());
    Component::of_many(name, ROWS as u64, write).note("looking the terms up is in it")
}

/// Where the rows after those that begin at `start` begin.
fn next_piece(start: usize) -> usize {
    (start + ROWS) % (SUBJECTS - ROWS)
}
