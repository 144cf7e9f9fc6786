//! Terms as they come from the parser, to ids that are local to a chunk.
//!
//! The quick way through the parser leaves IRIs and language tags unchecked; they are checked here, the first time
//! that they are seen, so that a bad one is never stored and a good one is checked but once.

use crate::storage::dictionary::{TermTable, encode_key, section_of};
use crate::storage::permutation::Quad;
use crate::term::{LiteralSort, Tag, TermId, TermView};
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Term, Triple};

/// The sections of a chunk's terms: those of the dictionary, then blank nodes.
pub const SECTIONS: usize = Tag::STORED.len() + 1;
/// The section of blank nodes.
pub const BLANK_SECTION: usize = Tag::STORED.len();
/// The section of triple terms.
pub const TRIPLE_SECTION: usize = Tag::STORED.len() - 1;

/// The section in which a chunk holds terms of a tag; `None` for ids that are final.
#[inline]
pub fn chunk_section(tag: Tag) -> Option<usize> {
    match tag {
        Tag::Blank => Some(BLANK_SECTION),
        _ => section_of(tag),
    }
}

/// A term that the quick way through the parser let pass and that is not allowed.
#[derive(Debug)]
pub struct InvalidTerm;

/// The tables of a chunk, and the quads that use them.
#[derive(Default)]
pub struct Interner {
    tables: [TermTable; SECTIONS],
    quads: Vec<Quad>,
    key: Vec<u8>,
    /// Datatypes and language tags that were checked, in the order in which they came; there are few.
    checked: std::collections::HashSet<String>,
}

impl Interner {
    /// The quads so far.
    pub fn quads(&self) -> usize {
        self.quads.len()
    }

    /// Forgets the quads after the first so many; their terms stay, which is no harm.
    pub fn truncate(&mut self, quads: usize) {
        self.quads.truncate(quads);
    }

    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(TermTable::memory_bytes).sum();
        tables + self.quads.len() * size_of::<Quad>()
    }

    /// The tables and the quads, taken out.
    pub fn into_parts(self) -> ([TermTable; SECTIONS], Vec<Quad>) {
        (self.tables, self.quads)
    }

    /// Adds a quad of a source; blank node labels are the source's own.
    ///
    /// # Errors
    /// A term is not allowed.
    pub fn push(
        &mut self,
        source: u32,
        triple: &Triple,
        graph: &GraphName,
    ) -> Result<(), InvalidTerm> {
        let [subject, predicate, object] = self.triple_ids(source, triple)?;
        let graph = match graph {
            GraphName::DefaultGraph => TermId::DEFAULT_GRAPH,
            GraphName::NamedNode(iri) => self.iri(iri)?,
            GraphName::BlankNode(node) => self.blank(source, node),
        };
        self.quads.push([subject, predicate, object, graph]);
        Ok(())
    }

    fn triple_ids(&mut self, source: u32, triple: &Triple) -> Result<[TermId; 3], InvalidTerm> {
        let subject = match &triple.subject {
            NamedOrBlankNode::NamedNode(iri) => self.iri(iri)?,
            NamedOrBlankNode::BlankNode(node) => self.blank(source, node),
        };
        let predicate = self.iri(&triple.predicate)?;
        let object = match &triple.object {
            Term::NamedNode(iri) => self.iri(iri)?,
            Term::BlankNode(node) => self.blank(source, node),
            Term::Literal(literal) => self.literal(literal)?,
            Term::Triple(triple) => {
                let ids = self.triple_ids(source, triple)?;
                self.intern(&TermView::Triple(ids), |_| Ok(()))?
            }
        };
        Ok([subject, predicate, object])
    }

    fn iri(&mut self, iri: &NamedNode) -> Result<TermId, InvalidTerm> {
        let iri = iri.as_str();
        self.intern(&TermView::Iri(iri), |_| check_iri(iri))
    }

    /// A blank node's key is its source and its label.
    fn blank(&mut self, source: u32, node: &BlankNode) -> TermId {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.extend(source.to_be_bytes());
        key.extend_from_slice(node.as_str().as_bytes());
        let hash = TermTable::hash(&key);
        let table = &mut self.tables[BLANK_SECTION];
        let number = table.find(hash, &key);
        let number = number.unwrap_or_else(|| table.add(hash, &key));
        self.key = key;
        TermId::new(Tag::Blank, u64::from(number))
    }

    fn literal(&mut self, literal: &Literal) -> Result<TermId, InvalidTerm> {
        let lexical = literal.value();
        if let Some(language) = literal.language() {
            let sort = LiteralSort::Lang(language, literal.direction());
            let term = TermView::Literal { lexical, sort };
            return self.intern(&term, |this| {
                this.check_once(language, || {
                    Literal::new_language_tagged_literal("", language).is_ok()
                })
            });
        }
        let datatype = literal.datatype();
        if datatype == oxrdf::vocab::xsd::STRING {
            let sort = LiteralSort::String;
            return self.intern(&TermView::Literal { lexical, sort }, |_| Ok(()));
        }
        let datatype = datatype.as_str();
        if let Some(id) = TermId::encode_inline(lexical, datatype) {
            return Ok(id);
        }
        let sort = LiteralSort::Typed(datatype);
        self.intern(&TermView::Literal { lexical, sort }, |this| {
            this.check_once(datatype, || {
                // A language-tagged string without its tag (RDF 1.2 Concepts, section 3.4).
                let without_tag = [
                    oxrdf::vocab::rdf::LANG_STRING.as_str(),
                    oxrdf::vocab::rdf::DIR_LANG_STRING.as_str(),
                ];
                !without_tag.contains(&datatype) && check_iri(datatype).is_ok()
            })
        })
    }

    /// The local id of a term; a new one is checked before it is added.
    #[inline]
    fn intern(
        &mut self,
        term: &TermView<'_>,
        check: impl FnOnce(&mut Self) -> Result<(), InvalidTerm>,
    ) -> Result<TermId, InvalidTerm> {
        let mut key = std::mem::take(&mut self.key);
        let tag = encode_key(term, &mut key).ok_or(InvalidTerm)?;
        let section = section_of(tag).ok_or(InvalidTerm)?;
        let hash = TermTable::hash(&key);
        let number = match self.tables[section].find(hash, &key) {
            Some(number) => Ok(number),
            None => check(self).map(|()| self.tables[section].add(hash, &key)),
        };
        self.key = key;
        number.map(|number| TermId::new(tag, u64::from(number)))
    }

    fn check_once(&mut self, text: &str, check: impl FnOnce() -> bool) -> Result<(), InvalidTerm> {
        if self.checked.contains(text) {
            return Ok(());
        }
        if !check() {
            return Err(InvalidTerm);
        }
        self.checked.insert(text.to_owned());
        Ok(())
    }
}

fn check_iri(iri: &str) -> Result<(), InvalidTerm> {
    match oxiri::Iri::parse(iri) {
        Ok(_) => Ok(()),
        Err(_) => Err(InvalidTerm),
    }
}
