//! The tests of the SPARQL Protocol and of the Graph Store Protocol: requests as the manifest has them, sent to a server of this process, and their responses.

use super::manifest::{Description, Suites, as_node, format_of, iri_of, mf};
use crate::compare::{Order, compare};
use crate::http::client::{Connection, Response, request};
use crate::http::fixture::Fixture;
use crate::oracle::row_of;
use crate::store::{Answer, Row};
use kaluta::engine::LoadSource;
use oxrdf::vocab::rdf;
use oxrdf::{Graph, NamedNode, NamedOrBlankNodeRef, TermRef};
use oxrdfio::{RdfFormat, RdfParser};
use std::ops::RangeInclusive;

/// Where the manifests think that services are, and where they are.
const PATHS: [(&str, &str); 2] = [("/sparql/", "/sparql"), ("/gsp", "/store")];

/// The data and the exchanges of a test.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The IRIs of graphs, and of the files with what is in them.
    graphs: Vec<(String, String)>,
    exchanges: Vec<Exchange>,
}

/// A request and what its response must be like.
#[derive(Clone, Debug, Default)]
struct Exchange {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    /// The statuses that will do; empty where any will.
    statuses: Vec<RangeInclusive<u16>>,
    /// The word that stands for the header `Location` of the response in what follows.
    location: Option<String>,
    /// The Turtle that the response must stand for.
    graph: Option<String>,
    /// `boolean`, `tabular` or `RDF`.
    format: Option<String>,
    boolean: Option<bool>,
}

fn ht(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("http://www.w3.org/2011/http#{local}"))
}

fn cnt(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("http://www.w3.org/2011/content#{local}"))
}

fn ut(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!(
        "http://www.w3.org/2009/sparql/tests/test-update#{local}"
    ))
}

type Node<'g> = NamedOrBlankNodeRef<'g>;

fn literal(term: TermRef<'_>) -> Option<String> {
    match term {
        TermRef::Literal(literal) => Some(literal.value().to_owned()),
        _ => None,
    }
}

impl Conversation {
    /// The conversation that a manifest describes.
    pub fn read(manifest: &Description, test: Node<'_>, action: Node<'_>) -> Self {
        let label = NamedNode::from(oxrdf::vocab::rdfs::LABEL);
        let data = manifest.objects(test, &ut("graphData"));
        let graph = |node| {
            let file = manifest.object(node, &ut("graph")).and_then(iri_of)?;
            Some((manifest.object(node, &label).and_then(literal)?, file))
        };
        let requests = manifest.objects(action, &ht("requests"));
        let requests = requests.into_iter().flat_map(|list| manifest.list(list));
        Self {
            graphs: data
                .into_iter()
                .filter_map(as_node)
                .filter_map(graph)
                .collect(),
            exchanges: requests
                .filter_map(as_node)
                .map(|node| Exchange::read(manifest, node))
                .collect(),
        }
    }

    /// Holds the conversation with a server that has the data.
    pub fn run(&self, suites: &Suites) -> Result<(), String> {
        let mut sources = Vec::new();
        for (graph, file) in &self.graphs {
            let bytes = suites.read(file)?;
            let mut source = LoadSource::bytes(file.as_str(), bytes, format_of(file)?);
            source.graph = NamedNode::new(graph.as_str())
                .map_err(|e| e.to_string())?
                .into();
            sources.push(source);
        }
        let server = Fixture::with(sources, |_| {});
        if self.exchanges.is_empty() {
            return Err("the manifest has no request".into());
        }
        let mut locations = Vec::new();
        for exchange in &self.exchanges {
            let exchange = exchange.with_locations(&locations);
            let mut connection = Connection::open(server.address);
            let headers: Vec<_> = exchange
                .headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            let body = exchange.body.as_deref();
            connection.send_bytes(&exchange.method, &exchange.target, &headers, body);
            let response = connection.read(exchange.method == "HEAD");
            exchange.check(&response)?;
            if let Some(word) = &exchange.location {
                locations.push((word.clone(), response.header("location").to_owned()));
            }
        }
        Ok(())
    }
}

