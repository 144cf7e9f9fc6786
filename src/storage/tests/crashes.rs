//! A crash, or an error, at every operation of a workload: what was acknowledged is there afterwards, what was not is there
//! wholly or not at all, and the store goes on.

use super::*;
use crate::diagnostics::Result;
use crate::storage::files::Directory;
use crate::storage::files::faulty::{Fault, FaultyFiles, Survival};
use std::path::Path;

/// Quads as text, so that the dictionary is compared, too.
pub type Model = BTreeSet<[String; 4]>;

/// One thing that a workload does.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Inserts quads of these numbers, and deletes those.
    Commit(&'static [u8], &'static [u8]),
    Load(&'static [u8]),
    Flush,
    Backup,
    Compact,
    Reopen,
}

const WORKLOAD: [Step; 18] = [
    Step::Commit(&[1, 2, 3], &[]),
    Step::Commit(&[4], &[1]),
    Step::Flush,
    Step::Commit(&[1, 5], &[2]),
    Step::Commit(&[], &[9]),
    Step::Reopen,
    Step::Commit(&[6], &[3, 4]),
    Step::Load(&[3, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
    Step::Commit(&[2], &[7]),
    Step::Flush,
    Step::Commit(&[7], &[8]),
    Step::Backup,
    Step::Compact,
    Step::Reopen,
    Step::Commit(&[], &[1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]),
    Step::Flush,
    Step::Compact,
    Step::Commit(&[15, 1], &[]),
];

pub fn texts(number: u8) -> [String; 4] {
    [
        format!("http://s/{number}"),
        format!("http://p/{}", number % 2),
        format!("o{number}"),
        if number.is_multiple_of(3) {
            String::new()
        } else {
            "http://g/1".to_owned()
        },
    ]
}

fn options() -> StoreOptions {
    StoreOptions {
        memory_rows_max: u64::MAX,
        log_bytes_max: u64::MAX,
        ..StoreOptions::default()
    }
}

/// Where a workload runs: the files are in memory, only those that a load sorts in are on disk.
struct Place<'a> {
    location: &'a Path,
    files: FaultyFiles,
}

impl Place<'_> {
    fn open(&self) -> Result<Store> {
        let directory = Directory::new(self.location, Arc::new(self.files.clone()));
        Store::open_locked(directory, None, &options())
    }

    /// Opens a store although one operation may fail.
    fn open_again(&self) -> Store {
        self.open().or_else(|_| self.open()).unwrap()
    }

    fn run(&self, store: &mut Store, step: Step) -> Result<()> {
        match step {
            Step::Commit(inserted, deleted) => commit(store, inserted, deleted),
            Step::Load(numbers) => {
                let line = |&number: &u8| {
                    let [s, p, o, g] = texts(number);
                    let graph = if g.is_empty() { g } else { format!("<{g}>") };
                    format!("<{s}> <{p}> \"{o}\" {graph} .\n")
                };
                let text: String = numbers.iter().map(line).collect();
                let source = LoadSource::bytes("test", text.into_bytes(), RdfFormat::NQuads);
                let options = LoadOptions {
                    threads: 1,
                    ..LoadOptions::default()
                };
                store.bulk_load(vec![source], &options, &()).map(drop)
            }
            Step::Flush => flush::flush(&store.shared, &mut store.shared.manifest()),
            Step::Compact => store.compact(&|_| {}),
            Step::Backup => store.backup(&self.location.join("copy")).map(drop),
            Step::Reopen => {
                // The store is closed before it is opened again.
                store.close();
                *store = self.open()?;
                Ok(())
            }
        }
    }
}

pub fn commit(store: &Store, inserted: &[u8], deleted: &[u8]) -> Result<()> {
    let mut transaction = store.begin()?;
    for (numbers, inserts) in [(deleted, false), (inserted, true)] {
        for &number in numbers {
            let [s, p, o, g] = texts(number);
            let sort = crate::term::LiteralSort::String;
            let literal = TermView::Literal { lexical: &o, sort };
            let graph = match g.as_str() {
                "" => TermId::DEFAULT_GRAPH,
                g => transaction.intern(&TermView::Iri(g))?,
            };
            let quad = [
                transaction.intern(&TermView::Iri(&s))?,
                transaction.intern(&TermView::Iri(&p))?,
                transaction.intern(&literal)?,
                graph,
            ];
            match inserts {
                true => transaction.insert(quad),
                false => transaction.delete(quad),
            }
        }
    }
    transaction.commit()?.durable().map(drop)
}

/// What a step makes of a model.
fn apply(model: &Model, step: Step) -> Model {
    let mut model = model.clone();
    match step {
        Step::Commit(inserted, deleted) => {
            for &number in deleted {
                model.remove(&texts(number));
            }
            model.extend(inserted.iter().map(|&n| texts(n)));
        }
        Step::Load(numbers) => model.extend(numbers.iter().map(|&n| texts(n))),
        Step::Flush | Step::Backup | Step::Compact | Step::Reopen => {}
    }
    model
}

