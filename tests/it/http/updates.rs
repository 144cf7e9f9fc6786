//! Updates on the wire: what they answer, what they refuse, and that each is done wholly or not at all.

use super::client::{Connection, Response, ask, metric, request};
use super::fixture::{Fixture, SUBJECTS};
use super::trial;
use libtest_mimic::Trial;
use std::io::Write;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("an update says what it changed", counts),
        trial("an update that fails changes nothing", all_or_nothing),
        trial("the bytes of the store are those of its log, too", bytes),
        trial("LOAD reads listed folders only", load),
        trial("LOAD fetches listed URLs only", load_from_the_web),
        trial("a server that only reads changes nothing", read_only),
        trial("a compressed update is read", compressed),
        trial("deeply joined templates are refused", deep_templates),
    ]
}

const UPDATE: (&str, &str) = ("Content-Type", "application/sparql-update");

fn update(server: &Fixture, text: &str) -> Response {
    request(server.address, "POST", "/update", &[UPDATE], Some(text))
}

/// The update is made, and answers with these numbers of quads.
#[track_caller]
fn check(server: &Fixture, text: &str, inserted: u64, deleted: u64) {
    let response = update(server, text);
    assert_eq!(response.status, 200, "{text}: {}", response.text());
    let changed = response.json();
    assert_eq!(
        (&changed["inserted"], &changed["deleted"]),
        (&inserted.into(), &deleted.into()),
        "{text}"
    );
}

/// The update is refused with this status, and the problem has these words.
#[track_caller]
fn check_refused(server: &Fixture, text: &str, status: u16, words: &str) {
    let response = update(server, text);
    assert_eq!(response.status, status, "{text}: {}", response.text());
    assert!(response.text().contains(words), "{}", response.text());
}

fn count(server: &Fixture, pattern: &str) -> String {
    let query = format!("SELECT (COUNT(*) AS ?n) {{ {pattern} }}");
    let response = ask(server.address, &query, "text/csv");
    response
        .text()
        .lines()
        .nth(1)
        .unwrap_or_default()
        .to_owned()
}

fn counts() {
    let server = Fixture::start(|_| {});
    let first = update(&server, "INSERT DATA { <http://e/a> <http://e/b> 1, 2, 2 }").json();
    assert_eq!(
        (&first["inserted"], &first["deleted"]),
        (&2.into(), &0.into())
    );
    let second = update(&server, "INSERT DATA { <http://e/a> <http://e/b> 3 }").json();
    assert!(second["sequence"].as_u64() > first["sequence"].as_u64());
    check(
        &server,
        "INSERT DATA { <http://e/a> <http://e/b> 1, 4 }",
        1,
        0,
    );
    check(
        &server,
        "DELETE DATA { <http://e/a> <http://e/b> 1, 9 . <http://e/new> <http://e/b> 1 }",
        0,
        1,
    );
    // A no-op is visible (case A27).
    check(&server, "DELETE WHERE { GRAPH ?g { ?s ?p ?o } }", 0, 0);
    check(
        &server,
        "DELETE { ?s <http://e/p> ?o } INSERT { ?s <http://e/q> ?o } WHERE { ?s <http://e/p> ?o }",
        SUBJECTS as u64,
        SUBJECTS as u64,
    );
    // Within a request, what comes and goes again does not count.
    check(
        &server,
        "INSERT DATA { <http://e/x> <http://e/y> <http://e/z> } ; DELETE WHERE { <http://e/x> ?p ?o }",
        0,
        0,
    );
    check(&server, "", 0, 0);
}

fn all_or_nothing() {
    let server = Fixture::start(|_| {});
    let before = count(&server, "?s ?p ?o");
    let insert = "INSERT DATA { <http://e/a> <http://e/b> 1 } ;";
    let fails = |rest: &str, status, words| {
        check_refused(&server, &format!("{insert} {rest}"), status, words);
    };
    fails("LOAD <file:///nowhere>", 403, "load_folders");
    fails("LOAD <http://e/nowhere>", 403, "load_urls");
    fails(
        "INSERT DATA { GRAPH <http://e/g> { <http://e/a> <http://e/b> 1 } } ; CREATE GRAPH <http://e/g>",
        400,
        "exists already",
    );
    fails("CLEAR", 400, "line");
    check_refused(&server, "SELECT * { ?s ?p ?o }", 400, "begins a query");
    assert_eq!(count(&server, "?s ?p ?o"), before);
    check(
        &server,
        &format!("{insert} LOAD SILENT <http://e/nowhere> ; CREATE SILENT GRAPH <http://e/g>"),
        1,
        0,
    );
}

fn bytes() {
    let server = Fixture::with(Vec::new(), |_| {});
    let before = metric(server.address, "kaluta_store_bytes");
    let long = "a".repeat(100_000);
    check(
        &server,
        &format!("INSERT DATA {{ <http://e/a> <http://e/b> '{long}' }}"),
        1,
        0,
    );
    let after = metric(server.address, "kaluta_store_bytes");
    assert!(after > before + 100_000, "{before} before, {after} after");
}

