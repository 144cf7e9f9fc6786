//! Kaluta: an RDF triple store and SPARQL server.

pub mod batch;
pub mod diagnostics;
pub mod settings;
pub mod term;
