//! Kaluta: an RDF triple store and SPARQL server.

pub mod batch;
pub mod cli;
pub mod diagnostics;
pub mod expr;
pub mod rdf;
pub mod replay;
pub mod sparql;
pub mod storage;
pub mod term;
