//! One HTTP/1.1 client for the requests of one query or update: sends a query to an endpoint, or asks for a document, and
//! reads the whole answer.
//!
//! The guard is asked for every URL, that of a redirect too, and a connection is made only to an address that it admits.
//! While the client waits, it asks now and then whether the query is still wanted. Queries are sent as forms, which
//! every server reads (SPARQL 1.1 Protocol, section 2.1.2); the connection to a server is kept for the next request.

use super::failure::{AskError, Failure};
use super::guard::Endpoint;
use super::{DOCUMENTS_SETTING, SERVICES_SETTING, Services};
use crate::diagnostics::{Error, Result};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderName, LOCATION, USER_AGENT,
};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use oxiri::Iri;
use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpStream, lookup_host};
use tokio::runtime::{Builder, Runtime};

const AGENT: &str = concat!("kaluta/", env!("CARGO_PKG_VERSION"));
/// JSON is read fastest; XML is what the oldest endpoints have.
const RESULTS: &str = "application/sparql-results+json, application/sparql-results+xml;q=0.9";
/// Documents in every format of RDF.
const DOCUMENTS: &str = "application/n-quads, application/n-triples, application/trig, text/turtle, \
     application/rdf+xml;q=0.9, application/ld+json;q=0.8, */*;q=0.1";
/// How often a request may be sent on to another URL.
const REDIRECTS_MAX: usize = 4;
/// How often the query is asked whether it still wants the answer.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// How much of an error's body is told.
const EXCERPT_CHARS: usize = 200;
/// How much of an error's body is read.
const EXCERPT_BYTES: usize = 4096;

/// The query that waits for an answer.
pub trait Watch {
    /// Whether the answer is still wanted.
    ///
    /// # Errors
    /// The query was cancelled or is past its deadline.
    fn check(&self) -> Result<()>;

    /// Counts bytes of the answer to the query.
    ///
    /// # Errors
    /// The query holds more than it may.
    fn charge(&self, bytes: usize) -> Result<()>;
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// The `Content-Type`; empty if it has none.
    pub media_type: String,
    /// The `Content-Encoding`, which is not undone; empty if it has none.
    pub coding: String,
    /// The body.
    pub body: Vec<u8>,
}

