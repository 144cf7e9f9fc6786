//! Plan nodes with their columns, order and cost: the one place where a physical node is put together.
//!
//! Costs are nanoseconds, measured once on a common machine; only their ratios matter.

mod joins;
mod nodes;

pub use joins::{filtered, hash, index, joined_schema, merge, scan, scan_cost, seeded};
pub use nodes::{
    count_of_range, destructure, distinct, extend, limit_sort, order_by, project, row_number,
    seed_plan, table, unit,
};

/// Starting anything.
pub const START_NS: f64 = 1_000.0;
/// Reading a row of a scan.
pub const SCAN_ROW_NS: f64 = 2.0;
/// Finding and decoding a block.
pub const BLOCK_NS: f64 = 1_500.0;
/// Rows in a block.
pub const BLOCK_ROWS: f64 = 1_024.0;
/// Sorting and looking up a key.
pub const KEY_NS: f64 = 40.0;
/// Comparing a row in a merge.
pub const MERGE_ROW_NS: f64 = 4.0;
/// Putting a row into a hash table.
pub const BUILD_ROW_NS: f64 = 40.0;
/// Running a row past a hash table.
pub const PROBE_ROW_NS: f64 = 15.0;
/// Making a row of a result.
pub const OUTPUT_ROW_NS: f64 = 5.0;
