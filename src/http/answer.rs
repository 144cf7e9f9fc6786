//! A query on its thread: prepare, negotiate, run, serialize.
//!
//! The deadline began when the request came, so it counts the time in the queue. An error before the first byte goes
//! to the request's task, which makes a response of it; a later one breaks the transfer and is logged here.

use super::error_log::ErrorLog;
use super::exchange::RequestId;
use super::metrics::{Metrics, RunningQuery};
use super::negotiation::{Accept, Coding};
use super::outlet::{Head, Outlet, OutletSettings, Reply};
use super::protocol::{ExplainFormat, QueryCall};
use super::query::past_deadline;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::{Engine, PreparedQuery, QueryAnswer, QueryControl, QueryForm, Rows};
use crate::results::formats::{GRAPHS, Offer, SOLUTIONS};
use crate::results::{QuadsWriter, RdfFormat, SolutionsFormat, SolutionsWriter, write_boolean};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Rows written between two looks at whether bytes are due to be sent.
const STEP_ROWS: usize = 256;

/// Everything that a query needs on its way through a pool thread.
pub struct QueryJob {
    /// The request's id, for the log.
    pub id: RequestId,
    /// What is asked.
    pub call: QueryCall,
    /// The media types that the client accepts.
    pub accept: Accept,
    /// The content coding that the client wants.
    pub coding: Coding,
    /// Whether only the header fields are wanted.
    pub is_head: bool,
    /// The query's limits and its cancel flag.
    pub control: QueryControl,
    /// When the request was understood.
    pub submitted: Instant,
    /// When it must be over.
    pub deadline: Option<Instant>,
    /// How much of the answer is held back.
    pub hold_back_bytes: usize,
    /// Who answers.
    pub engine: Arc<Engine>,
    /// Who writes the record of an error that comes too late for a status.
    pub errors: Arc<ErrorLog>,
    /// Who counts.
    pub metrics: Arc<Metrics>,
    /// Where waiting for a slow client is done.
    pub runtime: Handle,
}

/// What will be written, once the query's form is known.
enum Output {
    Explanation(ExplainFormat),
    Solutions(SolutionsFormat),
    Graph(RdfFormat),
}

/// A header value without its parameters.
fn media_type_of(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or(content_type)
}

impl QueryJob {
    /// Runs the query and sends its answer.
    pub fn run(self, reply: oneshot::Sender<Result<Reply>>) {
        if self.control.is_cancelled() {
            return;
        }
        let running = self.metrics.start_query(self.submitted);
        match self.prepare() {
            Err(error) => {
                drop(running);
                // A closed channel means that the client is gone, and so is whoever would hear of the error.
                drop(reply.send(Err(error)));
            }
            Ok((query, output, content_type)) => {
                let head = Head {
                    content_type,
                    announces_1_2: self.accept.announces_1_2(media_type_of(content_type)),
                    coding: self.coding,
                };
                let settings = OutletSettings {
                    hold_back_bytes: self.hold_back_bytes,
                    deadline: self.deadline,
                    runtime: self.runtime.clone(),
                };
                self.answer(&query, output, Outlet::new(reply, head, settings), running);
            }
        }
    }

    fn prepare(&self) -> Result<(PreparedQuery, Output, &'static str)> {
        if let Some(deadline) = self.deadline.filter(|d| Instant::now() >= *d) {
            return Err(past_deadline(deadline.duration_since(self.submitted)));
        }
        let query = self.engine.prepare(&self.call.request)?;
        let (output, content_type) = match (self.call.explain, query.form()) {
            (Some(ExplainFormat::Text), _) => (
                Output::Explanation(ExplainFormat::Text),
                "text/plain; charset=utf-8",
            ),
            (Some(ExplainFormat::Json), _) => {
                (Output::Explanation(ExplainFormat::Json), "application/json")
            }
            (None, QueryForm::Select | QueryForm::Ask) => {
                let Offer {
                    format,
                    content_type,
                    ..
                } = self.accept.choose(&SOLUTIONS)?;
                (Output::Solutions(format), content_type)
            }
            (None, QueryForm::Construct | QueryForm::Describe) => {
                let Offer {
                    format,
                    content_type,
                    ..
                } = self.accept.choose(&GRAPHS)?;
                (Output::Graph(format), content_type)
            }
        };
        Ok((query, output, content_type))
    }

    /// Writes the answer. The query is counted as done before its last bytes leave, so that who has the answer also sees
    /// it in the metrics.
    fn answer(
        &self,
        query: &PreparedQuery,
        output: Output,
        mut outlet: Outlet,
        running: RunningQuery,
    ) {
        if self.is_head {
            drop(running);
            outlet.send_head();
            return;
        }
        let written = self.write(query, output, &mut outlet);
        drop(running);
        let error = match written {
            Ok(()) => outlet.finish().err(),
            Err(error) => outlet.fail(error),
        };
        if let Some(error) = error {
            self.metrics.count_broken();
            // Nobody waits for the record.
            drop(self.errors.write(error, self.id));
        }
    }

    fn write(&self, query: &PreparedQuery, output: Output, outlet: &mut Outlet) -> Result<()> {
        let (solutions, graph) = match output {
            Output::Explanation(format) => return self.explain(query, format, outlet),
            Output::Solutions(format) => (format, RdfFormat::NTriples),
            Output::Graph(format) => (SolutionsFormat::Json, format),
        };
        match self.engine.execute(query, &self.control)? {
            QueryAnswer::Boolean(value) => {
                write_boolean(solutions, value, &mut outlet.buffer);
                Ok(())
            }
            QueryAnswer::Solutions(rows) => {
                let mut writer =
                    SolutionsWriter::start(solutions, rows.variables(), &mut outlet.buffer);
                self.write_all(rows, outlet, |batch, range, terms, out| {
                    writer.write_rows(batch, range, terms, out)
                })?;
                writer.finish(&mut outlet.buffer);
                Ok(())
            }
            QueryAnswer::Triples(rows) => {
                let mut writer = QuadsWriter::start(graph);
                self.write_all(rows, outlet, |batch, range, terms, out| {
                    writer.write_rows(batch, range, terms, out)
                })?;
                writer.finish(&mut outlet.buffer)
            }
        }
    }

    fn write_all(
        &self,
        mut rows: Rows,
        outlet: &mut Outlet,
        mut write: impl FnMut(
            &crate::batch::Batch,
            Range<usize>,
            &dyn crate::term::ResolveTerm,
            &mut Vec<u8>,
        ) -> Result<()>,
    ) -> Result<()> {
        while let Some(batch) = rows.next_batch()? {
            for start in (0..batch.rows()).step_by(STEP_ROWS) {
                let range = start..batch.rows().min(start + STEP_ROWS);
                write(&batch, range, rows.resolver(), &mut outlet.buffer)?;
                outlet.flush_due()?;
            }
            self.metrics.count_rows(batch.rows());
            if self.control.is_cancelled() {
                return Err(Error::new(ErrorKind::Cancelled, "the client went away"));
            }
        }
        Ok(())
    }

    fn explain(
        &self,
        query: &PreparedQuery,
        format: ExplainFormat,
        outlet: &mut Outlet,
    ) -> Result<()> {
        let explanation = self
            .engine
            .explain(query, self.call.analyze, &self.control)?;
        let mut text = match format {
            ExplainFormat::Text => explanation.to_string(),
            ExplainFormat::Json => serde_json::to_string_pretty(&explanation)
                .map_err(|e| Error::internal(format!("a plan as JSON: {e}")))?,
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        outlet.buffer.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
