//! The engine under test: Kaluta over a store in a folder of its own, which goes when the store goes.

use crate::panics;
use crate::store::{Answer, Document, Request, Row, Store};
use kaluta::batch::Batch;
use kaluta::diagnostics::Error;
use kaluta::engine::{
    Commit, Engine, Explanation, LoadOptions, LoadSource, PreparedQuery, QueryAnswer, QueryControl,
    QueryRequest, Rows, UpdateRequest,
};
use kaluta::results::{QuadsWriter, RdfFormat, SolutionsFormat, SolutionsWriter, write_boolean};
use kaluta::settings::{QuerySettings, ServiceSettings, StoreSettings};
use kaluta::term::TermId;
use std::time::Duration;
use tempfile::TempDir;

/// No test query needs longer, even unoptimized on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
const MEMORY_BYTES_MAX: u64 = 1 << 30;

/// A store of Kaluta's.
pub struct Kaluta {
    engine: Engine,
    _folder: TempDir,
}

impl Kaluta {
    /// An empty store.
    pub fn open() -> Result<Self, String> {
        Self::open_with(&ServiceSettings::default())
    }

    /// An empty store whose queries may ask other services.
    pub fn open_with(services: &ServiceSettings) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let engine = Engine::open(
            folder.path(),
            &QuerySettings::default(),
            &StoreSettings::default(),
        )
        .and_then(|engine| engine.with_services(services));
        Ok(Self {
            engine: engine.map_err(|e| e.to_string())?,
            _folder: folder,
        })
    }

    /// Makes an update.
    pub fn update(&self, request: &Request) -> Result<Commit, String> {
        let update = UpdateRequest {
            text: request.text.clone(),
            base: request.base.clone(),
            ..UpdateRequest::default()
        };
        let made = || {
            let update = self.engine.prepare_update(&update)?;
            self.engine.update(update, &control())?.durable()
        };
        panics::caught(made)?.map_err(|e: Error| format!("{e:?}"))
    }

    /// Every quad, as a row of four; the default graph has no name.
    pub fn dump(&self) -> Result<Vec<Row>, String> {
        let mut rows = self.engine.dump().map_err(|e| e.to_string())?;
        let mut all = Vec::new();
        while let Some(batch) = rows.next_batch().map_err(|e| e.to_string())? {
            for place in 0..batch.rows() {
                let term = |column: &Vec<TermId>| match column[place] {
                    TermId::DEFAULT_GRAPH => Ok(None),
                    id => rows.to_term(id).map(Some),
                };
                let row: Result<Row, Error> = batch.columns().iter().map(term).collect();
                all.push(row.map_err(|e| e.to_string())?);
            }
        }
        Ok(all)
    }

    /// Every quad, written in a format.
    pub fn dump_as(&self, format: RdfFormat) -> Result<Vec<u8>, String> {
        let written = || {
            let (mut rows, mut out) = (self.engine.dump()?, Vec::new());
            let mut writer = QuadsWriter::start(format);
            while let Some(batch) = rows.next_batch()? {
                writer.write_rows(&batch, 0..batch.rows(), rows.resolver(), &mut out)?;
            }
            writer.finish(&mut out)?;
            Ok(out)
        };
        written().map_err(|e: Error| e.to_string())
    }

    /// The answer to a query, written in a format; graphs are not.
    pub fn query_as(&self, request: &Request, format: SolutionsFormat) -> Result<Vec<u8>, String> {
        let written = || {
            let (prepared, mut out) = (self.engine.prepare(&request_of(request))?, Vec::new());
            match self.engine.execute(&prepared, &control())? {
                QueryAnswer::Boolean(value) => write_boolean(format, value, &mut out),
                QueryAnswer::Solutions(mut rows) => {
                    let mut writer = SolutionsWriter::start(format, rows.variables(), &mut out);
                    while let Some(batch) = rows.next_batch()? {
                        writer.write_rows(&batch, 0..batch.rows(), rows.resolver(), &mut out)?;
                    }
                    writer.finish(&mut out);
                }
                QueryAnswer::Triples(_) => {}
            }
            Ok(out)
        };
        written().map_err(|e: Error| e.to_string())
    }

    /// Answers a query within limits.
    pub fn answer(&self, request: &Request, control: &QueryControl) -> Result<Answer, Error> {
        let prepared = self.engine.prepare(&request_of(request))?;
        self.execute(&prepared, control)
    }

    /// Answers a query with the plan that keeps to what is written.
    pub fn query_as_written(&self, request: &Request) -> Result<Answer, String> {
        let answered = || {
            let prepared = self.engine.prepare(&request_of(request))?;
            self.execute(&prepared.planned_as_written(), &control())
        };
        panics::caught(answered)?.map_err(|e: Error| format!("{e:?}"))
    }

    fn execute(&self, prepared: &PreparedQuery, control: &QueryControl) -> Result<Answer, Error> {
        Ok(match self.engine.execute(prepared, control)? {
            QueryAnswer::Boolean(value) => Answer::Boolean(value),
            QueryAnswer::Solutions(mut rows) => Answer::Solutions {
                variables: rows.variables().to_vec(),
                rows: terms(&mut rows)?,
            },
            QueryAnswer::Triples(mut rows) => Answer::Graph(terms(&mut rows)?),
        })
    }

    /// How a query would be run.
    pub fn plan(&self, request: &Request) -> Result<Explanation, String> {
        let prepared = self.engine.prepare(&request_of(request));
        prepared
            .and_then(|prepared| self.engine.explain(&prepared, false, &control()))
            .map_err(|e| e.to_string())
    }

    /// How a query would be run that is planned as it is written.
    pub fn plan_as_written(&self, request: &Request) -> Result<Explanation, String> {
        let prepared = self.engine.prepare(&request_of(request));
        prepared
            .and_then(|prepared| {
                let prepared = prepared.planned_as_written();
                self.engine.explain(&prepared, false, &control())
            })
            .map_err(|e| e.to_string())
    }

    /// How many rows of the index a query reads, all operators together, and how it is run.
    pub fn rows_read(&self, text: &str) -> Result<(u64, String), String> {
        let prepared = self
            .engine
            .prepare(&request_of(&Request::new(text)))
            .map_err(|e| e.to_string())?;
        let explanation = self
            .engine
            .explain(&prepared, true, &control())
            .map_err(|e| e.to_string())?;
        Ok((explanation.rows_read_total(), explanation.to_string()))
    }
}

