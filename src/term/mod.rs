//! Terms and their ids: the bottom of the house, known to every other room.

mod id;
pub mod inline;
mod store;
mod view;

pub use id::{Tag, TermId};
pub use store::{ResolveTerm, TermStore};
pub use view::{LiteralSort, TermView};
