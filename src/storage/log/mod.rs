//! The write-ahead log: what was committed and is not yet in the files that the manifest names.
//!
//! A log file holds the commits of an unbroken row of sequence numbers, the first of which is its name. Its
//! [records](record) carry a checksum, and how far the log was durable when they were written; so reading it can tell
//! a tail that a crash tore, which was never acknowledged and is left out, from a damaged middle, which is an error.
//! Files whose commits the manifest's runs hold are removed; they are never written again once there is a later one.

mod commit;
mod reader;
mod record;
mod varint;
mod writer;

pub use commit::LoggedCommit;
pub use reader::read_after;
pub use writer::LogWriter;

#[cfg(test)]
mod tests;
