//! The Graph Store Protocol on the wire: statuses, targets, entity tags and large documents (case A35).

use super::client::{Connection, Response, request};
use super::fixture::{Fixture, SUBJECTS};
use super::trial;
use libtest_mimic::Trial;
use std::fmt::Write as _;
use std::io::Write as _;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("statuses of graphs that are there and are not", statuses),
        trial("a broken document leaves the old content", broken_documents),
        trial("the whole dataset is read and written", datasets),
        trial("entity tags and conditions", entity_tags),
        trial(
            "large and compressed documents are streamed",
            large_documents,
        ),
        trial(
            "a client that stops in its document changes nothing",
            cut_short,
        ),
    ]
}

const TURTLE: (&str, &str) = ("Content-Type", "text/turtle");
const G: &str = "/store?graph=http%3A%2F%2Fe%2Fg";

fn send(server: &Fixture, method: &str, target: &str, body: Option<&str>) -> Response {
    let accept = "application/n-triples, application/n-quads;q=0.9";
    let headers = [TURTLE, ("Accept", accept)];
    request(server.address, method, target, &headers, body)
}

fn statuses() {
    let server = Fixture::with(Vec::new(), |_| {});
    let check = |method: &str, target: &str, body: Option<&str>, status: u16| {
        let response = send(&server, method, target, body);
        let text = String::from_utf8_lossy(&response.body).into_owned();
        assert_eq!(response.status, status, "{method} {target}: {text}");
        response
    };
    let one = Some("<> <#p> <#x> .");
    check("GET", G, None, 404);
    check("HEAD", G, None, 404);
    check("DELETE", G, None, 404);
    check("GET", "/store?default", None, 200);
    check("PUT", G, one, 201);
    check("PUT", G, one, 200);
    check("POST", G, one, 200);
    let got = check("GET", G, None, 200);
    assert_eq!(got.text(), "<http://e/g> <http://e/g#p> <http://e/g#x> .\n");
    let head = check("HEAD", G, None, 200);
    assert_eq!(head.header("content-type"), got.header("content-type"));
    assert_eq!(head.header("etag"), got.header("etag"));
    check("DELETE", G, None, 200);
    check("POST", G, one, 201);
    check("PUT", G, Some(""), 200);
    check("GET", G, None, 404);
    let made = check("POST", "/store", one, 201);
    let location = made.header("location").to_owned();
    assert!(
        location.starts_with("http://localhost/store/"),
        "{location}"
    );
    let path = location.replace("http://localhost", "");
    assert!(check("GET", &path, None, 200).text().contains(&location));
    check("PUT", "/store/direct", one, 201);
    let indirect = "/store?graph=http%3A%2F%2Flocalhost%2Fstore%2Fdirect";
    let got = check("GET", indirect, None, 200);
    assert!(got.text().starts_with("<http://localhost/store/direct> "));
    check("GET", "/store?default&graph=http%3A%2F%2Fe%2Fg", None, 400);
    check(
        "GET",
        "/store?graph=http%3A%2F%2Fe%2Fg&graph=http%3A%2F%2Fe%2Fh",
        None,
        400,
    );
    check("GET", "/store?graph=relative", None, 400);
    check("PUT", "/store", one, 400);
    check("PATCH", G, one, 405);
}

fn broken_documents() {
    let server = Fixture::with(Vec::new(), |_| {});
    send(&server, "PUT", G, Some("<#a> <#b> 1 ."));
    let before = send(&server, "GET", G, None);
    let response = send(&server, "PUT", G, Some("<#a> <#b> 2 .\n<#a> <#b> "));
    assert_eq!(response.status, 400);
    assert_eq!(response.json()["line"], 2, "{}", response.text());
    let quads = [("Content-Type", "application/n-quads")];
    let named = "<http://e/s> <http://e/p> <http://e/o> <http://e/other> .";
    let response = request(server.address, "PUT", G, &quads, Some(named));
    assert_eq!(response.status, 400, "a document for one graph names none");
    let xml = [("Content-Type", "application/rdf+xml")];
    let cut = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n";
    let response = request(server.address, "PUT", G, &xml, Some(cut));
    assert_eq!(response.status, 400, "a document without its end");
    assert_eq!(response.json()["line"], 1, "{}", response.text());
    let png = [("Content-Type", "image/png")];
    let response = request(server.address, "PUT", G, &png, Some("<#a> <#b> 2 ."));
    assert_eq!(response.status, 415);
    assert!(
        response.text().contains("text/turtle"),
        "{}",
        response.text()
    );
    assert_eq!(send(&server, "GET", G, None).text(), before.text());
}

