//! Kaluta: an RDF triple store and SPARQL server.

pub mod diagnostics;
pub mod sample;
pub mod term;
