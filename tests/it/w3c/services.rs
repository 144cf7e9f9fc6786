//! The endpoints of a test that asks other services: servers of our own on this machine, to which the names in query,
//! data and answer are moved.

use super::manifest::{Suites, format_of};
use crate::endpoint::{Bound, Endpoint};
use crate::kaluta::Kaluta;
use crate::store::Document;
use kaluta::settings::ServiceSettings;
use oxrdf::{GraphName, NamedNode, Term};

/// The endpoints of one test.
pub struct Services {
    /// The names in the test, and the URLs that stand for them.
    names: Vec<(String, String)>,
    settings: ServiceSettings,
    /// They answer as long as they are held.
    _endpoints: Vec<Endpoint>,
}

impl Services {
    /// Starts an endpoint for each of some names and their data. They may ask each other.
    pub fn start(suites: &Suites, services: &[(String, Vec<String>)]) -> Result<Self, String> {
        let bound: Vec<Bound> = services.iter().map(|_| Bound::new()).collect();
        let names = services.iter().map(|(name, _)| name.clone());
        let names = names.zip(bound.iter().map(Bound::url)).collect::<Vec<_>>();
        let settings = ServiceSettings {
            allow: names.iter().map(|(_, url)| url.clone()).collect(),
            ..ServiceSettings::default()
        };
        let mut started = Self {
            names,
            settings,
            _endpoints: Vec::new(),
        };
        for (bound, (_, data)) in bound.into_iter().zip(services) {
            let document = |iri: &String| {
                Ok(started.moved(Document {
                    bytes: suites.read(iri)?,
                    format: format_of(iri)?,
                    base: Some(iri.clone()),
                    graph: GraphName::DefaultGraph,
                }))
            };
            let documents = data.iter().map(document).collect::<Result<_, String>>()?;
            let endpoint = bound.serve(documents, &started.settings)?;
            started._endpoints.push(endpoint);
        }
        Ok(started)
    }

    /// The store under test; it may ask these endpoints, if there are any.
    pub fn store(&self) -> Result<Kaluta, String> {
        Kaluta::open_with(&self.settings)
    }

    /// A text with the URLs in place of the names.
    pub fn moved_text(&self, text: &str) -> String {
        let replaced = |text: String, (name, url): &(String, String)| text.replace(name, url);
        self.names.iter().fold(text.to_owned(), replaced)
    }

    /// A document with the URLs in place of the names.
    pub fn moved(&self, mut document: Document) -> Document {
        if let (false, Ok(text)) = (self.names.is_empty(), std::str::from_utf8(&document.bytes)) {
            document.bytes = self.moved_text(text).into_bytes();
        }
        document
    }

    /// A term with the name in place of the URL.
    pub fn moved_back(&self, term: Term) -> Term {
        let is_moved = |(_, url): &&(String, String)| matches!(&term, Term::NamedNode(node) if node.as_str() == url);
        match self.names.iter().find(is_moved) {
            Some((name, _)) => NamedNode::new_unchecked(name.as_str()).into(),
            None => term,
        }
    }
}
