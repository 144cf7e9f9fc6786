//! Memory, deadline and cancellation end every operator that takes in much, whatever its input is: the tables below
//! look at no limit themselves.

use super::fixture::{Bench, id, node};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::ErrorKind;
use crate::exec::QueryControl;
use crate::plan::{
    Aggregate, ClosurePlan, GraphFilter, JoinKind, JoinSpec, Node, Plan, ScanPlan, SeedSlot, Slot,
    SortKey, VarId,
};
use crate::storage::{Permutation, QuadColumn};
use oxrdf::Variable;
use spargebra::algebra::{AggregateExpression, Expression};
use std::sync::Arc;
use std::time::Duration;

/// The batches of the input.
const BATCHES: usize = 150;

/// Many rows of two columns, all different; the first column is the same in every row when `is_one_key`.
fn much(schema: &[VarId], is_one_key: bool) -> Plan {
    let batch = |n: usize| {
        let numbers = n * BATCH_ROWS..(n + 1) * BATCH_ROWS;
        let first = numbers
            .clone()
            .map(|i| id(if is_one_key { 1 } else { 1 + i }));
        let columns = vec![first.collect(), numbers.map(|i| id(2 + i)).collect()];
        node(
            Node::Table(Arc::new(Batch::new(columns, BATCH_ROWS))),
            schema,
            schema,
        )
    };
    node(
        Node::Union((0..BATCHES).map(batch).collect()),
        schema,
        schema,
    )
}

fn few(schema: &[VarId]) -> Plan {
    let columns = schema.iter().map(|_| vec![id(1)]).collect();
    node(
        Node::Table(Arc::new(Batch::new(columns, 1))),
        schema,
        schema,
    )
}

/// Plans that hold most of what they read, each with the place of its large input in pre-order.
fn hungry(bench: &mut Bench) -> Vec<(&'static str, Plan, usize)> {
    let schema = bench.vars("a b");
    let (a, b, c) = (schema[0], schema[1], bench.var("c"));
    let different = much(&schema, false);
    let input = || Box::new(different.clone());
    let expression = Expression::Variable(Variable::new_unchecked("b"));
    let order = vec![SortKey {
        expression,
        descending: true,
    }];
    let count = Aggregate {
        output: c,
        expression: AggregateExpression::CountSolutions { distinct: false },
    };
    let inner = |keys: Vec<VarId>| JoinSpec {
        kind: JoinKind::Inner,
        keys,
        loose: Vec::new(),
        conditions: Vec::new(),
    };
    let closure = ClosurePlan {
        start: Slot::Var(a),
        end: Slot::Var(b),
        backwards: false,
        step: input(),
        slot: None,
        starts: None,
        zero: false,
        many: true,
        nodes_of: None,
    };
    let of = |plan_node, schema: &[VarId]| node(plan_node, schema, schema);
    let few = |v: VarId| Box::new(few(&[a, v]));
    let abc = [a, b, c];
    vec![
        (
            "OrderBy",
            of(Node::OrderBy(input(), order, None), &schema),
            1,
        ),
        (
            "Group",
            of(Node::Group(input(), schema.clone(), vec![count]), &abc),
            1,
        ),
        ("Distinct", of(Node::Distinct(input()), &schema), 1),
        ("Closure", of(Node::Closure(closure), &schema), 1),
        (
            "HashJoin",
            of(
                Node::HashJoin {
                    left: few(c),
                    right: input(),
                    join: inner(vec![a]),
                },
                &[a, c, b],
            ),
            2,
        ),
        (
            "MergeJoin",
            of(
                Node::MergeJoin {
                    left: few(c),
                    right: Box::new(much(&schema, true)),
                    key: a,
                    others: Vec::new(),
                    optional: false,
                },
                &[a, c, b],
            ),
            2,
        ),
        (
            "SeededJoin",
            of(
                Node::SeededJoin {
                    left: input(),
                    right: Box::new(of(Node::Seed(SeedSlot(0)), &[a])),
                    slot: SeedSlot(0),
                    seeds: vec![a],
                    row_by_row: false,
                    join: inner(vec![a]),
                },
                &schema,
            ),
            1,
        ),
    ]
}

