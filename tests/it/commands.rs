//! What the commands make of a user's mistakes, of readers that go away, and of a log that is to be replayed.

use super::http::client::request;
use super::http::program::{Served, kaluta, store_with, succeed};
use libtest_mimic::Trial;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, run: fn()| {
        Trial::test(format!("commands::{name}"), move || {
            run();
            Ok(())
        })
    };
    vec![
        trial("a mistake is told once, with its place", mistakes),
        trial(
            "a file is as it was when another cannot be written",
            failed_output,
        ),
        trial("nobody has to read to the end", closed_streams),
        trial("a plan is told in the same words each time", stable_plans),
        trial("a log is replayed with three commands", replayed_log),
        trial(
            "what a server was asked is recorded and replayed",
            request_log,
        ),
        trial(
            "own servers of other settings and programs are compared",
            own_servers,
        ),
    ]
}

const TRIPLE: &str = "<http://e/s> <http://e/p> <http://e/o> .\n";

fn text(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// Fails with one message, which has some words, and no more.
#[track_caller]
fn check_mistake(arguments: &[&str], code: i32, words: &[&str]) -> String {
    let output = kaluta(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert!(errors.starts_with("error: "), "{arguments:?}: {errors}");
    for word in words {
        assert_eq!(
            errors.matches(word).count(),
            1,
            "{word} in {arguments:?}: {errors}"
        );
    }
    for noise in ["ERROR", "backtrace", "stack", "panicked"] {
        assert!(!errors.contains(noise), "{arguments:?}: {errors}");
    }
    errors
}

fn mistakes() {
    let folder = store_with(TRIPLE);
    let path = |name: &str| text(folder.path(), name);
    let store = path("store");
    fs::write(path("broken.nt.gz"), b"\x1f\x8bno archive").unwrap();
    fs::write(path("broken.nt.zst"), b"no archive at all").unwrap();
    fs::write(path("cut.nt.bz2"), b"BZh9").unwrap();
    fs::create_dir(path("folder.nt")).unwrap();
    fs::create_dir(path("empty")).unwrap();
    for name in [
        "broken.nt.gz",
        "broken.nt.zst",
        "cut.nt.bz2",
        "folder.nt",
        "missing.nt",
    ] {
        let file = path(name);
        check_mistake(&["load", "--location", &store, &file], 1, &[name]);
    }
    for (name, document, words) in [
        (
            "a.ttl",
            "@prefix : <http://e/> .\n:a :b .\n",
            ["a.ttl: line 2, column 7: ", ":a :b .\n      ^"],
        ),
        (
            "a.trig",
            "<http://e/a> <http://e/b>\n  <x\n",
            ["a.trig: line 2, column ", "  <x"],
        ),
        (
            "a.jsonld",
            "{\n \"@id\": ]\n}",
            ["a.jsonld: line 2, column 9: ", " \"@id\": ]\n        ^"],
        ),
        (
            "a.rdf",
            "<a:b xmlns:a=\"http://e/\">\n <a:c></a:b>",
            ["a.rdf: line 2, column ", " <a:c></a:b>"],
        ),
    ] {
        let file = path(name);
        fs::write(&file, document).unwrap();
        let errors = check_mistake(&["load", "--location", &store, &file], 1, &words);
        assert_eq!(errors.matches("line ").count(), 1, "{errors}");
    }
    let missing = path("missing.rq");
    check_mistake(
        &["query", "--location", &store, "--query-file", &missing],
        1,
        &["missing.rq"],
    );
    check_mistake(
        &["update", "--location", &store, "--update-file", &missing],
        1,
        &["missing.rq"],
    );
    check_mistake(
        &["serve", "--config", &missing, "--location", &store],
        1,
        &["missing.rq"],
    );
    check_mistake(
        &["query", "--location", &missing, "--query", "ASK {}"],
        1,
        &["missing.rq"],
    );
    let replay = |queries: &str, word: &str, code: i32| {
        check_mistake(
            &["replay", "--location", &store, "--queries", queries],
            code,
            &[word],
        );
    };
    replay(&missing, "missing.rq", 1);
    replay(&path("empty"), "holds no queries", 2);
    let into = path("none/out.nq");
    check_mistake(
        &["dump", "--location", &store, "--file", &into],
        1,
        &["out.nq"],
    );
    check_mistake(
        &["generate", "--triples", "5", "--output", &path("empty")],
        1,
        &["empty"],
    );
}

fn failed_output() {
    let folder = store_with(TRIPLE);
    let path = |name: &str| text(folder.path(), name);
    let (store, out) = (path("store"), path("out.nt"));
    fs::write(&out, "as it was").unwrap();
    // Reading comes first where a graph does not parse as an argument, and last where rows cannot be written.
    let query = "SELECT ?s { ?s ?p ?o }";
    for arguments in [
        vec!["dump", "--location", &store, "--file", &out],
        vec![
            "query",
            "--location",
            &store,
            "--results-file",
            &out,
            "--query",
            query,
        ],
        vec!["generate", "--triples", "many", "--output", &out],
    ] {
        assert!(!kaluta(&arguments).status.success(), "{arguments:?}");
        assert_eq!(
            fs::read_to_string(&out).unwrap(),
            "as it was",
            "{arguments:?}"
        );
    }
    succeed(&[
        "dump",
        "--location",
        &store,
        "--graph",
        "default",
        "--file",
        &out,
    ]);
    assert_eq!(fs::read_to_string(&out).unwrap(), TRIPLE);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 3, "{names:?}");
    succeed(&["generate", "--triples", "5", "--output", "/dev/null"]);
}

/// Runs the program while nobody reads what it writes.
fn unread(arguments: &[&str]) -> Option<i32> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaluta"))
        .args(arguments)
        .env_remove("KALUTA_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    child.wait().unwrap().code()
}

fn closed_streams() {
    let folder = store_with(TRIPLE);
    let path = |name: &str| text(folder.path(), name);
    let store = path("store");
    fs::write(path("q.rq"), "ASK {}").unwrap();
    for arguments in [
        vec!["verify", "--location", &store],
        vec![
            "backup",
            "--location",
            &store,
            "--destination",
            &path("copy"),
        ],
        vec!["compact", "--location", &store],
        vec!["dump", "--location", &store],
        vec![
            "query",
            "--location",
            &store,
            "--query",
            "SELECT * { ?s ?p ?o }",
            "--explain",
        ],
        vec!["update", "--location", &store, "--update", "CLEAR ALL"],
        vec!["generate", "--triples", "100000"],
        vec!["replay", "describe", folder.path().to_str().unwrap()],
    ] {
        assert_eq!(unread(&arguments), Some(0), "{arguments:?}");
    }
    assert_eq!(
        unread(&["query", "--location", &store, "--query", "ASK"]),
        Some(1)
    );
}

fn stable_plans() {
    let folder = store_with(TRIPLE);
    let store = text(folder.path(), "store");
    let query = "SELECT ?s (COUNT(?o) AS ?n) (MAX(?o) + 1 AS ?m) { ?s ?p ?o } GROUP BY ?s \
                 HAVING(COUNT(?o) > 0) ORDER BY DESC(COUNT(?o))";
    let plan = || {
        let output = kaluta(&["query", "--location", &store, "--explain", "--query", query]);
        String::from_utf8(output.stderr).unwrap()
    };
    let first = plan();
    assert!(first.contains("?aggregate1"), "{first}");
    assert_eq!(first, plan());
}

const ACCESS_LOG: &str = r#"192.0.2.7 - ann [10/Oct/2000:13:55:36 -0700] "GET /sparql?query=ASK+%7B+%3Fs+%3Fp+%3Fo+%7D HTTP/1.1" 200 23 "-" "Agent/1"
192.0.2.8 - - [10/Oct/2000:13:55:36 -0700] "GET /favicon.ico HTTP/1.1" 404 0 "-" "Agent/1"
192.0.2.7 - ann [10/Oct/2000:13:55:37 -0700] "GET /sparql?query=SELECT+%2A+%7B+%3Fs+%3Fp+%3Fo+%7D HTTP/1.1" 200 23 "-" "Agent/1"
192.0.2.7 - ann [10/Oct/2000:13:55:37 -0700] "GET /sparql?query=SELECT+broken HTTP/1.1" 400 23 "-" "Agent/1"
"#;

fn replayed_log() {
    let folder = store_with(TRIPLE);
    let path = |name: &str| text(folder.path(), name);
    fs::write(path("access.log"), ACCESS_LOG).unwrap();
    let imported = succeed(&[
        "replay",
        "import",
        &path("access.log"),
        "--out",
        &path("workload"),
    ]);
    assert!(
        imported.starts_with("4 lines: 2 requests of 2 templates kept, 2 dropped"),
        "{imported}"
    );
    let described = succeed(&["replay", "describe", &path("workload")]);
    assert!(
        described.starts_with("2 requests over 1 s: 2 different queries"),
        "{described}"
    );
    let kept = fs::read_to_string(path("workload/workload.jsonl")).unwrap();
    for personal in ["192.0.2", "ann", "Agent"] {
        assert!(!kept.contains(personal), "{kept}");
    }
    let (json, html) = (path("replay.jsonl"), path("replay.html"));
    let workload = path("workload");
    let replayed = replay(
        &workload,
        &path("store"),
        &["--json", &json, "--html", &html],
    );
    let report = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success(), "{report}");
    assert!(
        report.contains("2 queries timed after 0 warm ones"),
        "{report}"
    );
    let mut page = String::new();
    fs::File::open(&html)
        .unwrap()
        .read_to_string(&mut page)
        .unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    let compared = succeed(&["replay", "compare", &json, &json, "--fail-above", "5%"]);
    assert!(!compared.contains("warning"), "{compared}");
}

