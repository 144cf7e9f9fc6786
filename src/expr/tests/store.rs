//! A dictionary in memory, sorted like one that bulk load wrote.

use crate::diagnostics::{Error, Result};
use crate::expr::local::{encode_key, tag_of};
use crate::expr::view_literal;
use crate::term::{LiteralSort, Tag, TermId, TermStore, TermView};
use oxrdf::Term;
use std::ops::Range;

/// The terms of each stored tag in the order of their keys; triple terms are left out.
pub(super) struct MemoryStore {
    terms: [Vec<(Vec<u8>, Term)>; Tag::STORED.len()],
}

fn place(tag: Tag) -> usize {
    Tag::STORED.iter().position(|&t| t == tag).unwrap_or(0)
}

fn view(term: &Term) -> Option<TermView<'_>> {
    match term {
        Term::NamedNode(iri) => Some(TermView::Iri(iri.as_str())),
        Term::Literal(literal) => Some(view_literal(literal)),
        Term::BlankNode(_) | Term::Triple(_) => None,
    }
}

impl MemoryStore {
    pub(super) fn new(terms: &[Term]) -> Self {
        let mut store = Self {
            terms: Default::default(),
        };
        for term in terms {
            let Some(view) = view(term) else { continue };
            let Some(tag) = tag_of(&view) else { continue };
            let mut key = Vec::new();
            encode_key(&view, &mut key);
            store.terms[place(tag)].push((key, term.clone()));
        }
        for terms in &mut store.terms {
            terms.sort_by(|a, b| a.0.cmp(&b.0));
            terms.dedup_by(|a, b| a.0 == b.0);
        }
        store
    }
}

impl TermStore for MemoryStore {
    fn lookup(&self, term: &TermView<'_>) -> Result<Option<TermId>> {
        let Some(tag) = tag_of(term) else {
            return Ok(None);
        };
        let mut key = Vec::new();
        encode_key(term, &mut key);
        let found = self.terms[place(tag)].binary_search_by(|(k, _)| k.cmp(&key));
        Ok(found.ok().map(|number| TermId::new(tag, number as u64)))
    }

    fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>> {
        let terms = &self.terms[place(id.tag())];
        let Some((_, term)) = terms.get(id.number() as usize) else {
            return Err(Error::internal(format!("{id:?} is not in the dictionary")));
        };
        buffer.clear();
        match term {
            Term::NamedNode(iri) => buffer.extend_from_slice(iri.as_str().as_bytes()),
            Term::Literal(literal) => buffer.extend_from_slice(literal.value().as_bytes()),
            _ => {}
        }
        let lexical_len = buffer.len();
        let mut rest = String::new();
        let mut direction = None;
        if let Term::Literal(literal) = term {
            direction = literal.direction();
            rest = match literal.language() {
                Some(language) => language.to_owned(),
                None => literal.datatype().as_str().to_owned(),
            };
        }
        buffer.extend_from_slice(rest.as_bytes());
        let text = std::str::from_utf8(buffer).expect("text");
        let (lexical, rest) = text.split_at(lexical_len);
        Ok(match id.tag() {
            Tag::Iri => TermView::Iri(lexical),
            tag => TermView::Literal {
                lexical,
                sort: match tag {
                    Tag::String => LiteralSort::String,
                    Tag::LangString => LiteralSort::Lang(rest, direction),
                    _ => LiteralSort::Typed(rest),
                },
            },
        })
    }

    fn sorted_len(&self, tag: Tag) -> u64 {
        self.terms[place(tag)].len() as u64
    }

    fn prefix_range(&self, tag: Tag, prefix: &str) -> Result<Range<u64>> {
        let terms = &self.terms[place(tag)];
        let start = terms.partition_point(|(key, _)| key.as_slice() < prefix.as_bytes());
        let in_range = |(key, _): &(Vec<u8>, Term)| key.starts_with(prefix.as_bytes());
        let len = terms[start..].partition_point(in_range);
        Ok(start as u64..(start + len) as u64)
    }
}
