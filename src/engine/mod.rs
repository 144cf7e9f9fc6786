//! The facade: open a store, load it, query it, change it. The only door for `cli` and `http`.

mod construct;
mod describe;
mod graphs;
mod rows;
#[cfg(test)]
mod tests;
mod updates;
mod upkeep;

pub use crate::exec::QueryControl;
pub use crate::expr::raised_total;
pub use crate::plan::Explanation;
pub use crate::rdf::Compression;
pub use crate::storage::{
    Commit, CompactStage, CompactState, LoadOptions, LoadProgress, LoadReport, LoadSource,
    LoadState, Logged, SkippedStatement, VerifyReport,
};
pub use crate::update::{
    CODINGS, Document, GraphChange, GraphChoice, Precondition, compression_of_coding,
};
pub use graphs::GraphContent;
pub use rows::Rows;
pub use updates::{PreparedUpdate, UpdateRequest};

use crate::diagnostics::Result;
use crate::exec::{self, ExecContext, profiles_of};
use crate::expr::ExprContext;
use crate::federation::Services;
use crate::plan::{self, Dataset, GraphScope, PlannedQuery};
use crate::settings::{DefaultGraph, QuerySettings, ServiceSettings, StoreSettings};
use crate::sparql::{Limits, Prologue, parse_query};
use crate::storage::{Snapshot, Store, StoreOptions};
use crate::term::{TermId, TermStore};
use crate::update::LoadSources;
use oxrdf::Variable;
use spargebra::Query;
use spargebra::algebra::{GraphPattern, QueryDataset};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// An open store that answers queries and is changed by updates; shared by all threads.
pub struct Engine {
    store: Store,
    default_graph: DefaultGraph,
    load_sources: LoadSources,
    has_default_prefixes: bool,
    services: Arc<Services>,
}

/// A query as it came in.
#[derive(Clone, Debug, Default)]
pub struct QueryRequest {
    /// The text.
    pub text: String,
    /// The IRI that relative ones in the text are resolved against.
    pub base: Option<String>,
    /// The protocol's `default-graph-uri`; with `named_graphs` they win over the query's own data set.
    pub default_graphs: Vec<String>,
    /// The protocol's `named-graph-uri`.
    pub named_graphs: Vec<String>,
}

/// What a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryForm {
    /// Solutions.
    Select,
    /// Whether there is one.
    Ask,
    /// A graph made from a template.
    Construct,
    /// A graph that describes resources.
    Describe,
}

/// A query that parses.
pub struct PreparedQuery {
    query: Query,
    default_graphs: Vec<String>,
    named_graphs: Vec<String>,
    planning: plan::Options,
}

impl PreparedQuery {
    /// The same, to be planned as it is written: the slow path that tests compare the optimized plans with.
    #[must_use]
    pub fn planned_as_written(mut self) -> Self {
        self.planning.naive = true;
        self
    }

    /// What it asks for.
    pub fn form(&self) -> QueryForm {
        match self.query {
            Query::Select { .. } => QueryForm::Select,
            Query::Ask { .. } => QueryForm::Ask,
            Query::Construct { .. } => QueryForm::Construct,
            Query::Describe { .. } => QueryForm::Describe,
        }
    }

    fn pattern(&self) -> &GraphPattern {
        match &self.query {
            Query::Select { pattern, .. }
            | Query::Ask { pattern, .. }
            | Query::Construct { pattern, .. }
            | Query::Describe { pattern, .. } => pattern,
        }
    }

    fn dataset(&self) -> Option<&QueryDataset> {
        match &self.query {
            Query::Select { dataset, .. }
            | Query::Ask { dataset, .. }
            | Query::Construct { dataset, .. }
            | Query::Describe { dataset, .. } => dataset.as_ref(),
        }
    }
}

/// The answer to a query; rows are computed while they are read.
pub enum QueryAnswer {
    /// The solutions of a SELECT.
    Solutions(Rows),
    /// The answer of an ASK.
    Boolean(bool),
    /// The triples of a CONSTRUCT or DESCRIBE: three columns.
    Triples(Rows),
}