fn request_log() {
    let folder = store_with(TRIPLE);
    let path = |name: &str| text(folder.path(), name);
    let log = path("requests.jsonl");
    fs::write(&log, "a line that was cut").unwrap();
    let served = Served::start(&folder.path().join("store"), &["--request-log", &log]);
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let sent = |method: &str, target: &str, headers: &[(&str, &str)], body: Option<&str>| {
        request(served.address, method, target, headers, body).status
    };
    let get = "/query?query=ASK+%7B%7D&named-graph-uri=http%3A%2F%2Fe%2Fg";
    assert_eq!(
        sent(
            "GET",
            get,
            &[("Accept", "text/csv"), ("Cookie", "s3cret")],
            None
        ),
        200
    );
    assert_eq!(
        sent(
            "POST",
            "/query",
            &[form],
            Some("query=SELECT+%2A+%7B+%3Fs+%3Fp+%3Fo+%7D")
        ),
        200
    );
    assert_eq!(sent("POST", "/query", &[form], Some("query=SELECT")), 400);
    assert_eq!(
        sent("POST", "/update", &[form], Some("update=CLEAR+ALL")),
        200
    );
    assert_eq!(sent("GET", "/health", &[], None), 200);
    assert_eq!(served.stop("TERM").0, Some(0));
    let lines = fs::read_to_string(&log).unwrap();
    let mut records = lines.lines().skip(1).map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(record["answered_ms"].as_f64().unwrap() > 0.0);
        record
    });
    let first = records.next().unwrap();
    assert_eq!(
        (&first["query"], &first["accept"]),
        (&"ASK {}".into(), &"text/csv".into())
    );
    let statuses: Vec<_> = records
        .map(|record| record["status"].as_u64().unwrap())
        .collect();
    assert_eq!(statuses, [200, 400, 200]);
    assert!(
        !lines.contains("s3cret") && !lines.contains("127.0.0.1"),
        "{lines}"
    );
    let imported = succeed(&["replay", "import", &log, "--out", &path("workload")]);
    assert!(
        imported.starts_with("5 lines: 2 requests of 2 templates kept, 3 dropped"),
        "{imported}"
    );
    let workload = path("workload");
    let replayed = replay(&workload, &path("store"), &[]);
    let report = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success(), "{report}");
}

