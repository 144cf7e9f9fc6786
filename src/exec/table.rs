//! Rows that are at hand already: tables of the query, seeds, and row numbers.

use super::context::{ExecContext, distinct_rows};
use super::{BoxedOperator, Operator, places};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::Result;
use crate::plan::{SeedSlot, VarId};
use crate::term::TermId;
use std::rc::Rc;
use std::sync::Arc;

/// Hands on the rows of a table.
pub struct Table {
    rows: Arc<Batch>,
    next: usize,
}

impl Table {
    /// The rows of a table from its start.
    pub fn new(rows: &Arc<Batch>) -> Self {
        Self {
            rows: Arc::clone(rows),
            next: 0,
        }
    }
}

impl Operator for Table {
    fn next(&mut self) -> Result<Option<Batch>> {
        let batch = self.rows.slice(self.next, BATCH_ROWS);
        self.next += batch.rows();
        Ok((!batch.is_empty()).then_some(batch))
    }
}

/// The distinct bindings of some of a seed's variables.
///
/// # Errors
/// Nobody handed any down: a bug of the planner.
pub fn seed(slot: SeedSlot, schema: &[VarId], cx: &Rc<ExecContext>) -> Result<Table> {
    let table = cx.seed(slot)?;
    let rows = match table.variables == schema {
        true => table.rows.clone(),
        false => {
            let columns = places(schema, &table.variables);
            distinct_rows(std::slice::from_ref(&table.rows), &columns)
        }
    };
    Ok(Table::new(&Arc::new(rows)))
}

/// Adds a column that numbers the rows.
pub struct RowNumber {
    input: BoxedOperator,
    next: u64,
}

impl RowNumber {
    /// Numbers the rows of an input from 1.
    pub fn new(input: BoxedOperator) -> Self {
        Self { input, next: 1 }
    }
}

impl Operator for RowNumber {
    fn next(&mut self) -> Result<Option<Batch>> {
        let Some(mut batch) = self.input.next()? else {
            return Ok(None);
        };
        let end = self.next + batch.rows() as u64;
        batch.push_column((self.next..end).map(TermId::from_bits).collect());
        self.next = end;
        Ok(Some(batch))
    }
}
