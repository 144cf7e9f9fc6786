//! A query on its thread: prepare, negotiate, run, serialize. A graph that is read as a whole goes the same way.
//!
//! The deadline began when the request came, so it counts the time in the queue. An error before the first byte goes
//! to the request's task, which makes a response of it; a later one breaks the transfer and is logged here.

use super::entity_tag::EntityTag;
use super::error_log::ErrorLog;
use super::exchange::RequestId;
use super::metrics::{Metrics, RunningQuery};
use super::negotiation::{Accept, Coding};
use super::outlet::{Head, Outlet, OutletSettings, Reply};
use super::protocol::{ExplainFormat, QueryCall};
use super::query::past_deadline;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::{
    Engine, GraphChoice, PreparedQuery, QueryAnswer, QueryControl, QueryForm, Rows,
};
use crate::results::formats::{DATASETS, GRAPHS, SOLUTIONS};
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
    pub asked: Asked,
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

/// What is asked for.
pub enum Asked {
    /// The answer to a query, or its plan.
    Query(QueryCall),
    /// What a graph holds, and the entity tags of what the client has of it.
    Graph(GraphChoice, Vec<String>),
}

/// What will be written, once it is known in which format.
enum Output {
    Explanation(PreparedQuery, ExplainFormat, bool),
    Solutions(PreparedQuery, SolutionsFormat),
    Graph(PreparedQuery, RdfFormat),
    Statements(Rows, RdfFormat),
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
            Ok((output, head)) => {
                let settings = OutletSettings {
                    hold_back_bytes: self.hold_back_bytes,
                    deadline: self.deadline,
                    runtime: self.runtime.clone(),
                };
                self.answer(output, Outlet::new(reply, head, settings), running);
            }
        }
    }

    fn prepare(&self) -> Result<(Output, Head)> {
        if let Some(deadline) = self.deadline.filter(|d| Instant::now() >= *d) {
            return Err(past_deadline(deadline.duration_since(self.submitted)));
        }
        match &self.asked {
            Asked::Query(call) => self.prepare_query(call),
            Asked::Graph(choice, known) => self.prepare_graph(choice, known),
        }
    }

    fn prepare_query(&self, call: &QueryCall) -> Result<(Output, Head)> {
        let query = self.engine.prepare(&call.request)?;
        let (output, content_type) = match (call.explain, query.form()) {
            (Some(format), _) => {
                let content_type = match format {
                    ExplainFormat::Text => "text/plain; charset=utf-8",
                    ExplainFormat::Json => "application/json",
                };
                (
                    Output::Explanation(query, format, call.analyze),
                    content_type,
                )
            }
            (None, QueryForm::Select | QueryForm::Ask) => {
                let offer = self.accept.choose(&SOLUTIONS)?;
                (Output::Solutions(query, offer.format), offer.content_type)
            }
            (None, QueryForm::Construct | QueryForm::Describe) => {
                let offer = self.accept.choose(&GRAPHS)?;
                (Output::Graph(query, offer.format), offer.content_type)
            }
        };
        let head = Head {
            content_type,
            announces_1_2: self.accept.announces_1_2(media_type_of(content_type)),
            coding: self.coding,
            entity_tag: None,
            is_known: false,
        };
        Ok((output, head))
    }

    fn prepare_graph(&self, choice: &GraphChoice, known: &[String]) -> Result<(Output, Head)> {
        let offer = match choice {
            GraphChoice::Default | GraphChoice::Named(_) => self.accept.choose(&GRAPHS)?,
            GraphChoice::AllNamed | GraphChoice::All => self.accept.choose(&DATASETS)?,
        };
        let Some(content) = self.engine.graph(choice, &self.control)? else {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("{choice} does not exist"),
            ));
        };
        let tag = EntityTag {
            sequence: content.sequence,
            format: offer.format.file_extension(),
        };
        let head = Head {
            content_type: offer.content_type,
            announces_1_2: self.accept.announces_1_2(offer.media_type),
            coding: self.coding,
            entity_tag: Some(tag),
            is_known: tag.is_among(known),
        };
        Ok((Output::Statements(content.rows, offer.format), head))
    }

    /// Writes the answer. The query is counted as done before its last bytes leave, so that who has the answer also sees
    /// it in the metrics.
    fn answer(&self, output: Output, mut outlet: Outlet, running: RunningQuery) {
        if self.is_head {
            drop(running);
            outlet.send_head();
            return;
        }
        let written = match outlet.is_wanted() {
            true => self.write(output, &mut outlet),
            false => Ok(()),
        };
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

    fn write(&self, output: Output, outlet: &mut Outlet) -> Result<()> {
        match output {
            Output::Explanation(query, format, analyze) => {
                self.explain(&query, format, analyze, outlet)
            }
            Output::Statements(rows, format) => self.write_statements(rows, format, outlet),
            Output::Solutions(query, format) => {
                self.write_answer(&query, (format, RdfFormat::NTriples), outlet)
            }
            Output::Graph(query, format) => {
                self.write_answer(&query, (SolutionsFormat::Json, format), outlet)
            }
        }
    }

    fn write_answer(
        &self,
        query: &PreparedQuery,
        (solutions, graph): (SolutionsFormat, RdfFormat),
        outlet: &mut Outlet,
    ) -> Result<()> {
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
            QueryAnswer::Triples(rows) => self.write_statements(rows, graph, outlet),
        }
    }

    fn write_statements(&self, rows: Rows, format: RdfFormat, outlet: &mut Outlet) -> Result<()> {
        let mut writer = QuadsWriter::start(format);
        self.write_all(rows, outlet, |batch, range, terms, out| {
            writer.write_rows(batch, range, terms, out)
        })?;
        writer.finish(&mut outlet.buffer)
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
        analyze: bool,
        outlet: &mut Outlet,
    ) -> Result<()> {
        let explanation = self.engine.explain(query, analyze, &self.control)?;
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