/// What is asked of an endpoint.
enum Message {
    /// A query, as a form.
    Query(Bytes),
    /// The document at the URL, in one of these content codings.
    Document(&'static str),
}

/// A client with the connections of one query.
pub struct Client {
    services: Arc<Services>,
    /// Gone only while the client is dropped.
    runtime: Option<Runtime>,
    connections: HashMap<String, SendRequest<Full<Bytes>>>,
    /// What failed once is not tried again by the same query.
    failures: HashMap<String, Failure>,
}

impl Client {
    /// A client that has not connected yet.
    ///
    /// # Errors
    /// The operating system refuses what an event loop needs.
    pub fn new(services: Arc<Services>) -> Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| Error::io("starting a client of other services", e))?;
        Ok(Self {
            services,
            runtime: Some(runtime),
            connections: HashMap::new(),
            failures: HashMap::new(),
        })
    }

    /// Sends a query to the endpoint of a URL.
    ///
    /// # Errors
    /// The query itself has to end, or the endpoint gives no answer.
    pub fn ask(&mut self, url: &str, query: &str, watch: &dyn Watch) -> Result<Reply, AskError> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        let form = form.append_pair("query", query).finish();
        self.call(url, &Message::Query(form.into()), watch)
    }

    /// Gets the document of a URL, as it is or in one of some content codings (as `Accept-Encoding` lists them).
    ///
    /// # Errors
    /// The request itself has to end, or there is no document.
    pub fn fetch(
        &mut self,
        url: &str,
        codings: &'static str,
        watch: &dyn Watch,
    ) -> Result<Reply, AskError> {
        self.call(url, &Message::Document(codings), watch)
    }

    fn call(&mut self, url: &str, message: &Message, watch: &dyn Watch) -> Result<Reply, AskError> {
        if let Some(failure) = self.failures.get(url) {
            return Err(failure.clone().into());
        }
        let Some(runtime) = self.runtime.take() else {
            return Err(Error::internal("a client without its event loop").into());
        };
        let answer = runtime.block_on(async {
            tokio::select! {
                biased;
                ended = watched(watch) => match ended {
                    Ok(never) => match never {},
                    Err(e) => Err(e.into()),
                },
                answer = self.within_time(url, message, watch) => answer,
            }
        });
        self.runtime = Some(runtime);
        if let Err(AskError::Service(failure)) = &answer {
            self.failures.insert(url.to_owned(), failure.clone());
        }
        answer
    }

    async fn within_time(
        &mut self,
        url: &str,
        message: &Message,
        watch: &dyn Watch,
    ) -> Result<Reply, AskError> {
        let Some(timeout) = self.services.timeout else {
            return self.exchange(url, message, watch).await;
        };
        let answer = tokio::time::timeout(timeout, self.exchange(url, message, watch)).await;
        answer.unwrap_or_else(|_| {
            let waited = timeout.as_millis();
            Err(Failure::unanswered(format_args!(
                "no whole answer within {waited} ms (setting service.timeout_ms)"
            ))
            .into())
        })
    }

    async fn exchange(
        &mut self,
        url: &str,
        message: &Message,
        watch: &dyn Watch,
    ) -> Result<Reply, AskError> {
        let mut url = url.to_owned();
        for _ in 0..=REDIRECTS_MAX {
            let endpoint = self.services.guard.permit(&url, message.setting())?;
            let (sender, response) = self.send(&endpoint, message).await?;
            match redirected(&url, &response)? {
                Some(next) => url = next,
                None => {
                    let reply = read(response, watch).await?;
                    self.connections.insert(endpoint.authority, sender);
                    return Ok(reply);
                }
            }
        }
        Err(Failure::unanswered(format_args!("more than {REDIRECTS_MAX} redirects")).into())
    }

    /// Sends on the kept connection, and once more on a new one where the server has closed that one meanwhile
    /// (RFC 9112, section 9.3.1: queries are safe to repeat).
    async fn send(
        &mut self,
        endpoint: &Endpoint,
        message: &Message,
    ) -> Result<(SendRequest<Full<Bytes>>, Response<Incoming>), Failure> {
        if let Some(mut sender) = self.connections.remove(&endpoint.authority)
            && sender.ready().await.is_ok()
            && let Ok(response) = sender.send_request(message.request(endpoint)?).await
        {
            return Ok((sender, response));
        }
        let mut sender = self.connect(endpoint).await?;
        let response = sender.send_request(message.request(endpoint)?).await;
        let response = response.map_err(|e| Failure::unanswered(chain(&e)))?;
        Ok((sender, response))
    }

    /// Connects to an address of the host that may be contacted. The name is not asked again afterwards.
    async fn connect(&self, endpoint: &Endpoint) -> Result<SendRequest<Full<Bytes>>, Failure> {
        let Endpoint { host, port, .. } = endpoint;
        let failed = |e: &dyn fmt::Display| {
            Failure::unanswered(format_args!("connecting to {host} port {port}: {e}"))
        };
        let found = lookup_host((host.as_str(), *port)).await;
        let found: Vec<SocketAddr> = found.map_err(|e| failed(&e))?.collect();
        let admitted = |a: &&SocketAddr| self.services.guard.admits(endpoint, a.ip());
        let addresses: Vec<SocketAddr> = found.iter().filter(admitted).copied().collect();
        if let (true, Some(address)) = (addresses.is_empty(), found.first()) {
            return Err(Failure::forbidden(format_args!(
                "{host} has the address {}, which is not public; add {host:?} to the setting service.private_hosts if requests may ask it",
                address.ip()
            )));
        }
        let stream = TcpStream::connect(&addresses[..]).await;
        let stream = stream.map_err(|e| failed(&e))?;
        stream.set_nodelay(true).map_err(|e| failed(&e))?;
        let opened = handshake(TokioIo::new(stream)).await;
        let (sender, connection) = opened.map_err(|e| failed(&e))?;
        // What ends the connection is told to the request that waits on it, too.
        tokio::spawn(async { connection.await.ok() });
        Ok(sender)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A name server that does not answer must not keep the query's thread waiting.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Waits until the query must end.
async fn watched(watch: &dyn Watch) -> Result<Infallible> {
    loop {
        watch.check()?;
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}

impl Message {
    /// The setting that lists whom such a message may be sent to.
    const fn setting(&self) -> &'static str {
        match self {
            Self::Query(_) => SERVICES_SETTING,
            Self::Document(_) => DOCUMENTS_SETTING,
        }
    }

    fn request(&self, endpoint: &Endpoint) -> Result<Request<Full<Bytes>>, Failure> {
        let request = match self {
            Self::Query(_) => Request::post(&endpoint.target)
                .header(ACCEPT, RESULTS)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded"),
            Self::Document(codings) => Request::get(&endpoint.target)
                .header(ACCEPT, DOCUMENTS)
                .header(ACCEPT_ENCODING, *codings),
        };
        let body = match self {
            Self::Query(form) => form.clone(),
            Self::Document(_) => Bytes::new(),
        };
        request
            .header(HOST, &endpoint.authority)
            .header(USER_AGENT, AGENT)
            .body(Full::new(body))
            .map_err(Failure::unanswered)
    }
}

/// The URL to which a response sends the request on (RFC 9110, section 15.4); a See Other is no answer to a query.
fn redirected(url: &str, response: &Response<Incoming>) -> Result<Option<String>, Failure> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 307 | 308);
    let Some(location) = header(response, &LOCATION).filter(|_| is_redirect) else {
        return Ok(None);
    };
    let next = Iri::parse(url).and_then(|base| base.resolve(&location));
    next.map(|next| Some(next.into_inner()))
        .map_err(|e| Failure::unanswered(format_args!("a redirect to {location:?}: {e}")))
}

/// Reads an answer to its end; a status that is no success is a failure that tells the beginning of the body.
async fn read(response: Response<Incoming>, watch: &dyn Watch) -> Result<Reply, AskError> {
    let status = response.status();
    let media_type = header(&response, &CONTENT_TYPE).unwrap_or_default();
    let coding = header(&response, &CONTENT_ENCODING).unwrap_or_default();
    let mut body = response.into_body();
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| {
            Failure::unanswered(format_args!("the answer breaks off: {}", chain(&e)))
        })?;
        if let Some(data) = frame.data_ref() {
            watch.charge(data.len())?;
            bytes.extend_from_slice(data);
        }
        if !status.is_success() && bytes.len() > EXCERPT_BYTES {
            break;
        }
    }
    match status.is_success() {
        true => Ok(Reply {
            media_type,
            coding,
            body: bytes,
        }),
        false => Err(refused(status, &bytes).into()),
    }
}

fn refused(status: StatusCode, body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body);
    let words: Vec<&str> = text.split_whitespace().collect();
    let excerpt: String = words.join(" ").chars().take(EXCERPT_CHARS).collect();
    Failure::unanswered(format_args!("it answers with status {status}: {excerpt}"))
}

fn header(response: &Response<Incoming>, name: &HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// An error with its causes, which say more than hyper's own words.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |e| e.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}
