//! Joins by look-up, against nested loops over every quad.

use super::fixture::{Bench, Random, Table, node, sorted};
use crate::plan::{GraphFilter, Node, ScanPlan, VarId};
use crate::storage::{Permutation, QuadColumn};
use crate::term::TermId;
use std::sync::Arc;

/// Random quads with few subjects, so that the rows of one key go over block borders.
fn quads(random: &mut Random, graphs: usize) -> String {
    let mut text = String::new();
    for _ in 0..4_000 {
        let (s, p, o) = (random.below(9), random.below(2), random.below(400));
        let graph = match random.below(graphs) {
            0 => String::new(),
            g => format!("<g:{g}>"),
        };
        text += &format!("<n:{s}> <p:{p}> <n:{o}> {graph} .\n");
    }
    text
}

fn all_quads(bench: &Bench) -> Vec<Vec<TermId>> {
    let everything = crate::plan::everything();
    bench.run(&everything.plan)
}

struct Case {
    permutation: Permutation,
    prefix: Vec<TermId>,
    keys: Vec<(QuadColumn, &'static str)>,
    outputs: Vec<(QuadColumn, &'static str)>,
    graph: GraphFilter,
    merge_graphs: bool,
}

fn check(
    bench: &mut Bench,
    all: &[Vec<TermId>],
    case: &Case,
    left: &Table,
    optional: bool,
    random: &mut Random,
) {
    let pairs = |bench: &mut Bench, list: &[(QuadColumn, &str)]| -> Vec<(QuadColumn, VarId)> {
        list.iter().map(|&(c, name)| (c, bench.var(name))).collect()
    };
    let keys = pairs(bench, &case.keys);
    let outputs = pairs(bench, &case.outputs);
    let scan = ScanPlan {
        permutation: case.permutation,
        prefix: case.prefix.clone(),
        outputs: keys.iter().chain(&outputs).copied().collect(),
        graph: case.graph.clone(),
        merge_graphs: case.merge_graphs,
        equal: Vec::new(),
        excluded: Arc::default(),
    };
    let mut expected = Vec::new();
    for l in &left.rows {
        let mut found: Vec<Vec<TermId>> = Vec::new();
        for quad in all {
            let columns = case.permutation.columns();
            let has_prefix = case
                .prefix
                .iter()
                .zip(columns)
                .all(|(&id, c)| quad[c as usize] == id);
            let agrees = keys.iter().all(|&(c, v)| {
                let place = left.schema.iter().position(|&s| s == v).unwrap();
                l[place] == quad[c as usize]
            });
            if has_prefix && agrees && case.graph.admits(quad[3]) {
                found.push(outputs.iter().map(|&(c, _)| quad[c as usize]).collect());
            }
        }
        if case.merge_graphs {
            found.sort_unstable();
            found.dedup();
        }
        if optional && found.is_empty() {
            found.push(vec![TermId::UNBOUND; outputs.len()]);
        }
        expected.extend(found.into_iter().map(|r| [l.clone(), r].concat()));
    }
    let schema: Vec<VarId> = left
        .schema
        .iter()
        .copied()
        .chain(outputs.iter().map(|o| o.1))
        .collect();
    let join = Node::IndexJoin {
        left: Box::new(left.plan(random)),
        scan,
        keys: keys.iter().map(|k| k.1).collect(),
        optional,
    };
    let actual = bench.run(&node(join, &schema, &[]));
    assert_eq!(
        sorted(actual),
        sorted(expected),
        "{:?} optional {optional}",
        case.permutation
    );
}

#[test]
fn index_joins() {
    for graphs in [1, 3] {
        let mut random = Random::new(graphs as u64);
        let mut bench = Bench::new(&quads(&mut random, graphs));
        let p = bench.iri("p:0");
        let g = (graphs > 1).then(|| bench.iri("g:1"));
        use QuadColumn::{Graph, Object, Subject};
        let case = |permutation, keys: &[_], outputs: &[_]| Case {
            permutation,
            prefix: vec![p],
            keys: keys.to_vec(),
            outputs: outputs.to_vec(),
            graph: GraphFilter::All,
            merge_graphs: graphs > 1,
        };
        let mut cases = vec![
            case(Permutation::Psog, &[(Subject, "a")], &[(Object, "o")]),
            case(Permutation::Posg, &[(Object, "a")], &[(Subject, "s")]),
            case(Permutation::Psog, &[(Subject, "a"), (Object, "b")], &[]),
        ];
        if let Some(g) = g {
            let named = Case {
                graph: GraphFilter::Named,
                merge_graphs: false,
                ..case(
                    Permutation::Psog,
                    &[(Subject, "a")],
                    &[(Object, "o"), (Graph, "g")],
                )
            };
            let one = Case {
                graph: GraphFilter::Equal(g),
                merge_graphs: false,
                ..case(Permutation::Psog, &[(Subject, "a"), (Object, "b")], &[])
            };
            let first = Case {
                permutation: Permutation::Gspo,
                prefix: vec![g],
                merge_graphs: false,
                ..case(Permutation::Gspo, &[(Subject, "a")], &[(Object, "o")])
            };
            cases.extend([named, one, first]);
        }
        let quads = all_quads(&bench);
        let nodes: Vec<TermId> = (0..12).map(|n| bench.iri(&format!("n:{n}"))).collect();
        let schema = bench.vars("a b");
        for case in &cases {
            for optional in [false, true] {
                let row = |random: &mut Random| {
                    (0..2).map(|_| nodes[random.below(nodes.len())]).collect()
                };
                let left = Table {
                    schema: schema.clone(),
                    rows: (0..random.below(25)).map(|_| row(&mut random)).collect(),
                };
                check(&mut bench, &quads, case, &left, optional, &mut random);
            }
        }
    }
}
