//! Hash joins of every kind and merge joins, against nested loops.

use super::fixture::{
    Bench, Random, Table, id, joined_schema, merged, node, share, shared, sorted,
};
use crate::batch::{BATCH_ROWS, Batch};
use crate::plan::{GraphFilter, JoinKind, JoinSpec, Node, Plan, ScanPlan, VarId};
use crate::storage::{Permutation, QuadColumn};
use crate::term::TermId;
use oxrdf::Variable;
use spargebra::algebra::Expression;
use std::collections::HashMap;
use std::sync::Arc;

/// The condition `?x < ?y`, and whether it is true of a row.
fn less() -> Expression {
    let variable = |name| Box::new(Expression::Variable(Variable::new_unchecked(name)));
    Expression::Less(variable("x"), variable("y"))
}

fn is_less(schema: &[VarId], row: &[TermId], [x, y]: [VarId; 2]) -> bool {
    let value = |v| schema.iter().position(|&s| s == v).map(|place| row[place]);
    match (value(x), value(y)) {
        (Some(x), Some(y)) => x.is_bound() && y.is_bound() && x < y,
        _ => false,
    }
}

/// What a join gives by its definition.
fn nested_loops(
    left: &Table,
    right: &Table,
    kind: &JoinKind,
    holds: &dyn Fn(&[TermId]) -> bool,
    booleans: [TermId; 2],
) -> Vec<Vec<TermId>> {
    let width = joined_schema(&left.schema, &right.schema).len();
    let mut found = Vec::new();
    for l in &left.rows {
        let partners = right
            .rows
            .iter()
            .filter(|r| *kind != JoinKind::Minus || share(left, right, l, r));
        let joined: Vec<_> = partners
            .filter_map(|r| merged(left, right, l, r))
            .filter(|row| holds(row))
            .collect();
        let is_matched = !joined.is_empty();
        let mut alone = l.clone();
        match kind {
            JoinKind::Inner => found.extend(joined),
            JoinKind::Left if is_matched => found.extend(joined),
            JoinKind::Left => {
                alone.resize(width, TermId::UNBOUND);
                found.push(alone);
            }
            JoinKind::Mark(_) => {
                alone.push(booleans[usize::from(is_matched)]);
                found.push(alone);
            }
            JoinKind::Semi if is_matched => found.push(alone),
            JoinKind::Anti | JoinKind::Minus if !is_matched => found.push(alone),
            _ => {}
        }
    }
    sorted(found)
}

pub fn join_schema(left: &Table, right: &Table, kind: &JoinKind) -> Vec<VarId> {
    match kind {
        JoinKind::Inner | JoinKind::Left => joined_schema(&left.schema, &right.schema),
        JoinKind::Mark(mark) => joined_schema(&left.schema, &[*mark]),
        _ => left.schema.clone(),
    }
}

fn hash_join(left: &Table, right: &Table, join: JoinSpec, random: &mut Random) -> Plan {
    let schema = join_schema(left, right, &join.kind);
    let node_of = Node::HashJoin {
        left: Box::new(left.plan(random)),
        right: Box::new(right.plan(random)),
        join,
    };
    node(node_of, &schema, &[])
}

pub fn booleans() -> [TermId; 2] {
    let datatype = "http://www.w3.org/2001/XMLSchema#boolean";
    ["false", "true"].map(|lexical| TermId::encode_inline(lexical, datatype).unwrap())
}

#[test]
fn hash_joins_of_every_kind() {
    let mut bench = Bench::new("");
    let mark = bench.var("mark");
    let kinds = [
        JoinKind::Inner,
        JoinKind::Left,
        JoinKind::Semi,
        JoinKind::Anti,
        JoinKind::Minus,
        JoinKind::Mark(mark),
    ];
    let schemas = [
        ("k x", "k y"),
        ("k l x", "l k y"),
        ("x", "y"),
        ("k x", "k"),
        ("k x", "y k x"),
        ("a b c d e x", "e d c b a y"),
    ];
    let xy = [bench.var("x"), bench.var("y")];
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let (left, right) = schemas[random.below(schemas.len())];
        let (left, right) = (bench.vars(left), bench.vars(right));
        let certain = [random.below(4), random.below(4)];
        let left = Table::random(&left, certain[0], 12, &mut random);
        let right = Table::random(&right, certain[1], 12, &mut random);
        for kind in &kinds {
            let (keys, loose) = shared(&left, &right);
            let may_test = matches!(kind, JoinKind::Inner | JoinKind::Left);
            let tests = may_test && random.chance(50);
            let join = JoinSpec {
                kind: kind.clone(),
                keys,
                loose,
                conditions: tests.then(less).into_iter().collect(),
            };
            let plan = hash_join(&left, &right, join, &mut random);
            let holds = |row: &[TermId]| !tests || is_less(&plan.schema, row, xy);
            let expected = nested_loops(&left, &right, kind, &holds, booleans());
            let actual = sorted(bench.run(&plan));
            assert_eq!(actual, expected, "seed {seed} {kind:?} {left:?} {right:?}");
        }
    }
}

#[test]
fn a_chain_longer_than_a_batch_comes_in_pieces() {
    let mut bench = Bench::new("");
    let mut random = Random::new(1);
    let [k, x, y] = ["k", "x", "y"].map(|name| bench.var(name));
    let rows = |n: usize, from: usize| (0..n).map(|i| vec![id(1), id(from + i)]).collect();
    let left = Table {
        schema: vec![k, x],
        rows: rows(3, 1),
    };
    let right = Table {
        schema: vec![k, y],
        rows: rows(3 * BATCH_ROWS, 1),
    };
    for (conditions, per_row) in [(vec![], 3 * BATCH_ROWS), (vec![less()], 3 * BATCH_ROWS - 2)] {
        let join = JoinSpec {
            kind: JoinKind::Left,
            keys: vec![k],
            loose: vec![],
            conditions,
        };
        let plan = hash_join(&left, &right, join, &mut random);
        let control = crate::exec::QueryControl::new(None, None);
        let batches = bench.run_with(&plan, control).0.unwrap();
        let total: usize = batches.iter().map(Batch::rows).sum();
        assert!(batches.iter().all(|b| b.rows() <= 2 * BATCH_ROWS));
        assert!(total >= 3 * per_row && total <= 9 * BATCH_ROWS, "{total}");
    }
}

