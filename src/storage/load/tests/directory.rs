//! The directory of a store: left over files, locks, damage, and what a load tells while it runs.

use super::*;

#[test]
fn what_a_killed_load_left_over_is_removed_when_the_store_is_opened() {
    let (dir, store) = new_store();
    load(
        &store,
        vec![source("<http://e/s> <http://e/p> 1 .", RdfFormat::Turtle)],
    )
    .unwrap();
    let before = (dump(&store), names(dir.path()));
    drop(store);
    let location = dir.path().join("store");
    for name in [
        "000009.terms",
        "000009.spog",
        "000009.statistics",
        "manifest.new",
    ] {
        fs::write(location.join(name), "half of it").unwrap();
    }
    let store = Store::open_read_only(&location).unwrap();
    assert_eq!(dump(&store), before.0);
    drop(store);
    let store = Store::open(&location).unwrap();
    assert!(before == (dump(&store), names(dir.path())));
    load(
        &store,
        vec![source("<http://e/s> <http://e/p> 2 .", RdfFormat::Turtle)],
    )
    .unwrap();
    assert_eq!(store.snapshot().quad_count(), 2);
}

#[test]
fn one_writer_or_several_readers_have_a_store_open() {
    let (dir, store) = new_store();
    let location = dir.path().join("store");
    assert_eq!(
        Store::open(&location).unwrap_err().kind(),
        ErrorKind::Locked
    );
    assert_eq!(
        Store::open_read_only(&location).unwrap_err().kind(),
        ErrorKind::Locked
    );
    drop(store);
    let readers = [
        Store::open_read_only(&location).unwrap(),
        Store::open_read_only(&location).unwrap(),
    ];
    assert_eq!(
        Store::open(&location).unwrap_err().kind(),
        ErrorKind::Locked
    );
    let outcome = load(&readers[0], Vec::new());
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Forbidden);
    drop(readers);
    Store::open(&location).unwrap();
}

#[test]
fn a_directory_that_is_no_store_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Store::open_read_only(&dir.path().join("none")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    fs::write(dir.path().join("thesis.txt"), "years of work").unwrap();
    assert_eq!(
        Store::open(dir.path()).unwrap_err().kind(),
        ErrorKind::Settings
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_flipped_byte_in_any_file_is_corruption_and_never_a_panic() {
    let (dir, store) = new_store();
    let text: String = (0..3000)
        .map(|i| format!("<http://e/s{i}> <http://e/p> \"{}\" .\n", i * 7))
        .collect();
    load(&store, vec![source(text, RdfFormat::NTriples)]).unwrap();
    drop(store);
    let location = dir.path().join("store");
    let read_all = || -> Result<()> {
        let store = Store::open_read_only(&location)?;
        let snapshot = store.snapshot();
        let mut buffer = Vec::new();
        for permutation in Permutation::ALL {
            let mut scan = snapshot.scan(permutation, &[], ColumnMask::ALL)?;
            while let Some(block) = scan.next_block()? {
                for &id in block.column(QuadColumn::Object) {
                    snapshot.resolve(id, &mut buffer)?;
                }
                for &id in block.column(QuadColumn::Subject) {
                    snapshot.resolve(id, &mut buffer)?;
                }
            }
        }
        Ok(())
    };
    read_all().unwrap();
    for name in names(dir.path()).iter().filter(|name| *name != "lock") {
        let path = location.join(name);
        let good = fs::read(&path).unwrap();
        for place in [
            0,
            good.len() / 5,
            good.len() / 2,
            good.len() * 4 / 5,
            good.len() - 1,
        ] {
            let mut bad = good.clone();
            bad[place] ^= 0x04;
            fs::write(&path, &bad).unwrap();
            // A flipped byte may lie in the table of unused symbols or in a page that no term needs.
            match read_all() {
                Err(error) => assert_eq!(error.kind(), ErrorKind::Corruption, "{name} {place}"),
                Ok(()) => assert!(name.ends_with("terms"), "{name} {place}"),
            }
        }
        fs::write(&path, &good).unwrap();
    }
    read_all().unwrap();
}

#[test]
fn progress_is_told_stage_by_stage() {
    struct Stages(std::sync::Mutex<Vec<LoadState>>);
    impl LoadProgress for Stages {
        fn update(&self, state: LoadState) {
            self.0.lock().unwrap().push(state);
        }
    }
    let (_dir, store) = new_store();
    let text = "<http://e/s> <http://e/p> <http://e/o> .\n";
    let stages = Stages(std::sync::Mutex::default());
    let sources = vec![source(text, RdfFormat::NTriples)];
    let report = store
        .bulk_load(sources, &LoadOptions::default(), &stages)
        .unwrap();
    let states = stages.0.into_inner().unwrap();
    assert!(states.is_sorted_by_key(|state| state.stage));
    let last = states.last().unwrap();
    assert_eq!(last.stage, LoadStage::Write);
    assert_eq!(
        (last.bytes_read, last.bytes_total),
        (text.len() as u64, text.len() as u64)
    );
    assert_eq!(last.quads_read, 1);
    assert_eq!(
        report
            .stage_seconds
            .iter()
            .map(|(s, _)| *s)
            .collect::<Vec<_>>(),
        LoadStage::ALL
    );
}
