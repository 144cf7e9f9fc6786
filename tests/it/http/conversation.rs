//! Whole exchanges: ways to ask, media types, errors, CORS, compression (cases A30 to A33).

use super::client::{Connection, ask, request, target};
use super::fixture::{Fixture, SUBJECTS};
use super::trial;
use kaluta::settings::DefaultGraph;
use libtest_mimic::Trial;
use std::io::Read;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("every way to send a query gives the same answer", every_way),
        trial(
            "media types are negotiated among those of the query's form",
            media_types,
        ),
        trial(
            "awkward strings are escaped in every format",
            awkward_strings,
        ),
        trial("requests that break the protocol", refused_requests),
        trial("a syntax error is a readable problem", syntax_errors),
        trial("the service describes what it has", description),
        trial(
            "well-known prefixes are declared where that is set",
            default_prefixes,
        ),
        trial(
            "preflights need no credentials and errors can be read",
            cross_origin,
        ),
        trial("HEAD has the head of GET and no body", head),
        trial("a connection serves many requests", keep_alive),
        trial("answers are compressed when asked for", compression),
        trial("large bodies are refused", large_bodies),
        trial("plans are shown", plans),
        trial("health, metrics and the front page", own_pages),
        trial("every response says who answered", server_names),
    ]
}

const QUERY: &str = "SELECT ?o { <http://e/s7> <http://e/p> ?o }";
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
const DIRECT: (&str, &str) = ("Content-Type", "application/sparql-query");

fn every_way() {
    let server = Fixture::start(|_| {});
    let form = target(QUERY).replace("/query?", "");
    let expected = request(server.address, "GET", &target(QUERY), &[], None);
    assert_eq!(expected.status, 200, "{}", expected.text());
    assert_eq!(
        expected.header("content-type"),
        "application/sparql-results+json"
    );
    assert_eq!(
        expected.json()["results"]["bindings"][0]["o"]["value"],
        "object number 7"
    );
    for path in ["/query", "/sparql"] {
        let check = |method: &str, target: &str, header: (&str, &str), body: Option<&str>| {
            let response = request(server.address, method, target, &[header], body);
            assert_eq!(response.text(), expected.text(), "{method} {target}");
        };
        check(
            "GET",
            &target(QUERY).replace("/query", path),
            ("Accept", "*/*"),
            None,
        );
        check("POST", path, FORM, Some(&form));
        check(
            "POST",
            path,
            (FORM.0, "application/X-www-form-urlencoded; charset=utf-8"),
            Some(&form),
        );
        check("POST", path, DIRECT, Some(QUERY));
        check(
            "POST",
            path,
            (DIRECT.0, "application/sparql-query; charset=UTF-8"),
            Some(QUERY),
        );
        check(
            "POST",
            path,
            (DIRECT.0, "application/sparql-query; version=1.2"),
            Some(QUERY),
        );
        check("QUERY", path, DIRECT, Some(QUERY));
    }
}

fn media_types() {
    let server = Fixture::start(|_| {});
    let check = |query: &str, accept: &str, expected: &str| {
        let response = ask(server.address, query, accept);
        assert_eq!(response.status, 200, "{accept}: {}", response.text());
        assert_eq!(response.header("content-type"), expected, "{accept}");
        assert!(response.header("vary").contains("accept"), "{accept}");
    };
    let json = "application/sparql-results+json";
    check(QUERY, "*/*", json);
    check(QUERY, "text/html, */*", json);
    check(QUERY, "application/json, */*;q=0.1", "application/json");
    check(QUERY, "text/csv", "text/csv; charset=utf-8");
    check(
        QUERY,
        "application/n-triples;q=0.9, text/turtle;q=0.8, application/sparql-results+xml;q=0.6, \
         application/sparql-results+json;q=0.7",
        json,
    );
    check(
        QUERY,
        "application/sparql-results+json;q=0, */*",
        "application/sparql-results+xml",
    );
    check(
        "ASK { ?s ?p ?o }",
        "application/sparql-results+xml",
        "application/sparql-results+xml",
    );
    let construct = "CONSTRUCT WHERE { ?s <http://e/counts> ?o }";
    check(construct, "application/n-triples", "application/n-triples");
    check(
        construct,
        "text/turtle, application/rdf+xml",
        "text/turtle; charset=utf-8",
    );
    check(construct, "application/rdf+xml", "application/rdf+xml");
    check(construct, "application/ld+json", "application/ld+json");
    check(
        QUERY,
        "application/sparql-results+xml; version=1.2, */*;q=0.1",
        "application/sparql-results+xml; version=1.2",
    );
    check(
        construct,
        "text/turtle;version=\"1.2\"",
        "text/turtle; charset=utf-8; version=1.2",
    );
    check(QUERY, "application/sparql-results+json;version=1.1", json);
    let response = ask(server.address, QUERY, "image/png");
    assert_eq!(response.status, 406);
    assert!(
        response.text().contains("text/tab-separated-values"),
        "{}",
        response.text()
    );
}

