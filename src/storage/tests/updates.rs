//! Transactions against a plain set of quads: what they see and say, and what a store holds that is opened again.

use super::super::garbage::GarbageCollector;
use super::crashes::{self, Model, contents, texts};
use super::*;
use crate::diagnostics::ErrorKind;
use crate::term::LiteralSort;
use std::cell::RefCell;
use std::path::Path;
use std::thread;

/// A change of a transaction: a quad of small numbers, and whether it is inserted.
type Step = (Numbers, bool);

fn term(transaction: &mut Transaction, kind: char, number: u8) -> TermId {
    let text = format!("http://{kind}/{number}");
    let lexical = number.to_string();
    let sort = LiteralSort::Lang("en", None);
    let typed = LiteralSort::Typed("http://www.w3.org/2001/XMLSchema#integer");
    let view = match (kind, number % 3) {
        ('g', _) if number == 0 => return TermId::DEFAULT_GRAPH,
        ('o', 1) => TermView::Literal {
            lexical: &lexical,
            sort,
        },
        ('o', 2) => TermView::Literal {
            lexical: &lexical,
            sort: typed,
        },
        _ => TermView::Iri(&text),
    };
    transaction.intern(&view).unwrap()
}

fn quad(transaction: &mut Transaction, [s, p, o, g]: Numbers) -> Quad {
    let kinds = [('s', s), ('p', p), ('o', o), ('g', g)];
    kinds.map(|(kind, number)| term(transaction, kind, number))
}

fn apply(transaction: &mut Transaction, steps: &[Step], model: &mut BTreeSet<Quad>) {
    for &(numbers, inserts) in steps {
        let quad = quad(transaction, numbers);
        if inserts {
            transaction.insert(quad);
            model.insert(quad);
        } else {
            transaction.delete(quad);
            model.remove(&quad);
        }
    }
}

fn any_steps(len: usize) -> impl Strategy<Value = Vec<Step>> {
    let numbers = (0..12_u8, 0..3_u8, 0..12_u8, 0..3_u8).prop_map(|(s, p, o, g)| [s, p, o, g]);
    proptest::collection::vec((numbers, any::<bool>()), 0..len)
}

fn open(location: &Path, memory_rows_max: u64) -> Store {
    let options = StoreOptions {
        memory_rows_max,
        ..StoreOptions::default()
    };
    Store::open_with(location, &options).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn transactions_agree_with_a_set(
        first in any_quads(60),
        rounds in proptest::collection::vec((any_steps(40), any_steps(20), 0..6_u8), 1..12),
        picks in proptest::collection::vec((any::<usize>(), any::<usize>(), 0..4_u64), 6),
        memory_rows_max in prop_oneof![Just(0_u64), Just(30), Just(1000)],
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open(dir.path(), memory_rows_max);
        load(&store, &nquads(&first), RdfFormat::NQuads);
        let mut model: BTreeSet<Quad> = all_quads(&store.snapshot(), Permutation::Spog).into_iter().collect();
        for (before, after, what) in &rounds {
            let old = store.snapshot();
            let mut changed = model.clone();
            let mut transaction = store.begin().unwrap();
            prop_assert_eq!(transaction.snapshot().sequence(), old.sequence());
            apply(&mut transaction, before, &mut changed);
            if what % 2 == 0 {
                check(&transaction.staged().unwrap(), &changed, &picks[..1]);
            }
            apply(&mut transaction, after, &mut changed);
            prop_assert_eq!(store.snapshot().quad_count(), model.len() as u64);
            if *what == 1 {
                drop(transaction);
                check(&store.snapshot(), &model, &[]);
                continue;
            }
            let commit = transaction.commit().unwrap().durable().unwrap();
            prop_assert_eq!(commit.inserted, changed.difference(&model).count() as u64);
            prop_assert_eq!(commit.deleted, model.difference(&changed).count() as u64);
            let changes = u64::from(commit.inserted + commit.deleted > 0);
            prop_assert_eq!(commit.sequence, old.sequence() + changes);
            check(&store.snapshot(), &changed, &picks);
            check(&old, &model, &[]);
            model = changed;
            if *what == 2 {
                drop(store);
                let reader = Store::open_read_only(dir.path()).unwrap();
                check(&reader.snapshot(), &model, &picks[..1]);
                prop_assert_eq!(reader.snapshot().sequence(), commit.sequence);
                drop(reader);
                store = open(dir.path(), memory_rows_max);
                check(&store.snapshot(), &model, &picks);
                prop_assert_eq!(store.snapshot().sequence(), commit.sequence);
            }
            if *what == 3 {
                flush::flush(&store.shared, &mut store.shared.manifest()).unwrap();
                check(&store.snapshot(), &model, &picks);
            }
            if *what == 5 {
                let before = store.snapshot();
                store.compact(&|_| {}).unwrap();
                prop_assert_eq!(store.snapshot().quad_count(), model.len() as u64);
                prop_assert!(store.verify().is_sound());
                check(&before, &model, &picks);
                // Ids have changed.
                model = all_quads(&store.snapshot(), Permutation::Spog).into_iter().collect();
                check(&store.snapshot(), &model, &picks);
            }
            if *what == 4 {
                load(&store, &nquads(&first), RdfFormat::NQuads);
                model.extend(all_quads(&store.snapshot(), Permutation::Spog));
                prop_assert_eq!(store.snapshot().quad_count(), model.len() as u64);
            }
        }
    }
}