pub fn contents(store: &Store) -> Model {
    let snapshot = store.snapshot();
    let mut buffer = Vec::new();
    let mut text = |id: TermId| {
        if id == TermId::DEFAULT_GRAPH {
            return String::new();
        }
        match TermStore::resolve(&*snapshot, id, &mut buffer).unwrap() {
            TermView::Iri(iri) => iri.to_owned(),
            TermView::Literal { lexical, .. } => lexical.to_owned(),
            other => panic!("{other:?} was never written"),
        }
    };
    let quads = all_quads(&snapshot, Permutation::Spog);
    let ospg: BTreeSet<Quad> = all_quads(&snapshot, Permutation::Ospg)
        .into_iter()
        .collect();
    assert_eq!(ospg, quads.iter().copied().collect());
    assert_eq!(snapshot.quad_count(), quads.len() as u64);
    quads.into_iter().map(|quad| quad.map(&mut text)).collect()
}

/// Runs the workload up to the first error; gives the model of what was acknowledged and of what may be there, too.
fn run_until_error(place: &Place<'_>) -> Option<(Model, Model)> {
    let mut model = Model::new();
    let mut store = match place.open() {
        Ok(store) => store,
        Err(_) => return Some((model.clone(), model)),
    };
    for step in WORKLOAD {
        let next = apply(&model, step);
        if place.run(&mut store, step).is_err() {
            return Some((model, next));
        }
        model = next;
        assert_eq!(contents(&store), model, "{step:?}");
    }
    None
}

#[test]
fn a_crash_at_any_operation_loses_nothing_that_was_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let mut crash = 0;
    loop {
        let place = Place {
            location: dir.path(),
            files: FaultyFiles::new(Fault::Crash(crash)),
        };
        let Some((acknowledged, perhaps)) = run_until_error(&place) else {
            break;
        };
        for survival in Survival::EVERY {
            let place = Place {
                location: dir.path(),
                files: place.files.after_crash(survival),
            };
            let what = format!("crash at operation {crash}, {survival:?} survived");
            let store = place.open().unwrap_or_else(|e| panic!("{what}: {e}"));
            let found = contents(&store);
            assert!(found == acknowledged || found == perhaps, "{what}");
            commit(&store, &[20], &[1]).unwrap_or_else(|e| panic!("{what}: {e}"));
            let expected = apply(&found, Step::Commit(&[20], &[1]));
            drop(store);
            let store = place.open().unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(contents(&store), expected, "{what}");
        }
        crash += 1;
    }
    assert!(crash > 200, "{crash}");
}

#[test]
fn an_error_at_any_operation_fails_one_step_and_readers_go_on() {
    let dir = tempfile::tempdir().unwrap();
    for at in 0.. {
        let place = Place {
            location: dir.path(),
            files: FaultyFiles::new(Fault::Once(at)),
        };
        let Ok(mut store) = place.open() else {
            continue;
        };
        let mut model = Model::new();
        let mut perhaps = Model::new();
        for step in WORKLOAD {
            let next = apply(&model, step);
            match place.run(&mut store, step) {
                Ok(()) => model = next,
                Err(_) if matches!(step, Step::Reopen) => store = place.open_again(),
                Err(_) => perhaps = next,
            }
            if store.begin().is_ok() {
                assert_eq!(contents(&store), model, "error at {at}, {step:?}");
            } else {
                // A sync failed, so what it was for may be there or not when the store is opened again. Where there
                // was no room for bytes it is known what is there, and writing goes on.
                let failed = place.files.failed();
                assert!(
                    matches!(failed, Some("sync" | "rename" | "sync_directory")),
                    "{failed:?} at {at}, {step:?}"
                );
                assert_eq!(contents(&store), model, "error at {at}, {step:?}");
                store.close();
                store = place.open_again();
                let found = contents(&store);
                assert!(
                    found == model || found == perhaps,
                    "error at {at}, {step:?}"
                );
                model = found;
            }
        }
        store.close();
        assert_eq!(contents(&place.open_again()), model, "error at {at}");
        if place.files.operations() <= at {
            break;
        }
    }
}

#[test]
fn a_flipped_bit_is_named_when_the_store_is_opened_or_verified_and_never_gives_a_wrong_answer() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place {
        location: dir.path(),
        files: FaultyFiles::new(Fault::None),
    };
    assert!(run_until_error(&place).is_none());
    let model = contents(&place.open().unwrap());
    let report = place.open().unwrap().verify();
    assert!(report.is_sound(), "{report:?}");
    for (path, good) in place.files.contents() {
        if path.parent() != Some(dir.path()) {
            continue;
        }
        let step = (good.len() / 60).max(1);
        for byte in (0..good.len()).step_by(step) {
            let mut bad = good.clone();
            bad[byte] ^= 1 << (byte % 8);
            let place = Place {
                location: dir.path(),
                files: place.files.after_crash(Survival::All),
            };
            place.files.put(&path, bad);
            // Only the mark at the end of the log commits nothing.
            if let Ok(store) = place.open()
                && store.verify().is_sound()
            {
                let is_mark =
                    path.extension().is_some_and(|e| e == "log") && byte + 40 >= good.len();
                assert!(is_mark, "{}: {byte}", path.display());
                assert_eq!(contents(&store), model);
            }
        }
    }
}
