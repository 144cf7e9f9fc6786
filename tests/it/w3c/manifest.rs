//! The manifests of the W3C test suites: which tests there are, and the files each is made of.

use super::documents::DocumentTest;
use super::protocol::{Conversation, ServiceAspect};
use super::update::{self, UpdateTest};
use oxrdf::vocab::rdf;
use oxrdf::{Graph, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, TermRef};
use oxrdfio::{RdfFormat, RdfParser};
use std::fs;
use std::path::{Path, PathBuf};

/// The IRI under which the folder of all suites is published; relative IRIs in test files are resolved against it.
const ROOT_IRI: &str = "https://w3c.github.io/rdf-tests/";

/// The folder of the suites on this machine.
#[derive(Clone, Debug)]
pub struct Suites(pub PathBuf);

/// A test of a query, an update, a document or the protocol.
#[derive(Clone, Debug)]
pub struct Test {
    /// The suite, the folder and the fragment of its IRI: `sparql11::aggregates::agg01`.
    pub name: String,
    pub kind: Kind,
    /// The IRI of the file that is tested; of tests without one, that of the manifest.
    pub query: String,
}

/// What is to be tested.
#[derive(Clone, Debug)]
pub enum Kind {
    PositiveSyntax,
    NegativeSyntax,
    PositiveUpdateSyntax,
    NegativeUpdateSyntax,
    Evaluation(Evaluation),
    /// An update and what it must leave.
    Update(UpdateTest),
    Document(DocumentTest),
    /// Requests and the responses to expect, in the order of the manifest.
    Protocol(Conversation),
    /// What the description of the service must have.
    ServiceDescription(ServiceAspect),
    /// A test of something that this project does not do.
    NotApplicable(&'static str),
}

/// The files of an evaluation test, as IRIs.
#[derive(Clone, Debug)]
pub struct Evaluation {
    pub data: Vec<String>,
    pub named: Vec<String>,
    /// Other endpoints, each with its data.
    pub services: Vec<(String, Vec<String>)>,
    pub result: String,
    /// Whether REDUCED may take duplicates away.
    pub is_lax: bool,
    /// Whether values are compared as CSV writes them.
    pub is_csv: bool,
    /// Whether the test is about how numbers are written.
    pub is_lexical: bool,
}

impl Evaluation {
    /// Whether the result file lists solutions in an order, as all formats but RDF do.
    pub fn is_listed(&self) -> bool {
        ["srx", "srj", "tsv", "csv"]
            .iter()
            .any(|extension| self.result.ends_with(extension))
    }
}

impl Suites {
    /// The file that an IRI stands for.
    pub fn path(&self, iri: &str) -> Option<PathBuf> {
        Some(self.0.join(iri.strip_prefix(ROOT_IRI)?))
    }

