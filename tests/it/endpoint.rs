//! SPARQL endpoints of our own, on a free port of this machine: what they answer is up to the test, and every query that
//! reaches them is kept.

use crate::kaluta::Kaluta;
use crate::store::{Answer, Document, Request, Store};
use kaluta::settings::ServiceSettings;
use oxrdf::GraphName;
use oxrdfio::RdfFormat;
use sparesults::{QueryResultsFormat, QueryResultsSerializer};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a stalled answer is held back; whoever waits for it has long given up.
const STALL: Duration = Duration::from_secs(20);

/// What an endpoint answers.
pub enum Response {
    /// Status, media type and body.
    Whole(u16, &'static str, Vec<u8>),
    /// Sends the request on.
    Redirect(u16, String),
    /// The beginning of an answer, and then nothing.
    Stalled,
    /// The beginning of an answer, and then the end of the connection.
    BrokenOff,
}

/// Whoever answers queries.
type Answerer = dyn Fn(&str) -> Response + Send + Sync;

/// A port that is taken already, for endpoints that have to know each other before they answer.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
}

/// A running endpoint.
pub struct Endpoint {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    answer: Box<Answerer>,
    queries: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

impl Bound {
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        Self { listener, address }
    }

    /// The URL that queries name.
    pub fn url(&self) -> String {
        format!("http://{}/sparql", self.address)
    }

    pub fn answer(self, answer: impl Fn(&str) -> Response + Send + Sync + 'static) -> Endpoint {
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            queries: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let (listener, server) = (self.listener, Arc::clone(&shared));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if server.is_over.load(Ordering::Relaxed) {
                    break;
                }
                let server = Arc::clone(&server);
                std::thread::spawn(move || server.converse(&stream));
            }
        });
        Endpoint {
            address: self.address,
            shared,
            thread: Some(thread),
        }
    }

    /// Answers from a store of these documents, which may itself ask the endpoints of the settings.
    pub fn serve(
        self,
        documents: Vec<Document>,
        services: &ServiceSettings,
    ) -> Result<Endpoint, String> {
        let mut store = Kaluta::open_with(services)?;
        store.load(documents)?;
        Ok(self.answer(move |query| answer_from(&store, query)))
    }
}

impl Endpoint {
    pub fn start(answer: impl Fn(&str) -> Response + Send + Sync + 'static) -> Self {
        Bound::new().answer(answer)
    }

    /// An endpoint with data in Turtle, where `:` is `http://e/`.
    pub fn with_data(turtle: &str) -> Self {
        let document = Document {
            bytes: format!("PREFIX : <http://e/> {turtle}").into_bytes(),
            format: RdfFormat::Turtle,
            base: None,
            graph: GraphName::DefaultGraph,
        };
        let started = Bound::new().serve(vec![document], &ServiceSettings::default());
        started.unwrap()
    }

    pub fn url(&self) -> String {
        format!("http://{}/sparql", self.address)
    }

    /// The queries that came, in their order.
    pub fn queries(&self) -> Vec<String> {
        let queries = self.shared.queries.lock();
        queries.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        // The thread that accepts connections has to be woken.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Answers the requests of one connection until it ends.
    fn converse(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(query) = read_query(&mut reader) {
            let queries = self.queries.lock();
            queries
                .unwrap_or_else(PoisonError::into_inner)
                .push(query.clone());
            let mut stream = stream;
            match (self.answer)(&query) {
                Response::Whole(status, media_type, body) => {
                    let head = format!(
                        "HTTP/1.1 {status} status\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
                        body.len()
                    );
                    let sent = stream.write_all(&[head.as_bytes(), &body].concat());
                    if sent.is_err() {
                        return;
                    }
                }
                Response::Redirect(status, location) => {
                    let head = format!(
                        "HTTP/1.1 {status} elsewhere\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
                    );
                    let _ = stream.write_all(head.as_bytes());
                }
                Response::Stalled => {
                    let _ = stream.write_all(BEGINNING);
                    self.stall();
                    return;
                }
                Response::BrokenOff => {
                    let _ = stream.write_all(BEGINNING);
                    return;
                }
            }
        }
    }

    fn stall(&self) {
        let step = Duration::from_millis(10);
        for _ in 0..STALL.as_millis() / step.as_millis() {
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            std::thread::sleep(step);
        }
    }
}

const BEGINNING: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\nContent-Length: 1000\r\n\r\n{\"head\":";

/// The query in the form of a request; `None` when the connection ends.
fn read_query(reader: &mut BufReader<&TcpStream>) -> Option<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let query = form_urlencoded::parse(&body).find(|(name, _)| name == "query");
    Some(query?.1.into_owned())
}

/// The answer of a store in JSON.
pub fn answer_from(store: &Kaluta, query: &str) -> Response {
    match store.query(&Request::new(query)) {
        Ok(Answer::Solutions { variables, rows }) => Response::Whole(
            200,
            JSON,
            written(QueryResultsFormat::Json, variables, &rows),
        ),
        Ok(_) => Response::Whole(400, "text/plain", b"solutions only".to_vec()),
        Err(error) => {
            let mut text = String::from("error: ");
            let _ = write!(text, "{error}");
            Response::Whole(400, "text/plain", text.into_bytes())
        }
    }
}

pub const JSON: &str = "application/sparql-results+json";
pub const XML: &str = "application/sparql-results+xml";

/// Solutions in a format.
pub fn written(
    format: QueryResultsFormat,
    variables: Vec<oxrdf::Variable>,
    rows: &[crate::store::Row],
) -> Vec<u8> {
    let serializer = QueryResultsSerializer::from_format(format);
    let mut writer = serializer
        .serialize_solutions_to_writer(Vec::new(), variables.clone())
        .unwrap();
    for row in rows {
        let bound = variables.iter().zip(row);
        let bound = bound.filter_map(|(v, term)| Some((v.as_ref(), term.as_ref()?.as_ref())));
        writer.serialize(bound).unwrap();
    }
    writer.finish().unwrap()
}
