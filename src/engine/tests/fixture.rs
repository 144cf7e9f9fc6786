//! The same small data in Kaluta and in an independent engine, and whether both give the same answer.

use crate::engine::{
    Engine, LoadOptions, LoadSource, QueryAnswer, QueryControl, QueryRequest, Rows,
};
use crate::settings::{DefaultGraph, QuerySettings, StoreSettings};
use oxrdf::{Dataset, Term};
use oxrdfio::{RdfFormat, RdfParser};
use spareval::{QueryEvaluator, QueryResults};
use spargebra::SparqlParser;
use tempfile::TempDir;

/// The prefix that data and queries use.
const PREFIXES: &str = "PREFIX : <http://e/> ";

/// An engine over a store in a folder that goes with it.
pub struct Store {
    pub engine: Engine,
    _folder: TempDir,
}

/// The rows of an answer as sorted text, blank nodes without their names.
pub type Lines = Vec<String>;

impl Store {
    /// A store with TriG loaded.
    pub fn new(trig: &str, default_graph: DefaultGraph) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = QuerySettings {
            default_graph,
            ..QuerySettings::default()
        };
        let engine = Engine::open(folder.path(), &settings, &StoreSettings::default()).unwrap();
        let text = format!("{PREFIXES}{trig}").into_bytes();
        let source = LoadSource::bytes("test", text, RdfFormat::TriG);
        engine
            .load(vec![source], &LoadOptions::default(), &())
            .unwrap();
        Self {
            engine,
            _folder: folder,
        }
    }

    /// The rows that a query reads from the index, and its plan.
    pub fn reads(&self, query: &str) -> (u64, String) {
        let prepared = self.engine.prepare(&request(query)).unwrap();
        let control = QueryControl::new(None, None);
        let explanation = self.engine.explain(&prepared, true, &control).unwrap();
        (explanation.rows_read_total(), explanation.to_string())
    }

    /// The answer to a query.
    pub fn ask(&self, query: &str) -> Lines {
        self.request(&request(query))
    }

    /// The answer to a query with protocol parameters.
    pub fn request(&self, request: &QueryRequest) -> Lines {
        let prepared = self.engine.prepare(request).unwrap();
        let control = QueryControl::new(None, None);
        sorted(match self.engine.execute(&prepared, &control).unwrap() {
            QueryAnswer::Boolean(value) => vec![value.to_string()],
            QueryAnswer::Solutions(rows) | QueryAnswer::Triples(rows) => lines(rows),
        })
    }
}

/// A query as a request.
pub fn request(query: &str) -> QueryRequest {
    QueryRequest {
        text: format!("{PREFIXES}{query}"),
        ..QueryRequest::default()
    }
}

fn lines(mut rows: Rows) -> Lines {
    let mut all = Vec::new();
    while let Some(batch) = rows.next_batch().unwrap() {
        for row in 0..batch.rows() {
            let term = |id: crate::term::TermId| id.is_bound().then(|| rows.to_term(id).unwrap());
            let cells = batch.columns().iter().map(|c| show(term(c[row])));
            all.push(cells.collect::<Vec<_>>().join(" "));
        }
    }
    all
}

fn show(term: Option<Term>) -> String {
    match term {
        None => "-".into(),
        Some(Term::BlankNode(_)) => "_:".into(),
        Some(term) => term.to_string().replace("http://e/", ""),
    }
}

fn sorted(mut lines: Lines) -> Lines {
    lines.sort_unstable();
    lines
}

/// The independent engine's answer.
pub fn expected(trig: &str, query: &str) -> Lines {
    let text = format!("{PREFIXES}{trig}").into_bytes();
    let parser = RdfParser::from_format(RdfFormat::TriG);
    let dataset: Dataset = parser.for_slice(&text).map(Result::unwrap).collect();
    let text = format!("{PREFIXES}{query}");
    let query = SparqlParser::new().parse_query(&text).unwrap();
    let evaluator = QueryEvaluator::new();
    let results = evaluator.prepare(&query).execute(&dataset).unwrap();
    sorted(match results {
        QueryResults::Boolean(value) => vec![value.to_string()],
        QueryResults::Solutions(rows) => rows
            .map(|row| {
                let row = row.unwrap();
                let cells = row.values().iter().map(|term| show(term.clone()));
                cells.collect::<Vec<_>>().join(" ")
            })
            .collect(),
        QueryResults::Graph(triples) => {
            let mut lines: Vec<_> = triples
                .map(|t| {
                    let t = t.unwrap();
                    let terms = [t.subject.into(), t.predicate.into(), t.object];
                    terms.map(|term| show(Some(term))).join(" ")
                })
                .collect();
            lines.sort_unstable();
            lines
        }
    })
}

/// Checks that both engines answer each query alike, and that no answer is empty by accident: queries whose answer is
/// to be empty begin with `EMPTY`.
pub fn check(trig: &str, queries: &[&str]) {
    let store = Store::new(trig, DefaultGraph::Default);
    let mut wrong = String::new();
    for query in queries {
        let (query, is_empty) = match query.strip_prefix("EMPTY ") {
            Some(query) => (query, true),
            None => (*query, false),
        };
        let expected = expected(trig, query);
        if expected.is_empty() != is_empty {
            wrong += &format!("{query}\n  asks in vain\n");
        }
        let actual = store.ask(query);
        if expected != actual {
            wrong += &format!("{query}\n  expected {expected:?}\n  got      {actual:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Checks answers that are written down: where the specification is not what the independent engine does, or where
/// protocol parameters decide.
pub fn check_given(store: &Store, cases: &[(&str, &[&str])]) {
    for (query, expected) in cases {
        assert_eq!(&store.ask(query), expected, "{query}");
    }
}
