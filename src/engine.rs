//! A stand-in for the engine on this branch: answers from memory. The real file replaces it.
#![allow(missing_docs)]

use crate::batch::{BATCH_ROWS, Batch};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::settings::QuerySettings;
use crate::term::{LiteralSort, ResolveTerm, Tag, TermId, TermView};
use oxrdf::{GraphName, NamedOrBlankNode, Term, Variable};
use oxrdfio::{RdfFormat, RdfParser};
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TermPattern};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Data {
    terms: Vec<Term>,
    ids: HashMap<Term, TermId>,
    quads: Vec<[TermId; 4]>,
}

impl Data {
    fn intern(&mut self, term: Term) -> TermId {
        if let Some(id) = self.ids.get(&term) {
            return *id;
        }
        let tag = match term {
            Term::NamedNode(_) => Tag::Iri,
            Term::BlankNode(_) => Tag::Blank,
            Term::Triple(_) => Tag::Triple,
            Term::Literal(_) => Tag::Typed,
        };
        let id = TermId::new(tag, self.terms.len() as u64);
        self.terms.push(term.clone());
        self.ids.insert(term, id);
        id
    }
}

impl ResolveTerm for Data {
    fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>> {
        buffer.clear();
        let term = &self.terms[id.number() as usize];
        let mut split = 0;
        match term {
            Term::NamedNode(n) => buffer.extend_from_slice(n.as_str().as_bytes()),
            Term::Literal(l) => {
                buffer.extend_from_slice(l.value().as_bytes());
                split = buffer.len();
                buffer.extend_from_slice(l.language().unwrap_or(l.datatype().as_str()).as_bytes());
            }
            _ => {}
        }
        let text: &'b str = std::str::from_utf8(buffer).unwrap();
        Ok(match term {
            Term::NamedNode(_) => TermView::Iri(text),
            Term::BlankNode(_) => TermView::Blank {
                number: id.number(),
                local: false,
            },
            Term::Literal(l) => TermView::Literal {
                lexical: &text[..split],
                sort: if l.language().is_some() {
                    LiteralSort::Lang(&text[split..], l.direction())
                } else if l.datatype() == oxrdf::vocab::xsd::STRING {
                    LiteralSort::String
                } else {
                    LiteralSort::Typed(&text[split..])
                },
            },
            Term::Triple(_) => return Err(Error::unsupported("triple terms here")),
        })
    }
}

pub struct Engine {
    data: RwLock<Arc<Data>>,
    location: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadContent {
    File(PathBuf),
    Bytes { name: String, bytes: Vec<u8> },
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadSource {
    pub content: LoadContent,
    pub format: Option<RdfFormat>,
    pub base: Option<oxiri::Iri<String>>,
    pub graph: GraphName,
}
impl LoadSource {
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self {
            content: LoadContent::File(path.into()),
            format: None,
            base: None,
            graph: GraphName::DefaultGraph,
        }
    }
    pub fn bytes(name: impl Into<String>, bytes: Vec<u8>, format: RdfFormat) -> Self {
        Self {
            content: LoadContent::Bytes {
                name: name.into(),
                bytes,
            },
            format: Some(format),
            base: None,
            graph: GraphName::DefaultGraph,
        }
    }
}
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    pub memory_bytes_max: usize,
    pub lenient: bool,
    pub threads: usize,
}
impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            memory_bytes_max: 2 << 30,
            lenient: false,
            threads: 2,
        }
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadStage {
    Parse,
}
impl LoadStage {
    pub const fn name(self) -> &'static str {
        "parse"
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadState {
    pub stage: LoadStage,
    pub bytes_read: u64,
    pub bytes_total: u64,
    pub quads_read: u64,
}
pub trait LoadProgress: Sync {
    fn update(&self, state: LoadState);
}
impl LoadProgress for () {
    fn update(&self, _: LoadState) {}
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedStatement {
    pub source: String,
    pub line: u64,
    pub message: String,
}
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {
    pub quads_read: u64,
    pub quads_added: u64,
    pub skipped: Vec<SkippedStatement>,
    pub skipped_total: u64,
    pub stage_seconds: Vec<(LoadStage, f64)>,
}

impl Engine {
    pub fn open(location: &Path, _: &QuerySettings) -> Result<Self> {
        std::fs::create_dir_all(location).map_err(|e| Error::io("creating the store", e))?;
        let engine = Self {
            data: RwLock::default(),
            location: location.to_owned(),
        };
        if let Ok(bytes) = std::fs::read(location.join("data.nq")) {
            engine.insert(RdfParser::from_format(RdfFormat::NQuads), &bytes, "data.nq")?;
        }
        Ok(engine)
    }

