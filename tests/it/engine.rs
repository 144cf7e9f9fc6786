//! The engine under test.

use crate::kaluta::Kaluta;
use crate::store::Store;

/// An empty store of the engine under test.
pub fn open() -> Result<Box<dyn Store>, String> {
    Ok(Box::new(Kaluta::open()?))
}
