//! Blocks, insertions, look-ups and scans.

use crate::fixture::{Fixture, SUBJECTS, integer};
use crate::measure::{Component, ITERATIONS};
use kaluta::diagnostics::Result;
use kaluta::storage::{
    BLOCK_ROWS, BlockView, ColumnMask, Permutation, Quad, QuadColumn, encode_block,
};
use kaluta::term::TermId;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

/// The components of this group.
///
/// # Errors
/// The store cannot be read.
pub fn components(fixture: &Fixture) -> Result<Vec<Component<'_>>> {
    let mut components = vec![encode(fixture)?, decode(fixture)?];
    let quads = Rc::new(quads(fixture)?);
    components.extend([1, 2, 4, 8].map(|permutations| insert(fixture, &quads, permutations)));
    components.push(look_up(fixture)?);
    components.push(scan(fixture)?);
    Ok(components)
}

/// The columns of a block in the order predicate, subject, object, graph.
fn columns(fixture: &Fixture) -> Result<[Vec<TermId>; 4]> {
    let pairs = fixture.pairs("next")?.slice(0, BLOCK_ROWS);
    Ok([
        vec![fixture.predicate("next")?; BLOCK_ROWS],
        pairs.column(0).to_vec(),
        pairs.column(1).to_vec(),
        vec![TermId::DEFAULT_GRAPH; BLOCK_ROWS],
    ])
}

fn encode(fixture: &Fixture) -> Result<Component<'_>> {
    let columns = columns(fixture)?;
    let mut words = Vec::new();
    Ok(Component::new("encode a block", move || {
        words.clear();
        encode_block(&columns, &mut words);
        words.len()
    })
    .note("1,024 quads of one predicate"))
}

fn decode(fixture: &Fixture) -> Result<Component<'_>> {
    let mut words = Vec::new();
    encode_block(&columns(fixture)?, &mut words);
    let mut ids = Box::new([TermId::UNBOUND; BLOCK_ROWS]);
    Ok(Component::new("decode a block", move || {
        let block = BlockView::new(&words, BLOCK_ROWS);
        for place in 0..4 {
            let column = block.column(place).expect("a block that was encoded");
            column.decode(0..BLOCK_ROWS, &mut ids).expect("the same");
            black_box(&ids);
        }
    })
    .note("the same, all four columns"))
}

/// Quads about the subjects of the store, which it does not have, in no order.
fn quads(fixture: &Fixture) -> Result<Vec<Quad>> {
    let subjects = fixture.pairs("next")?;
    let predicates = [fixture.predicate("next")?, fixture.predicate("year")?];
    // No object comes twice, and none is in the store, whose numbers are years.
    let mut objects: Vec<_> = (10_000..).take(ITERATIONS[1] as usize).collect();
    let mut random = ChaCha8Rng::seed_from_u64(1);
    objects.shuffle(&mut random);
    let mut quad = |object| {
        let subject = subjects.column(0)[random.random_range(0..SUBJECTS)];
        let predicate = predicates[random.random_range(0..predicates.len())];
        [subject, predicate, integer(object), TermId::DEFAULT_GRAPH]
    };
    Ok(objects.into_iter().map(&mut quad).collect())
}

fn insert<'a>(fixture: &'a Fixture, quads: &Rc<Vec<Quad>>, permutations: usize) -> Component<'a> {
    let plural = if permutations == 1 { "" } else { "s" };
    let name = format!("insert a quad into {permutations} permutation{plural}");
    let quads = Rc::clone(quads);
    Component::timed(name, move |iterations| {
        let before = fixture.snapshot.quad_count();
        let mut transaction = fixture.store.begin().expect("the store can be written");
        let start = Instant::now();
        for quad in &quads[..iterations as usize] {
            transaction.insert(*quad);
        }
        let staged = transaction.staged().expect("changes can be staged");
        for permutation in &Permutation::ALL[..permutations] {
            // The first question that a permutation is asked sorts it.
            let count = staged.count(*permutation, &[]).expect("it can be read");
            assert_eq!(count, before + iterations);
        }
        start.elapsed()
    })
    .note("all in one transaction: whether it is there, and sorting; no log")
}

fn look_up(fixture: &Fixture) -> Result<Component<'_>> {
    let pairs = fixture.pairs("next")?;
    let predicate = fixture.predicate("next")?;
    let mut next = 0;
    Ok(Component::new("look up one quad", move || {
        next = (next + 7_919) % SUBJECTS;
        let [subject, object] = [0, 1].map(|column| pairs.column(column)[next]);
        let quad = [subject, predicate, object, TermId::DEFAULT_GRAPH];
        assert!(fixture.snapshot.contains(&quad).expect("it can be read"));
    })
    .note("one that is on disk, none twice in a row"))
}

fn scan(fixture: &Fixture) -> Result<Component<'_>> {
    let prefix = [fixture.predicate("next")?];
    let pairs = fixture.pairs("next")?;
    let columns = ColumnMask::NONE
        .with(QuadColumn::Subject)
        .with(QuadColumn::Object);
    let (mut place, snapshot) = (0, &fixture.snapshot);
    Ok(Component::timed("scan a thousand", move |iterations| {
        let start = Instant::now();
        for _ in 0..iterations {
            // Somewhere else each time, and never so late that there are not so many left.
            place = (place + 7_919) % (SUBJECTS - 3 * BLOCK_ROWS);
            let scan = snapshot.scan(Permutation::Psog, &prefix, columns);
            let mut scan = scan.expect("it can be read");
            scan.seek(&[pairs.column(0)[place]]).expect("the same");
            let mut rows = 0;
            while rows < 1_000 {
                let block = scan.next_block().expect("the same");
                rows += black_box(block.expect("there are more")).rows();
            }
        }
        start.elapsed()
    })
    .note("opening it, finding the place, one or two blocks, two columns"))
}