    pub fn open_read_only(location: &Path, settings: &QuerySettings) -> Result<Self> {
        if !location.is_dir() {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("there is no store at {}", location.display()),
            ));
        }
        Self::open(location, settings)
    }

    fn insert(&self, parser: RdfParser, bytes: &[u8], name: &str) -> Result<u64> {
        let mut data = Data::default();
        {
            let old = self.data.read().unwrap();
            for term in &old.terms {
                data.intern(term.clone());
            }
            data.quads.clone_from(&old.quads);
        }
        let before = data.quads.len();
        for quad in parser.for_slice(bytes) {
            let quad =
                quad.map_err(|e| Error::new(ErrorKind::Syntax, e.to_string()).context(name))?;
            let subject = match quad.subject {
                NamedOrBlankNode::NamedNode(n) => n.into(),
                NamedOrBlankNode::BlankNode(n) => n.into(),
            };
            let graph = match quad.graph_name {
                GraphName::DefaultGraph => TermId::DEFAULT_GRAPH,
                GraphName::NamedNode(n) => data.intern(n.into()),
                GraphName::BlankNode(n) => data.intern(n.into()),
            };
            let row = [
                data.intern(subject),
                data.intern(quad.predicate.into()),
                data.intern(quad.object),
                graph,
            ];
            data.quads.push(row);
        }
        let added = data.quads.len() - before;
        *self.data.write().unwrap() = Arc::new(data);
        Ok(added as u64)
    }

    pub fn load(
        &self,
        sources: Vec<LoadSource>,
        _: &LoadOptions,
        progress: &dyn LoadProgress,
    ) -> Result<LoadReport> {
        let mut added = 0;
        for source in sources {
            let (name, bytes, told) = match source.content {
                LoadContent::File(path) => {
                    let extension = path.extension().unwrap_or_default().to_string_lossy();
                    let told = RdfFormat::from_extension(&extension);
                    let name = path.display().to_string();
                    (
                        name.clone(),
                        std::fs::read(&path).map_err(|e| Error::io(&name, e))?,
                        told,
                    )
                }
                LoadContent::Bytes { name, bytes } => (name, bytes, None),
            };
            let format = source.format.or(told).ok_or_else(|| {
                Error::new(ErrorKind::BadRequest, format!("unknown format: {name}"))
            })?;
            let mut parser = RdfParser::from_format(format);
            if source.graph != GraphName::DefaultGraph {
                parser = parser.with_default_graph(source.graph);
            }
            added += self.insert(parser, &bytes, &name)?;
            let length = bytes.len() as u64;
            progress.update(LoadState {
                stage: LoadStage::Parse,
                bytes_read: length,
                bytes_total: length,
                quads_read: added,
            });
        }
        let mut rows = self.dump()?;
        let mut writer = crate::results::QuadsWriter::start(RdfFormat::NQuads);
        let mut out = Vec::new();
        while let Some(batch) = rows.next()? {
            writer.write_rows(&batch, 0..batch.rows(), rows.resolver(), &mut out)?;
        }
        std::fs::write(self.location.join("data.nq"), out).map_err(|e| Error::io("writing", e))?;
        Ok(LoadReport {
            quads_read: added,
            quads_added: added,
            ..LoadReport::default()
        })
    }

    pub fn prepare(&self, request: &QueryRequest) -> Result<PreparedQuery> {
        let query = crate::sparql::parse_query(
            &request.text,
            request.base.as_deref(),
            &Default::default(),
        )?;
        Ok(PreparedQuery { query })
    }

