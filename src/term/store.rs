//! What the rest of the house asks of a dictionary.

use super::{Tag, TermId, TermView};
use crate::diagnostics::Result;
use std::ops::Range;

/// A dictionary, both ways: terms to ids and ids to terms.
///
/// Inline terms never reach it: callers encode and decode them first.
pub trait TermStore: Send + Sync {
    /// The id of a stored term, or `None` if the dictionary does not hold it.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    fn lookup(&self, term: &TermView<'_>) -> Result<Option<TermId>>;

    /// The term of a stored id; `buffer` is overwritten and lends its bytes to the answer.
    ///
    /// # Errors
    /// Reading failed, or the id is not of this dictionary.
    fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>>;

    /// The ids of this tag below which ids are in the byte order of the terms' text; later ids are in no order.
    fn sorted_len(&self, tag: Tag) -> u64;

    /// Among the sorted ids of a tag, the numbers of those whose text (IRI or lexical form) starts with `prefix`.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    fn prefix_range(&self, tag: Tag, prefix: &str) -> Result<Range<u64>>;
}

/// Whatever can turn every id of a query into its term: inline, stored or made by the query.
pub trait ResolveTerm {
    /// The term of an id; `buffer` is overwritten and lends its bytes to the answer.
    ///
    /// # Errors
    /// Reading the dictionary failed, or the id is unbound.
    fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>>;
}