fn load() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let file = |folder: &tempfile::TempDir, name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        format!("<file://{}>", path.display())
    };
    let good = file(&folder, "a b.ttl", "<#a> <#b> 1 .").replace("a b", "a%20b");
    let bad = file(&folder, "bad.ttl", "<#a> <#b> 1 . <#c>");
    let outside = file(&other, "a.ttl", "<#a> <#b> 2 .");
    std::os::unix::fs::symlink(other.path(), folder.path().join("link")).unwrap();
    let linked = format!("<file://{}/link/a.ttl>", folder.path().display());
    let server = Fixture::with(Vec::new(), |s| {
        s.update.load_folders = vec![folder.path().to_owned()];
    });
    check(&server, &format!("LOAD {good}"), 1, 0);
    check(
        &server,
        &format!("LOAD {good} INTO GRAPH <http://e/g>"),
        1,
        0,
    );
    let subject = good.replace('>', "#a>");
    assert_eq!(count(&server, &format!("{subject} ?p 1")), "1");
    check_refused(&server, &format!("LOAD {bad}"), 400, "bad.ttl");
    check(&server, &format!("LOAD SILENT {bad}"), 0, 0);
    for refused in [&outside, &linked] {
        check_refused(&server, &format!("LOAD {refused}"), 403, "load_folders");
    }
    let missing = good.replace("a%20b", "missing");
    check_refused(&server, &format!("LOAD {missing}"), 404, "no such file");
    assert_eq!(count(&server, "?s ?p ?o"), "1");
    let closed = Fixture::with(Vec::new(), |_| {});
    check_refused(&closed, &format!("LOAD {good}"), 403, "load_folders");
}

fn load_from_the_web() {
    let far = Fixture::with(Vec::new(), |_| {});
    check(&far, "INSERT DATA { <http://e/a> <http://e/b> 1, 2 }", 2, 0);
    let document = format!("http://{}/store?default", far.address);
    let near = Fixture::with(Vec::new(), |s| {
        s.update.load_urls = vec![format!("http://{}/*", far.address)];
    });
    check(&near, &format!("LOAD <{document}>"), 2, 0);
    let into = format!("LOAD <{document}> INTO GRAPH <http://e/g>");
    check(&near, &into, 2, 0);
    let broken = [
        (format!("LOAD <http://{}/none>", far.address), 502, "404"),
        (
            format!("LOAD <http://{}/health>", far.address),
            400,
            "health",
        ),
        ("LOAD <http://e.example/a.ttl>".to_owned(), 403, "load_urls"),
        ("LOAD <https://e.example/a>".to_owned(), 403, "https"),
        ("LOAD <ftp://e.example/a>".to_owned(), 501, "ftp"),
    ];
    for (text, status, words) in broken {
        check_refused(&near, &text, status, words);
        check(&near, &text.replace("LOAD", "LOAD SILENT"), 0, 0);
    }
    let limited = Fixture::with(Vec::new(), |s| {
        s.update.load_urls = vec!["*".to_owned()];
    });
    check_refused(
        &limited,
        &format!("LOAD <{document}>"),
        403,
        "private_hosts",
    );
}

fn read_only() {
    let server = Fixture::read_only();
    check_refused(&server, "CLEAR ALL", 403, "read-only");
    for (method, target) in [
        ("PUT", "/store?default"),
        ("POST", "/store"),
        ("DELETE", "/store"),
    ] {
        let response = request(server.address, method, target, &[], Some(""));
        assert_eq!(response.status, 403, "{method} {target}");
    }
    let body = Some("CLEAR ALL");
    let response = request(server.address, "POST", "/sparql", &[UPDATE], body);
    assert_eq!(response.status, 403);
    let response = request(server.address, "GET", "/store?default", &[], None);
    assert_eq!(response.status, 200);
}

fn compressed() {
    let server = Fixture::with(Vec::new(), |s| s.http.body_bytes_max = 1000);
    let send = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        let mut connection = Connection::open(server.address);
        let headers = [UPDATE, ("Content-Encoding", "gzip")];
        let body = encoder.finish().unwrap();
        connection.send_bytes("POST", "/sparql", &headers, Some(&body));
        connection.read(false)
    };
    assert_eq!(send("INSERT DATA { <a> <b> 1 }").json()["inserted"], 1);
    assert_eq!(send(&" ".repeat(2000)).status, 413);
    // Relative IRIs are resolved against that of the request.
    assert_eq!(
        count(&server, "<http://localhost/a> <http://localhost/b> 1"),
        "1"
    );
}

fn deep_templates() {
    let server = Fixture::with(Vec::new(), |_| {});
    let triples = "<http://e/s> <http://e/p> 1 . ".repeat(20_000);
    check(&server, &format!("INSERT DATA {{ {triples} }}"), 1, 0);
    check_refused(
        &server,
        &format!("DELETE WHERE {{ {triples} }}"),
        400,
        "deep",
    );
    let graphs = "GRAPH <http://e/g> { <http://e/s> <http://e/p> 1 } ".repeat(2000);
    check(&server, &format!("INSERT DATA {{ {graphs} }}"), 1, 0);
    check_refused(
        &server,
        &format!("DELETE WHERE {{ {graphs} }}"),
        400,
        "deep",
    );
    let operations = "INSERT { ?s ?p 1 } WHERE { ?s ?p 1 OPTIONAL {} } ;".repeat(600);
    check(&server, &operations, 0, 0);
}