fn awkward_strings() {
    let server = Fixture::start(|_| {});
    let query = "SELECT ?o { <http://e/awkward> <http://e/says> ?o }";
    let check = |query: &str, accept: &str, expected: &str| {
        let response = ask(server.address, query, accept);
        assert!(
            response.text().contains(expected),
            "{accept}: {}",
            response.text()
        );
    };
    check(
        query,
        "text/tab-separated-values",
        "\n\"say \\\"hi\\\"\\tthere\\r\\nend\"\n",
    );
    check(
        query,
        "text/csv",
        "\r\n\"say \"\"hi\"\"\tthere\r\nend\"\r\n",
    );
    check(query, "application/sparql-results+xml", "&#xD;");
    check(
        query,
        "application/sparql-results+json",
        "say \\\"hi\\\"\\tthere\\r\\nend",
    );
    check(
        "CONSTRUCT WHERE { ?s <http://e/counts> ?o }",
        "application/n-triples",
        "\"5\"^^<http://www.w3.org/2001/XMLSchema#integer> .",
    );
}

fn refused_requests() {
    let server = Fixture::start(|_| {});
    let check =
        |method: &str, target: &str, headers: &[(&str, &str)], body: Option<&str>, status: u16| {
            let response = request(server.address, method, target, headers, body);
            assert_eq!(
                response.status,
                status,
                "{method} {target}: {}",
                response.text()
            );
            assert_eq!(response.header("content-type"), "application/problem+json");
            let problem = response.json();
            assert_eq!(problem["status"], status);
            assert_eq!(problem["request"], response.header("x-request-id"));
            assert!(problem["detail"].as_str().is_some_and(|d| !d.is_empty()));
            response
        };
    check("GET", "/query?explain=text", &[], None, 400);
    check("GET", "/query?update=CLEAR+ALL", &[], None, 400);
    check(
        "GET",
        "/query?query=ASK%7B%7D&query=ASK%7B%7D",
        &[],
        None,
        400,
    );
    check(
        "POST",
        "/query",
        &[FORM],
        Some("query=ASK%7B%7D&update=CLEAR+ALL"),
        400,
    );
    check("POST", "/query", &[DIRECT], Some(""), 400);
    check(
        "POST",
        "/query",
        &[("Content-Type", "text/plain")],
        Some("ASK {}"),
        415,
    );
    check("POST", "/query", &[], Some("ASK {}"), 415);
    check(
        "POST",
        "/query",
        &[DIRECT, ("Content-Encoding", "br")],
        Some("ASK {}"),
        415,
    );
    check("POST", "/query", &[FORM], Some("update=CLEAR+ALL"), 400);
    check("POST", "/update", &[FORM], Some("update=CLEAR"), 400);
    check("POST", "/update", &[FORM], Some("query=ASK%7B%7D"), 400);
    check("GET", "/update?update=CLEAR+ALL", &[], None, 405);
    check("GET", "/sparql?update=CLEAR+ALL", &[], None, 400);
    check("GET", "/nowhere", &[], None, 404);
    let response = check("DELETE", "/query", &[], None, 405);
    assert!(response.header("allow").contains("POST"));
    // The log is not to be managed in this process.
    check("GET", "/admin/log", &[("Host", "evil.example")], None, 403);
}

fn syntax_errors() {
    let server = Fixture::start(|_| {});
    let query = "SELECT * {\n  ?s ?p }";
    let problem = ask(server.address, query, "*/*");
    assert_eq!(problem.status, 400);
    let problem = problem.json();
    assert_eq!(problem["kind"], "syntax");
    assert_eq!(problem["line"], 2);
    assert!(problem["column"].as_u64().is_some());
    assert_eq!(problem["excerpt"][0], "  ?s ?p }");
    assert!(
        problem["excerpt"][1]
            .as_str()
            .unwrap()
            .trim_start()
            .starts_with('^')
    );
    // The usual slips, each with what to do.
    for (query, words) in [
        (
            "SELECT * { ?s foaf:name ?n }",
            "add PREFIX foaf: <http://xmlns.com/foaf/0.1/>",
        ),
        (
            "SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o }",
            "add it to GROUP BY",
        ),
        ("ASK { ?s ?p “x” }", "write straight quotes"),
        ("ASK { ?s ?p 1 ?s ?q 2 }", "is missing before `?s`"),
    ] {
        let problem = ask(server.address, query, "*/*").json();
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(words), "{query}: {detail}");
        assert!(
            problem["excerpt"][1]
                .as_str()
                .is_some_and(|e| e.ends_with('^'))
        );
    }
    let page = ask(server.address, query, "text/html,*/*;q=0.8");
    assert_eq!(page.header("content-type"), "text/plain; charset=utf-8");
    assert!(page.text().contains("\n    ?s ?p }\n"), "{}", page.text());
}

