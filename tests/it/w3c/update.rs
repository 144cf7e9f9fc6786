//! The evaluation tests of updates: a store with some data, a request, and the quads that it must leave.

use super::manifest::{Description, Suites, as_node, format_of, iri_of};
use crate::compare::{Order, compare};
use crate::kaluta::Kaluta;
use crate::store::{Answer, Document, Request, Store};
use oxrdf::{GraphName, NamedNode, NamedOrBlankNodeRef, TermRef};

/// The data before and after, and nothing else: the request is the test's own file.
#[derive(Clone, Debug)]
pub struct UpdateTest {
    before: Dataset,
    after: Dataset,
}

/// The files of a dataset, as IRIs, and the graph that each is.
#[derive(Clone, Debug)]
struct Dataset(Vec<(String, GraphName)>);

fn ut(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!(
        "http://www.w3.org/2009/sparql/tests/test-update#{local}"
    ))
}

/// The IRI of the request of an action.
pub fn request_of(manifest: &Description, action: NamedOrBlankNodeRef<'_>) -> Option<String> {
    manifest.object(action, &ut("request")).and_then(iri_of)
}

impl UpdateTest {
    /// The test of an action and its result.
    pub fn read(
        manifest: &Description,
        action: NamedOrBlankNodeRef<'_>,
        result: Option<NamedOrBlankNodeRef<'_>>,
    ) -> Self {
        Self {
            before: Dataset::read(manifest, action),
            after: result.map_or(Dataset(Vec::new()), |r| Dataset::read(manifest, r)),
        }
    }

    /// Makes the update, and compares what is there then.
    pub fn run(&self, suites: &Suites, text: &str, base: &str) -> Result<(), String> {
        let store = self.before.store(suites)?;
        store.update(&Request {
            text: text.to_owned(),
            base: Some(base.to_owned()),
        })?;
        let expected = self.after.store(suites)?;
        compare(
            &Answer::Graph(expected.dump()?),
            &Answer::Graph(store.dump()?),
            Order::Free,
        )
    }
}

impl Dataset {
    fn read(manifest: &Description, node: NamedOrBlankNodeRef<'_>) -> Self {
        let label = NamedNode::from(oxrdf::vocab::rdfs::LABEL);
        let files = manifest.objects(node, &ut("data"));
        let default = files.into_iter().filter_map(iri_of);
        let default = default.map(|iri| (iri, GraphName::DefaultGraph));
        let named = manifest.objects(node, &ut("graphData"));
        let named = named.into_iter().filter_map(|graph| {
            let graph = as_node(graph)?;
            let file = manifest.object(graph, &ut("graph")).and_then(iri_of)?;
            let TermRef::Literal(name) = manifest.object(graph, &label)? else {
                return None;
            };
            Some((file, NamedNode::new(name.value()).ok()?.into()))
        });
        Self(default.chain(named).collect())
    }

    fn store(&self, suites: &Suites) -> Result<Kaluta, String> {
        let mut store = Kaluta::open()?;
        let document = |(iri, graph): &(String, GraphName)| {
            Ok(Document {
                bytes: suites.read(iri)?,
                format: format_of(iri)?,
                base: Some(iri.clone()),
                graph: graph.clone(),
            })
        };
        let documents: Vec<_> = self.0.iter().map(document).collect::<Result<_, String>>()?;
        store.load(documents)?;
        Ok(store)
    }
}
