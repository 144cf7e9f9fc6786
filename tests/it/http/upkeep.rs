//! Copies, compaction and verification, by the program and by a running server.

use super::client::request;
use super::fixture::Fixture;
use super::program::{kaluta, store_with};
use super::trial;
use kaluta::engine::{Engine, QueryAnswer, QueryControl, QueryRequest};
use kaluta::settings::QuerySettings;
use libtest_mimic::Trial;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("a copy is a store, and compaction keeps all quads", program),
        trial("verify names what is damaged", damage),
        trial("a server is backed up while it is written to", backup),
        trial("a server compacts its store", compact),
        trial("upkeep is for the operator alone", refusals),
    ]
}

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
const UPDATE: (&str, &str) = ("Content-Type", "application/sparql-update");

const TRIPLES: &str = "\
<http://e/a> <http://e/b> \"1\" .
<http://e/a> <http://e/b> \"2\" .
<http://e/a> <http://e/b> \"3\" .
";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[track_caller]
fn run(arguments: &[&str], code: i32) -> String {
    let output = kaluta(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap() + &errors
}

fn program() {
    let store = store_with(TRIPLES);
    let location = &store.path().join("store");
    let location = text(location);
    let delete = "DELETE DATA { <http://e/a> <http://e/b> '3' }";
    run(&["update", "-l", location, "-u", delete], 0);
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    let said = run(&["backup", "-l", location, "-d", text(&copy)], 0);
    assert!(said.starts_with("2 quads up to commit "), "{said}");
    let again = run(&["backup", "-l", location, "-d", text(&copy)], 1);
    assert!(again.contains("not empty"), "{again}");
    let said = run(&["compact", "-l", text(&copy)], 0);
    assert!(said.starts_with("2 quads compacted: "), "{said}");
    for place in [location, text(&copy)] {
        let said = run(&["verify", "-l", place], 0);
        assert!(
            said.starts_with("2 quads, ") && said.ends_with(": 0 problems\n"),
            "{said}"
        );
        assert_eq!(run(&["dump", "-l", place], 0).lines().count(), 2);
    }
    let nowhere = folder.path().join("nowhere");
    for command in ["verify", "compact"] {
        run(&[command, "-l", text(&nowhere)], 1);
        assert!(!nowhere.exists());
    }
}

fn damage() {
    let store = store_with("<http://e/a> <http://e/b> <http://e/c> .\n");
    let index = std::fs::read_dir(store.path().join("store"))
        .unwrap()
        .map(|f| f.unwrap().path());
    let index = index
        .filter(|p| p.to_string_lossy().contains("posg"))
        .max()
        .expect("an index in the order posg");
    let mut bytes = std::fs::read(&index).unwrap();
    bytes[20] ^= 1;
    std::fs::write(&index, bytes).unwrap();
    let said = run(&["verify", "-l", text(&store.path().join("store"))], 1);
    let name = index.file_name().unwrap().to_string_lossy();
    assert!(said.contains(name.as_ref()), "{said}");
}

/// The number of quads of a copy, which must be a sound store.
fn count(location: &Path) -> u64 {
    let engine = Engine::open_read_only(location, &QuerySettings::default()).unwrap();
    let report = engine.verify();
    assert!(report.is_sound(), "{:?}", report.problems);
    report.quads
}

fn insert(server: &Fixture, pair: usize) {
    let body =
        format!("INSERT DATA {{ <http://e/{pair}> <http://e/first> 1 ; <http://e/second> 2 }}");
    let response = request(server.address, "POST", "/update", &[UPDATE], Some(&body));
    assert_eq!(response.status, 200, "{}", response.text());
}

fn backup() {
    let folder = tempfile::tempdir().unwrap();
    let server = Fixture::with(Vec::new(), |s| {
        s.store.backup_folder = folder.path().to_owned();
    });
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut pair = 0;
            while !is_over.load(Ordering::Relaxed) {
                insert(&server, pair);
                pair += 1;
            }
        });
        let mut last = 0;
        for copy in 0..5 {
            let form = format!("destination=copy{copy}");
            let path = "/admin/backup";
            let response = request(server.address, "POST", path, &[FORM], Some(&form));
            assert_eq!(response.status, 200, "{}", response.text());
            let sequence = response.json()["sequence"].as_u64().unwrap();
            let quads = count(&folder.path().join(format!("copy{copy}")));
            // Each commit inserts a pair, and a copy holds whole commits only.
            assert!(
                quads.is_multiple_of(2) && quads >= last,
                "{quads} after {last}"
            );
            assert!(sequence >= quads / 2, "{sequence} commits, {quads} quads");
            last = quads;
        }
        is_over.store(true, Ordering::Relaxed);
    });
    // The copy is a store that answers queries and goes its own way.
    let copy = folder.path().join("copy4");
    let settings = kaluta::settings::StoreSettings::default();
    let engine = Engine::open(&copy, &QuerySettings::default(), &settings).unwrap();
    let ask = QueryRequest {
        text: "ASK { ?s ?p 2 }".to_owned(),
        ..QueryRequest::default()
    };
    let answer = engine.prepare(&ask).unwrap();
    let answer = engine.execute(&answer, &QueryControl::new(None, None));
    assert!(matches!(answer.unwrap(), QueryAnswer::Boolean(_)));
}

fn compact() {
    let server = Fixture::with(Vec::new(), |_| {});
    (0..20).for_each(|pair| insert(&server, pair));
    let response = request(server.address, "POST", "/admin/compact", &[], Some(""));
    assert_eq!(response.status, 200, "{}", response.text());
    assert!(response.json()["bytes_after"].as_u64() > Some(0));
    let all = request(
        server.address,
        "GET",
        "/store?default",
        &[("Accept", "application/n-triples")],
        None,
    );
    assert_eq!(all.text().lines().count(), 40);
}

fn refusals() {
    let folder = tempfile::tempdir().unwrap();
    let open = Fixture::with(Vec::new(), |s| {
        s.store.backup_folder = folder.path().to_owned();
    });
    let closed = Fixture::with(Vec::new(), |_| {});
    let page = ("Origin", "http://evil.example");
    let name = ("Host", "evil.example");
    let good = "destination=a";
    for (server, header, form, status, words) in [
        (&closed, FORM, good, 403, "store.backup_folder"),
        (&open, page, good, 403, "loopback"),
        (&open, name, good, 403, "loopback"),
        (&open, FORM, "destination=../a", 400, "plain name"),
        (&open, FORM, "", 400, "destination="),
    ] {
        let response = request(
            server.address,
            "POST",
            "/admin/backup",
            &[header],
            Some(form),
        );
        assert_eq!(response.status, status, "{header:?} {form}");
        assert!(response.text().contains(words), "{}", response.text());
    }
    let response = request(open.address, "POST", "/admin/compact", &[page], Some(""));
    assert_eq!(response.status, 403);
    let response = request(open.address, "GET", "/admin/compact", &[], None);
    assert_eq!(response.status, 405);
    let reader = Fixture::read_only();
    let response = request(reader.address, "POST", "/admin/compact", &[], Some(""));
    assert_eq!(response.status, 403);
}
