//! The independent engine: spareval over a dataset in memory.

use crate::store::{Answer, Document, Request, Row, Store};
use oxrdf::{Dataset, Term, Triple};
use oxrdfio::RdfParser;
use spareval::{QueryEvaluator, QueryResults};
use spargebra::{Query, SparqlParser};

/// A dataset in memory.
#[derive(Default)]
pub struct Oracle {
    dataset: Dataset,
    documents: usize,
}

impl Store for Oracle {
    fn load(&mut self, documents: Vec<Document>) -> Result<(), String> {
        for document in documents {
            self.documents += 1;
            let mut parser = RdfParser::from_format(document.format)
                .with_default_graph(document.graph)
                .rename_blank_nodes();
            if let Some(base) = document.base {
                parser = parser.with_base_iri(base).map_err(|e| e.to_string())?;
            }
            for quad in parser.for_slice(&document.bytes) {
                self.dataset.insert(&quad.map_err(|e| e.to_string())?);
            }
        }
        Ok(())
    }

    fn query(&self, request: &Request) -> Result<Answer, String> {
        let mut parser = SparqlParser::new();
        if let Some(base) = &request.base {
            parser = parser.with_base_iri(base).map_err(|e| e.to_string())?;
        }
        let query = parser
            .parse_query(&request.text)
            .map_err(|e| e.to_string())?;
        self.evaluate(&query)
    }
}

impl Oracle {
    /// Answers a query that is parsed already.
    pub fn evaluate(&self, query: &Query) -> Result<Answer, String> {
        let evaluator = QueryEvaluator::new();
        let results = evaluator.prepare(query).execute(&self.dataset);
        collect(results.map_err(|e| e.to_string())?)
    }
}

fn collect(results: QueryResults<'_>) -> Result<Answer, String> {
    match results {
        QueryResults::Boolean(value) => Ok(Answer::Boolean(value)),
        QueryResults::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let rows = solutions
                .map(|solution| Ok(solution.map_err(|e| e.to_string())?.values().to_vec()))
                .collect::<Result<_, String>>()?;
            Ok(Answer::Solutions { variables, rows })
        }
        QueryResults::Graph(triples) => {
            let rows = triples
                .map(|triple| Ok(row_of(triple.map_err(|e| e.to_string())?)))
                .collect::<Result<_, String>>()?;
            Ok(Answer::Graph(rows))
        }
    }
}

/// A triple as a row.
pub fn row_of(triple: Triple) -> Row {
    vec![
        Some(Term::from(triple.subject)),
        Some(Term::from(triple.predicate)),
        Some(triple.object),
    ]
}