#[test]
fn terms_of_a_transaction_are_found_in_it_and_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1000);
    let mut transaction = store.begin().unwrap();
    let iri = TermView::Iri("http://n/1");
    assert_eq!(transaction.lookup(&iri).unwrap(), None);
    let id = transaction.intern(&iri).unwrap();
    assert_eq!(transaction.lookup(&iri).unwrap(), Some(id));
    let triple = TermView::Triple([id; 3]);
    let triple = transaction.intern(&triple).unwrap();
    let [blank, other] = [transaction.fresh_blank(), transaction.fresh_blank()];
    assert_ne!(blank, other);
    transaction.insert([blank, id, triple, TermId::DEFAULT_GRAPH]);
    assert_eq!(store.snapshot().lookup(&iri).unwrap(), None);
    transaction.commit().unwrap().durable().unwrap();
    drop(store);
    let mut buffer = Vec::new();
    let store = open(dir.path(), 0);
    let snapshot = store.snapshot();
    assert_eq!(snapshot.lookup(&iri).unwrap(), Some(id));
    let term = TermStore::resolve(&*snapshot, triple, &mut buffer).unwrap();
    assert_eq!(term, TermView::Triple([id; 3]));
    assert!(store.begin().unwrap().fresh_blank() > other);
    let local = TermView::Triple([TermId::local(Tag::Iri, 1); 3]);
    let mut transaction = store.begin().unwrap();
    let error = transaction.intern(&local).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
}

#[test]
fn writers_take_turns_and_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 50);
    thread::scope(|scope| {
        for writer in 0..4_u8 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..40 {
                    let mut transaction = store.begin().unwrap();
                    let quad = quad(&mut transaction, [writer, 1, round, 0]);
                    transaction.insert(quad);
                    let commit = transaction.commit().unwrap().durable().unwrap();
                    assert_eq!((commit.inserted, commit.deleted), (1, 0));
                    assert!(store.snapshot().contains(&quad).unwrap());
                }
            });
        }
    });
    assert_eq!(store.snapshot().quad_count(), 160);
    assert_eq!(store.snapshot().sequence(), 160);
    drop(store);
    let store = Store::open_read_only(dir.path()).unwrap();
    assert_eq!(store.snapshot().quad_count(), 160);
    assert_eq!(store.begin().unwrap_err().kind(), ErrorKind::Forbidden);
}

#[test]
fn a_backup_is_a_store_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let [location, copy, second] = ["a", "b", "c"].map(|name| dir.path().join(name));
    let store = open(&location, 1000);
    load(&store, &nquads(&[[1, 1, 1, 1]]), RdfFormat::NQuads);
    let insert = |store: &Store, number| {
        let mut transaction = store.begin().unwrap();
        let quad = quad(&mut transaction, [number, 1, 1, 0]);
        transaction.insert(quad);
        transaction.commit().unwrap().durable().unwrap();
    };
    insert(&store, 2);
    store.backup(&copy).unwrap();
    assert_eq!(
        store.backup(&copy).unwrap_err().kind(),
        ErrorKind::BadRequest
    );
    insert(&store, 3);
    let restored = open(&copy, 1000);
    assert_eq!(restored.snapshot().quad_count(), 2);
    insert(&restored, 4);
    insert(&restored, 5);
    drop((restored, store));
    Store::open_read_only(&copy)
        .unwrap()
        .backup(&second)
        .unwrap();
    let counts =
        [&location, &copy, &second].map(|location| open(location, 0).snapshot().quad_count());
    assert_eq!(counts, [3, 4, 4]);
}

