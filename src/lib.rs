//! Kaluta: an RDF triple store and SPARQL server.

pub mod batch;
pub mod cli;
pub mod diagnostics;
pub mod engine;
pub mod exec;
pub mod expr;
pub mod http;
pub mod plan;
pub mod rdf;
pub mod replay;
pub mod results;
pub mod sample;
pub mod settings;
pub mod sparql;
pub mod storage;
pub mod term;