fn own_servers() {
    let folder = store_with(TRIPLE);
    let path = |name: &str| text(folder.path(), name);
    let (store, workload) = (path("store"), path("workload"));
    fs::create_dir(&workload).unwrap();
    fs::write(path("workload/1.rq"), "SELECT * { ?s ?p ?o }").unwrap();
    fs::write(path("workload/2.rq"), "ASK { ?s ?p ?o FILTER(isIRI(?o)) }").unwrap();
    let other = format!("other='{}' --timeout-s 7", env!("CARGO_BIN_EXE_kaluta"));
    let more = [
        "--server",
        "usual=",
        "--server",
        "strict=--timeout-s 5",
        "--server",
        &other,
    ];
    let json = path("replay.jsonl");
    let replayed = replay(&workload, &store, &[&more[..], &["--json", &json]].concat());
    let report = String::from_utf8(replayed.stdout).unwrap();
    assert!(replayed.status.success(), "{report}");
    for name in ["usual: ", "strict: ", "other: "] {
        let line = report.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(
            line.contains(&format!(" serve --location {store}")),
            "{line}"
        );
        assert!(
            line.contains("; kaluta/") && line.contains("; 1 triples, checksum "),
            "{line}"
        );
    }
    assert!(
        report.contains("--timeout-s 5;") && report.contains("--timeout-s 7;"),
        "{report}"
    );
    assert!(
        report.lines().any(|line| line.starts_with("FILTER ")),
        "{report}"
    );
    let head = fs::read_to_string(&json).unwrap();
    let head: serde_json::Value = serde_json::from_str(head.lines().next().unwrap()).unwrap();
    assert_eq!(head["data"][2]["triples"], 1);
    assert_eq!(
        head["targets"],
        serde_json::json!(["usual", "strict", "other"])
    );
    let failed = replay(&workload, &store, &["--server", "none=/nonexistent/kaluta"]);
    assert_eq!(failed.status.code(), Some(1));
    let failed = replay(&workload, &store, &["--server", "bad='--timeout-s"]);
    assert_eq!(failed.status.code(), Some(2));
}

/// Replays a workload against own servers.
fn replay(workload: &str, store: &str, more: &[&str]) -> Output {
    let fixed = [
        "replay",
        "--queries",
        workload,
        "--location",
        store,
        "--warm",
        "0",
    ];
    let quick = ["--threads", "1", "--repeats", "6"];
    kaluta(&[&fixed[..], &quick, more].concat())
}
