//! Joins, per row of their left side; each left row finds one on the right.

use crate::fixture::{Fixture, ROWS, integer};
use crate::measure::Component;
use kaluta::batch::Batch;
use kaluta::diagnostics::Result;
use kaluta::exec::{ExecContext, QueryControl, build};
use kaluta::expr::ExprContext;
use kaluta::plan::{GraphFilter, JoinKind, JoinSpec, Node, Plan, PlannedQuery, ScanPlan};
use kaluta::plan::{VarId, Variables};
use kaluta::storage::{Permutation, QuadColumn, Snapshot};
use kaluta::term::TermStore;
use oxrdf::Variable;
use std::sync::Arc;

/// Plans over three variables: a key, and what each side has beside it.
struct Planner {
    variables: Variables,
    key: VarId,
    sides: [VarId; 2],
}

/// The components of this group.
///
/// # Errors
/// The store cannot be read.
pub fn components(fixture: &Fixture) -> Result<Vec<Component<'_>>> {
    let mut variables = Variables::default();
    let mut variable = |name| variables.id(&Variable::new_unchecked(name));
    let key = variable("key");
    let sides = ["left", "right"].map(variable);
    let planner = Planner {
        variables,
        key,
        sides,
    };
    let column = |factor| (0..ROWS as u32).map(|n| integer(n * factor)).collect();
    let sorted = Batch::new(vec![column(3), column(5)], ROWS);
    let [left, right] = sides.map(|side| planner.table(&sorted, side));
    let both = planner.plan(Node::Union(vec![left.clone(), right.clone()]), &[key]);
    let titles = planner.table(&fixture.pairs("title")?.slice(0, ROWS), sides[0]);
    Ok(vec![
        planner
            .component("merge join, a row", planner.merge(&left, &right), fixture)
            .less(
                "less reading both sides",
                ROWS as u64,
                planner.running(both.clone(), 2 * ROWS, &fixture.snapshot),
            ),
        planner
            .component("hash join, a row", planner.hash(&left, &right), fixture)
            .less(
                "less reading both sides; making the table is in it",
                ROWS as u64,
                planner.running(both, 2 * ROWS, &fixture.snapshot),
            ),
        planner
            .component(
                "index join, a row",
                planner.index(&titles, fixture)?,
                fixture,
            )
            .less(
                "less reading the left side; the right is on disk, keys come sorted",
                ROWS as u64,
                planner.running(titles, ROWS, &fixture.snapshot),
            ),
    ])
}

impl Planner {
    fn plan(&self, node: Node, schema: &[VarId]) -> Plan {
        Plan {
            number: 0,
            node,
            schema: schema.to_vec(),
            certain: schema.iter().copied().collect(),
            sorted: vec![self.key],
            rows: ROWS as f64,
            cost: 0.0,
        }
    }

    /// Rows of a key and one more variable.
    fn table(&self, rows: &Batch, side: VarId) -> Plan {
        self.plan(Node::Table(Arc::new(rows.clone())), &[self.key, side])
    }

    fn joined(&self, node: Node) -> Plan {
        let [left, right] = self.sides;
        self.plan(node, &[self.key, left, right])
    }

    fn merge(&self, left: &Plan, right: &Plan) -> Plan {
        self.joined(Node::MergeJoin {
            left: Box::new(left.clone()),
            right: Box::new(right.clone()),
            key: self.key,
            others: Vec::new(),
            optional: false,
        })
    }

    fn hash(&self, left: &Plan, right: &Plan) -> Plan {
        self.joined(Node::HashJoin {
            left: Box::new(left.clone()),
            right: Box::new(right.clone()),
            join: JoinSpec {
                kind: JoinKind::Inner,
                keys: vec![self.key],
                loose: Vec::new(),
                conditions: Vec::new(),
            },
        })
    }

    fn index(&self, left: &Plan, fixture: &Fixture) -> Result<Plan> {
        Ok(self.joined(Node::IndexJoin {
            left: Box::new(left.clone()),
            scan: ScanPlan {
                permutation: Permutation::Psog,
                prefix: vec![fixture.predicate("year")?],
                outputs: vec![
                    (QuadColumn::Subject, self.key),
                    (QuadColumn::Object, self.sides[1]),
                ],
                graph: GraphFilter::All,
                merge_graphs: false,
                equal: Vec::new(),
                excluded: Arc::default(),
            },
            keys: vec![self.key],
            optional: false,
        }))
    }

    fn component<'a>(&self, name: &str, plan: Plan, fixture: &'a Fixture) -> Component<'a> {
        let run = self.running(plan, ROWS, &fixture.snapshot);
        Component::of_many(name, ROWS as u64, run)
    }

    /// Runs a plan, which has so many rows, to its end.
    fn running<'a>(
        &self,
        mut plan: Plan,
        wanted: usize,
        snapshot: &'a Arc<Snapshot>,
    ) -> impl FnMut() + use<'a> {
        plan.number_from(0);
        let query = PlannedQuery {
            plan,
            variables: self.variables.clone(),
            slots: 0,
        };
        move || {
            let store = Arc::clone(snapshot) as Arc<dyn TermStore>;
            let expressions = ExprContext::new(store, None);
            let control = QueryControl::new(None, None);
            let cx = ExecContext::new(Arc::clone(snapshot), expressions, &query, control, false);
            let mut operator = build(&query.plan, &cx).expect("the plan can be built");
            let mut rows = 0;
            while let Some(batch) = operator.next().expect("the plan can be run") {
                rows += batch.rows();
            }
            assert_eq!(rows, wanted);
        }
    }
}
