//! LOAD from other servers: content codings, sizes, silence, redirects and media types, each from a server of documents of
//! our own.

use super::client::{Response, request};
use super::fixture::Fixture;
use super::trial;
use flate2::Compression;
use flate2::write::GzEncoder;
use kaluta::settings::Settings;
use libtest_mimic::Trial;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("LOAD undoes content codings", codings),
        trial("LOAD keeps to the memory of the request", sizes),
        trial("LOAD does not wait for a server that stalls", silence),
        trial("LOAD follows redirects to listed URLs only", redirects),
        trial("LOAD reads media types of RDF only", media_types),
    ]
}

const UPDATE: (&str, &str) = ("Content-Type", "application/sparql-update");
const TRIPLE: &str = "<http://e/a> <http://e/b> 1 .\n";
const TURTLE: &str = "text/turtle";

/// A document on a server.
#[derive(Clone)]
struct Page {
    path: &'static str,
    status: u16,
    /// Header fields, but for the length.
    headers: String,
    body: Vec<u8>,
    /// Whether the server stops before the last byte.
    stalls: bool,
}

fn page(path: &'static str, media_type: &str, body: impl Into<Vec<u8>>) -> Page {
    Page {
        path,
        status: 200,
        headers: format!("Content-Type: {media_type}\r\n"),
        body: body.into(),
        stalls: false,
    }
}

impl Page {
    fn with_coding(mut self, coding: &str) -> Self {
        self.headers += &format!("Content-Encoding: {coding}\r\n");
        self
    }
}

fn redirect(path: &'static str, location: &str) -> Page {
    Page {
        path,
        status: 302,
        headers: format!("Location: {location}\r\n"),
        body: Vec::new(),
        stalls: false,
    }
}