impl Exchange {
    fn read(manifest: &Description, node: Node<'_>) -> Self {
        let text = |node, predicate: &NamedNode| manifest.object(node, predicate).and_then(literal);
        let child = |predicate: &NamedNode| manifest.object(node, predicate).and_then(as_node);
        let mut exchange = Self {
            method: text(node, &ht("methodName")).unwrap_or_default(),
            target: text(node, &ht("absolutePath")).unwrap_or_default(),
            ..Self::default()
        };
        for (theirs, ours) in PATHS {
            if let Some(rest) = exchange.target.strip_prefix(theirs) {
                exchange.target = format!("{ours}{rest}");
            }
        }
        let headers = manifest.object(node, &ht("headers"));
        for header in headers.into_iter().flat_map(|list| manifest.list(list)) {
            let field = |local| as_node(header).and_then(|h| text(h, &ht(local)));
            exchange
                .headers
                .extend(field("fieldName").zip(field("fieldValue")));
        }
        exchange.body = child(&ht("body")).and_then(|body| {
            let chars = text(body, &cnt("chars"))?;
            Some(match text(body, &cnt("characterEncoding"))?.as_str() {
                "UTF-16" => chars.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                _ => chars.into_bytes(),
            })
        });
        if let Some(response) = child(&ht("resp")) {
            let statuses = manifest.objects(response, &mf("expectedStatus"));
            exchange.statuses = statuses.into_iter().filter_map(statuses_of).collect();
            exchange.location = text(response, &mf("expectedLocation"));
            let body = manifest.object(response, &ht("body")).and_then(as_node);
            exchange.graph = body.and_then(|body| text(body, &cnt("chars")));
            exchange.format = text(response, &mf("expectedFormat"));
            exchange.boolean = text(response, &mf("expectedBoolean")).map(|b| b == "true");
        }
        exchange
    }

    /// The same with the locations that earlier responses gave.
    fn with_locations(&self, locations: &[(String, String)]) -> Self {
        let mut exchange = self.clone();
        for (word, location) in locations {
            exchange.target = exchange.target.replace(word, location);
        }
        exchange
    }

    fn check(&self, response: &Response) -> Result<(), String> {
        let fail = |what: &str| {
            let (method, target, status) = (&self.method, &self.target, response.status);
            let text = String::from_utf8_lossy(&response.body);
            Err(format!("{method} {target}: {what}; got {status}\n{text}"))
        };
        let is_expected = |range: &RangeInclusive<u16>| range.contains(&response.status);
        if !self.statuses.is_empty() && !self.statuses.iter().any(is_expected) {
            return fail(&format!("expected a status of {:?}", self.statuses));
        }
        if self.location.is_some() && response.header("location").is_empty() {
            return fail("expected the header Location");
        }
        let content_type = response.header("content-type");
        let is_results = content_type.starts_with("application/sparql-results+");
        let is_as_expected = match self.format.as_deref() {
            Some("boolean") => is_results,
            Some("tabular") => is_results || content_type.starts_with("text/"),
            Some("RDF") => RdfFormat::from_media_type(content_type).is_some(),
            _ => true,
        };
        if !is_as_expected {
            return fail(&format!("{content_type} is not {:?}", self.format));
        }
        if let Some(expected) = &self.graph {
            let expected = triples(RdfFormat::Turtle, expected.as_bytes())?;
            let format = RdfFormat::from_media_type(content_type).ok_or(content_type)?;
            let found = triples(format, &response.body)?;
            compare(&expected, &found, Order::Free)?;
        }
        match self.boolean {
            Some(expected) if response.json()["boolean"] != expected => {
                fail(&format!("expected {expected}"))
            }
            _ => Ok(()),
        }
    }
}

/// The statuses of `StatusCode2xx`, or of `Created`.
fn statuses_of(status: TermRef<'_>) -> Option<RangeInclusive<u16>> {
    let iri = iri_of(status)?;
    let name = iri.rsplit('#').next()?;
    let one = match name {
        "OK" => 200,
        "Created" => 201,
        "NoContent" => 204,
        "NotFound" => 404,
        _ => {
            let class = name.strip_prefix("StatusCode")?.chars().next()?;
            let first = class.to_digit(10)? as u16 * 100;
            return Some(first..=first + 99);
        }
    };
    Some(one..=one)
}

