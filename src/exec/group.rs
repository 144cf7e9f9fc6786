//! GROUP BY and aggregates (SPARQL 1.1 Query, section 11 and 18.5.1).
//!
//! Without keys there is one group, even of no rows.

use super::context::Charge;
use super::row_set::RowSet;
use super::{BoxedOperator, ExecContext, Operator, build, places};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::Result;
use crate::expr::{Accumulator, Compiled};
use crate::plan::{Aggregate, Plan, VarId};
use crate::term::TermId;
use spargebra::algebra::AggregateExpression;
use std::rc::Rc;

/// One aggregate with the expression that feeds it.
struct Fed {
    accumulator: Accumulator,
    food: Food,
}

/// What an aggregate is fed with.
enum Food {
    /// The values of an expression.
    Values(Compiled),
    /// Solutions: the columns whose variables have names.
    Solutions(Vec<usize>),
}

/// The running aggregation.
pub struct Group {
    cx: Rc<ExecContext>,
    input: Option<BoxedOperator>,
    keys: Vec<usize>,
    aggregates: Vec<Fed>,
    groups: RowSet,
    charge: Charge,
    result: Batch,
    next: usize,
}

impl Group {
    /// The groups of a plan's rows.
    ///
    /// # Errors
    /// As [`build`], or an aggregate does not compile.
    pub fn new(
        input: &Plan,
        keys: &[VarId],
        aggregates: &[Aggregate],
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        let columns = cx.variables.names(&input.schema);
        let is_named = |&place: &usize| cx.variables.is_named(input.schema[place]);
        let named: Vec<usize> = (0..input.schema.len()).filter(is_named).collect();
        let fed = |aggregate: &Aggregate| {
            let food = match &aggregate.expression {
                AggregateExpression::CountSolutions { .. } => Food::Solutions(named.clone()),
                AggregateExpression::FunctionCall { expr, .. } => {
                    Food::Values(Compiled::new(expr, &columns, &cx.expressions)?)
                }
            };
            let accumulator = Accumulator::new(&aggregate.expression, &cx.expressions)?;
            Ok(Fed { accumulator, food })
        };
        Ok(Self {
            cx: Rc::clone(cx),
            keys: places(keys, &input.schema),
            aggregates: aggregates.iter().map(fed).collect::<Result<_>>()?,
            groups: RowSet::new(keys.len()),
            charge: cx.charge(0)?,
            result: Batch::default(),
            next: 0,
            input: Some(build(input, cx)?),
        })
    }

    fn take_in(&mut self, mut input: BoxedOperator) -> Result<()> {
        if self.keys.is_empty() {
            self.groups.insert(&[], 0);
        }
        while let Some(batch) = input.next()? {
            self.cx.control.check()?;
            let numbers = self.numbers(&batch);
            let mut bytes = self.groups.bytes();
            for fed in &mut self.aggregates {
                match &mut fed.food {
                    Food::Values(expression) => {
                        let values = expression.evaluate(&batch, &self.cx.expressions)?;
                        let values = Some(&values[..]);
                        fed.accumulator
                            .add_batch(values, &numbers, &self.cx.expressions)?;
                    }
                    Food::Solutions(named) => {
                        let columns = named.iter().map(|&c| batch.column(c).to_vec());
                        let solutions = Batch::new(columns.collect(), batch.rows());
                        fed.accumulator.add_solutions(&solutions, &numbers);
                    }
                }
                bytes += fed.accumulator.bytes_held();
            }
            self.charge.grow_to(bytes)?;
        }
        let groups = self.groups.rows();
        let keys = std::mem::replace(&mut self.groups, RowSet::new(0));
        let mut columns = keys.into_batch().into_columns();
        for fed in &mut self.aggregates {
            columns.push(fed.accumulator.finish(groups, &self.cx.expressions)?);
        }
        self.result = Batch::new(columns, groups);
        Ok(())
    }

    /// The number of each row's group.
    fn numbers(&mut self, batch: &Batch) -> Vec<u32> {
        if self.keys.is_empty() {
            return vec![0; batch.rows()];
        }
        let columns: Vec<&[TermId]> = self.keys.iter().map(|&c| batch.column(c)).collect();
        (0..batch.rows())
            .map(|row| self.groups.insert(&columns, row).0)
            .collect()
    }
}

impl Operator for Group {
    fn next(&mut self) -> Result<Option<Batch>> {
        if let Some(input) = self.input.take() {
            self.take_in(input)?;
        }
        let batch = self.result.slice(self.next, BATCH_ROWS);
        self.next += batch.rows();
        Ok((!batch.is_empty()).then_some(batch))
    }
}