/// Prefixes that everybody knows are declared where an operator says so, and only there.
fn default_prefixes() {
    let query = "ASK { ?s rdfs:label ?label }";
    let plain = Fixture::start(|_| {});
    assert_eq!(ask(plain.address, query, "*/*").status, 400);
    let eased = Fixture::start(|settings| settings.query.default_prefixes = true);
    assert_eq!(ask(eased.address, query, "*/*").status, 200);
}

fn description() {
    let describe = |server: &Fixture, path: &str| {
        let response = request(server.address, "GET", path, &[], None);
        assert_eq!(response.header("content-type"), "application/n-triples");
        response.text().to_owned()
    };
    let plain = Fixture::start(|_| {});
    let (both, queries) = (describe(&plain, "/sparql"), describe(&plain, "/query"));
    assert!(both.contains("#SPARQL11Update>") && both.contains("#SPARQL11Query>"));
    assert!(!queries.contains("#SPARQL11Update>"), "{queries}");
    assert!(!both.contains("#feature>"), "{both}");
    let other = Fixture::start(|settings| {
        settings.query.default_graph = DefaultGraph::Union;
        settings.service.allow = vec!["http://e.org/sparql".to_owned()];
    });
    let features = describe(&other, "/query");
    assert!(features.contains("#UnionDefaultGraph>"), "{features}");
    assert!(features.contains("#BasicFederatedQuery>"), "{features}");
    let refused = request(
        other.address,
        "GET",
        "/query",
        &[("Accept", "image/png")],
        None,
    );
    assert_eq!(refused.status, 406);
}

fn cross_origin() {
    let server = Fixture::start(|_| {});
    let asked = [
        ("Origin", "https://app.example"),
        ("Access-Control-Request-Method", "POST"),
        (
            "Access-Control-Request-Headers",
            "content-type, authorization, queryid",
        ),
    ];
    let preflight = request(server.address, "OPTIONS", "/query", &asked, None);
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-origin"), "*");
    assert!(
        preflight
            .header("access-control-allow-methods")
            .contains("POST")
    );
    for name in ["content-type", "authorization", "queryid"] {
        assert!(
            preflight
                .header("access-control-allow-headers")
                .contains(name),
            "{name}"
        );
    }
    assert!(
        preflight
            .header("access-control-max-age")
            .parse::<u32>()
            .is_ok()
    );
    for target in [target("ASK {}"), target("ASK {"), "/nowhere".to_owned()] {
        let response = request(server.address, "GET", &target, &asked[..1], None);
        assert_eq!(
            response.header("access-control-allow-origin"),
            "*",
            "{target}"
        );
        assert!(
            response
                .header("access-control-expose-headers")
                .contains("x-request-id")
        );
    }
    let preflight = request(server.address, "OPTIONS", "/admin/log", &asked, None);
    assert_eq!(preflight.header("access-control-allow-origin"), "");
    let closed = Fixture::start(|settings| settings.http.cross_origin = false);
    let response = request(closed.address, "GET", &target("ASK {}"), &asked[..1], None);
    assert_eq!(response.header("access-control-allow-origin"), "");
}

fn head() {
    let server = Fixture::start(|_| {});
    let mut connection = Connection::open(server.address);
    for (query, status) in [(QUERY, 200), ("SELECT", 400)] {
        connection.send("HEAD", &target(query), &[("Accept", "text/csv")], None);
        let head = connection.read(true);
        assert_eq!(head.status, status);
        connection.send("GET", &target(query), &[("Accept", "text/csv")], None);
        let get = connection.read(false);
        assert_eq!(head.header("content-type"), get.header("content-type"));
        assert!(!get.body.is_empty());
        let length = head.header("content-length");
        assert!(
            length.is_empty() || length == get.header("content-length"),
            "{length}"
        );
    }
}