fn datasets() {
    let server = Fixture::start(|_| {});
    let all = send(&server, "GET", "/store", None);
    assert_eq!(all.header("content-type"), "application/n-quads");
    assert_eq!(all.text().lines().count(), SUBJECTS + 2);
    let accept = [("Accept", "text/turtle")];
    let refused = request(server.address, "GET", "/store", &accept, None);
    assert_eq!(refused.status, 406, "{}", refused.text());
    let trig = [("Content-Type", "application/trig")];
    let more = "<http://e/g> { <http://e/s> <http://e/p> 1, 2 } <http://e/s> <http://e/p> 3 .";
    let changed = request(server.address, "POST", "/store", &trig, Some(more));
    assert_eq!(changed.json()["inserted"], 3, "{}", changed.text());
    assert_eq!(send(&server, "GET", G, None).text().lines().count(), 2);
    let changed = request(server.address, "PUT", "/store", &trig, Some(more));
    assert_eq!(
        changed.json()["deleted"],
        SUBJECTS + 2,
        "{}",
        changed.text()
    );
    let accept = [("Accept", "application/trig")];
    let got = request(server.address, "GET", "/store", &accept, None);
    assert!(got.text().contains("<http://e/g>"), "{}", got.text());
    assert_eq!(send(&server, "DELETE", "/store", None).json()["deleted"], 3);
    assert_eq!(send(&server, "GET", "/store", None).text(), "");
}

fn entity_tags() {
    let server = Fixture::with(Vec::new(), |_| {});
    let put = |condition: (&str, &str), body: &str| {
        let headers = [TURTLE, condition];
        request(server.address, "PUT", G, &headers, Some(body)).status
    };
    assert_eq!(put(("If-Match", "*"), "<#a> <#b> 1 ."), 412);
    assert_eq!(put(("If-None-Match", "*"), "<#a> <#b> 1 ."), 201);
    assert_eq!(put(("If-None-Match", "*"), "<#a> <#b> 2 ."), 412);
    let tag = send(&server, "GET", G, None).header("etag").to_owned();
    assert!(tag.ends_with("-nt\""), "{tag}");
    let read = |tag: &str| {
        let headers = [("Accept", "application/n-triples"), ("If-None-Match", tag)];
        let mut connection = Connection::open(server.address);
        connection.send("GET", G, &headers, None);
        connection.read_head().status
    };
    assert_eq!(read(&tag), 304);
    assert_eq!(put(("If-Match", &tag), "<#a> <#b> 2 ."), 200);
    assert_eq!(put(("If-Match", &tag), "<#a> <#b> 3 ."), 412);
    assert_eq!(read(&tag), 200);
    let delete = |tag: &str| {
        let headers = [("If-Match", tag)];
        request(server.address, "DELETE", G, &headers, None).status
    };
    assert_eq!(delete(&tag), 412);
    let tag = send(&server, "GET", G, None).header("etag").to_owned();
    assert_eq!(delete(&tag), 200);
}

/// So many triples that a document is larger than what stays in memory, and than what a query may be.
const TRIPLES: usize = 40_000;

fn document() -> String {
    let mut text = String::new();
    for i in 0..TRIPLES {
        let _ = writeln!(
            text,
            "<http://e/s{i}> <http://e/p> \"the value of number {i}\" ."
        );
    }
    text
}

fn large_documents() {
    let server = Fixture::with(Vec::new(), |s| s.http.body_bytes_max = 1 << 16);
    let text = document();
    assert!(text.len() > 2 << 20);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap();
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    let ntriples = ("Content-Type", "application/n-triples");
    for (coding, body, inserted) in [
        ("identity", text.as_bytes(), TRIPLES),
        ("gzip", &gzip[..], 0),
        ("zstd", &zstd[..], 0),
    ] {
        let mut connection = Connection::open(server.address);
        let headers = [ntriples, ("Content-Encoding", coding)];
        connection.send_bytes("POST", "/store?default", &headers, Some(body));
        let response = connection.read(false);
        assert_eq!(response.json()["inserted"], inserted, "{}", response.text());
    }
    let limited = Fixture::with(Vec::new(), |s| s.http.upload_bytes_max = 1000);
    let response = request(limited.address, "PUT", G, &[ntriples], Some(&text[..1500]));
    assert_eq!(response.status, 413, "{}", response.text());
}

fn cut_short() {
    let server = Fixture::with(Vec::new(), |s| s.query.timeout_ms = 300);
    let headers = [TURTLE, ("Content-Length", "1000")];
    let mut silent = Connection::open(server.address);
    silent.send("PUT", G, &headers, None);
    let mut gone = Connection::open(server.address);
    gone.send("PUT", G, &headers, None);
    drop(gone);
    // Nobody waits for either of them.
    let other = send(&server, "PUT", "/store?default", Some("<a:a> <a:b> 1 ."));
    assert_eq!(other.status, 200);
    assert_eq!(silent.read(false).status, 400);
    assert_eq!(send(&server, "GET", G, None).status, 404);
}
