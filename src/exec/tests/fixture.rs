//! Tables cut into small batches, plans put together by hand, and the rows that they give.

use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::exec::{ExecContext, QueryControl, build, profiles_of};
use crate::expr::ExprContext;
use crate::plan::{Node, NodeProfile, Plan, PlannedQuery, VarId, VarSet, Variables};
use crate::storage::{LoadOptions, LoadSource, Snapshot, Store};
use crate::term::{TermId, TermStore};
use oxrdf::Variable;
use oxrdfio::RdfFormat;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::rc::Rc;
use std::sync::Arc;
use tempfile::TempDir;

/// Rows with the variables of their columns.
#[derive(Clone, Debug)]
pub struct Table {
    pub schema: Vec<VarId>,
    pub rows: Vec<Vec<TermId>>,
}

/// Random choices of a seed.
pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number from 0 on, below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A store, and the variables of the plans that are run over it.
pub struct Bench {
    pub snapshot: Arc<Snapshot>,
    pub variables: Variables,
    _folder: TempDir,
}

impl Bench {
    /// A store of some N-Quads.
    pub fn new(nquads: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let source = LoadSource::bytes("test", nquads.as_bytes().to_vec(), RdfFormat::NQuads);
        store
            .bulk_load(vec![source], &LoadOptions::default(), &())
            .unwrap();
        Self {
            snapshot: store.snapshot(),
            variables: Variables::default(),
            _folder: folder,
        }
    }

    pub fn var(&mut self, name: &str) -> VarId {
        self.variables.id(&Variable::new_unchecked(name))
    }

    pub fn vars(&mut self, names: &str) -> Vec<VarId> {
        names.split(' ').map(|name| self.var(name)).collect()
    }

    /// The id of an IRI of the store.
    pub fn iri(&self, iri: &str) -> TermId {
        let view = crate::term::TermView::Iri(iri);
        self.snapshot.lookup(&view).unwrap().unwrap()
    }

    /// The context in which a plan runs.
    pub fn context(&self, plan: &Plan, control: QueryControl) -> Rc<ExecContext> {
        let query = PlannedQuery {
            plan: plan.clone(),
            variables: self.variables.clone(),
            slots: 4,
        };
        let store = Arc::clone(&self.snapshot) as Arc<dyn TermStore>;
        let expressions = ExprContext::new(store, None);
        let snapshot = Arc::clone(&self.snapshot);
        ExecContext::new(snapshot, expressions, &query, control, true)
    }

    /// What a plan gives, batch by batch, and what was measured.
    pub fn run_with(
        &self,
        plan: &Plan,
        control: QueryControl,
    ) -> (Result<Vec<Batch>>, Vec<NodeProfile>) {
        let mut plan = plan.clone();
        plan.number_from(0);
        let cx = self.context(&plan, control);
        let batches = build(&plan, &cx).and_then(|mut operator| {
            let mut batches = Vec::new();
            while let Some(batch) = operator.next()? {
                assert!(!batch.is_empty(), "an operator handed on an empty batch");
                assert_eq!(batch.columns().len(), plan.schema.len());
                batches.push(batch);
            }
            assert!(operator.next()?.is_none(), "an ended operator went on");
            Ok(batches)
        });
        (batches, profiles_of(&cx))
    }

    /// The rows that a plan gives, in their order.
    pub fn run(&self, plan: &Plan) -> Vec<Vec<TermId>> {
        let (batches, _) = self.run_with(plan, QueryControl::new(None, None));
        batches.unwrap().iter().flat_map(rows_of).collect()
    }
}

fn rows_of(batch: &Batch) -> Vec<Vec<TermId>> {
    (0..batch.rows())
        .map(|row| batch.columns().iter().map(|c| c[row]).collect())
        .collect()
}

/// A small integer as a term; 0 is unbound.
pub fn id(number: usize) -> TermId {
    let datatype = "http://www.w3.org/2001/XMLSchema#integer";
    match number {
        0 => TermId::UNBOUND,
        _ => TermId::encode_inline(&number.to_string(), datatype).unwrap(),
    }
}

