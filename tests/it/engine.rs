//! The engine under test.

use crate::oracle::Oracle;
use crate::store::Store;

/// An empty store of the engine under test.
pub fn open() -> Result<Box<dyn Store>, String> {
    Ok(Box::new(Oracle::default()))
}
