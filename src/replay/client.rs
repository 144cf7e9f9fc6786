//! One HTTP/1.1 client: a kept connection, a clock, and the bytes that came.
//!
//! The clock is read when a request is handed over, when the head of its response is here, and at the last byte of the
//! body; nothing is parsed in between. A body that ends early is a failure (RFC 9112, section 8). One time-out covers all
//! of it. `TCP_NODELAY` and, on Linux, `TCP_QUICKACK` keep the kernel from waiting on either side.

use super::checksum::Expected;
use super::endpoint::Endpoint;
use super::failure::{Failure, FailureClass};
use super::intake::{Body, Intake};
use super::world::World;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderName, HeaderValue, SERVER, USER_AGENT};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

const AGENT: &str = concat!("kaluta-replay/", env!("CARGO_PKG_VERSION"));

/// A client that keeps its connection to one endpoint.
pub struct Client<W> {
    connection: Connection<W>,
    timeout: Duration,
    spare: Vec<u8>,
}

struct Message {
    method: Method,
    accept: HeaderValue,
    form: Bytes,
    expected: Option<Arc<Expected>>,
}

impl Message {
    /// Whether it changes nothing, so that it may be sent twice.
    fn is_safe(&self) -> bool {
        self.method == Method::GET || self.expected.is_some()
    }
}

struct Connection<W> {
    world: W,
    endpoint: Endpoint,
    sender: Option<SendRequest<Full<Bytes>>>,
}

/// What was sent and what came back, with the moments that were read off the clock.
pub struct Exchange {
    /// When the request was handed over.
    pub start: Instant,
    /// When the last byte was here, or the request had failed.
    pub last_byte: Instant,
    /// What came before the body.
    pub head: Head,
    /// The body, as far as it came.
    pub body: Body,
    /// Why there is no whole body of a good response.
    pub failure: Option<Failure>,
}

/// The head of a response, as far as it came.
#[derive(Default)]
pub struct Head {
    /// When it was here.
    pub first_byte: Option<Instant>,
    /// The status.
    pub status: Option<u16>,
    /// The `Content-Type`; empty if there is none.
    pub media_type: String,
    /// The `Server` header.
    pub server_name: Option<String>,
    /// Whether the request was sent twice, as the server closed the kept connection without an answer to the first.
    pub resent: bool,
}

impl<W: World> Client<W> {
    /// A client that has not connected yet.
    pub fn new(world: W, endpoint: Endpoint, timeout: Duration) -> Self {
        let connection = Connection {
            world,
            endpoint,
            sender: None,
        };
        Self {
            connection,
            timeout,
            spare: Vec::new(),
        }
    }

    /// Sends a query's form, with GET in the URL, and reads the response to its end (SPARQL 1.1 Protocol, sections 2.1.1 and
    /// 2.1.2).
    pub async fn query(
        &mut self,
        method: &Method,
        form: &Bytes,
        expected: &Arc<Expected>,
    ) -> Exchange {
        self.exchange(&Message {
            method: method.clone(),
            accept: expected.accept(),
            form: form.clone(),
            expected: Some(Arc::clone(expected)),
        })
        .await
    }

    /// Sends the form of an update (SPARQL 1.1 Protocol, section 2.2.1); any status from 200 to 299 says that it was made.
    pub async fn post_update(&mut self, form: &Bytes) -> Exchange {
        self.exchange(&Message {
            method: Method::POST,
            accept: HeaderValue::from_static("*/*"),
            form: form.clone(),
            expected: None,
        })
        .await
    }

    /// Reads what the endpoint's URL names.
    pub async fn get(&mut self, accept: &'static str) -> Exchange {
        self.exchange(&Message {
            method: Method::GET,
            accept: HeaderValue::from_static(accept),
            form: Bytes::new(),
            expected: None,
        })
        .await
    }

    /// Waits for the moment at which the next request is to be sent.
    pub async fn sleep_until(&self, moment: Instant) {
        self.connection.world.sleep_until(moment).await;
    }

    /// Where the requests go.
    pub fn endpoint(&self) -> &Endpoint {
        &self.connection.endpoint
    }

    /// Sends the next requests to another address.
    pub fn move_to(&mut self, endpoint: Endpoint) {
        self.connection.endpoint = endpoint;
        self.connection.sender = None;
    }

    /// Takes back a body that is not needed any more, so that the next one finds memory that is in use already.
    pub fn reuse(&mut self, mut body: Vec<u8>) {
        body.clear();
        self.spare = body;
    }