    /// The bytes behind an IRI.
    pub fn read(&self, iri: &str) -> Result<Vec<u8>, String> {
        let path = self
            .path(iri)
            .ok_or_else(|| format!("<{iri}> is not in the suites"))?;
        fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// The RDF document behind an IRI, as a graph.
    pub fn read_graph(&self, iri: &str) -> Result<Graph, String> {
        let parser = RdfParser::from_format(format_of(iri)?);
        let parser = parser.with_base_iri(iri).map_err(|e| e.to_string())?;
        let quads = parser
            .for_slice(&self.read(iri)?)
            .map(|q| q.map(oxrdf::Triple::from))
            .collect::<Result<_, _>>();
        quads.map_err(|e| format!("<{iri}>: {e}"))
    }

    /// The query tests of a manifest and of those that it includes.
    pub fn tests(&self, manifest: &str) -> Result<Vec<Test>, String> {
        let iri = format!("{ROOT_IRI}{manifest}");
        let mut tests = Vec::new();
        self.collect(&iri, &mut tests)?;
        Ok(tests)
    }

    fn collect(&self, manifest: &str, tests: &mut Vec<Test>) -> Result<(), String> {
        let graph = Description(self.read_graph(manifest)?);
        let folder = Path::new(manifest.strip_prefix(ROOT_IRI).unwrap_or(manifest)).parent();
        // The first part says `sparql` or `rdf`, as does the second.
        let folder = folder.map(|f| {
            let parts = f
                .components()
                .skip(1)
                .map(|c| c.as_os_str().to_string_lossy());
            parts.collect::<Vec<_>>().join("::")
        });
        for list in graph.objects_of("include") {
            for included in graph.list(list) {
                if let TermRef::NamedNode(node) = included {
                    self.collect(node.as_str(), tests)?;
                }
            }
        }
        for list in graph.objects_of("entries") {
            for entry in graph.list(list) {
                let TermRef::NamedNode(node) = entry else {
                    continue;
                };
                let local = node.as_str().rsplit(['#', '/']).next().unwrap_or_default();
                let name = format!("{}::{local}", folder.as_deref().unwrap_or_default());
                tests.extend(graph.test(node, name, manifest));
            }
        }
        Ok(())
    }
}

/// The RDF format of a file, by its extension.
pub fn format_of(iri: &str) -> Result<RdfFormat, String> {
    let extension = iri.rsplit('.').next().unwrap_or_default();
    RdfFormat::from_extension(extension).ok_or_else(|| format!("<{iri}> has an unknown extension"))
}

/// A manifest as a graph.
pub struct Description(Graph);

pub fn mf(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!(
        "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#{local}"
    ))
}

fn qt(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!(
        "http://www.w3.org/2001/sw/DataAccess/tests/test-query#{local}"
    ))
}

