//! Scans, seeks and counts of a store of several runs, against a plain sorted set of quads.

mod crashes;
mod updates;

use super::*;
use crate::term::{Tag, TermId, TermStore, TermView};
use oxrdfio::RdfFormat;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

const ALL: ColumnMask = ColumnMask::ALL;

fn load(store: &Store, text: &str, format: RdfFormat) -> LoadReport {
    let source = LoadSource::bytes("test", text.as_bytes().to_vec(), format);
    store
        .bulk_load(vec![source], &LoadOptions::default(), &())
        .unwrap()
}

/// A quad of small numbers: subject, predicate, object, graph; graph 0 is the default graph.
type Numbers = [u8; 4];

fn nquads(quads: &[Numbers]) -> String {
    let graph = |g: u8| {
        if g == 0 {
            String::new()
        } else {
            format!("<http://g/{g}>")
        }
    };
    let object = |o: u8| match o % 3 {
        0 => format!("<http://n/{o}>"),
        1 => format!("\"{o}\"^^<http://www.w3.org/2001/XMLSchema#integer>"),
        _ => format!("\"{o}\"@en"),
    };
    let line = |&[s, p, o, g]: &Numbers| {
        format!(
            "<http://n/{s}> <http://p/{p}> {} {} .\n",
            object(o),
            graph(g)
        )
    };
    quads.iter().map(line).collect()
}

/// Every quad of a snapshot, by a scan of one permutation.
fn all_quads(snapshot: &Arc<Snapshot>, permutation: Permutation) -> Vec<Quad> {
    rows_of(&mut snapshot.scan(permutation, &[], ALL).unwrap())
}

fn rows_of(scan: &mut Scan) -> Vec<Quad> {
    let mut quads = Vec::new();
    while let Some(block) = scan.next_block().unwrap() {
        assert!((1..=1024).contains(&block.rows()));
        for row in 0..block.rows() {
            quads.push(QuadColumn::ALL.map(|column| block.column(column)[row]));
        }
    }
    quads
}

/// Checks every permutation of a snapshot against its set of quads, with prefixes and seeks made from `picks`.
fn check(snapshot: &Arc<Snapshot>, quads: &BTreeSet<Quad>, picks: &[(usize, usize, u64)]) {
    assert_eq!(snapshot.quad_count(), quads.len() as u64);
    for permutation in Permutation::ALL {
        let mut expected: Vec<_> = quads.iter().map(|quad| permutation.arrange(quad)).collect();
        expected.sort_unstable();
        let arranged = |quads: Vec<Quad>| -> Vec<_> {
            quads.iter().map(|quad| permutation.arrange(quad)).collect()
        };
        assert_eq!(arranged(all_quads(snapshot, permutation)), expected);
        for &(pick, prefix_len, shift) in picks {
            let Some(row) = expected.get(pick % expected.len().max(1)) else {
                continue;
            };
            let mut prefix = row[..prefix_len % 5].to_vec();
            if let Some(last) = prefix.last_mut().filter(|_| shift == 3) {
                *last = TermId::from_bits(last.to_bits() + 1);
            }
            let within: Vec<_> = expected
                .iter()
                .filter(|row| row.starts_with(&prefix))
                .copied()
                .collect();
            assert_eq!(
                snapshot.count(permutation, &prefix).unwrap(),
                within.len() as u64
            );
            let mut scan = snapshot.scan(permutation, &prefix, ALL).unwrap();
            assert_eq!(scan.remaining(), within.len() as u64);
            // The seek goes to a row, or just past it, from the start or from after the first block.
            let rest = &expected[(pick / 2) % expected.len()][prefix.len()..];
            let mut key = rest[..rest.len().min(1 + pick % 3)].to_vec();
            if let Some(last) = key.last_mut() {
                *last = TermId::from_bits(last.to_bits() + shift % 2);
            }
            let mut skipped = 0;
            if shift >= 2 {
                skipped = scan.next_block().unwrap().map_or(0, ScanBlock::rows);
            }
            scan.seek(&key).unwrap();
            let wanted: Vec<_> = within[skipped..]
                .iter()
                .filter(|row| row[prefix.len()..][..key.len()] >= key[..])
                .copied()
                .collect();
            assert_eq!(
                scan.remaining(),
                wanted.len() as u64,
                "{permutation:?} {prefix:?} {key:?}"
            );
            assert_eq!(arranged(rows_of(&mut scan)), wanted);
        }
    }
}

