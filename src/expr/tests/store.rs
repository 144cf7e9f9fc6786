//! A dictionary in memory, sorted like one that bulk load wrote.

use crate::diagnostics::{Error, Result};
use crate::expr::local::{direction_name, tag_of};
use crate::expr::view_literal;
use crate::term::{LiteralSort, Tag, TermId, TermStore, TermView};
use oxrdf::Term;
use std::ops::Range;

/// The terms of each stored tag in the order of their texts, then of what stands beside these; triple terms are left out.
pub(super) struct MemoryStore {
    terms: [Vec<(Key, Term)>; Tag::STORED.len()],
}

type Key = (String, String);

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

fn key(term: &TermView<'_>) -> Key {
    match *term {
        TermView::Iri(iri) => (iri.to_owned(), String::new()),
        TermView::Literal { lexical, sort } => {
            let rest = match sort {
                LiteralSort::String => String::new(),
                LiteralSort::Lang(language, None) => language.to_owned(),
                LiteralSort::Lang(language, Some(direction)) => {
                    format!("{language}--{}", direction_name(direction))
                }
                LiteralSort::Typed(datatype) => datatype.to_owned(),
            };
            (lexical.to_owned(), rest)
        }
        TermView::Blank { .. } | TermView::Triple(_) => Key::default(),
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
            store.terms[place(tag)].push((key(&view), term.clone()));
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
        let Some(tag) = tag_of(term).filter(|&tag| tag != Tag::Triple) else {
            return Ok(None);
        };
        let key = key(term);
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
        let start = terms.partition_point(|(key, _)| &*key.0 < prefix);
        let in_range = |(key, _): &(Key, Term)| key.0.starts_with(prefix);
        let len = terms[start..].partition_point(in_range);
        Ok(start as u64..(start + len) as u64)
    }
}
