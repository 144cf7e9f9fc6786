//! Random updates and queries from several threads, against a model: what each commit left behind.
//!
//! Writers insert and delete random quads, some of them by a WHERE that depends on the state. Commits have sequence
//! numbers, so afterwards the model can take the same steps in the same order. Every query must have seen one of the
//! model's states, from its first row to its last, and no reader may see an older state than it saw before.

use kaluta::engine::{Engine, QueryAnswer, QueryControl, QueryRequest, UpdateRequest};
use kaluta::results::{SolutionsFormat, SolutionsWriter};
use kaluta::settings::{QuerySettings, StoreSettings};
use libtest_mimic::Trial;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

const SEEDS: u64 = 4;
const WRITERS: u64 = 3;
const READERS: usize = 2;
/// Commits of each writer.
const COMMITS: usize = 120;
/// Numbers that quads are made of.
const NUMBERS: u32 = 40;

pub fn trials() -> Vec<Trial> {
    let trial = |seed| {
        Trial::test(format!("concurrency::seed {seed}"), move || {
            run(seed);
            Ok(())
        })
    };
    (0..SEEDS).map(trial).collect()
}

type State = BTreeSet<u32>;

/// One update.
#[derive(Clone, Debug)]
enum Step {
    /// Deletes some numbers and inserts others.
    Data(Vec<u32>, Vec<u32>),
    /// Moves every number below a bound up by `NUMBERS`, and those from `NUMBERS` on back down.
    Shift(u32),
    Clear,
}

impl Step {
    fn random(random: &mut ChaCha8Rng) -> Self {
        let some = |random: &mut ChaCha8Rng| -> Vec<u32> {
            let count = random.random_range(0..6);
            (0..count)
                .map(|_| random.random_range(0..2 * NUMBERS))
                .collect()
        };
        match random.random_range(0..20) {
            0 => Self::Clear,
            1..6 => Self::Shift(random.random_range(0..NUMBERS)),
            _ => Self::Data(some(random), some(random)),
        }
    }

    fn text(&self) -> String {
        let data = |numbers: &[u32]| -> String {
            let quad = |n: &u32| {
                format!(
                    "GRAPH <http://g/{}> {{ <http://s> <http://p> {n} }} ",
                    n % 3
                )
            };
            numbers.iter().map(quad).collect()
        };
        match self {
            Self::Data(delete, insert) => format!(
                "DELETE DATA {{ {} }} ; INSERT DATA {{ {} }}",
                data(delete),
                data(insert)
            ),
            Self::Shift(bound) => format!(
                "DELETE {{ GRAPH ?g {{ ?s ?p ?n }} }} INSERT {{ GRAPH ?h {{ ?s ?p ?m }} }}
                 WHERE {{ GRAPH ?g {{ ?s ?p ?n }} FILTER(?n < {bound} || ?n >= {NUMBERS})
                   BIND(IF(?n < {NUMBERS}, ?n + {NUMBERS}, ?n - {NUMBERS}) AS ?m)
                   BIND(IRI(CONCAT('http://g/', STR(?m - 3 * FLOOR(?m / 3)))) AS ?h) }}"
            ),
            Self::Clear => "CLEAR ALL".to_owned(),
        }
    }

    fn apply(&self, state: &mut State) {
        match self {
            Self::Data(delete, insert) => {
                state.retain(|n| !delete.contains(n));
                state.extend(insert);
            }
            Self::Shift(bound) => {
                let shift = |&n: &u32| match n {
                    _ if n >= NUMBERS => n - NUMBERS,
                    _ if n < *bound => n + NUMBERS,
                    _ => n,
                };
                *state = state.iter().map(shift).collect();
            }
            Self::Clear => state.clear(),
        }
    }
}