fn keep_alive() {
    let server = Fixture::start(|_| {});
    let mut connection = Connection::open(server.address);
    for i in 0..50 {
        let query = format!(
            "SELECT ?o {{ <http://e/s{}> <http://e/p> ?o }}",
            i % SUBJECTS
        );
        connection.send("GET", &target(&query), &[("Accept", "text/csv")], None);
        let response = connection.read(false);
        assert_eq!(response.text(), format!("o\r\nobject number {i}\r\n"));
    }
}

fn compression() {
    let server = Fixture::start(|settings| settings.http.hold_back_bytes = 16 << 10);
    let decode = |coding: &str, body: &[u8]| {
        let mut text = String::new();
        match coding {
            "gzip" => flate2::read::GzDecoder::new(body).read_to_string(&mut text),
            "zstd" => zstd::stream::read::Decoder::new(body)
                .unwrap()
                .read_to_string(&mut text),
            other => panic!("coding {other:?}"),
        }
        .unwrap();
        text
    };
    let whole = "SELECT * { ?s <http://e/p> ?o }";
    let streamed = "SELECT * { ?s <http://e/p> ?o . ?t <http://e/p> ?u }";
    for query in [whole, streamed] {
        let plain = ask(server.address, query, "text/csv");
        for coding in ["gzip", "zstd"] {
            let headers = [("Accept", "text/csv"), ("Accept-Encoding", coding)];
            let response = request(server.address, "GET", &target(query), &headers, None);
            assert!(response.is_whole && response.body.len() < plain.body.len() / 2);
            assert_eq!(response.header("content-encoding"), coding);
            assert!(response.header("vary").contains("accept-encoding"));
            let sorted = |text: &str| {
                let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(
                sorted(&decode(coding, &response.body)),
                sorted(plain.text())
            );
        }
    }
    let tiny = request(
        server.address,
        "GET",
        &target("ASK {}"),
        &[("Accept-Encoding", "gzip")],
        None,
    );
    assert_eq!(tiny.header("content-encoding"), "");
}

fn large_bodies() {
    let server = Fixture::start(|settings| settings.http.body_bytes_max = 1000);
    let check = |length: usize, status: u16| {
        let body = format!("ASK {{}}{}", " ".repeat(length - 6));
        let response = request(server.address, "POST", "/query", &[DIRECT], Some(&body));
        assert_eq!(response.status, status, "{}", response.text());
    };
    check(1000, 200);
    check(1001, 413);
}

fn plans() {
    let server = Fixture::start(|_| {});
    let target = target(QUERY);
    let text = request(
        server.address,
        "GET",
        &format!("{target}&explain=text"),
        &[],
        None,
    );
    assert_eq!(text.header("content-type"), "text/plain; charset=utf-8");
    let json = request(
        server.address,
        "GET",
        &format!("{target}&explain=json&analyze=true"),
        &[],
        None,
    );
    assert_eq!(json.header("content-type"), "application/json");
    assert!(json.json().is_object());
}

fn own_pages() {
    let server = Fixture::start(|_| {});
    assert_eq!(
        request(server.address, "GET", "/health", &[], None).status,
        200
    );
    let home = request(server.address, "GET", "/", &[("Accept", "text/html")], None);
    assert!(home.text().contains("curl"));
    ask(server.address, QUERY, "*/*");
    ask(server.address, "SELECT", "*/*");
    let page = request(server.address, "GET", "/metrics", &[], None);
    let has = |line: String| assert!(page.text().contains(&line), "{line} in {}", page.text());
    has("kaluta_http_requests_total{status=\"400\"} 1\n".to_owned());
    has("kaluta_query_seconds_count 2\n".to_owned());
    has("kaluta_result_rows_total 1\n".to_owned());
    has("kaluta_queries_running 0\n".to_owned());
    has("kaluta_queries_queued 0\n".to_owned());
    has(format!("kaluta_store_quads {}\n", SUBJECTS + 2));
    has("# TYPE kaluta_backtraces_captured_total counter\n".to_owned());
    has("# TYPE kaluta_expression_errors_total counter\n".to_owned());
}

fn server_names() {
    let server = Fixture::start(|_| {});
    let check = |method: &str, target: &str, status: u16| {
        let response = request(server.address, method, target, &[], None);
        assert_eq!(response.status, status, "{method} {target}");
        let expected = format!("kaluta/{}", env!("CARGO_PKG_VERSION"));
        assert_eq!(response.header("server"), expected, "{method} {target}");
    };
    check("GET", &target(QUERY), 200);
    check("GET", &target("SELECT"), 400);
    check("GET", "/health", 200);
    check("GET", "/nowhere", 404);
    check("DELETE", "/query", 405);
    check("OPTIONS", "/query", 204);
}
