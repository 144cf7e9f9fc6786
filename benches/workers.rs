//! `cargo bench --bench workers`: many small requests from many clients to one server, after the MCE::Inbox report.
//!
//! 50,000 requests from 4 clients, then 1.6 million from 128; each client sends its share over a connection of its own,
//! the next request when the answer to the last is here. What is told: duration, requests per second, CPU of server and
//! clients, and fairness, since each client has the same work: when the first and the last of them were done. The clients
//! are lean (bytes made beforehand, many connections on one thread); what they could send at most is told, too, against a
//! server that only answers. Settings of the server can be compared by environment: `KALUTA_HTTP_IO_THREADS=2 cargo bench
//! --bench workers`.

use clap::Parser;
use kaluta::diagnostics::{Error, ErrorKind, Result};
use kaluta::engine::{Engine, LoadOptions, LoadSource};
use kaluta::replay::endpoint::Endpoint;
use kaluta::replay::null_server;
use kaluta::replay::process::{Resources, thread_cpu_seconds};
use kaluta::replay::server::ServerCommand;
use kaluta::results::RdfFormat;
use kaluta::settings::Settings;
use std::fmt::Write;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

/// Clients, and the requests that they send together: the loads of the report.
const LOADS: [(usize, u64); 2] = [(4, 50_000), (128, 1_600_000)];
/// Sent before the clock runs.
const WARM_UP: (usize, u64) = (4, 2_000);
/// Sent to a server that only answers.
const LIMIT: u64 = 100_000;
/// Resources of the store, each of which the clients ask for in turn.
const SUBJECTS: usize = 64;

/// Many small requests from many clients to one server.
#[derive(Parser)]
#[command(name = "cargo bench --bench workers --")]
struct Options {
    /// Send this share of the requests
    #[arg(long, default_value_t = 1.0, value_name = "SHARE")]
    scale: f64,
    /// Threads on which the clients run
    #[arg(long, default_value_t = 1, value_name = "N")]
    threads: usize,
    /// Get this path instead of asking for resources, /health for example
    #[arg(long, value_name = "PATH")]
    target: Option<String>,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    if !options.bench {
        // `cargo test --all-targets` starts benchmarks too, without the argument that `cargo bench` adds.
        println!("nothing is measured without --bench; run `cargo bench --bench workers`");
        return ExitCode::SUCCESS;
    }
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Error::io("making a folder", e))?;
    fill(folder.path())?;
    let command = ServerCommand {
        binary: env!("CARGO_BIN_EXE_kaluta").into(),
        location: folder.path().to_owned(),
        options: Vec::new(),
    };
    let server = command.start()?;
    let messages = messages(server.endpoint(), options.target.as_deref());
    println!(
        "{}; client threads: {}. The server has one way of handing work to its query threads:
to the free one that was busy last, or into a bounded queue (src/http/pool.rs).\n",
        options
            .target
            .as_deref()
            .unwrap_or("look-ups of one resource"),
        options.threads
    );
    print_head();
    let scaled = |requests: u64| ((requests as f64 * options.scale) as u64).max(1);
    Crowd::new(WARM_UP, options.threads).send(server.endpoint(), &messages)?;
    for (clients, requests) in LOADS {
        let crowd = Crowd::new((clients, scaled(requests)), options.threads);
        let before = Resources::of_process(server.pid());
        let outcome = crowd.send(server.endpoint(), &messages)?;
        let used = Resources::of_process(server.pid()).since(&before).cpu_s();
        print_row("kaluta", &crowd, &outcome, used);
    }
    for (clients, _) in LOADS {
        let crowd = Crowd::new((clients, scaled(LIMIT)), options.threads);
        let outcome = crowd.send(&null_server::start()?, &messages)?;
        print_row("the clients' limit", &crowd, &outcome, None);
    }
    match server.stop()? {
        None => Ok(()),
        Some(complaint) => Err(Error::new(ErrorKind::Io, complaint)),
    }
}