/// Each change is of one quad and is seen at once; the numbers that are left at the end are what a set holds.
#[test]
fn a_store_is_compacted_while_others_write_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 40);
    let mut alive = BTreeSet::new();
    thread::scope(|scope| {
        let compaction = scope.spawn(|| (0..6).try_for_each(|_| store.compact(&|_| {})));
        let mut round = 0_u64;
        while round < 150 || !compaction.is_finished() {
            // Numbers come and go, so terms are dropped and come again.
            let number = (round * 7919 % 101) as u8;
            let old = store.snapshot();
            let count = old.quad_count();
            if alive.insert(number) {
                crashes::commit(&store, &[number], &[]).unwrap();
            } else {
                alive.remove(&number);
                crashes::commit(&store, &[], &[number]).unwrap();
            }
            assert_eq!(old.quad_count(), count);
            assert_eq!(store.snapshot().quad_count(), alive.len() as u64);
            round += 1;
        }
        compaction.join().unwrap().unwrap();
    });
    let model: Model = alive.iter().map(|&number| texts(number)).collect();
    assert_eq!(contents(&store), model);
    store.compact(&|_| {}).unwrap();
    assert_eq!(contents(&store), model);
    let report = store.verify();
    assert!(report.is_sound(), "{report:?}");
    let snapshot = store.snapshot();
    assert!(snapshot.runs().len() == 1 && snapshot.dictionary().layers().len() == 1);
    assert_eq!(snapshot.sorted_len(Tag::String), alive.len() as u64);
    drop((snapshot, store));
    assert_eq!(contents(&open(dir.path(), 0)), model);
}

#[test]
fn terms_within_triple_terms_stay_when_a_store_is_compacted() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 1000);
    let text = "<http://n/s> <http://n/p> <<( <http://n/a> <http://n/b> <<( <http://n/c> <http://n/d> \"e\" )>> )>> .
        <http://n/s> <http://n/p> <<( <http://n/c> <http://n/d> \"f\" )>> .";
    load(&store, text, RdfFormat::NTriples);
    let iri = |name: &str| {
        let found = store
            .snapshot()
            .lookup(&TermView::Iri(&format!("http://n/{name}")));
        found.unwrap()
    };
    let mut transaction = store.begin().unwrap();
    let unused = transaction.intern(&TermView::Iri("http://n/0")).unwrap();
    let quad = [unused, unused, unused, TermId::DEFAULT_GRAPH];
    transaction.insert(quad);
    transaction.commit().unwrap().durable().unwrap();
    let mut transaction = store.begin().unwrap();
    transaction.delete(quad);
    transaction.commit().unwrap().durable().unwrap();
    let states = RefCell::new(Vec::new());
    store
        .compact(&|state| states.borrow_mut().push(state))
        .unwrap();
    let quads = store.snapshot().quad_count();
    let told = |stage, quads_read| CompactState {
        stage,
        quads_read,
        quads_total: quads,
    };
    let expected = [
        told(CompactStage::Terms, 0),
        told(CompactStage::Quads, 0),
        told(CompactStage::Indexes, quads),
    ];
    assert_eq!(states.into_inner(), expected);
    assert_eq!(iri("0"), None);
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| iri(name).unwrap());
    let snapshot = store.snapshot();
    let string = |lexical| {
        let sort = LiteralSort::String;
        let found = snapshot.lookup(&TermView::Literal { lexical, sort });
        found.unwrap().unwrap()
    };
    let inner = |e| {
        snapshot
            .lookup(&TermView::Triple([c, d, string(e)]))
            .unwrap()
    };
    let outer = TermView::Triple([a, b, inner("e").unwrap()]);
    let outer = snapshot.lookup(&outer).unwrap().unwrap();
    for object in [outer, inner("f").unwrap()] {
        assert_eq!(snapshot.count(Permutation::Ospg, &[object]).unwrap(), 1);
    }
    assert!(store.verify().is_sound());
}

