//! Tests for a prefix as ranges of ids.
//!
//! The ids of a sorted dictionary are in the order of the terms' text, so the terms that begin with a text are one range
//! of ids for each tag. A pattern that begins with `^` and letters has a prefix too: outside its range it cannot match.

use super::probe::Verdict;
use super::raise::ExprErrorKind;
use super::terms::QueryTerms;
use crate::diagnostics::Result;
use crate::term::{Tag, TermId};
use std::ops::Range;

/// The tags whose text can begin with something.
const TAGS: [Tag; 4] = [Tag::Iri, Tag::String, Tag::LangString, Tag::Typed];

/// A test whether a text begins with another.
pub(super) struct Prefix {
    text: String,
    /// Whether beginning with the text is all that is asked.
    is_all: bool,
    /// Whether STR is taken first, so that IRIs and typed literals have a text.
    through_str: bool,
    sorted: Option<[Sorted; TAGS.len()]>,
}

/// Below `len`, the ids of a tag are in the order of text, and those in the range have the prefix.
struct Sorted {
    len: u64,
    range: Range<u64>,
}

impl Prefix {
    pub(super) fn new(text: String, is_all: bool, through_str: bool) -> Self {
        Self {
            text,
            is_all,
            through_str,
            sorted: None,
        }
    }

    /// Asks the dictionary for the ranges, the first time.
    pub(super) fn prepare(&mut self, terms: &QueryTerms) -> Result<()> {
        if self.sorted.is_none() {
            let store = terms.store();
            let sorted = |tag| -> Result<Sorted> {
                Ok(Sorted {
                    len: store.sorted_len(tag),
                    range: store.prefix_range(tag, &self.text)?,
                })
            };
            let [iri, string, lang, typed] = TAGS;
            self.sorted = Some([sorted(iri)?, sorted(string)?, sorted(lang)?, sorted(typed)?]);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn verdict(&self, id: TermId) -> Verdict {
        let tag = id.tag();
        match tag {
            Tag::Typed if !self.through_str => return Verdict::Unknown,
            Tag::String | Tag::LangString => {}
            _ if self.through_str => {}
            _ => return Verdict::Fails(ExprErrorKind::Type),
        }
        let place = TAGS.iter().position(|&t| t == tag);
        let (Some(sorted), Some(place)) = (&self.sorted, place) else {
            return Verdict::Unknown;
        };
        let Sorted { len, range } = &sorted[place];
        if id.is_local() || id.number() >= *len {
            return Verdict::Unknown;
        }
        match range.contains(&id.number()) {
            true if self.is_all => Verdict::Known(true),
            true => Verdict::Unknown,
            false => Verdict::Known(false),
        }
    }
}

/// The text that every match of a pattern begins with, and whether each text that begins so matches.
pub(super) fn literal_prefix(pattern: &str) -> Option<(String, bool)> {
    let anchored = pattern.strip_prefix('^')?;
    if anchored.contains('|') {
        return None;
    }
    let is_plain = |c: char| c.is_alphanumeric() || " -_/:,;'\"#@%&=<>~!".contains(c);
    let end = anchored.find(|c| !is_plain(c)).unwrap_or(anchored.len());
    let mut prefix = anchored[..end].to_owned();
    if anchored[end..].starts_with(['?', '*', '{']) {
        prefix.pop();
    }
    (!prefix.is_empty()).then_some((prefix, end == anchored.len()))
}

#[cfg(test)]
mod tests {
    use super::literal_prefix;

    #[test]
    fn patterns_begin_with_their_plain_characters() {
        for (pattern, expected) in [
            ("^Mount Ev", Some(("Mount Ev", true))),
            ("^http://e/x", Some(("http://e/x", true))),
            ("^river 1$", Some(("river 1", false))),
            ("^ab?c", Some(("a", false))),
            ("^ab{0}c", Some(("a", false))),
            ("^ab+c", Some(("ab", false))),
            ("^é*", None),
            ("^a|b", None),
            ("^(ab)", None),
            ("ab", None),
            ("^", None),
        ] {
            let found = literal_prefix(pattern);
            let found = found.as_ref().map(|(text, is_all)| (&**text, *is_all));
            assert_eq!(found, expected, "{pattern}");
        }
    }
}