fn triples(format: RdfFormat, bytes: &[u8]) -> Result<Answer, String> {
    let quads = RdfParser::from_format(format).for_slice(bytes);
    let row = |quad: Result<oxrdf::Quad, _>| quad.map(|q| row_of(oxrdf::Triple::from(q)));
    let rows: Result<Vec<Row>, _> = quads.map(row).collect();
    rows.map(Answer::Graph).map_err(|e| e.to_string())
}

/// What a test of the service description looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceAspect {
    /// A GET of the endpoint returns RDF.
    Rdf,
    /// The endpoint that was asked is described.
    Endpoint,
    /// Services, data sets and graphs are of their classes and have what these need.
    Schema,
}

impl ServiceAspect {
    /// The aspect that a test's name says.
    pub fn named(name: &str) -> Option<Self> {
        match name.rsplit("::").next()? {
            "returns-rdf" => Some(Self::Rdf),
            "has-endpoint-triple" => Some(Self::Endpoint),
            "conforms-to-schema" => Some(Self::Schema),
            _ => None,
        }
    }

    /// Asks a server for its description, at both paths and in several formats.
    pub fn run(self) -> Result<(), String> {
        let server = Fixture::with(Vec::new(), |_| {});
        for path in ["/sparql", "/query"] {
            for accept in [
                "*/*",
                "text/turtle",
                "application/rdf+xml",
                "application/ld+json",
            ] {
                let headers = [("Accept", accept)];
                let response = request(server.address, "GET", path, &headers, None);
                self.check(&response, &format!("http://localhost{path}"))
                    .map_err(|e| format!("{path} as {accept}: {e}"))?;
            }
        }
        Ok(())
    }

    fn check(self, response: &Response, endpoint: &str) -> Result<(), String> {
        let content_type = response.header("content-type");
        let format = RdfFormat::from_media_type(content_type).ok_or(content_type)?;
        let quads = RdfParser::from_format(format).for_slice(&response.body);
        let graph: Graph = quads
            .map(|quad| quad.map(oxrdf::Triple::from))
            .collect::<Result<_, _>>()
            .map_err(|e| e.to_string())?;
        let endpoint = NamedNode::new(endpoint).map_err(|e| e.to_string())?;
        let services = graph.subjects_for_predicate_object(&sd("endpoint"), &endpoint);
        let services: Vec<_> = services.collect();
        match self {
            Self::Rdf => Ok(()),
            Self::Endpoint if services.len() == 1 => Ok(()),
            Self::Endpoint => Err(format!("{} services at {endpoint}", services.len())),
            Self::Schema => services
                .into_iter()
                .try_for_each(|service| conforms(&graph, service)),
        }
    }
}

fn sd(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!(
        "http://www.w3.org/ns/sparql-service-description#{local}"
    ))
}

/// SPARQL 1.1 Service Description, section 3: the classes, and which properties lead from one to the other.
fn conforms(graph: &Graph, service: Node<'_>) -> Result<(), String> {
    let is_a = |node: Node<'_>, class: &str| {
        let classes = graph.objects_for_subject_predicate(node, rdf::TYPE);
        let is_so = classes.into_iter().any(|c| c == sd(class).as_ref().into());
        is_so
            .then_some(())
            .ok_or_else(|| format!("{node} is no sd:{class}"))
    };
    let follow = |node, property: &str, class: &str| {
        let object = graph.object_for_subject_predicate(node, &sd(property));
        let object = object.and_then(as_node);
        let object = object.ok_or_else(|| format!("{node} has no sd:{property}"))?;
        is_a(object, class).map(|()| object)
    };
    is_a(service, "Service")?;
    let dataset = follow(service, "defaultDataset", "Dataset")?;
    follow(dataset, "defaultGraph", "Graph")?;
    for (property, namespace) in [
        (
            "supportedLanguage",
            "http://www.w3.org/ns/sparql-service-description#",
        ),
        ("resultFormat", "http://www.w3.org/ns/formats/"),
    ] {
        let objects: Vec<_> = graph
            .objects_for_subject_predicate(service, &sd(property))
            .collect();
        let is_known = |term: &TermRef<'_>| iri_of(*term).is_some_and(|i| i.starts_with(namespace));
        if objects.is_empty() || !objects.iter().all(is_known) {
            return Err(format!("sd:{property} has the objects {objects:?}"));
        }
    }
    Ok(())
}