impl Store for Kaluta {
    fn load(&mut self, documents: Vec<Document>) -> Result<(), String> {
        let sources = documents
            .into_iter()
            .map(source_of)
            .collect::<Result<_, String>>()?;
        let report = self.engine.load(sources, &LoadOptions::default(), &());
        report.map(drop).map_err(|e| e.to_string())
    }

    fn query(&self, request: &Request) -> Result<Answer, String> {
        let answer = panics::caught(|| self.answer(request, &control()))?;
        answer.map_err(|e| format!("{e:?}"))
    }
}

fn control() -> QueryControl {
    QueryControl::new(Some(TIMEOUT), Some(MEMORY_BYTES_MAX))
}

fn request_of(request: &Request) -> QueryRequest {
    QueryRequest {
        text: request.text.clone(),
        base: request.base.clone(),
        ..QueryRequest::default()
    }
}

fn source_of(document: Document) -> Result<LoadSource, String> {
    let mut source = LoadSource::bytes("a test's document", document.bytes, document.format);
    source.graph = document.graph;
    if let Some(base) = document.base {
        source.base = Some(oxiri::Iri::parse(base).map_err(|e| e.to_string())?);
    }
    Ok(source)
}

fn terms(rows: &mut Rows) -> Result<Vec<Row>, Error> {
    let mut all = Vec::new();
    while let Some(batch) = rows.next_batch()? {
        for place in 0..batch.rows() {
            all.push(row(rows, &batch, place)?);
        }
    }
    Ok(all)
}

fn row(rows: &Rows, batch: &Batch, place: usize) -> Result<Row, Error> {
    let value = |column: &Vec<TermId>| {
        let id = column[place];
        id.is_bound().then(|| rows.to_term(id)).transpose()
    };
    batch.columns().iter().map(value).collect()
}