impl Description {
    fn objects_of(&self, local: &str) -> Vec<TermRef<'_>> {
        let predicate = mf(local);
        self.0
            .iter()
            .filter(|t| t.predicate == predicate.as_ref())
            .map(|t| t.object)
            .collect()
    }

    pub fn object(
        &self,
        subject: NamedOrBlankNodeRef<'_>,
        predicate: &NamedNode,
    ) -> Option<TermRef<'_>> {
        self.0.object_for_subject_predicate(subject, predicate)
    }

    /// Every object of a property.
    pub fn objects(
        &self,
        subject: NamedOrBlankNodeRef<'_>,
        predicate: &NamedNode,
    ) -> Vec<TermRef<'_>> {
        let objects = self.0.objects_for_subject_predicate(subject, predicate);
        objects.collect()
    }

    fn iris(&self, subject: NamedOrBlankNodeRef<'_>, predicate: &NamedNode) -> Vec<String> {
        let objects = self.0.objects_for_subject_predicate(subject, predicate);
        let mut iris: Vec<String> = objects.filter_map(iri_of).collect();
        iris.sort_unstable();
        iris
    }

    pub fn list<'g>(&'g self, head: TermRef<'g>) -> Vec<TermRef<'g>> {
        let mut items = Vec::new();
        let mut rest = Some(head);
        while let Some(node) = rest.and_then(as_node) {
            items.extend(self.0.object_for_subject_predicate(node, rdf::FIRST));
            rest = self.0.object_for_subject_predicate(node, rdf::REST);
        }
        items
    }

    /// The test of this IRI, if it tests what a query server does.
    fn test(&self, node: NamedNodeRef<'_>, name: String, manifest: &str) -> Option<Test> {
        let kind = self
            .0
            .object_for_subject_predicate(node, rdf::TYPE)
            .and_then(iri_of)?;
        let kind = kind.rsplit('#').next()?;
        if kind == "ServiceDescriptionTest" {
            return Some(Test {
                kind: Kind::ServiceDescription(ServiceAspect::named(&name)?),
                name,
                query: manifest.to_owned(),
            });
        }
        let action = self.object(node.into(), &mf("action"))?;
        if matches!(kind, "ProtocolTest" | "GraphStoreProtocolTest") {
            return Some(Test {
                name,
                kind: Kind::Protocol(Conversation::read(self, node.into(), as_node(action)?)),
                query: manifest.to_owned(),
            });
        }
        if kind == "UpdateEvaluationTest" {
            let action = as_node(action)?;
            let result = self.object(node.into(), &mf("result")).and_then(as_node);
            return Some(Test {
                name,
                kind: Kind::Update(UpdateTest::read(self, action, result)),
                query: update::request_of(self, action)?,
            });
        }
        let query = match action {
            TermRef::NamedNode(query) => query.as_str().to_owned(),
            _ => self
                .object(as_node(action)?, &qt("query"))
                .and_then(iri_of)?,
        };
        let kind = match kind {
            "PositiveSyntaxTest" | "PositiveSyntaxTest11" => Kind::PositiveSyntax,
            "NegativeSyntaxTest" | "NegativeSyntaxTest11" => Kind::NegativeSyntax,
            "PositiveUpdateSyntaxTest" | "PositiveUpdateSyntaxTest11" => Kind::PositiveUpdateSyntax,
            "NegativeUpdateSyntaxTest" | "NegativeUpdateSyntaxTest11" => Kind::NegativeUpdateSyntax,
            "QueryEvaluationTest" => self.evaluation(node, action, false)?,
            "CSVResultFormatTest" => self.evaluation(node, action, true)?,
            "PositiveEntailmentTest" | "NegativeEntailmentTest" => {
                Kind::NotApplicable("it needs entailment")
            }
            kind => {
                let result = self.object(node.into(), &mf("result")).and_then(iri_of);
                Kind::Document(DocumentTest::of(kind, result)?)
            }
        };
        Some(Test { name, kind, query })
    }

    fn services(&self, action: NamedOrBlankNodeRef<'_>) -> Vec<(String, Vec<String>)> {
        let data = qt("serviceData");
        let services = self.0.objects_for_subject_predicate(action, &data);
        let service = |node| {
            let node = as_node(node)?;
            let endpoint = self.object(node, &qt("endpoint")).and_then(iri_of)?;
            Some((endpoint, self.iris(node, &qt("data"))))
        };
        services.filter_map(service).collect()
    }

    fn evaluation(
        &self,
        node: NamedNodeRef<'_>,
        action: TermRef<'_>,
        is_csv: bool,
    ) -> Option<Kind> {
        let regime = NamedNode::new_unchecked(
            "http://www.w3.org/ns/sparql-service-description#entailmentRegime",
        );
        let action = as_node(action)?;
        if self.object(action, &regime).is_some() || self.object(node.into(), &regime).is_some() {
            return Some(Kind::NotApplicable("it needs entailment"));
        }
        let cardinality = self.object(node.into(), &mf("resultCardinality"));
        let requirement = self.object(node.into(), &mf("requires"));
        Some(Kind::Evaluation(Evaluation {
            data: self.iris(action, &qt("data")),
            named: self.iris(action, &qt("graphData")),
            services: self.services(action),
            result: self.object(node.into(), &mf("result")).and_then(iri_of)?,
            is_lax: cardinality == Some(mf("LaxCardinality").as_ref().into()),
            is_csv,
            is_lexical: requirement == Some(mf("NoCanonicalizationOfNumerics").as_ref().into()),
        }))
    }
}

pub fn iri_of(term: TermRef<'_>) -> Option<String> {
    match term {
        TermRef::NamedNode(node) => Some(node.as_str().to_owned()),
        _ => None,
    }
}

pub fn as_node(term: TermRef<'_>) -> Option<NamedOrBlankNodeRef<'_>> {
    match term {
        TermRef::NamedNode(node) if node == rdf::NIL => None,
        TermRef::NamedNode(node) => Some(node.into()),
        TermRef::BlankNode(node) => Some(node.into()),
        _ => None,
    }
}
