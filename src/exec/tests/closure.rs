//! Paths of arbitrary length, against a search over every edge.

use super::fixture::{Bench, Random, node, sorted};
use crate::batch::Batch;
use crate::plan::{
    ClosurePlan, GraphFilter, GraphScope, Node, Plan, ScanPlan, SeedSlot, Slot, VarId,
};
use crate::storage::{Permutation, QuadColumn};
use crate::term::TermId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// One step of `<p:p>` from `from` to `to`: all steps, or those from the nodes of a seed.
fn step(
    bench: &Bench,
    from: (QuadColumn, VarId),
    to: (QuadColumn, VarId),
    slot: Option<SeedSlot>,
) -> Plan {
    let forwards = from.0 == QuadColumn::Subject;
    let scan = ScanPlan {
        permutation: if forwards {
            Permutation::Psog
        } else {
            Permutation::Posg
        },
        prefix: vec![bench.iri("p:p")],
        outputs: vec![from, to],
        graph: GraphFilter::All,
        merge_graphs: false,
        equal: Vec::new(),
        excluded: Arc::default(),
    };
    let schema = [from.1, to.1];
    match slot {
        None => node(Node::Scan(scan), &schema, &schema),
        Some(slot) => {
            let seeds = node(Node::Seed(slot), &[from.1], &[from.1]);
            let join = Node::IndexJoin {
                left: Box::new(seeds),
                scan,
                keys: vec![from.1],
                optional: false,
            };
            node(join, &schema, &schema)
        }
    }
}

struct Case {
    start: Slot,
    end: Slot,
    zero: bool,
    many: bool,
    /// The nodes to begin at, and whether they are ends.
    begin: Option<(Vec<TermId>, bool)>,
}

fn plan(bench: &mut Bench, case: &Case) -> Plan {
    let (from, to, at) = (bench.var("from"), bench.var("to"), bench.var("at"));
    let backwards = case.begin.as_ref().is_some_and(|(_, ends)| *ends);
    let slot = case.begin.as_ref().map(|_| SeedSlot(0));
    let columns = match backwards {
        false => [(QuadColumn::Subject, from), (QuadColumn::Object, to)],
        true => [(QuadColumn::Object, to), (QuadColumn::Subject, from)],
    };
    let starts = case.begin.as_ref().map(|(nodes, _)| {
        let table = Arc::new(Batch::new(vec![nodes.clone()], nodes.len()));
        Box::new(node(Node::Table(table), &[at], &[at]))
    });
    let mut schema: Vec<VarId> = [case.start, case.end]
        .into_iter()
        .filter_map(Slot::var)
        .collect();
    schema.dedup();
    let both_open = case.start.var().is_some() && case.end.var().is_some();
    let closure = ClosurePlan {
        start: case.start,
        end: case.end,
        backwards,
        step: Box::new(step(bench, columns[0], columns[1], slot)),
        slot,
        starts,
        zero: case.zero,
        many: case.many,
        nodes_of: (case.zero && both_open).then_some(GraphScope::Union),
    };
    node(Node::Closure(closure), &schema, &schema)
}

/// All pairs that the path connects, by repeated joins.
fn pairs(
    edges: &BTreeSet<(TermId, TermId)>,
    nodes: &[TermId],
    zero: bool,
    many: bool,
) -> BTreeSet<(TermId, TermId)> {
    let mut all = edges.clone();
    loop {
        let longer = all.iter().flat_map(|&(a, b)| {
            edges
                .iter()
                .filter(move |e| e.0 == b)
                .map(move |e| (a, e.1))
        });
        let grown: BTreeSet<_> = all.iter().copied().chain(longer.filter(|_| many)).collect();
        if grown.len() == all.len() {
            break;
        }
        all = grown;
    }
    all.extend(nodes.iter().filter(|_| zero).map(|&n| (n, n)));
    all
}