/// A plan node of these columns; those named in `certain` are always bound.
pub fn node(node: Node, schema: &[VarId], certain: &[VarId]) -> Plan {
    Plan {
        number: 0,
        node,
        schema: schema.to_vec(),
        certain: certain.iter().copied().collect(),
        sorted: Vec::new(),
        rows: 1.0,
        cost: 1.0,
    }
}

impl Table {
    /// Up to `rows_max` random rows of small integers; the first `certain` columns are never unbound.
    pub fn random(schema: &[VarId], certain: usize, rows_max: usize, random: &mut Random) -> Self {
        let rows = random.below(rows_max + 1);
        let cell = |random: &mut Random, column: usize| match column >= certain && random.chance(30)
        {
            true => id(0),
            false => id(1 + random.below(5)),
        };
        let row = |random: &mut Random| (0..schema.len()).map(|c| cell(random, c)).collect();
        Self {
            schema: schema.to_vec(),
            rows: (0..rows).map(|_| row(random)).collect(),
        }
    }

    pub fn sorted_by(mut self, column: usize) -> Self {
        self.rows.sort_by_key(|row| row[column]);
        self
    }

    /// The variables that no row leaves unbound.
    pub fn certain(&self) -> Vec<VarId> {
        let bound = |&place: &usize| self.rows.iter().all(|row| row[place].is_bound());
        let places = (0..self.schema.len()).filter(bound);
        places.map(|place| self.schema[place]).collect()
    }

    /// A plan that gives the rows in batches of random, small size.
    pub fn plan(&self, random: &mut Random) -> Plan {
        let mut batches = Vec::new();
        let mut rest = &self.rows[..];
        while !rest.is_empty() {
            let (head, tail) = rest.split_at((1 + random.below(4)).min(rest.len()));
            let mut batch = Batch::empty(self.schema.len());
            head.iter()
                .for_each(|row| batch.push_row(row.iter().copied()));
            batches.push(node(
                Node::Table(Arc::new(batch)),
                &self.schema,
                &self.certain(),
            ));
            rest = tail;
        }
        node(Node::Union(batches), &self.schema, &self.certain())
    }
}

/// The columns of a join: those of the left, then those that only the right has.
pub fn joined_schema(left: &[VarId], right: &[VarId]) -> Vec<VarId> {
    let more = right.iter().filter(|v| !left.contains(v));
    left.iter().chain(more).copied().collect()
}

/// The variables of both, split into those certain in both and the others.
pub fn shared(left: &Table, right: &Table) -> (Vec<VarId>, Vec<VarId>) {
    let certain: [VarSet; 2] = [left, right].map(|t| t.certain().into_iter().collect());
    let both = left
        .schema
        .iter()
        .copied()
        .filter(|v| right.schema.contains(v));
    both.partition(|&v| certain.iter().all(|c| c.contains(v)))
}

/// The merge of two rows, if they are compatible (SPARQL 1.1 Query, section 18.3).
pub fn merged(left: &Table, right: &Table, l: &[TermId], r: &[TermId]) -> Option<Vec<TermId>> {
    let value = |table: &Table, row: &[TermId], v: VarId| {
        let place = table.schema.iter().position(|&s| s == v);
        place.map_or(TermId::UNBOUND, |place| row[place])
    };
    let join = |v: VarId| match (value(left, l, v), value(right, r, v)) {
        (a, b) if !b.is_bound() || a == b => Some(a),
        (a, b) if !a.is_bound() => Some(b),
        _ => None,
    };
    joined_schema(&left.schema, &right.schema)
        .into_iter()
        .map(join)
        .collect()
}

/// Whether two rows bind a variable in common.
pub fn share(left: &Table, right: &Table, l: &[TermId], r: &[TermId]) -> bool {
    left.schema.iter().enumerate().any(|(i, v)| {
        let place = right.schema.iter().position(|s| s == v);
        l[i].is_bound() && place.is_some_and(|place| r[place].is_bound())
    })
}

/// The rows in an order that does not depend on how they came.
pub fn sorted(mut rows: Vec<Vec<TermId>>) -> Vec<Vec<TermId>> {
    rows.sort_unstable();
    rows
}
