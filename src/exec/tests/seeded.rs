//! Joins that run their right side again for each piece of the left.

use super::fixture::{Bench, Random, Table, id, joined_schema, merged, node, sorted};
use super::joins::{booleans, join_schema};
use crate::plan::{JoinKind, JoinSpec, Node, Plan, SeedSlot, VarId};
use crate::term::TermId;

/// The right side of a join: a table joined with the seeds.
fn restricted(right: &Table, seeds: &[VarId], slot: SeedSlot, random: &mut Random) -> Plan {
    let certain = right.certain();
    let (keys, loose) = seeds
        .iter()
        .copied()
        .filter(|v| right.schema.contains(v))
        .partition(|v| certain.contains(v));
    let schema = joined_schema(&right.schema, seeds);
    let join = Node::HashJoin {
        left: Box::new(right.plan(random)),
        right: Box::new(node(Node::Seed(slot), seeds, seeds)),
        join: JoinSpec {
            kind: JoinKind::Inner,
            keys,
            loose,
            conditions: Vec::new(),
        },
    };
    node(join, &schema, &[])
}

#[test]
fn pieces_rows_and_narrowed_seeds() {
    let mut bench = Bench::new("");
    let mark = bench.var("mark");
    let kinds = [
        JoinKind::Inner,
        JoinKind::Left,
        JoinKind::Semi,
        JoinKind::Anti,
        JoinKind::Mark(mark),
    ];
    let (left_vars, right_vars) = (bench.vars("k l x"), bench.vars("k l y"));
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let left = Table::random(&left_vars, 3, 30, &mut random);
        let right = Table::random(&right_vars, 3, 30, &mut random);
        let shared = &left_vars[..2];
        // The slot may hold more variables than the plan below asks for.
        let asked = &shared[..1 + random.below(2)];
        for kind in &kinds {
            let schema = join_schema(&left, &right, kind);
            let joined = Node::SeededJoin {
                left: Box::new(left.plan(&mut random)),
                right: Box::new(restricted(&right, asked, SeedSlot(0), &mut random)),
                slot: SeedSlot(0),
                seeds: shared.to_vec(),
                row_by_row: random.chance(50),
                join: JoinSpec {
                    kind: kind.clone(),
                    keys: shared.to_vec(),
                    loose: Vec::new(),
                    conditions: Vec::new(),
                },
            };
            let actual = bench.run(&node(joined, &schema, &[]));
            let mut expected = Vec::new();
            for l in &left.rows {
                let found: Vec<_> = right
                    .rows
                    .iter()
                    .filter_map(|r| merged(&left, &right, l, r))
                    .collect();
                let is_matched = !found.is_empty();
                match kind {
                    JoinKind::Left if !is_matched => {
                        expected.push([&l[..], &[TermId::UNBOUND]].concat())
                    }
                    JoinKind::Inner | JoinKind::Left => expected.extend(found),
                    JoinKind::Mark(_) => {
                        expected.push([&l[..], &[booleans()[usize::from(is_matched)]]].concat())
                    }
                    JoinKind::Semi if !is_matched => {}
                    JoinKind::Anti if is_matched => {}
                    _ => expected.push(l.clone()),
                }
            }
            assert_eq!(sorted(actual), sorted(expected), "seed {seed} {kind:?}");
        }
    }
}

/// The right gives each seed back and nothing else, so a row may only meet its own seed.
#[test]
fn a_row_meets_its_own_seed_only_even_if_unbound() {
    let mut bench = Bench::new("");
    let (schema, seen) = (bench.vars("k l"), bench.var("seen"));
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let left = Table::random(&schema, 0, 20, &mut random);
        let right = node(Node::Seed(SeedSlot(1)), &schema, &[]);
        let name = bench.variables.name(schema[1]).clone();
        let bound = spargebra::algebra::Expression::Bound(name);
        let all = [&schema[..], &[seen]].concat();
        let right = node(Node::Extend(Box::new(right), seen, bound), &all, &[]);
        let joined = Node::SeededJoin {
            left: Box::new(left.plan(&mut random)),
            right: Box::new(right),
            slot: SeedSlot(1),
            seeds: schema.clone(),
            row_by_row: random.chance(30),
            join: JoinSpec {
                kind: JoinKind::Inner,
                keys: Vec::new(),
                loose: schema.clone(),
                conditions: Vec::new(),
            },
        };
        let actual = bench.run(&node(joined, &all, &[]));
        let with_mark =
            |l: &Vec<TermId>| [&l[..], &[booleans()[usize::from(l[1] != id(0))]]].concat();
        let expected = left.rows.iter().map(with_mark).collect();
        assert_eq!(sorted(actual), sorted(expected), "seed {seed}");
    }
}
