//! Kaluta: an RDF triple store and SPARQL server.

pub mod batch;
pub mod cli;
pub mod diagnostics;
pub mod replay;
pub mod term;
