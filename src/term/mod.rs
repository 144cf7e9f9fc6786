//! Terms and their ids: the bottom of the house, known to every other room.

mod id;
mod view;

pub use id::{Tag, TermId};
pub use view::{LiteralSort, TermView};
