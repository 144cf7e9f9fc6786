//! Sorting, grouping, DISTINCT, slices, unions and taking triple terms apart.

use super::fixture::{Bench, Random, Table, id, node, sorted};
use crate::batch::{BATCH_ROWS, Batch};
use crate::exec::QueryControl;
use crate::plan::{Aggregate, Node, Plan, Slot, SortKey, VarId};
use crate::term::TermId;
use oxrdf::Variable;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression};
use std::collections::BTreeMap;
use std::sync::Arc;

fn variable(name: &str) -> Expression {
    Expression::Variable(Variable::new_unchecked(name))
}

fn literal(lexical: &str, datatype: &str) -> TermId {
    let datatype = format!("http://www.w3.org/2001/XMLSchema#{datatype}");
    TermId::encode_inline(lexical, &datatype).unwrap()
}

#[test]
fn sorting_is_stable_and_keeps_the_first() {
    let mut bench = Bench::new("<n:b> <p:p> <n:a> .");
    let schema = bench.vars("k l n");
    // Kinds in their order; the one integer is written in several ways, which sort alike.
    let kinds = [TermId::UNBOUND, bench.iri("n:a"), bench.iri("n:b")];
    let ones = [id(1), literal("1.0", "decimal"), literal("1", "double")];
    let ranks = |id: &TermId| match kinds.iter().position(|k| k == id) {
        Some(rank) => rank,
        None if ones.contains(id) => 3,
        None => 4,
    };
    let choices: Vec<TermId> = kinds.iter().copied().chain(ones).chain([id(2)]).collect();
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let rows = random.below(60);
        let pick = |random: &mut Random| choices[random.below(choices.len())];
        let table = Table {
            schema: schema.clone(),
            rows: (0..rows)
                .map(|n| vec![pick(&mut random), pick(&mut random), id(n + 1)])
                .collect(),
        };
        let descending = [random.chance(50), random.chance(50)];
        let limit = random.chance(70).then(|| random.below(70));
        let mut expected = table.rows.clone();
        expected.sort_by(|a, b| {
            let by = |c: usize| {
                let order = ranks(&a[c]).cmp(&ranks(&b[c]));
                if descending[c] {
                    order.reverse()
                } else {
                    order
                }
            };
            by(0).then_with(|| by(1))
        });
        expected.truncate(limit.unwrap_or(usize::MAX));
        let key = |name: &str, descending| SortKey {
            expression: variable(name),
            descending,
        };
        let keys = vec![key("k", descending[0]), key("l", descending[1])];
        let input = Box::new(table.plan(&mut random));
        let plan = node(
            Node::OrderBy(input, keys, limit.map(|l| l as u64)),
            &schema,
            &[],
        );
        assert_eq!(bench.run(&plan), expected, "seed {seed}");
    }
}

#[test]
fn a_sort_with_a_limit_cuts_down_and_stays_stable() {
    let mut bench = Bench::new("");
    let schema = bench.vars("k n");
    let rows = 60_000;
    let mut batch = Batch::empty(2);
    (0..rows).for_each(|n| batch.push_row([id(1 + (n * 7) % 10), id(n + 1)]));
    let table = node(Node::Table(Arc::new(batch)), &schema, &schema);
    let key = SortKey {
        expression: variable("k"),
        descending: false,
    };
    let plan = node(
        Node::OrderBy(Box::new(table), vec![key], Some(5)),
        &schema,
        &schema,
    );
    // The rows with the least key are every tenth, in the order in which they came.
    let expected: Vec<_> = (0..5).map(|n| vec![id(1), id(10 * n + 1)]).collect();
    assert_eq!(bench.run(&plan), expected);
    // Several times the slack fits, all rows would not.
    let control = QueryControl::new(None, Some(1_100_000));
    assert!(bench.run_with(&plan, control).0.is_ok());
}

