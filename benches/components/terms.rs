//! Terms: parsing, interning, resolving.

use crate::fixture::{Fixture, SUBJECTS};
use crate::measure::{Component, empty};
use kaluta::diagnostics::Result;
use kaluta::term::{TermStore, TermView};
use oxttl::NTriplesParser;
use std::hint::black_box;
use std::time::{Duration, Instant};

const TERMS_OF_A_STATEMENT: u64 = 3;

/// The components of this group.
///
/// # Errors
/// The store cannot be read.
pub fn components(fixture: &Fixture) -> Result<Vec<Component<'_>>> {
    Ok(vec![
        Component::new("empty loop", empty).note("taken off wherever nothing else is"),
        parse(fixture),
        intern_known(fixture),
        intern_new(fixture),
        resolve(fixture)?,
    ])
}

fn parse(fixture: &Fixture) -> Component<'_> {
    let mut statements = NTriplesParser::new().for_slice(&fixture.document);
    Component::of_many("parse a term", TERMS_OF_A_STATEMENT, move || {
        let statement = statements.next().or_else(|| {
            statements = NTriplesParser::new().for_slice(&fixture.document);
            statements.next()
        });
        assert!(statement.is_some_and(|statement| statement.is_ok()));
    })
    .note("a third of an N-Triples statement, checked")
}

fn intern_known(fixture: &Fixture) -> Component<'_> {
    Component::timed("intern a known term", move |iterations| {
        let scattered = (0..).map(|n: usize| &fixture.subjects[n * 7_919 % SUBJECTS]);
        intern(fixture, scattered, iterations)
    })
    .note("an IRI of a dictionary on disk, each once in a transaction")
}

fn intern_new(fixture: &Fixture) -> Component<'_> {
    let made = |n: u64| format!("http://example.org/new/{n}");
    Component::timed("intern a new term", move |iterations| {
        intern(fixture, (0..).map(made), iterations)
    })
    .less_timed("less making its text", move |iterations| {
        let start = Instant::now();
        (0..iterations).for_each(|n| drop(black_box(made(n))));
        start.elapsed()
    })
}

/// Interns IRIs in a transaction of its own, which is then dropped.
fn intern(
    fixture: &Fixture,
    iris: impl Iterator<Item = impl AsRef<str>>,
    iterations: u64,
) -> Duration {
    let mut transaction = fixture.store.begin().expect("the store can be written");
    let start = Instant::now();
    for iri in iris.take(iterations as usize) {
        let id = transaction.intern(&TermView::Iri(iri.as_ref()));
        black_box(id.expect("an IRI can be interned"));
    }
    start.elapsed()
}

fn resolve(fixture: &Fixture) -> Result<Component<'_>> {
    let pairs = fixture.pairs("title")?;
    let (mut next, mut buffer) = (0, Vec::new());
    Ok(Component::new("resolve an id", move || {
        next = (next + 7_919) % SUBJECTS;
        let id = pairs.column(1)[next];
        let view = fixture.snapshot.resolve(id, &mut buffer);
        assert!(matches!(view, Ok(TermView::Literal { .. })));
    })
    .note("a string of a dictionary on disk, none twice in a row"))
}