#[test]
fn closures() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let count = 2 + random.below(7);
        // Every node is in the graph, by another predicate if by no edge.
        let mut text: String = (0..count)
            .map(|n| format!("<n:{n}> <p:other> <n:{n}> .\n"))
            .collect();
        for _ in 0..random.below(2 * count) {
            text += &format!(
                "<n:{}> <p:p> <n:{}> .\n",
                random.below(count),
                random.below(count)
            );
        }
        text += "<n:0> <p:p> <n:1> .\n";
        let mut bench = Bench::new(&text);
        let nodes: Vec<TermId> = (0..count).map(|n| bench.iri(&format!("n:{n}"))).collect();
        let (from, to) = (bench.var("from"), bench.var("to"));
        let columns = ((QuadColumn::Subject, from), (QuadColumn::Object, to));
        let edges = bench.run(&step(&bench, columns.0, columns.1, None));
        let edges: BTreeSet<_> = edges.iter().map(|row| (row[0], row[1])).collect();
        let [s, e] = ["s", "e"].map(|name| Slot::Var(bench.var(name)));
        let [a, b] = [0, 1].map(|_| nodes[random.below(count)]);
        let subset: Vec<TermId> = (0..random.below(5))
            .map(|_| nodes[random.below(count)])
            .collect();
        for (zero, many) in [(true, true), (false, true), (true, false)] {
            let every = zero.then(|| (nodes.clone(), false));
            let cases = [
                (s, e, every.clone()),
                (s, s, every),
                (Slot::Const(a), e, Some((vec![a], false))),
                (s, Slot::Const(b), Some((vec![b], true))),
                (Slot::Const(a), Slot::Const(b), Some((vec![a], false))),
                (s, e, Some((subset.clone(), false))),
                (s, e, Some((subset.clone(), true))),
                (s, s, Some((subset.clone(), false))),
            ];
            for (start, end, begin) in cases {
                let is_among = |from: TermId, to: TermId| match &begin {
                    Some((list, false)) => list.contains(&from),
                    Some((list, true)) => list.contains(&to),
                    None => true,
                };
                let fits = |slot: Slot, id: TermId| slot.var().is_some() || slot == Slot::Const(id);
                let found = pairs(&edges, &nodes, zero, many)
                    .into_iter()
                    .filter(|&(from, to)| {
                        is_among(from, to)
                            && fits(start, from)
                            && fits(end, to)
                            && (start != end || from == to)
                    });
                let expected = found.map(|(from, to)| {
                    let mut row = Vec::new();
                    row.extend(start.var().map(|_| from));
                    row.extend(end.var().filter(|_| start != end).map(|_| to));
                    row
                });
                let expected = sorted(expected.collect());
                let case = Case {
                    start,
                    end,
                    zero,
                    many,
                    begin: begin.clone(),
                };
                let plan = plan(&mut bench, &case);
                assert_eq!(
                    sorted(bench.run(&plan)),
                    expected,
                    "seed {seed} {zero} {many} {start:?} {end:?} {begin:?}"
                );
            }
        }
    }
}

#[test]
fn a_chain_of_a_hundred_thousand_steps_is_walked_without_recursion() {
    let text: String = (0..100_000)
        .map(|n| format!("<n:{n}> <p:p> <n:{}> .\n", n + 1))
        .collect();
    let mut bench = Bench::new(&text);
    let (first, last) = (bench.iri("n:0"), bench.iri("n:100000"));
    let end = Slot::Var(bench.var("e"));
    // Level by level from one end would run the step plan once for each node, so all steps are read at once.
    let mut closure = plan(
        &mut bench,
        &Case {
            start: Slot::Const(first),
            end,
            zero: false,
            many: true,
            begin: Some((vec![first], false)),
        },
    );
    let (from, to) = (bench.var("from"), bench.var("to"));
    let all = step(
        &bench,
        (QuadColumn::Subject, from),
        (QuadColumn::Object, to),
        None,
    );
    if let Node::Closure(closure) = &mut closure.node {
        closure.slot = None;
        *closure.step = all;
    }
    let rows = bench.run(&closure);
    assert_eq!(rows.len(), 100_000);
    assert!(rows.contains(&vec![last]));
}

#[test]
fn the_nodes_of_a_long_cycle_are_found_without_a_walk_from_each() {
    // A ring, with a chain as long that leads into it, and one node with a step to itself.
    let count = 50_000;
    let ring = (0..count).map(|n| format!("<n:{n}> <p:p> <n:{}> .\n", (n + 1) % count));
    let chain = (0..count).map(|n| format!("<m:{}> <p:p> <m:{n}> .\n", n + 1));
    let text: String = ring
        .chain(chain)
        .chain(["<m:0> <p:p> <n:0> .\n<m:7> <p:p> <m:7> .\n".to_owned()])
        .collect();
    let mut bench = Bench::new(&text);
    let x = Slot::Var(bench.var("x"));
    let closure = plan(
        &mut bench,
        &Case {
            start: x,
            end: x,
            zero: false,
            many: true,
            begin: None,
        },
    );
    let rows = bench.run(&closure);
    assert_eq!(rows.len(), count + 1);
    for node in ["n:0", "n:49999", "m:7"] {
        assert!(rows.contains(&vec![bench.iri(node)]), "{node}");
    }
}