fn any_quads(len: usize) -> impl Strategy<Value = Vec<Numbers>> {
    proptest::collection::vec(
        (0..40_u8, 0..4_u8, 0..40_u8, 0..3_u8).prop_map(|(s, p, o, g)| [s, p, o, g]),
        0..len,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn scans_seeks_and_counts_agree_with_a_set(
        loads in proptest::collection::vec(any_quads(120), 1..4),
        one_graph in any::<bool>(),
        picks in proptest::collection::vec((any::<usize>(), any::<usize>(), 0..4_u64), 8),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let mut numbers = BTreeSet::new();
        for mut quads in loads {
            if one_graph {
                quads.iter_mut().for_each(|quad| quad[3] = 0);
            }
            let before = numbers.len();
            numbers.extend(quads.iter().copied());
            let report = load(&store, &nquads(&quads), RdfFormat::NQuads);
            prop_assert_eq!(report.quads_read, quads.len() as u64);
            prop_assert_eq!(report.quads_added, (numbers.len() - before) as u64);
        }
        let snapshot = store.snapshot();
        let quads: BTreeSet<Quad> = all_quads(&snapshot, Permutation::Spog).into_iter().collect();
        prop_assert_eq!(quads.len(), numbers.len());
        let graphs: BTreeSet<TermId> = quads.iter().map(|quad| quad[3]).collect();
        let named: Vec<_> = graphs.iter().copied().filter(|&g| g != TermId::DEFAULT_GRAPH).collect();
        prop_assert_eq!(snapshot.graphs().unwrap(), named);
        match snapshot.single_graph() {
            Some(graph) => prop_assert!(graphs.iter().all(|&g| g == graph)),
            None => prop_assert!(!one_graph),
        }
        for &predicate in quads.iter().map(|quad| &quad[1]).collect::<BTreeSet<_>>() {
            let counts = snapshot.predicate(predicate).unwrap();
            let of = |c: usize| quads.iter().filter(|q| q[1] == predicate).map(|q| q[c]).collect::<BTreeSet<_>>().len() as u64;
            prop_assert_eq!(counts.quads, quads.iter().filter(|q| q[1] == predicate).count() as u64);
            prop_assert!(counts.distinct_subjects >= of(0));
            prop_assert!(counts.distinct_objects >= of(2));
        }
        check(&snapshot, &quads, &picks);
        drop(store);
        let reopened = Store::open_read_only(dir.path()).unwrap();
        check(&reopened.snapshot(), &quads, &picks[..2]);
    }
}

/// Many quads: two runs that interleave, each of several blocks.
#[test]
fn runs_of_many_blocks_are_scanned_and_seeks_do_not_touch_what_lies_between() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let line = |i: u64| {
        format!(
            "<http://n/{:05}> <http://p/{}> \"{}\" .\n",
            i / 3,
            i % 3,
            i * 7919 % 30_000
        )
    };
    let part = |rest: u64| {
        (0..30_000)
            .filter(move |i| i % 4 / 2 == rest)
            .map(line)
            .collect::<String>()
    };
    load(&store, &part(0), RdfFormat::NTriples);
    let one = store.snapshot();
    let mut scan = one.scan(Permutation::Spog, &[], ALL).unwrap();
    scan.next_block().unwrap();
    let last = all_quads(&one, Permutation::Spog).pop().unwrap();
    scan.seek(&last[..1]).unwrap();
    assert!(scan.remaining() <= 3, "{}", scan.remaining());
    assert_eq!(scan.blocks_decoded(), 2);

    load(&store, &part(1), RdfFormat::NTriples);
    let both = store.snapshot();
    let quads: BTreeSet<Quad> = all_quads(&both, Permutation::Spog).into_iter().collect();
    assert_eq!(quads.len(), 30_000);
    let picks: Vec<_> = (0..40).map(|i| (i * 7717, i, i as u64 % 4)).collect();
    check(&both, &quads, &picks);
    assert_eq!(
        one.quad_count(),
        15_000,
        "an older snapshot stays as it was"
    );
    assert_eq!(both.statistics().distinct_predicates, 3);
}

#[test]
fn columns_that_were_not_asked_for_are_empty_and_fixed_ones_are_filled() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let quads: Vec<Numbers> = (0..200).map(|i| [i, i % 2, i, 0]).collect();
    load(&store, &nquads(&quads), RdfFormat::NQuads);
    load(&store, &nquads(&[[201, 1, 3, 0]]), RdfFormat::NQuads);
    let snapshot = store.snapshot();
    let predicate = snapshot
        .lookup(&TermView::Iri("http://p/1"))
        .unwrap()
        .unwrap();
    let mask = ColumnMask::NONE
        .with(QuadColumn::Predicate)
        .with(QuadColumn::Object);
    let mut scan = snapshot
        .scan(Permutation::Psog, &[predicate], mask)
        .unwrap();
    let block = scan.next_block().unwrap().unwrap();
    assert_eq!(block.rows(), 101);
    assert_eq!(block.column(QuadColumn::Subject), &[]);
    assert_eq!(block.column(QuadColumn::Predicate), &[predicate; 101]);
    assert_eq!(block.column(QuadColumn::Object).len(), 101);
    let mut scan = snapshot
        .scan(Permutation::Psog, &[predicate], ColumnMask::NONE)
        .unwrap();
    assert_eq!(scan.next_block().unwrap().unwrap().rows(), 101);
}

#[test]
fn an_empty_store_answers() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let snapshot = store.snapshot();
    check(&snapshot, &BTreeSet::new(), &[(0, 0, 0)]);
    assert_eq!(snapshot.single_graph(), Some(TermId::DEFAULT_GRAPH));
    assert_eq!(snapshot.graphs().unwrap(), []);
    assert_eq!(snapshot.lookup(&TermView::Iri("http://n/1")).unwrap(), None);
    assert_eq!(snapshot.sorted_len(Tag::Iri), 0);
    assert_eq!(snapshot.prefix_range(Tag::Iri, "http").unwrap(), 0..0);
    let mut scan = snapshot.scan(Permutation::Spog, &[], ALL).unwrap();
    scan.seek(&[TermId::MAX]).unwrap();
    assert!(scan.next_block().unwrap().is_none());
}