/// A server of documents.
struct Web {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Web {
    /// Serves what is made for the address that the server has.
    fn start(pages: impl FnOnce(SocketAddr) -> Vec<Page>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let pages = pages(address);
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            // Those that stall stay open as long as the server.
            let mut stalled = Vec::new();
            for stream in listener.incoming().flatten() {
                if ends.load(Ordering::Relaxed) {
                    break;
                }
                if serve(&stream, &pages) {
                    stalled.push(stream);
                }
            }
        });
        Self {
            address,
            is_over,
            thread: Some(thread),
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // The thread that accepts connections has to be woken.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Answers one request; whether the answer is to stay incomplete.
fn serve(mut stream: &TcpStream, pages: &[Page]) -> bool {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let path = lines.next().unwrap_or_default();
    let path = path.split(' ').nth(1).unwrap_or_default().to_owned();
    // The rest of the head has to be read before the connection ends.
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let none = Page {
        status: 404,
        ..page("", "text/plain", "none")
    };
    let page = pages.iter().find(|page| page.path == path).unwrap_or(&none);
    let head = format!(
        "HTTP/1.1 {} status\r\n{}Content-Length: {}\r\nConnection: close\r\n\r\n",
        page.status,
        page.headers,
        page.body.len() + usize::from(page.stalls)
    );
    // Who refuses a document may be gone before its end.
    let _ = stream.write_all(&[head.as_bytes(), &page.body].concat());
    page.stalls
}

/// A store that may load what a server of documents has, whatever else the settings say.
fn near(web: &Web, change: impl FnOnce(&mut Settings)) -> Fixture {
    Fixture::with(Vec::new(), |s| {
        s.update.load_urls = vec![web.url("/*")];
        change(s);
    })
}

fn load(server: &Fixture, words: &str, url: &str) -> Response {
    let text = format!("{words} <{url}>");
    request(server.address, "POST", "/update", &[UPDATE], Some(&text))
}

/// So many quads are loaded, each into an empty graph.
#[track_caller]
fn check(server: &Fixture, url: &str, quads: u64) {
    let response = load(server, "DROP ALL; LOAD", url);
    assert_eq!(response.status, 200, "{url}: {}", response.text());
    let all = request(server.address, "GET", "/store", &[], None);
    assert_eq!(all.text().lines().count() as u64, quads, "{url}");
}

/// LOAD is refused with this status, and the problem has these words; whether SILENT goes on without it.
#[track_caller]
fn check_refused(server: &Fixture, url: &str, status: u16, words: &str, is_silent: bool) {
    let response = load(server, "LOAD", url);
    assert_eq!(response.status, status, "{url}: {}", response.text());
    assert!(response.text().contains(words), "{}", response.text());
    let response = load(server, "LOAD SILENT", url);
    let expected = if is_silent { 200 } else { status };
    assert_eq!(response.status, expected, "{url}: {}", response.text());
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn codings() {
    let gzipped = gzip(TRIPLE);
    let zstd = zstd::encode_all(TRIPLE.as_bytes(), 1).unwrap();
    let web = Web::start(|_| {
        let cut = &gzipped[..gzipped.len() / 2];
        vec![
            page("/gzip", TURTLE, gzipped.clone()).with_coding("gzip"),
            page("/x-gzip", TURTLE, gzipped.clone()).with_coding("X-GZIP"),
            page("/zstd", TURTLE, zstd.clone()).with_coding("zstd"),
            page("/identity", TURTLE, TRIPLE).with_coding("identity"),
            page("/file.ttl.gz", "application/gzip", gzipped.clone()),
            page("/named-twice.ttl.gz", TURTLE, gzipped.clone()).with_coding("gzip"),
            page("/twice.ttl.gz", TURTLE, zstd_of(&gzipped)).with_coding("zstd"),
            page("/br", TURTLE, gzipped.clone()).with_coding("br"),
            page("/both", TURTLE, gzipped.clone()).with_coding("zstd, gzip"),
            page("/cut", TURTLE, cut).with_coding("gzip"),
            page("/plain", TURTLE, TRIPLE).with_coding("gzip"),
        ]
    });
    let server = near(&web, |_| {});
    for path in [
        "/gzip",
        "/x-gzip",
        "/zstd",
        "/identity",
        "/file.ttl.gz",
        "/named-twice.ttl.gz",
        "/twice.ttl.gz",
    ] {
        check(&server, &web.url(path), 1);
    }
    check_refused(&server, &web.url("/br"), 415, "\\\"br\\\"", true);
    check_refused(&server, &web.url("/both"), 415, "zstd, gzip", true);
    check_refused(&server, &web.url("/cut"), 400, "/cut", true);
    check_refused(&server, &web.url("/plain"), 400, "/plain", true);
}

fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn sizes() {
    let long = TRIPLE.repeat(20_000);
    let web = Web::start(|_| {
        vec![
            page("/short", TURTLE, TRIPLE),
            page("/long", TURTLE, long.as_str()),
            page("/bomb", TURTLE, gzip(&long)).with_coding("gzip"),
        ]
    });
    let server = near(&web, |s| s.query.memory_bytes_max = 1 << 18);
    check(&server, &web.url("/short"), 1);
    // It is the request that needs too much, which SILENT does not hide.
    for path in ["/long", "/bomb"] {
        check_refused(
            &server,
            &web.url(path),
            507,
            "query.memory_bytes_max",
            false,
        );
    }
}

fn silence() {
    let web = Web::start(|_| {
        vec![Page {
            stalls: true,
            ..page("/stalls", TURTLE, TRIPLE)
        }]
    });
    let server = near(&web, |s| s.service.timeout_ms = 50);
    check_refused(
        &server,
        &web.url("/stalls"),
        502,
        "service.timeout_ms",
        true,
    );
    // The request's own end is not hidden.
    let server = near(&web, |s| s.query.timeout_ms = 50);
    check_refused(&server, &web.url("/stalls"), 504, "query.timeout_ms", false);
}

fn redirects() {
    let elsewhere = Web::start(|_| vec![page("/a", TURTLE, TRIPLE)]);
    let far = elsewhere.url("/a");
    let web = Web::start(|address| {
        vec![
            page("/listed/a", TURTLE, TRIPLE),
            redirect("/listed/near", "/listed/a"),
            redirect("/listed/absolute", &format!("http://{address}/listed/a")),
            redirect("/listed/climbs", "/listed/../private"),
            page("/private", TURTLE, TRIPLE),
            redirect("/listed/away", "/private"),
            redirect("/listed/far", &far),
            redirect("/listed/file", "file:///etc/passwd"),
            redirect("/listed/circle", "/listed/circle"),
        ]
    });
    let server = near(&web, |s| s.update.load_urls = vec![web.url("/listed/*")]);
    for path in ["/listed/near", "/listed/absolute"] {
        check(&server, &web.url(path), 1);
    }
    for (path, status, words) in [
        ("/listed/climbs", 403, "update.load_urls"),
        ("/listed/away", 403, "update.load_urls"),
        ("/listed/far", 403, "update.load_urls"),
        ("/listed/file", 403, "file:///etc/passwd"),
        ("/listed/circle", 502, "redirects"),
    ] {
        check_refused(&server, &web.url(path), status, words, true);
    }
    let server = near(&web, |s| {
        s.update.load_urls = vec![web.url("/listed/*"), far.clone()];
    });
    check(&server, &web.url("/listed/far"), 1);
}

fn media_types() {
    let web = Web::start(|_| {
        vec![
            page("/page", "text/html; charset=utf-8", "<p>no data</p>"),
            page("/data", "application/octet-stream", TRIPLE),
            page("/data.ttl", "application/octet-stream", TRIPLE),
            page("/wrong.nt", "application/rdf+xml", TRIPLE),
            page("/none", "", TRIPLE),
        ]
    });
    let server = near(&web, |_| {});
    check(&server, &web.url("/data.ttl"), 1);
    for (path, status, words) in [
        ("/page", 415, "text/html"),
        ("/data", 415, "application/octet-stream"),
        ("/none", 415, "media type"),
        // What the server says of its document counts before its name.
        ("/wrong.nt", 400, "/wrong.nt"),
    ] {
        check_refused(&server, &web.url(path), status, words, true);
    }
}