/// The kind of error that a plan ends with, and the batches that it read until then.
fn end(
    bench: &Bench,
    plan: &Plan,
    input: usize,
    control: QueryControl,
) -> (Option<ErrorKind>, u64) {
    let (batches, profiles) = bench.run_with(plan, control);
    (batches.err().map(|e| e.kind()), profiles[input].batches)
}

#[test]
fn memory_ends_what_holds_rows() {
    let mut bench = Bench::new("");
    for (name, plan, input) in hungry(&mut bench) {
        let (kind, batches) = end(&bench, &plan, input, QueryControl::new(None, Some(1 << 20)));
        assert_eq!(kind, Some(ErrorKind::MemoryLimit), "{name}");
        // A batch is 32 kB of ids; whoever reads more than the limit held it uncounted.
        assert!(batches <= 64, "{name} read {batches} batches");
    }
}

#[test]
fn cancellation_and_deadline_end_what_reads_on() {
    let mut bench = Bench::new("");
    for (name, plan, input) in hungry(&mut bench) {
        let cancelled = QueryControl::new(None, None);
        cancelled.cancel();
        let (kind, batches) = end(&bench, &plan, input, cancelled);
        assert_eq!(kind, Some(ErrorKind::Cancelled), "{name}");
        assert!(batches <= 2, "{name} read {batches} batches");
        let late = QueryControl::new(Some(Duration::ZERO), None);
        let (kind, batches) = end(&bench, &plan, input, late);
        assert_eq!(kind, Some(ErrorKind::Deadline), "{name}");
        assert!(batches <= 2, "{name} read {batches} batches");
    }
}

/// One key has every quad: the look-up has to count while it reads.
#[test]
fn memory_ends_a_look_up_with_many_partners() {
    let text: String = (0..40_000)
        .map(|n| format!("<n:a> <p:p> <n:{n}> .\n"))
        .collect();
    let mut bench = Bench::new(&text);
    let (s, o) = (bench.var("s"), bench.var("o"));
    let left = Batch::new(vec![vec![bench.iri("n:a")]], 1);
    let scan = ScanPlan {
        permutation: Permutation::Psog,
        prefix: vec![bench.iri("p:p")],
        outputs: vec![(QuadColumn::Subject, s), (QuadColumn::Object, o)],
        graph: GraphFilter::All,
        merge_graphs: false,
        equal: Vec::new(),
        excluded: Arc::default(),
    };
    let join = Node::IndexJoin {
        left: Box::new(node(Node::Table(Arc::new(left)), &[s], &[s])),
        scan,
        keys: vec![s],
        optional: false,
    };
    let plan = node(join, &[s, o], &[s, o]);
    let (batches, profiles) = bench.run_with(&plan, QueryControl::new(None, Some(64 << 10)));
    assert_eq!(batches.unwrap_err().kind(), ErrorKind::MemoryLimit);
    assert!(profiles[0].rows_read < 20_000, "{}", profiles[0].rows_read);
}

/// A product is handed on in batches, and ends between them.
#[test]
fn a_product_is_not_held() {
    let mut bench = Bench::new("");
    let (left, right) = (bench.vars("a b"), bench.vars("c d"));
    let all = [&left[..], &right].concat();
    let wide = |schema: &[VarId]| {
        let columns = vec![vec![id(1); BATCH_ROWS]; 2];
        Box::new(node(
            Node::Table(Arc::new(Batch::new(columns, BATCH_ROWS))),
            schema,
            schema,
        ))
    };
    let join = JoinSpec {
        kind: JoinKind::Inner,
        keys: Vec::new(),
        loose: Vec::new(),
        conditions: Vec::new(),
    };
    let product = node(
        Node::HashJoin {
            left: wide(&left),
            right: wide(&right),
            join,
        },
        &all,
        &all,
    );
    let first = node(Node::Slice(Box::new(product), 0, Some(10)), &all, &all);
    let (batches, profiles) = bench.run_with(&first, QueryControl::new(None, Some(1 << 20)));
    assert_eq!(batches.unwrap()[0].rows(), 10);
    assert_eq!(profiles[1].batches, 1);
}
