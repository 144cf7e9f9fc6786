//! ORDER BY (SPARQL 1.1 Query, section 15.1): a stable sort, and with a limit only its first rows.
//!
//! Each distinct key value is compared once with others and gets a rank; the rows are sorted by ranks. With a limit the
//! rows at hand are cut down whenever there are several times more than wanted, so memory stays bounded by the limit.

use super::context::Charge;
use super::{BoxedOperator, ExecContext, Operator, QueryControl, build};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::Result;
use crate::expr::{Compiled, order_cmp};
use crate::plan::{Plan, SortKey};
use crate::term::TermId;
use hashbrown::HashMap;
use std::cmp::Ordering;
use std::rc::Rc;

/// Rows beyond the limit that are taken in before they are cut down.
const SLACK_ROWS: usize = 16_384;
/// What is sorted at a time, between two looks at the limits of the query.
const RUN: usize = 1 << 15;

/// The running sort.
pub struct OrderBy {
    cx: Rc<ExecContext>,
    input: Option<BoxedOperator>,
    keys: Vec<(Compiled, bool)>,
    limit: usize,
    /// The rows at hand, the key values as further columns at the end.
    rows: Batch,
    width: usize,
    charge: Charge,
    next: usize,
}

impl OrderBy {
    /// The rows of a plan sorted by keys, or the first of them.
    ///
    /// # Errors
    /// As [`build`], or a key does not compile.
    pub fn new(
        input: &Plan,
        keys: &[SortKey],
        limit: Option<u64>,
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        let columns = cx.variables.names(&input.schema);
        let compile = |key: &SortKey| {
            let compiled = Compiled::new(&key.expression, &columns, &cx.expressions)?;
            Ok((compiled, key.descending))
        };
        Ok(Self {
            cx: Rc::clone(cx),
            keys: keys.iter().map(compile).collect::<Result<_>>()?,
            limit: limit.map_or(usize::MAX, |l| usize::try_from(l).unwrap_or(usize::MAX)),
            rows: Batch::empty(input.schema.len() + keys.len()),
            width: input.schema.len(),
            charge: cx.charge(0)?,
            input: Some(build(input, cx)?),
            next: 0,
        })
    }

    fn take_in(&mut self, mut input: BoxedOperator) -> Result<()> {
        while let Some(mut batch) = input.next()? {
            self.cx.control.check()?;
            let mut values = Vec::new();
            for (key, _) in &mut self.keys {
                values.push(key.evaluate(&batch, &self.cx.expressions)?);
            }
            for column in values {
                batch.push_column(column);
            }
            self.rows.append(&batch);
            self.charge.grow_to(self.rows.bytes())?;
            if self.rows.rows() >= self.limit.saturating_add(self.limit.max(SLACK_ROWS)) {
                self.sort()?;
            }
        }
        self.sort()
    }

    /// Sorts the rows at hand and drops those beyond the limit.
    fn sort(&mut self) -> Result<()> {
        let ranks = (0..self.keys.len())
            .map(|k| self.ranks(self.rows.column(self.width + k), self.keys[k].1))
            .collect::<Result<Vec<Vec<u32>>>>()?;
        let mut order: Vec<u32> = (0..self.rows.rows() as u32).collect();
        let compare = |a: &u32, b: &u32| {
            let pairs = ranks.iter().map(|r| r[*a as usize].cmp(&r[*b as usize]));
            pairs.fold(Ordering::Equal, Ordering::then).then(a.cmp(b))
        };
        if order.len() > self.limit {
            order.select_nth_unstable_by(self.limit, compare);
            order.truncate(self.limit);
        }
        sort_by_runs(&mut order, compare, &self.cx.control)?;
        self.rows = self.rows.select(&order);
        Ok(())
    }

    /// For each row the rank of its key value: equal for values that sort alike.
    fn ranks(&self, column: &[TermId], descending: bool) -> Result<Vec<u32>> {
        let mut distinct: Vec<TermId> = column.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let terms = &self.cx.expressions.terms;
        let compare = |a: TermId, b: TermId| match descending {
            false => order_cmp(a, b, terms),
            true => order_cmp(b, a, terms),
        };
        sort_by_runs(&mut distinct, |&a, &b| compare(a, b), &self.cx.control)?;
        let mut rank = 0;
        let mut ranks: HashMap<TermId, u32, foldhash::fast::FixedState> = HashMap::default();
        for (i, &id) in distinct.iter().enumerate() {
            if i > 0 && compare(distinct[i - 1], id).is_ne() {
                rank += 1;
            }
            ranks.insert(id, rank);
        }
        Ok(column.iter().map(|id| ranks[id]).collect())
    }
}

/// A stable sort that looks at the limits of the query in between: runs are sorted first, and then merged in pairs,
/// which the sort of the standard library does in linear time.
fn sort_by_runs<T>(
    items: &mut [T],
    compare: impl Fn(&T, &T) -> Ordering,
    control: &QueryControl,
) -> Result<()> {
    let mut run = RUN;
    loop {
        for part in items.chunks_mut(run) {
            control.check()?;
            part.sort_by(&compare);
        }
        if run >= items.len() {
            return Ok(());
        }
        run *= 2;
    }
}

impl Operator for OrderBy {
    fn next(&mut self) -> Result<Option<Batch>> {
        if let Some(input) = self.input.take()
            && self.limit > 0
        {
            self.take_in(input)?;
        }
        self.cx.control.check()?;
        let batch = self.rows.slice(self.next, BATCH_ROWS);
        self.next += batch.rows();
        if batch.is_empty() {
            return Ok(None);
        }
        let rows = batch.rows();
        let mut columns = batch.into_columns();
        columns.truncate(self.width);
        Ok(Some(Batch::new(columns, rows)))
    }
}