fn options(settings: &StoreSettings) -> StoreOptions {
    StoreOptions {
        durability: settings.durability,
        compact_terms_min: settings.compact_terms_min,
        ..StoreOptions::default()
    }
}

/// A planned query with the data it was planned for.
struct Ready {
    snapshot: Arc<Snapshot>,
    expressions: ExprContext,
    dataset: Dataset,
    planned: PlannedQuery,
}

impl Engine {
    /// Opens a store for reading and loading; makes an empty one where there is none.
    ///
    /// # Errors
    /// Another process holds it, its files are damaged or of another version, or they cannot be read.
    pub fn open(
        location: &Path,
        settings: &QuerySettings,
        writing: &StoreSettings,
    ) -> Result<Self> {
        let store = Store::open_with(location, &options(writing))?;
        Ok(Self::of(store, settings))
    }

    /// Opens a store that is there, for reading and writing.
    ///
    /// # Errors
    /// As [`Self::open`], and when there is none.
    pub fn open_existing(
        location: &Path,
        settings: &QuerySettings,
        writing: &StoreSettings,
    ) -> Result<Self> {
        let store = Store::open_existing(location, &options(writing))?;
        Ok(Self::of(store, settings))
    }

    /// Opens a store that is there, for reading only.
    ///
    /// # Errors
    /// As [`Self::open`], and when there is none.
    pub fn open_read_only(location: &Path, settings: &QuerySettings) -> Result<Self> {
        let store = Store::open_read_only(location)?;
        Ok(Self::of(store, settings))
    }

    fn of(store: Store, settings: &QuerySettings) -> Self {
        Self {
            store,
            default_graph: settings.default_graph,
            load_sources: LoadSources::default(),
            has_default_prefixes: settings.default_prefixes,
            services: Arc::default(),
        }
    }

    /// The same with other services that queries may ask; without it there are none.
    ///
    /// # Errors
    /// The settings name what is no endpoint.
    pub fn with_services(mut self, settings: &ServiceSettings) -> Result<Self> {
        self.services = Arc::new(Services::new(settings)?);
        Ok(self)
    }

    /// Loads documents: all of them, or, on an error, none.
    ///
    /// # Errors
    /// A document does not parse (with file, line and column), or reading or writing failed.
    pub fn load(
        &self,
        sources: Vec<LoadSource>,
        options: &LoadOptions,
        progress: &dyn LoadProgress,
    ) -> Result<LoadReport> {
        self.store.bulk_load(sources, options, progress)
    }

    /// Parses a query.
    ///
    /// # Errors
    /// [`crate::diagnostics::ErrorKind::Syntax`] with line, column and excerpt.
    pub fn prepare(&self, request: &QueryRequest) -> Result<PreparedQuery> {
        let prologue = Prologue {
            base: request.base.as_deref(),
            has_default_prefixes: self.has_default_prefixes,
        };
        Ok(PreparedQuery {
            query: parse_query(&request.text, prologue, &Limits::default())?,
            default_graphs: request.default_graphs.clone(),
            named_graphs: request.named_graphs.clone(),
            planning: plan::Options::default(),
        })
    }

    /// Plans a query and starts it.
    ///
    /// # Errors
    /// The query uses what this version does not support, is over a limit, or the store failed.
    pub fn execute(&self, query: &PreparedQuery, control: &QueryControl) -> Result<QueryAnswer> {
        control.check()?;
        let ready = self.ready(query)?;
        let variables = match &query.query {
            Query::Select { pattern, .. } => projected(pattern),
            _ => None,
        };
        let dataset = ready.dataset.clone();
        let (cx, operator, schema) =
            ready.start(&control.clone().with_services(&self.services), false)?;
        Ok(match &query.query {
            Query::Select { .. } => {
                let variables = variables.unwrap_or_else(|| cx.variables.names(&schema));
                QueryAnswer::Solutions(Rows::new(variables, operator, cx))
            }
            Query::Ask { .. } => {
                let mut rows = Rows::new(Vec::new(), operator, cx);
                QueryAnswer::Boolean(rows.next_batch()?.is_some())
            }
            Query::Construct { template, .. } => {
                let names = cx.variables.names(&schema);
                let construct = construct::Construct::new(template, &names, operator, &cx)?;
                QueryAnswer::Triples(Rows::of_triples(Box::new(construct), cx))
            }
            Query::Describe { .. } => {
                let describe = describe::Describe::new(operator, &dataset.default, &cx)?;
                QueryAnswer::Triples(Rows::of_triples(Box::new(describe), cx))
            }
        })
    }