/// Case A41: the same quads are deleted and inserted again and again.
#[test]
fn replacing_the_same_quads_takes_no_more_and_more_room() {
    let dir = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        durability: crate::settings::Durability::Os,
        memory_rows_max: 3000,
        log_bytes_max: 20_000,
        ..StoreOptions::default()
    };
    let store = Store::open_with(dir.path(), &options).unwrap();
    let line = |i: u32| format!("<http://n/{}> <http://p/{}> \"{i}\" .\n", i / 10, i % 10);
    load(
        &store,
        &(0..2000).map(line).collect::<String>(),
        RdfFormat::NTriples,
    );
    let disk_bytes = || store.disk_bytes().unwrap();
    let fresh = disk_bytes();
    let quads = all_quads(&store.snapshot(), Permutation::Spog);
    for _ in 0..40 {
        for insert in [false, true] {
            let mut transaction = store.begin().unwrap();
            for &quad in &quads {
                match insert {
                    true => transaction.insert(quad),
                    false => transaction.delete(quad),
                }
            }
            transaction.commit().unwrap().durable().unwrap();
            // The background work is waited for, so that the figure does not hang on its pace.
            drop(store.shared.manifest());
        }
    }
    flush::flush(&store.shared, &mut store.shared.manifest()).unwrap();
    assert!(disk_bytes() <= fresh * 3 / 2, "{} {fresh}", disk_bytes());
    assert_eq!(all_quads(&store.snapshot(), Permutation::Spog), quads);
    assert!(store.verify().is_sound());
}

#[test]
fn a_quiet_store_is_merged_into_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), u64::MAX);
    let line = |i: u32| format!("<http://n/{}> <http://p/{}> \"{i}\" .\n", i / 10, i % 10);
    let text: String = (0..2000).map(line).collect();
    load(&store, &text, RdfFormat::NTriples);
    let mut quads = all_quads(&store.snapshot(), Permutation::Spog);
    let mut delete = |every: usize| {
        let mut transaction = store.begin().unwrap();
        let gone: Vec<_> = quads.iter().copied().step_by(every).collect();
        gone.iter().for_each(|&quad| transaction.delete(quad));
        transaction.commit().unwrap().durable().unwrap();
        quads.retain(|quad| !gone.contains(quad));
        quads.clone()
    };
    let runs = || store.snapshot().runs().len();
    let left = delete(20);
    flush::flush(&store.shared, &mut store.shared.manifest()).unwrap();
    assert_eq!(runs(), 2);
    assert_eq!(all_quads(&store.snapshot(), Permutation::Spog), left);
    let left = delete(20);
    flush::flush_when_quiet(&store.shared, &mut store.shared.manifest()).unwrap();
    assert_eq!(runs(), 1);
    assert_eq!(all_quads(&store.snapshot(), Permutation::Spog), left);
    assert!(store.verify().is_sound());
}

#[test]
fn terms_that_come_and_go_do_not_stay_in_the_dictionary() {
    let dir = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        durability: crate::settings::Durability::Os,
        memory_rows_max: 300,
        compact_terms_min: 500,
        ..StoreOptions::default()
    };
    let store = Store::open_with(dir.path(), &options).unwrap();
    let terms = || {
        let snapshot = store.snapshot();
        let terms = Tag::STORED.map(|tag| snapshot.dictionary().len(tag));
        terms.iter().sum::<u64>()
    };
    let mut most = 0;
    for round in 0..60 {
        let mut transaction = store.begin().unwrap();
        for quad in all_quads(&transaction.snapshot(), Permutation::Spog) {
            transaction.delete(quad);
        }
        for number in 0..100 {
            let mut id = |text: String| transaction.intern(&TermView::Iri(&text)).unwrap();
            let [s, p, o] = [
                id(format!("http://s/{round}/{number}")),
                id("http://p/".to_owned()),
                id(format!("http://o/{round}/{number}")),
            ];
            transaction.insert([s, p, o, TermId::DEFAULT_GRAPH]);
        }
        transaction.commit().unwrap().durable().unwrap();
        // The background work is waited for, so that the figure does not hang on its pace.
        drop(store.shared.manifest());
        most = most.max(terms());
    }
    flush::flush(&store.shared, &mut store.shared.manifest()).unwrap();
    GarbageCollector::new(500).collect(&store.shared).unwrap();
    // Twelve thousand terms came; two hundred and one are used.
    assert!(terms() < 1000, "{} terms, {most} at most", terms());
    assert_eq!(store.snapshot().quad_count(), 100);
    assert!(store.verify().is_sound());
}