    async fn exchange(&mut self, message: &Message) -> Exchange {
        let mut intake = Intake::new(message.expected.clone(), std::mem::take(&mut self.spare));
        let start = Instant::now();
        let mut head = Head::default();
        let performed = self.connection.perform(message, &mut head, &mut intake);
        let ended = tokio::time::timeout(self.timeout, performed).await;
        let last_byte = Instant::now();
        let outcome = ended.unwrap_or_else(|_| {
            let limit_s = self.timeout.as_secs_f64();
            let waited = format_args!("no whole answer within {limit_s} s");
            Err(Failure::new(FailureClass::Timeout, waited))
        });
        let body = intake.finish();
        let failure = match (outcome, head.status) {
            (Err(failure), _) => {
                self.connection.sender = None;
                Some(failure)
            }
            (Ok(()), Some(200)) => None,
            (Ok(()), Some(201..=299)) if message.expected.is_none() => None,
            (Ok(()), status) => Some(Failure::status(status.unwrap_or_default(), &body.kept)),
        };
        Exchange {
            start,
            last_byte,
            head,
            body,
            failure,
        }
    }
}

impl<W: World> Connection<W> {
    async fn perform(
        &mut self,
        message: &Message,
        head: &mut Head,
        intake: &mut Intake,
    ) -> Result<(), Failure> {
        let response = self.send(message, &mut head.resent).await?;
        head.first_byte = Some(Instant::now());
        let status = response.status().as_u16();
        head.status = Some(status);
        head.media_type = header(&response, &CONTENT_TYPE).unwrap_or_default();
        head.server_name = header(&response, &SERVER);
        intake.begin(status, &head.media_type);
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|e| Failure::new(FailureClass::Truncated, chain(&e)))?;
            if let Some(data) = frame.data_ref() {
                intake.take(data);
            }
        }
        Ok(())
    }

    /// Sends on the kept connection, and once more on a new one where the server has closed that one meanwhile. What was
    /// on its way is sent again only if it is safe to repeat (RFC 9112, section 9.3.1): a query is, an update is not.
    async fn send(
        &mut self,
        message: &Message,
        resent: &mut bool,
    ) -> Result<Response<Incoming>, Failure> {
        if let Some(sender) = &mut self.sender
            && sender.ready().await.is_ok()
        {
            match sender.send_request(self.endpoint.request(message)?).await {
                Ok(response) => return Ok(response),
                Err(e) if e.is_canceled() => {}
                Err(_) if message.is_safe() => *resent = true,
                Err(e) => return Err(Failure::new(FailureClass::Connection, chain(&e))),
            }
        }
        let sender = self
            .sender
            .insert(connect(&self.world, &self.endpoint).await?);
        sender
            .send_request(self.endpoint.request(message)?)
            .await
            .map_err(|e| Failure::new(FailureClass::Connection, chain(&e)))
    }
}

impl Endpoint {
    fn request(&self, message: &Message) -> Result<Request<Full<Bytes>>, Failure> {
        let is_post = message.method == Method::POST;
        let (target, body) = match is_post {
            true => (self.target.clone(), message.form.clone()),
            false => (self.target_with(&message.form), Bytes::new()),
        };
        let mut request = Request::builder()
            .method(&message.method)
            .uri(target)
            .header(HOST, &self.authority)
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, &message.accept);
        if is_post {
            request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        }
        request
            .body(Full::new(body))
            .map_err(|e| Failure::new(FailureClass::Connection, e))
    }

    /// The target with more parameters.
    fn target_with(&self, form: &[u8]) -> String {
        let joint = match (form, self.target.contains('?')) {
            ([], _) => "",
            (_, true) => "&",
            (_, false) => "?",
        };
        format!("{}{joint}{}", self.target, String::from_utf8_lossy(form))
    }
}

async fn connect(
    world: &impl World,
    endpoint: &Endpoint,
) -> Result<SendRequest<Full<Bytes>>, Failure> {
    let failed = |e: &dyn std::fmt::Display| {
        Failure::new(
            FailureClass::Connection,
            format_args!("connecting to {}: {e}", endpoint.authority),
        )
    };
    let stream = world.connect(endpoint).await.map_err(|e| failed(&e))?;
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(|e| failed(&e))?;
    // What ends the connection is told to the request that waits on it, too.
    tokio::spawn(async { connection.await.ok() });
    Ok(sender)
}

fn header(response: &Response<Incoming>, name: &HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// An error with its causes, which say more than hyper's own words.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |e| e.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