    /// Tells how a query is run; with `analyze` it is run, and what was measured is told too.
    ///
    /// # Errors
    /// As [`Self::execute`].
    pub fn explain(
        &self,
        query: &PreparedQuery,
        analyze: bool,
        control: &QueryControl,
    ) -> Result<Explanation> {
        let ready = self.ready(query)?;
        let plan = ready.planned.plan.clone();
        let (cx, mut operator, _) =
            ready.start(&control.clone().with_services(&self.services), analyze)?;
        if analyze {
            while operator.next()?.is_some() {}
        }
        drop(operator);
        let term = |id: TermId| match cx.expressions.terms.to_term(id) {
            Ok(term) => term.to_string(),
            Err(_) => format!("{id:?}"),
        };
        Ok(Explanation::new(
            &plan,
            &cx.variables,
            &profiles_of(&cx),
            &term,
        ))
    }

    /// The directory of the store.
    pub fn location(&self) -> &Path {
        self.store.location()
    }

    /// The number of quads.
    pub fn quad_count(&self) -> u64 {
        self.store.snapshot().quad_count()
    }

    /// How often the log was made durable for commits since the store was opened; commits that waited together share it.
    pub fn log_syncs(&self) -> u64 {
        self.store.log_syncs()
    }

    /// The bytes that the store takes on disk, its log included.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn disk_bytes(&self) -> Result<u64> {
        self.store.disk_bytes()
    }

    fn ready(&self, query: &PreparedQuery) -> Result<Ready> {
        let snapshot = self.store.snapshot();
        let base = match &query.query {
            Query::Select { base_iri, .. }
            | Query::Ask { base_iri, .. }
            | Query::Construct { base_iri, .. }
            | Query::Describe { base_iri, .. } => base_iri.clone(),
        };
        let expressions = ExprContext::new(Arc::clone(&snapshot) as Arc<dyn TermStore>, base);
        let dataset = Dataset::resolve(
            &query.default_graphs,
            &query.named_graphs,
            query.dataset(),
            match self.default_graph {
                DefaultGraph::Default => GraphScope::One(TermId::DEFAULT_GRAPH),
                DefaultGraph::Union => GraphScope::Union,
            },
            &expressions.terms,
        )?;
        let wanted = match &query.query {
            Query::Ask { .. } => Some(Vec::new()),
            Query::Construct { template, .. } => Some(exec::template_variables(template)),
            _ => projected(query.pattern()),
        };
        let pattern = match &query.query {
            // One solution is enough.
            Query::Ask { pattern, .. } => &GraphPattern::Slice {
                inner: Box::new(pattern.clone()),
                start: 0,
                length: Some(1),
            },
            _ => query.pattern(),
        };
        let planned = plan::plan(
            pattern,
            wanted.as_deref(),
            &dataset,
            &expressions.terms,
            &snapshot,
            query.planning,
        )?;
        Ok(Ready {
            snapshot,
            expressions,
            dataset,
            planned,
        })
    }
}

impl Ready {
    fn start(
        self,
        control: &QueryControl,
        analyze: bool,
    ) -> Result<(Rc<ExecContext>, exec::BoxedOperator, Vec<plan::VarId>)> {
        let Self {
            snapshot,
            expressions,
            planned,
            ..
        } = self;
        let cx = ExecContext::new(snapshot, expressions, &planned, control.clone(), analyze);
        let operator = exec::build(&planned.plan, &cx)?;
        Ok((cx, operator, planned.plan.schema))
    }
}

/// The variables that a query projects, through the modifiers above the projection.
fn projected(pattern: &GraphPattern) -> Option<Vec<Variable>> {
    match pattern {
        GraphPattern::Project { variables, .. } => Some(variables.clone()),
        GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Slice { inner, .. } => projected(inner),
        _ => None,
    }
}