#[test]
fn grouping() {
    let mut bench = Bench::new("");
    let schema = bench.vars("k l x");
    let outputs = bench.vars("count values sum");
    let call = |name, distinct| AggregateExpression::FunctionCall {
        name,
        expr: variable("x"),
        distinct,
    };
    let aggregates: Vec<Aggregate> = [
        AggregateExpression::CountSolutions { distinct: false },
        call(AggregateFunction::Count, true),
        call(AggregateFunction::Count, false),
    ]
    .into_iter()
    .zip(&outputs)
    .map(|(expression, &output)| Aggregate { output, expression })
    .collect();
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let table = Table::random(&schema, 1, 40, &mut random);
        let keys = &schema[..random.below(3)];
        let mut groups: BTreeMap<Vec<TermId>, Vec<TermId>> = BTreeMap::new();
        if keys.is_empty() {
            groups.insert(Vec::new(), Vec::new());
        }
        for row in &table.rows {
            groups
                .entry(row[..keys.len()].to_vec())
                .or_default()
                .push(row[2]);
        }
        let number = |n: usize| literal(&n.to_string(), "integer");
        let expected = groups.into_iter().map(|(key, values)| {
            let bound: Vec<_> = values.iter().filter(|v| v.is_bound()).collect();
            let distinct: std::collections::BTreeSet<_> = bound.iter().collect();
            let counts = [values.len(), distinct.len(), bound.len()].map(number);
            [&key[..], &counts].concat()
        });
        let all: Vec<VarId> = keys.iter().chain(&outputs).copied().collect();
        let input = Box::new(table.plan(&mut random));
        let plan = node(
            Node::Group(input, keys.to_vec(), aggregates.clone()),
            &all,
            &[],
        );
        assert_eq!(
            sorted(bench.run(&plan)),
            sorted(expected.collect()),
            "seed {seed}"
        );
    }
}

#[test]
fn distinct_keeps_the_first_of_equal_rows() {
    let mut bench = Bench::new("");
    let schema = bench.vars("k l");
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let table = Table::random(&schema, 1, 60, &mut random);
        let mut expected: Vec<Vec<TermId>> = Vec::new();
        for row in &table.rows {
            if !expected.contains(row) {
                expected.push(row.clone());
            }
        }
        let input = Box::new(table.plan(&mut random));
        assert_eq!(
            bench.run(&node(Node::Distinct(input), &schema, &[])),
            expected,
            "seed {seed}"
        );
    }
}

#[test]
fn a_slice_does_not_read_on() {
    let mut bench = Bench::new("");
    let schema = bench.vars("n");
    let table = |from: usize, n: usize| {
        let column = (from..from + n).map(|n| id(n + 1)).collect();
        node(
            Node::Table(Arc::new(Batch::new(vec![column], n))),
            &schema,
            &schema,
        )
    };
    // Batches of ten rows.
    let input = node(
        Node::Union((0..10).map(|i| table(i * 10, 10)).collect()),
        &schema,
        &schema,
    );
    let cases: [(u64, Option<u64>, usize, u64); 8] = [
        (0, Some(0), 0, 0),
        (0, Some(1), 1, 1),
        (0, Some(10), 10, 1),
        (0, Some(11), 11, 2),
        (15, Some(5), 5, 2),
        (20, Some(3), 3, 3),
        (95, Some(10), 5, 10),
        (7, None, 93, 10),
    ];
    for (start, length, rows, batches) in cases {
        let plan = node(
            Node::Slice(Box::new(input.clone()), start, length),
            &schema,
            &schema,
        );
        let (found, profiles) = bench.run_with(&plan, QueryControl::new(None, None));
        let found: Vec<TermId> = found
            .unwrap()
            .iter()
            .flat_map(|b| b.column(0).to_vec())
            .collect();
        let expected: Vec<_> = (start as usize..start as usize + rows)
            .map(|n| id(n + 1))
            .collect();
        assert_eq!(found, expected, "{start} {length:?}");
        assert_eq!(profiles[1].batches, batches, "{start} {length:?}");
    }
}