    pub fn execute(&self, query: &PreparedQuery, control: &QueryControl) -> Result<QueryAnswer> {
        let (spargebra::Query::Select { pattern, .. }
        | spargebra::Query::Ask { pattern, .. }
        | spargebra::Query::Construct { pattern, .. }
        | spargebra::Query::Describe { pattern, .. }) = &query.query;
        let mut rows = Rows::of(pattern, self.data.read().unwrap().clone(), control.clone())?;
        if let spargebra::Query::Construct { template, .. } = &query.query {
            let t = &template[0];
            let name = |text: String| Variable::new_unchecked(text.trim_start_matches('?'));
            rows.variables = vec![
                name(t.subject.to_string()),
                name(t.predicate.to_string()),
                name(t.object.to_string()),
            ];
        }
        Ok(match query.form() {
            QueryForm::Select => QueryAnswer::Solutions(rows),
            QueryForm::Ask => QueryAnswer::Boolean(rows.next()?.is_some()),
            QueryForm::Construct | QueryForm::Describe => QueryAnswer::Triples(rows),
        })
    }

    pub fn explain(&self, query: &PreparedQuery, _: bool, _: &QueryControl) -> Result<Explanation> {
        Ok(Explanation {
            plan: query.query.to_string(),
        })
    }

    pub fn dump(&self) -> Result<Rows> {
        let data = self.data.read().unwrap().clone();
        let names = ["s", "p", "o", "g"].map(Variable::new_unchecked).to_vec();
        let rows: Vec<Vec<TermId>> = data.quads.iter().map(|q| q.to_vec()).collect();
        Ok(Rows {
            variables: names,
            data,
            source: Source::Ready(rows),
            limit: usize::MAX,
            control: QueryControl::new(None, None),
        })
    }

    pub fn quad_count(&self) -> u64 {
        self.data.read().unwrap().quads.len() as u64
    }

    pub fn disk_bytes(&self) -> u64 {
        0
    }
}

pub fn raised_total() -> u64 {
    0
}

#[derive(Clone, Debug, Default)]
pub struct QueryRequest {
    pub text: String,
    pub base: Option<String>,
    pub default_graphs: Vec<String>,
    pub named_graphs: Vec<String>,
}

pub struct PreparedQuery {
    query: spargebra::Query,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryForm {
    Select,
    Ask,
    Construct,
    Describe,
}

impl PreparedQuery {
    pub fn form(&self) -> QueryForm {
        match self.query {
            spargebra::Query::Select { .. } => QueryForm::Select,
            spargebra::Query::Ask { .. } => QueryForm::Ask,
            spargebra::Query::Construct { .. } => QueryForm::Construct,
            spargebra::Query::Describe { .. } => QueryForm::Describe,
        }
    }
}

#[derive(serde::Serialize)]
pub struct Explanation {
    plan: String,
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.plan)
    }
}

#[derive(Clone)]
pub struct QueryControl {
    deadline: Option<Instant>,
    cancelled: Arc<AtomicBool>,
}

pub static CANCELLED: AtomicU64 = AtomicU64::new(0);

impl QueryControl {
    pub fn new(timeout: Option<Duration>, _: Option<u64>) -> Self {
        Self {
            deadline: timeout.map(|t| Instant::now() + t),
            cancelled: Arc::default(),
        }
    }
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
    fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "the query was cancelled"));
        }
        if self.deadline.is_some_and(|d| Instant::now() > d) {
            return Err(Error::new(
                ErrorKind::Deadline,
                "the query ran past its deadline",
            ));
        }
        Ok(())
    }
}

pub enum QueryAnswer {
    Solutions(Rows),
    Boolean(bool),
    Triples(Rows),
}

pub struct Rows {
    variables: Vec<Variable>,
    data: Arc<Data>,
    source: Source,
    limit: usize,
    control: QueryControl,
}

enum Source {
    Ready(Vec<Vec<TermId>>),
    Odometer {
        patterns: Vec<[Result<TermId, Variable>; 3]>,
        places: Vec<usize>,
    },
    Sorted(Box<Rows>),
}

