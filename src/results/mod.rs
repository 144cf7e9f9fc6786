//! Answers to bytes: solutions, booleans and graphs in every format, streamed batch by batch.
//!
//! A writer appends to a buffer of the caller, who sends or saves it as often as it likes; no writer keeps rows. Terms
//! are looked up only here, at the very end, and a memo of recent cells ([`cells`]) saves looking up and escaping
//! what has just been written. Blank nodes are written as `b` and their number, those that a query made as `c` and
//! theirs. This room knows nothing of HTTP: media types are in [`formats`], choosing among them is left to `http`.

mod cells;
mod csv;
mod escape;
pub mod formats;
mod json;
mod quads;
mod solutions;
mod tsv;
mod turtle;
mod xml;
mod xml_limits;

#[cfg(test)]
mod tests;

pub use formats::SolutionsFormat;
pub use oxrdfio::RdfFormat;
pub use quads::{QuadsWriter, to_term};
pub use solutions::{SolutionsWriter, write_boolean};
