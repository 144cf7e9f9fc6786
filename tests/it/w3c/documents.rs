//! The parsing tests of RDF 1.1 and 1.2: documents that load, that do not, and what is in the store afterwards.

use super::manifest::{Suites, Test, format_of};
use crate::compare::{Order, compare};
use crate::kaluta::Kaluta;
use crate::store::{Answer, Document, Row, Store};
use oxrdf::{GraphName, Quad, Term};
use oxrdfio::{RdfFormat, RdfParser};

/// A test of a document.
#[derive(Clone, Debug)]
pub struct DocumentTest {
    format: RdfFormat,
    expected: Expected,
}

#[derive(Clone, Debug)]
enum Expected {
    /// It loads.
    Success,
    /// It does not, and leaves nothing behind.
    Failure,
    /// It loads as what is in the file of this IRI.
    Data(String),
    /// It is written as in the file of this IRI, but for the order of lines and the names of blank nodes.
    Canonical(String),
}

impl DocumentTest {
    /// The test of a type such as `TestTurtleEval`, and of the file that `mf:result` names.
    pub fn of(kind: &str, result: Option<String>) -> Option<Self> {
        const FORMATS: [(&str, RdfFormat); 5] = [
            ("NTriples", RdfFormat::NTriples),
            ("NQuads", RdfFormat::NQuads),
            ("Turtle", RdfFormat::Turtle),
            ("Trig", RdfFormat::TriG),
            ("XML", RdfFormat::RdfXml),
        ];
        let kind = kind.strip_prefix("Test")?;
        let (kind, format) = FORMATS
            .into_iter()
            .find_map(|(name, format)| Some((kind.strip_prefix(name)?, format)))?;
        let expected = match kind {
            "PositiveSyntax" => Expected::Success,
            "NegativeSyntax" | "NegativeEval" => Expected::Failure,
            "Eval" => Expected::Data(result?),
            "PositiveC14N" => Expected::Canonical(result?),
            _ => return None,
        };
        Some(Self { format, expected })
    }

    /// The name of the format, for the table of suites.
    pub fn format_name(&self) -> &'static str {
        self.format.name()
    }

    /// Loads the document, and looks at what became of it.
    pub fn run(&self, suites: &Suites, test: &Test) -> Result<(), String> {
        let mut store = Kaluta::open()?;
        let loaded = store.load(vec![Document {
            bytes: suites.read(&test.query)?,
            format: self.format,
            base: Some(test.query.clone()),
            graph: GraphName::DefaultGraph,
        }]);
        match (&self.expected, loaded) {
            (Expected::Failure, Err(_)) if store.dump()?.is_empty() => Ok(()),
            (Expected::Failure, Err(_)) => Err("a part of the document stayed".into()),
            (Expected::Failure, Ok(())) => Err("this should not load".into()),
            (_, Err(error)) => Err(error),
            (Expected::Success, Ok(())) => Ok(()),
            (Expected::Data(iri), Ok(())) => {
                let expected = read(suites, iri)?;
                let actual = Answer::Graph(store.dump()?);
                compare(&Answer::Graph(expected), &actual, Order::Free)
            }
            (Expected::Canonical(iri), Ok(())) => {
                let expected = canonical_lines(&suites.read(iri)?);
                let actual = canonical_lines(&store.dump_as(self.format)?);
                if actual == expected {
                    return Ok(());
                }
                Err(format!("expected\n{expected}got\n{actual}"))
            }
        }
    }
}

/// The quads of a file, as rows.
fn read(suites: &Suites, iri: &str) -> Result<Vec<Row>, String> {
    let parser = RdfParser::from_format(format_of(iri)?);
    let parser = parser.with_base_iri(iri).map_err(|e| e.to_string())?;
    let bytes = suites.read(iri)?;
    let quads = parser.for_slice(&bytes);
    quads
        .map(|quad| quad.map(row_of).map_err(|e| format!("<{iri}>: {e}")))
        .collect()
}

/// Sorted lines, with one name for all blank nodes.
fn canonical_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let rename = |word: &str| if word.starts_with("_:") { "_:b" } else { word }.to_owned();
    let line = |line: &str| line.split(' ').map(rename).collect::<Vec<_>>().join(" ") + "\n";
    let mut lines: Vec<String> = text.lines().map(line).collect();
    lines.sort_unstable();
    lines.concat()
}

/// A quad as a row of four; the default graph has no name.
pub fn row_of(quad: Quad) -> Row {
    let graph = match quad.graph_name {
        GraphName::NamedNode(node) => Some(Term::from(node)),
        GraphName::BlankNode(node) => Some(node.into()),
        GraphName::DefaultGraph => None,
    };
    vec![
        Some(quad.subject.into()),
        Some(quad.predicate.into()),
        Some(quad.object),
        graph,
    ]
}
