//! Reading a range of one permutation.

use super::ramp::Ramp;
use super::row_filter::RowFilter;
use super::table::Table;
use super::{ExecContext, Operator};
use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::Result;
use crate::plan::{ScanPlan, VarId};
use crate::storage::{self, ColumnMask, QuadColumn};
use crate::term::{TermId, TermView};
use std::rc::Rc;
use std::sync::Arc;

/// Hands on the rows of a range that pass its filter.
pub struct Scan {
    cx: Rc<ExecContext>,
    scan: storage::Scan,
    outputs: Vec<QuadColumn>,
    filter: RowFilter,
    number: usize,
    ramp: Ramp,
    /// Rows of a block that did not fit into the first, small batches.
    rest: Option<Batch>,
}

impl Scan {
    /// Opens the range for the plan node of this number.
    ///
    /// # Errors
    /// The store failed.
    pub fn new(
        plan: &ScanPlan,
        schema: &[VarId],
        number: usize,
        cx: &Rc<ExecContext>,
    ) -> Result<Self> {
        let outputs = output_columns(plan, schema);
        let filter = RowFilter::new(plan);
        let mask = outputs
            .iter()
            .copied()
            .fold(ColumnMask::NONE, ColumnMask::with);
        let mask = filter.columns(mask);
        Ok(Self {
            scan: cx.snapshot.scan(plan.permutation, &plan.prefix, mask)?,
            cx: Rc::clone(cx),
            outputs,
            filter,
            number,
            ramp: Ramp::up_to(BATCH_ROWS),
            rest: None,
        })
    }
}

/// The quad columns of a schema's variables.
pub fn output_columns(plan: &ScanPlan, schema: &[VarId]) -> Vec<QuadColumn> {
    let column = |v: &VarId| plan.outputs.iter().find(|(_, o)| o == v).map(|&(c, _)| c);
    schema.iter().filter_map(column).collect()
}

impl Scan {
    /// The rows of the next block that has any.
    fn next_block(&mut self) -> Result<Option<Batch>> {
        loop {
            self.cx.control.check()?;
            let Some(block) = self.scan.next_block()? else {
                return Ok(None);
            };
            let columns = self.outputs.iter().map(|&c| block.column(c));
            let batch = if self.filter.keeps_all() {
                Batch::new(columns.map(<[TermId]>::to_vec).collect(), block.rows())
            } else {
                let kept: Vec<usize> = (0..block.rows())
                    .filter(|&row| self.filter.keeps(block, row))
                    .collect();
                let pick = |column: &[TermId]| kept.iter().map(|&row| column[row]).collect();
                Batch::new(columns.map(pick).collect(), kept.len())
            };
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
    }
}

impl Operator for Scan {
    fn next(&mut self) -> Result<Option<Batch>> {
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.next_block()? {
                Some(batch) => batch,
                None => return Ok(None),
            },
        };
        let wanted = self.ramp.rows();
        self.ramp.grow();
        if batch.rows() <= wanted {
            return Ok(Some(batch));
        }
        self.rest = Some(batch.slice(wanted, usize::MAX));
        Ok(Some(batch.slice(0, wanted)))
    }

    fn seek(&mut self, key: TermId) -> Result<()> {
        self.scan.seek(&[key])
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        if let Some(profiler) = &self.cx.profiler {
            profiler.add_reads(
                self.number,
                self.scan.rows_read(),
                self.scan.blocks_decoded(),
            );
        }
    }
}

/// One row with the number of quads in a range.
///
/// # Errors
/// The store failed.
pub fn count(plan: &ScanPlan, cx: &Rc<ExecContext>) -> Result<Table> {
    let rows = cx.snapshot.count(plan.permutation, &plan.prefix)?;
    let text = rows.to_string();
    let id = cx.expressions.terms.intern(&TermView::Literal {
        lexical: &text,
        sort: crate::term::LiteralSort::Typed(oxrdf::vocab::xsd::INTEGER.as_str()),
    })?;
    Ok(Table::new(&Arc::new(Batch::new(vec![vec![id]], 1))))
}