fn merge_join(left: &Table, right: &Table, optional: bool, random: &mut Random) -> Plan {
    let (keys, _) = shared(left, right);
    let node_of = Node::MergeJoin {
        left: Box::new(left.plan(random)),
        right: Box::new(right.plan(random)),
        key: left.schema[0],
        others: keys.into_iter().filter(|&v| v != left.schema[0]).collect(),
        optional,
    };
    node(node_of, &joined_schema(&left.schema, &right.schema), &[])
}

#[test]
fn merge_joins() {
    let mut bench = Bench::new("");
    let schemas = [
        ("k x", "k y"),
        ("k l x", "l k y"),
        ("k", "k"),
        ("k l m", "k m l y"),
    ];
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let (left, right) = schemas[random.below(schemas.len())];
        let (left, right) = (bench.vars(left), bench.vars(right));
        let rows_max = [1, 6, 40][random.below(3)];
        let key = right.iter().position(|v| *v == left[0]).unwrap();
        let left = Table::random(&left, 9, rows_max, &mut random).sorted_by(0);
        let right = Table::random(&right, 9, 40, &mut random).sorted_by(key);
        for (optional, kind) in [(false, JoinKind::Inner), (true, JoinKind::Left)] {
            let plan = merge_join(&left, &right, optional, &mut random);
            let expected = nested_loops(&left, &right, &kind, &|_| true, booleans());
            let actual = bench.run(&plan);
            assert!(actual.is_sorted_by_key(|row| row[0]), "seed {seed}");
            assert_eq!(
                sorted(actual),
                expected,
                "seed {seed} {kind:?} {left:?} {right:?}"
            );
        }
    }
}

/// Two predicates over several blocks, so that each side seeks past blocks of the other.
#[test]
fn merged_scans_seek_on_either_side() {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut text = String::new();
        for subject in 0..6_000 {
            // Stretches that one predicate has alone, then the other, then both.
            for (place, predicate) in ["p", "q"].iter().enumerate() {
                let is_dense = subject / 1_500 % 3 == place || subject / 1_500 % 3 == 2;
                if random.chance(if is_dense { 90 } else { 1 }) {
                    let objects = 1 + random.below(2);
                    (0..objects).for_each(|o| {
                        text += &format!("<s:{subject:05}> <p:{predicate}> <o:{o}> .\n");
                    });
                }
            }
        }
        let mut bench = Bench::new(&text);
        let s = bench.var("s");
        let scan = |bench: &mut Bench, predicate: &str, object: &str| {
            let object = bench.var(object);
            let scan = ScanPlan {
                permutation: Permutation::Psog,
                prefix: vec![bench.iri(predicate)],
                outputs: vec![(QuadColumn::Subject, s), (QuadColumn::Object, object)],
                graph: GraphFilter::All,
                merge_graphs: false,
                equal: Vec::new(),
                excluded: Arc::default(),
            };
            let mut plan = node(Node::Scan(scan), &[s, object], &[s, object]);
            plan.sorted = vec![s, object];
            plan
        };
        let (p, q) = (scan(&mut bench, "p:p", "x"), scan(&mut bench, "p:q", "y"));
        for (left, right) in [(&p, &q), (&q, &p)] {
            let (left_rows, right_rows) = (bench.run(left), bench.run(right));
            let mut by_key: HashMap<TermId, Vec<TermId>> = HashMap::new();
            right_rows
                .iter()
                .for_each(|r| by_key.entry(r[0]).or_default().push(r[1]));
            for optional in [false, true] {
                let mut expected = Vec::new();
                for row in &left_rows {
                    let found = by_key.get(&row[0]).cloned().unwrap_or_default();
                    let found = match optional && found.is_empty() {
                        true => vec![TermId::UNBOUND],
                        false => found,
                    };
                    expected.extend(found.into_iter().map(|y| vec![row[0], row[1], y]));
                }
                let schema = joined_schema(&left.schema, &right.schema);
                let join = Node::MergeJoin {
                    left: Box::new(left.clone()),
                    right: Box::new(right.clone()),
                    key: s,
                    others: Vec::new(),
                    optional,
                };
                let joined = node(join, &schema, &schema);
                assert_eq!(bench.run(&joined), expected, "seed {seed} {optional}");
            }
        }
    }
}

#[test]
fn a_long_run_of_one_key_is_joined_over_batch_borders() {
    let mut bench = Bench::new("");
    let mut random = Random::new(7);
    let [k, x, y] = ["k", "x", "y"].map(|name| bench.var(name));
    let run = |v: VarId, n: usize| Table {
        schema: vec![k, v],
        rows: (0..n)
            .map(|i| vec![id(1 + i / n.div_ceil(2)), id(1 + i)])
            .collect(),
    };
    let (left, right) = (run(x, 40), run(y, 5_000));
    let plan = merge_join(&left, &right, false, &mut random);
    assert_eq!(bench.run(&plan).len(), 2 * 20 * 2_500);
    let plan = merge_join(&right, &left, true, &mut random);
    assert_eq!(bench.run(&plan).len(), 2 * 20 * 2_500);
}