/// Puts a few resources, two statements each, into a store.
fn fill(location: &Path) -> Result<()> {
    let mut text = String::new();
    for n in 0..SUBJECTS {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<http://example.org/r/{n}> <http://example.org/name> \"Resource {n}\" .\n\
             <http://example.org/r/{n}> <http://example.org/next> <http://example.org/r/{}> .",
            (n + 1) % SUBJECTS
        );
    }
    let settings = Settings::default();
    let engine = Engine::open(location, &settings.query, &settings.store)?;
    let source = LoadSource::bytes("resources", text.into_bytes(), RdfFormat::NTriples);
    engine.load(vec![source], &LoadOptions::default(), &())?;
    Ok(())
}

/// The bytes of the requests that every client sends in turn.
fn messages(endpoint: &Endpoint, target: Option<&str>) -> Vec<Vec<u8>> {
    let message = |target: &str| {
        format!(
            "GET {target} HTTP/1.1\r\nhost: {}\r\naccept: application/sparql-results+json\r\n\r\n",
            endpoint.authority
        )
        .into_bytes()
    };
    let look_up = |n| {
        let query = format!("SELECT ?p ?o {{ <http://example.org/r/{n}> ?p ?o }}");
        let encoded: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
        message(&format!("/query?query={encoded}"))
    };
    match target {
        Some(target) => vec![message(target)],
        None => (0..SUBJECTS).map(look_up).collect(),
    }
}

/// Clients with equal shares of some work, on some threads.
struct Crowd {
    clients: usize,
    requests_each: u64,
    threads: usize,
}

/// What a crowd took.
struct Outcome {
    /// When each client was done, in order.
    finished: Vec<Duration>,
    cpu_s: Option<f64>,
}

impl Crowd {
    fn new((clients, requests): (usize, u64), threads: usize) -> Self {
        Self {
            clients,
            requests_each: requests.div_ceil(clients as u64),
            threads: threads.clamp(1, clients),
        }
    }

    /// Connects every client, and lets all of them begin together.
    fn send(&self, endpoint: &Endpoint, messages: &[Vec<u8>]) -> Result<Outcome> {
        let failed = |e| Error::io(format_args!("sending to {}", endpoint.url), e);
        let no_address = || Error::new(ErrorKind::Io, "the endpoint has no address");
        let address = *endpoint.addresses.first().ok_or_else(no_address)?;
        let start = Barrier::new(self.threads);
        let shares = std::thread::scope(|scope| {
            let run = |thread| {
                let clients = (thread..self.clients).step_by(self.threads).count();
                let (messages, start) = (Arc::new(messages.to_vec()), &start);
                scope.spawn(move || self.send_on_thread(clients, address, &messages, start))
            };
            let threads: Vec<_> = (0..self.threads).map(run).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined
                .map(|share| share.unwrap_or_else(|_| Err(io::Error::other("a client panicked"))))
                .collect::<io::Result<Vec<_>>>()
        })
        .map_err(failed)?;
        let cpu_s = shares.iter().map(|share| share.cpu_s).sum();
        let mut finished: Vec<_> = shares.into_iter().flat_map(|s| s.finished).collect();
        finished.sort_unstable();
        Ok(Outcome { finished, cpu_s })
    }

    fn send_on_thread(
        &self,
        clients: usize,
        address: SocketAddr,
        messages: &Arc<Vec<Vec<u8>>>,
        start: &Barrier,
    ) -> io::Result<Outcome> {
        let runtime = Builder::new_current_thread().enable_io().build();
        // A thread that cannot go on must not keep the others waiting.
        let connected = runtime.and_then(|r| Ok((connect(&r, clients, address)?, r)));
        start.wait();
        let (streams, runtime) = connected?;
        let (begun, cpu_before) = (Instant::now(), thread_cpu_seconds());
        let finished = runtime.block_on(async {
            let clients = streams.into_iter().enumerate().map(|(n, stream)| {
                let client = Client::new(stream, n, Arc::clone(messages));
                tokio::spawn(client.send(self.requests_each, begun))
            });
            let clients: Vec<_> = clients.collect();
            let mut finished = Vec::with_capacity(clients.len());
            for client in clients {
                finished.push(client.await.map_err(io::Error::other)??);
            }
            io::Result::Ok(finished)
        })?;
        let cpu_s = thread_cpu_seconds().zip(cpu_before);
        Ok(Outcome {
            finished,
            cpu_s: cpu_s.map(|(after, before)| after - before),
        })
    }
}

