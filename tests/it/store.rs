//! What the tests ask of a store, whichever engine is behind it.

use oxrdf::{GraphName, Term, Variable};
use oxrdfio::RdfFormat;

/// One row of an answer: a value, or none, for each variable.
pub type Row = Vec<Option<Term>>;

/// An RDF document to load.
#[derive(Clone, Debug)]
pub struct Document {
    pub bytes: Vec<u8>,
    pub format: RdfFormat,
    pub base: Option<String>,
    /// Where the triples go; documents with named graphs say so themselves.
    pub graph: GraphName,
}

/// A query with what the protocol can say beside its text.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub text: String,
    pub base: Option<String>,
}

impl Request {
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            base: None,
        }
    }
}

/// The answer to a query.
#[derive(Clone, Debug)]
pub enum Answer {
    Solutions {
        variables: Vec<Variable>,
        rows: Vec<Row>,
    },
    Boolean(bool),
    /// Triples as rows of three.
    Graph(Vec<Row>),
}

/// A store that is filled once and then asked.
pub trait Store {
    fn load(&mut self, documents: Vec<Document>) -> Result<(), String>;
    fn query(&self, request: &Request) -> Result<Answer, String>;
}

impl Answer {
    /// The answer with every term replaced.
    #[must_use]
    pub fn map_terms(self, f: impl Fn(Term) -> Term) -> Self {
        let map = |rows: Vec<Row>| -> Vec<Row> {
            rows.into_iter()
                .map(|row| row.into_iter().map(|t| t.map(&f)).collect())
                .collect()
        };
        match self {
            Self::Solutions { variables, rows } => Self::Solutions {
                variables,
                rows: map(rows),
            },
            Self::Graph(rows) => Self::Graph(map(rows)),
            Self::Boolean(value) => Self::Boolean(value),
        }
    }

    /// The rows of solutions or of a graph; a boolean has one row or none.
    pub fn rows(&self) -> &[Row] {
        match self {
            Self::Solutions { rows, .. } | Self::Graph(rows) => rows,
            Self::Boolean(_) => &[],
        }
    }
}