#[test]
fn a_union_has_missing_columns_unbound() {
    let mut bench = Bench::new("");
    let schemas = [bench.vars("a b"), bench.vars("c a"), bench.vars("b")];
    let all = bench.vars("a b c");
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let tables: Vec<Table> = schemas
            .iter()
            .map(|s| Table::random(s, 1, 10, &mut random))
            .collect();
        let mut expected = Vec::new();
        for table in &tables {
            for row in &table.rows {
                let cell = |v: &VarId| {
                    table
                        .schema
                        .iter()
                        .position(|s| s == v)
                        .map_or(id(0), |place| row[place])
                };
                expected.push(all.iter().map(cell).collect::<Vec<_>>());
            }
        }
        let plans: Vec<Plan> = tables.iter().map(|t| t.plan(&mut random)).collect();
        let plan = node(Node::Union(plans), &all, &[]);
        assert_eq!(bench.run(&plan), expected, "seed {seed}");
    }
}

#[test]
fn triple_terms_are_taken_apart() {
    let text = "<n:x> <p:says> <<( <n:a> <p:p> <n:a> )>> .\n<n:y> <p:says> <<( <n:a> <p:q> <n:b> )>> .\n<n:z> <p:says> <n:a> .\n";
    let mut bench = Bench::new(text);
    let [t, s, p, o] = ["t", "s", "p", "o"].map(|name| bench.var(name));
    let quads = bench.run(&crate::plan::everything().plan);
    let objects: Vec<TermId> = quads.iter().map(|row| row[2]).chain([id(0)]).collect();
    let rows = objects.len();
    let input = |seen: Option<TermId>| {
        let mut columns = vec![objects.clone()];
        columns.extend(seen.map(|id| vec![id; rows]));
        let schema = if seen.is_some() { vec![t, s] } else { vec![t] };
        node(
            Node::Table(Arc::new(Batch::new(columns, rows))),
            &schema,
            &[],
        )
    };
    let [a, b, q] = ["n:a", "n:b", "p:q"].map(|iri| bench.iri(iri));
    let cases = [
        (None, [Slot::Var(s), Slot::Var(p), Slot::Var(o)], 2),
        (None, [Slot::Var(s), Slot::Var(p), Slot::Var(s)], 1),
        (None, [Slot::Var(s), Slot::Const(q), Slot::Var(o)], 1),
        (Some(a), [Slot::Var(s), Slot::Var(p), Slot::Var(o)], 2),
        (Some(b), [Slot::Var(s), Slot::Var(p), Slot::Var(o)], 0),
        (Some(id(0)), [Slot::Var(s), Slot::Var(p), Slot::Const(b)], 1),
    ];
    for (seen, parts, expected) in cases {
        let input = input(seen);
        let mut schema = input.schema.clone();
        for v in parts.iter().filter_map(|part| part.var()) {
            if !schema.contains(&v) {
                schema.push(v);
            }
        }
        let place = schema.iter().position(|&v| v == s).unwrap();
        let rows = bench.run(&node(
            Node::Destructure(Box::new(input), t, parts),
            &schema,
            &[],
        ));
        assert_eq!(rows.len(), expected, "{seen:?} {parts:?}");
        assert!(rows.iter().all(|row| row[place] == a));
    }
}

#[test]
fn a_table_longer_than_a_batch_is_cut() {
    let mut bench = Bench::new("");
    let schema = bench.vars("n");
    let rows = 2 * BATCH_ROWS + 1;
    let column = (0..rows).map(|n| id(n + 1)).collect();
    let table = node(
        Node::Table(Arc::new(Batch::new(vec![column], rows))),
        &schema,
        &schema,
    );
    let batches = bench
        .run_with(&table, QueryControl::new(None, None))
        .0
        .unwrap();
    let sizes: Vec<_> = batches.iter().map(Batch::rows).collect();
    assert_eq!(sizes, [BATCH_ROWS, BATCH_ROWS, 1]);
}
