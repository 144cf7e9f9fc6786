//! Solutions and booleans in any of their formats.

use super::cells::Cells;
use super::formats::SolutionsFormat;
use super::{csv, json, tsv, xml};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::term::ResolveTerm;
use oxrdf::Variable;
use std::ops::Range;

/// Writes the solutions of one query.
pub struct SolutionsWriter {
    format: SolutionsFormat,
    keys: Vec<Vec<u8>>,
    cells: Cells,
    first: bool,
}

impl SolutionsWriter {
    /// Begins an answer: everything before the first solution is appended to `out`.
    pub fn start(format: SolutionsFormat, variables: &[Variable], out: &mut Vec<u8>) -> Self {
        let (keys, write) = match format {
            SolutionsFormat::Json => {
                json::write_head(variables, out);
                (json::keys(variables), json::write_term as _)
            }
            SolutionsFormat::Xml => {
                xml::write_head(variables, out);
                (xml::keys(variables), xml::write_term as _)
            }
            SolutionsFormat::Csv => {
                csv::write_head(variables, out);
                (Vec::new(), csv::write_term as _)
            }
            SolutionsFormat::Tsv => {
                tsv::write_head(variables, out);
                (Vec::new(), tsv::write_term as _)
            }
        };
        Self {
            format,
            keys,
            cells: Cells::new(write),
            first: true,
        }
    }

    /// Appends some rows of a batch, whose columns are the variables in their order.
    ///
    /// # Errors
    /// A term cannot be looked up, or the format cannot carry it.
    pub fn write_rows(
        &mut self,
        batch: &Batch,
        rows: Range<usize>,
        terms: &dyn ResolveTerm,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let cells = &mut self.cells;
        for i in rows {
            let row = batch.columns().iter().map(|column| column[i]);
            match self.format {
                SolutionsFormat::Json => {
                    json::write_row(row, &self.keys, self.first, cells, terms, out)?;
                    self.first = false;
                }
                SolutionsFormat::Xml => xml::write_row(row, &self.keys, cells, terms, out)?,
                SolutionsFormat::Csv => csv::write_row(row, cells, terms, out)?,
                SolutionsFormat::Tsv => tsv::write_row(row, cells, terms, out)?,
            }
        }
        Ok(())
    }

    /// Appends everything after the last solution.
    pub fn finish(self, out: &mut Vec<u8>) {
        match self.format {
            SolutionsFormat::Json => out.extend_from_slice(json::TAIL),
            SolutionsFormat::Xml => out.extend_from_slice(xml::TAIL),
            SolutionsFormat::Csv | SolutionsFormat::Tsv => {}
        }
    }
}

/// Appends the answer of an ASK query.
pub fn write_boolean(format: SolutionsFormat, value: bool, out: &mut Vec<u8>) {
    let word: &[u8] = if value { b"true" } else { b"false" };
    let (before, after): (&[&[u8]], &[u8]) = match format {
        SolutionsFormat::Json => (&[b"{\"head\":{},\"boolean\":"], b"}\n"),
        SolutionsFormat::Xml => (
            &[xml::PROLOGUE, b"</head><boolean>"],
            b"</boolean></sparql>\n",
        ),
        // The CSV and TSV formats define no booleans; one word is what readers understand.
        SolutionsFormat::Csv | SolutionsFormat::Tsv => (&[], b""),
    };
    before.iter().for_each(|part| out.extend_from_slice(part));
    out.extend_from_slice(word);
    out.extend_from_slice(after);
}