impl Rows {
    fn of(pattern: &GraphPattern, data: Arc<Data>, control: QueryControl) -> Result<Self> {
        match pattern {
            GraphPattern::Project { inner, variables } => {
                let mut rows = Self::of(inner, data, control)?;
                rows.variables.clone_from(variables);
                if let Source::Sorted(inner) = &mut rows.source {
                    inner.variables.clone_from(variables);
                }
                Ok(rows)
            }
            GraphPattern::Slice { inner, length, .. } => {
                let mut rows = Self::of(inner, data, control)?;
                rows.limit = length.unwrap_or(usize::MAX);
                Ok(rows)
            }
            GraphPattern::OrderBy { inner, .. } => {
                let inner = Self::of(inner, data.clone(), control.clone())?;
                Ok(Self {
                    variables: inner.variables.clone(),
                    data,
                    source: Source::Sorted(Box::new(inner)),
                    limit: usize::MAX,
                    control,
                })
            }
            GraphPattern::Reduced { inner } | GraphPattern::Distinct { inner } => {
                Self::of(inner, data, control)
            }
            GraphPattern::Bgp { patterns } if patterns.is_empty() => Ok(Self {
                variables: Vec::new(),
                data,
                source: Source::Ready(vec![Vec::new()]),
                limit: usize::MAX,
                control,
            }),
            GraphPattern::Bgp { patterns } => {
                let mut variables = Vec::new();
                let patterns: Vec<_> = patterns
                    .iter()
                    .map(|t| {
                        let p = match &t.predicate {
                            NamedNodePattern::NamedNode(n) => TermPattern::NamedNode(n.clone()),
                            NamedNodePattern::Variable(v) => TermPattern::Variable(v.clone()),
                        };
                        [&t.subject, &p, &t.object].map(|part| match part {
                            TermPattern::Variable(v) => {
                                if !variables.contains(v) {
                                    variables.push(v.clone());
                                }
                                Err(v.clone())
                            }
                            TermPattern::NamedNode(n) => Ok(data
                                .ids
                                .get(&Term::from(n.clone()))
                                .copied()
                                .unwrap_or(TermId::MAX)),
                            TermPattern::Literal(n) => Ok(data
                                .ids
                                .get(&Term::from(n.clone()))
                                .copied()
                                .unwrap_or(TermId::MAX)),
                            _ => Ok(TermId::MAX),
                        })
                    })
                    .collect();
                Ok(Self {
                    variables,
                    data,
                    source: Source::Odometer {
                        places: vec![0; patterns.len()],
                        patterns,
                    },
                    limit: usize::MAX,
                    control,
                })
            }
            other => Err(Error::unsupported(other)),
        }
    }

    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    pub fn resolver(&self) -> &dyn ResolveTerm {
        &*self.data
    }

    pub fn next(&mut self) -> Result<Option<Batch>> {
        self.control.check()?;
        let mut batch = Batch::empty(self.variables.len());
        match &mut self.source {
            Source::Sorted(inner) => {
                let mut ready = Vec::new();
                while let Some(more) = inner.next()? {
                    for i in 0..more.rows() {
                        ready.push(more.columns().iter().map(|c| c[i]).collect());
                    }
                    if ready.len() > 100_000 {
                        ready.clear();
                    }
                }
                self.source = Source::Ready(ready);
                return self.next();
            }
            Source::Ready(rows) => {
                let take = rows.len().min(BATCH_ROWS).min(self.limit);
                rows.drain(..take).for_each(|r| batch.push_row(r));
            }
            Source::Odometer { patterns, places } => {
                let quads = &self.data.quads;
                let mut steps = 0u64;
                'rows: while batch.rows() < BATCH_ROWS.min(self.limit) {
                    if places.first().is_none_or(|&p| p >= quads.len()) {
                        break;
                    }
                    steps += 1;
                    if steps % 4096 == 0 {
                        self.control.check()?;
                    }
                    let mut found: HashMap<&Variable, TermId> = HashMap::new();
                    let mut matches = true;
                    'patterns: for (pattern, &place) in patterns.iter().zip(&*places) {
                        for (part, id) in pattern.iter().zip(quads[place]) {
                            matches &= match part {
                                Ok(wanted) => *wanted == id,
                                Err(v) => *found.entry(v).or_insert(id) == id,
                            };
                            if !matches {
                                break 'patterns;
                            }
                        }
                    }
                    for i in (0..places.len()).rev() {
                        places[i] += 1;
                        if places[i] < quads.len() || i == 0 {
                            break;
                        }
                        places[i] = 0;
                    }
                    if !matches {
                        continue 'rows;
                    }
                    batch.push_row(self.variables.iter().map(|v| {
                        found.get(v).copied().unwrap_or_else(|| {
                            let iri = v.as_str().trim_matches(['<', '>']);
                            let term = Term::from(oxrdf::NamedNode::new_unchecked(iri));
                            self.data.ids.get(&term).copied().unwrap_or(TermId::UNBOUND)
                        })
                    }));
                }
            }
        }
        self.limit -= batch.rows();
        Ok((!batch.is_empty()).then_some(batch))
    }
}