fn connect(runtime: &Runtime, clients: usize, address: SocketAddr) -> io::Result<Vec<TcpStream>> {
    runtime.block_on(async {
        let mut streams = Vec::with_capacity(clients);
        for _ in 0..clients {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            streams.push(stream);
        }
        Ok(streams)
    })
}

/// One client and its connection.
struct Client {
    stream: TcpStream,
    messages: Arc<Vec<Vec<u8>>>,
    next: usize,
    received: Vec<u8>,
    filled: usize,
}

impl Client {
    fn new(stream: TcpStream, first: usize, messages: Arc<Vec<Vec<u8>>>) -> Self {
        Self {
            stream,
            messages,
            next: first,
            received: vec![0; 1 << 14],
            filled: 0,
        }
    }

    /// Sends so many requests, one after the other; tells when the last was answered.
    async fn send(mut self, requests: u64, begun: Instant) -> io::Result<Duration> {
        for _ in 0..requests {
            self.write().await?;
            self.read().await?;
            self.next += 1;
        }
        Ok(begun.elapsed())
    }

    async fn write(&self) -> io::Result<()> {
        let mut rest = &self.messages[self.next % self.messages.len()][..];
        while !rest.is_empty() {
            match self.stream.try_write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.stream.writable().await?,
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    async fn read(&mut self) -> io::Result<()> {
        self.filled = 0;
        loop {
            self.stream.readable().await?;
            match self.stream.try_read(&mut self.received[self.filled..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.filled += read,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => continue,
                Err(e) => return Err(e),
            }
            if is_whole(&self.received[..self.filled])? {
                return Ok(());
            }
        }
    }
}

/// Whether the bytes are a whole response, which must be a good one and say its length.
fn is_whole(response: &[u8]) -> io::Result<bool> {
    let refuse = || io::Error::other(String::from_utf8_lossy(response).into_owned());
    let Some(head_bytes) = response.windows(4).position(|end| end == b"\r\n\r\n") else {
        return Ok(false);
    };
    let head = std::str::from_utf8(&response[..head_bytes]).map_err(io::Error::other)?;
    if !head.starts_with("HTTP/1.1 200 ") {
        return Err(refuse());
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let body_bytes: usize = length
        .and_then(|length| length.parse().ok())
        .ok_or_else(refuse)?;
    Ok(response.len() >= head_bytes + 4 + body_bytes)
}

fn print_head() {
    println!(
        "{:<18} {:>7} {:>9} {:>8} {:>10} {:>13} {:>10} {:>13} {:>19} {:>19}",
        "server",
        "clients",
        "requests",
        "seconds",
        "requests/s",
        "server CPU s",
        "us/request",
        "client CPU s",
        "fastest: s, req/s",
        "slowest: s, req/s"
    );
}

fn print_row(server: &str, crowd: &Crowd, outcome: &Outcome, server_cpu_s: Option<f64>) {
    let requests = crowd.requests_each * crowd.clients as u64;
    let seconds = |place: Option<&Duration>| place.map_or(f64::NAN, Duration::as_secs_f64);
    let first = seconds(outcome.finished.first());
    let last = seconds(outcome.finished.last());
    let each = crowd.requests_each as f64;
    let shown = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.2}"));
    println!(
        "{server:<18} {:>7} {requests:>9} {last:>8.2} {:>10.0} {:>13} {:>10} {:>13} {:>19} {:>19}",
        crowd.clients,
        requests as f64 / last,
        shown(server_cpu_s),
        shown(server_cpu_s.map(|s| s * 1e6 / requests as f64)),
        shown(outcome.cpu_s),
        format!("{first:.2}, {:.0}", each / first),
        format!("{last:.2}, {:.0}", each / last),
    );
}