fn run(seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let settings = QuerySettings::default();
    let engine = Engine::open(folder.path(), &settings, &StoreSettings::default()).unwrap();
    let is_over = AtomicBool::new(false);
    let (mut steps, seen) = std::thread::scope(|scope| {
        let (engine, is_over) = (&engine, &is_over);
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || write(engine, seed * WRITERS + writer)))
            .collect();
        let readers: Vec<_> = (0..READERS)
            .map(|_| scope.spawn(move || read(engine, is_over)))
            .collect();
        let compactor = scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                engine.compact(&|_| {}).unwrap();
            }
        });
        let steps: Vec<_> = writers
            .into_iter()
            .flat_map(|w| w.join().unwrap())
            .collect();
        is_over.store(true, Ordering::Relaxed);
        compactor.join().unwrap();
        let seen: Vec<_> = readers.into_iter().map(|r| r.join().unwrap()).collect();
        (steps, seen)
    });
    steps.sort_by_key(|(sequence, _)| *sequence);
    let mut states = vec![State::new()];
    for (_, step) in &steps {
        let mut next = states[states.len() - 1].clone();
        step.apply(&mut next);
        states.push(next);
    }
    for states_seen in seen {
        let mut from = 0;
        for state in states_seen {
            let place = states[from..].iter().position(|s| *s == state);
            from += place.unwrap_or_else(|| {
                panic!("seed {seed}: {state:?} was no state after {from} commits")
            });
        }
    }
    assert!(engine.verify().is_sound());
    assert_eq!(Some(&ask(&engine)), states.last(), "seed {seed}");
    drop(engine);
    let engine = Engine::open(folder.path(), &settings, &StoreSettings::default()).unwrap();
    assert_eq!(
        Some(&ask(&engine)),
        states.last(),
        "seed {seed}, opened again"
    );
}

/// Makes random commits, and gives them with their sequence numbers.
fn write(engine: &Engine, seed: u64) -> Vec<(u64, Step)> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let commit = |_| {
        let step = Step::random(&mut random);
        let update = engine.prepare_update(&UpdateRequest {
            text: step.text(),
            ..UpdateRequest::default()
        });
        let commit = engine.update(update.unwrap(), &QueryControl::new(None, None));
        let commit = commit.unwrap().durable().unwrap();
        // A commit that changes nothing has the number of the one before it, and no place of its own.
        (commit.inserted + commit.deleted > 0).then_some((commit.sequence, step))
    };
    (0..COMMITS).filter_map(commit).collect()
}

/// Asks until the writers are done, and gives the states that were seen.
fn read(engine: &Engine, is_over: &AtomicBool) -> Vec<State> {
    let mut seen = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        seen.push(ask(engine));
    }
    seen
}

/// The numbers in the store, which a query counts twice beside listing them.
fn ask(engine: &Engine) -> State {
    let query = engine.prepare(&QueryRequest {
        text: "SELECT ?n ?a ?b {
                 { SELECT (COUNT(*) AS ?a) { GRAPH ?g { ?s ?p ?o } } }
                 OPTIONAL { GRAPH ?h { ?s ?p ?n } }
                 { SELECT (COUNT(?o) AS ?b) { GRAPH ?g { ?s ?p ?o } FILTER(?o >= 0) } } }"
            .to_owned(),
        ..QueryRequest::default()
    });
    let answer = engine.execute(&query.unwrap(), &QueryControl::new(None, None));
    let Ok(QueryAnswer::Solutions(mut rows)) = answer else {
        panic!("no solutions");
    };
    let mut text = Vec::new();
    let mut writer = SolutionsWriter::start(SolutionsFormat::Csv, rows.variables(), &mut text);
    while let Some(batch) = rows.next_batch().unwrap() {
        writer
            .write_rows(&batch, 0..batch.rows(), rows.resolver(), &mut text)
            .unwrap();
    }
    writer.finish(&mut text);
    let text = String::from_utf8(text).unwrap();
    let mut state = State::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[1], cells[2], "one query saw two states");
        state.extend(cells[0].parse::<u32>());
    }
    let count = text.lines().nth(1).and_then(|line| line.split(',').nth(1));
    assert_eq!(count.and_then(|n| n.parse().ok()), Some(state.len()));
    state
}
