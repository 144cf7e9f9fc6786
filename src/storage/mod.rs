//! The store on disk: dictionary, sorted runs of quads, snapshots and bulk load.
//!
//! A [`Store`] is a directory (see [`layout`]) that one process has locked. Its state is a stack of immutable runs of
//! quads and a stack of segments of the dictionary, named by a manifest that is replaced as a whole. Readers take a
//! [`Snapshot`] and [`Snapshot::scan`] it in the order of a [`Permutation`]; a bulk load adds a run and a segment and
//! publishes a new snapshot. What is read from disk is verified by checksums: damage is an error that names file and
//! offset, never a wrong answer.
//!
//! This room knows ids and terms; it knows no SPARQL and no HTTP.

mod array_cursor;
mod background;
mod backup;
mod block;
mod column;
mod compact;
mod dictionary;
mod durability;
mod file_cursor;
mod files;
mod flush;
mod gallop;
mod garbage;
mod index;
mod inspect;
mod layout;
mod load;
mod log;
mod manifest;
mod mapped;
mod membership;
mod merge;
mod packing;
mod permutation;
mod quad_arrays;
mod quad_files;
mod renumber;
mod run;
mod scan;
mod shared;
mod snapshot;
mod spool;
mod stack;
mod statistics;
mod store;
mod tally;
mod transaction;
mod verify;
mod writer;

pub use block::{BLOCK_ROWS, BlockView, encode_block};
pub use column::Column;
pub use compact::{CompactStage, CompactState};
pub use gallop::gallop;
pub use load::{
    LoadContent, LoadOptions, LoadProgress, LoadReport, LoadSource, LoadStage, LoadState,
    SkippedStatement,
};
pub use permutation::{ColumnMask, Permutation, Quad, QuadColumn};
pub use scan::{Scan, ScanBlock};
pub use shared::StoreOptions;
pub use snapshot::Snapshot;
pub use statistics::{PredicateStatistics, StoreStatistics};
pub use store::Store;
pub use transaction::{Commit, Logged, Transaction};
pub use verify::VerifyReport;

#[cfg(test)]
mod tests;
