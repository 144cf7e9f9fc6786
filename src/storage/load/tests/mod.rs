//! Loads through files: what the tests of a load share.

mod bad_input;
mod directory;
mod round_trip;

use super::*;
use crate::diagnostics::ErrorKind;
use crate::rdf::RdfFormat;
use crate::storage::{ColumnMask, Permutation, QuadColumn, Store};
use crate::term::{LiteralSort, TermId, TermStore, TermView};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{
    BlankNode, Dataset, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term, Triple,
};
use oxrdfio::{RdfParser, RdfSerializer};
use std::fs;
use std::path::Path;

/// The term of an id, with blank nodes named by their numbers.
fn term(snapshot: &Snapshot, id: TermId) -> Term {
    let mut buffer = Vec::new();
    let view = match id.tag().is_stored() || id.tag() == crate::term::Tag::Blank {
        true => snapshot.resolve(id, &mut buffer).unwrap(),
        false => crate::term::inline::resolve(id, &mut buffer),
    };
    match view {
        TermView::Iri(iri) => NamedNode::new(iri).unwrap().into(),
        TermView::Blank { number, .. } => BlankNode::new(format!("b{number}")).unwrap().into(),
        TermView::Literal { lexical, sort } => match sort {
            LiteralSort::String => Literal::new_simple_literal(lexical),
            LiteralSort::Lang(language, None) => {
                Literal::new_language_tagged_literal_unchecked(lexical, language)
            }
            LiteralSort::Lang(language, Some(direction)) => {
                Literal::new_directional_language_tagged_literal_unchecked(
                    lexical, language, direction,
                )
            }
            LiteralSort::Typed(datatype) => {
                Literal::new_typed_literal(lexical, NamedNode::new(datatype).unwrap())
            }
        }
        .into(),
        TermView::Triple([s, p, o]) => Triple::new(
            subject(term(snapshot, s)),
            iri(term(snapshot, p)),
            term(snapshot, o),
        )
        .into(),
    }
}

fn subject(term: Term) -> NamedOrBlankNode {
    match term {
        Term::NamedNode(iri) => iri.into(),
        Term::BlankNode(node) => node.into(),
        other => panic!("{other} is no subject"),
    }
}

fn iri(term: Term) -> NamedNode {
    match term {
        Term::NamedNode(iri) => iri,
        other => panic!("{other} is no IRI"),
    }
}

/// All quads of a store.
fn dump(store: &Store) -> Dataset {
    let snapshot = store.snapshot();
    let mut scan = snapshot
        .scan(Permutation::Spog, &[], ColumnMask::ALL)
        .unwrap();
    let mut dataset = Dataset::new();
    while let Some(block) = scan.next_block().unwrap() {
        for row in 0..block.rows() {
            let [s, p, o, g] = QuadColumn::ALL.map(|column| block.column(column)[row]);
            let graph = match g {
                TermId::DEFAULT_GRAPH => GraphName::DefaultGraph,
                g => subject(term(&snapshot, g)).into(),
            };
            let subject = subject(term(&snapshot, s));
            let quad = Quad::new(subject, iri(term(&snapshot, p)), term(&snapshot, o), graph);
            dataset.insert(&quad);
        }
    }
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    dataset
}

fn parsed(text: &str, format: RdfFormat) -> Dataset {
    let quads = RdfParser::from_format(format).for_slice(text);
    let mut dataset: Dataset = quads.map(|quad| quad.unwrap()).collect();
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    dataset
}

fn source(text: impl Into<Vec<u8>>, format: RdfFormat) -> LoadSource {
    LoadSource::bytes("test", text.into(), format)
}

fn load(store: &Store, sources: Vec<LoadSource>) -> Result<LoadReport> {
    store.bulk_load(sources, &LoadOptions::default(), &())
}

fn lenient() -> LoadOptions {
    LoadOptions {
        lenient: true,
        ..LoadOptions::default()
    }
}

fn new_store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("store")).unwrap();
    (dir, store)
}

/// The names of the files of the store in a directory.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir.join("store")).unwrap();
    let mut names: Vec<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
