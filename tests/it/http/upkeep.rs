//! Copies, compaction and verification, by the program and by a running server.

use super::client::request;
use super::fixture::Fixture;
use super::program::{Served, kaluta, store_with};
use super::trial;
use kaluta::engine::{Engine, QueryAnswer, QueryControl, QueryRequest};
use kaluta::settings::QuerySettings;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("a copy is a store, and compaction keeps all quads", program),
        trial("verify names what is damaged", damage),
        trial(
            "verify tells damage from what keeps it from running",
            unverified,
        ),
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
    for (command, code) in [("verify", 2), ("compact", 1)] {
        run(&[command, "-l", text(&nowhere)], code);
        assert!(!nowhere.exists());
    }
}

/// The files of a copy of a store whose names end so.
fn files_of(copy: &Path, ending: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(copy).unwrap().map(|f| f.unwrap().path());
    let mut files: Vec<_> = files.filter(|p| text(p).ends_with(ending)).collect();
    assert!(!files.is_empty(), "no file *{ending}");
    files.sort();
    files
}

/// Flips a bit of a file.
fn flip(file: &Path, place: usize) {
    let mut bytes = std::fs::read(file).unwrap();
    bytes[place] ^= 1;
    std::fs::write(file, bytes).unwrap();
}

/// Cuts off the last bytes of a file, without which it cannot be opened.
fn cut(file: &Path) {
    let bytes = std::fs::read(file).unwrap();
    std::fs::write(file, &bytes[..bytes.len() - 8]).unwrap();
}

/// Damages one of the files whose names end so.
type Harm = fn(&Path);

fn damage() {
    let store = store_with(TRIPLES);
    let location = &store.path().join("store");
    let insert = "INSERT DATA { <http://e/a> <http://e/b> '4' }";
    run(&["update", "-l", text(location), "-u", insert], 0);
    let check = |harms: &[(&str, Harm)], summary: &str| {
        let copy = tempfile::tempdir().unwrap();
        for file in files_of(location, "") {
            std::fs::copy(&file, copy.path().join(file.file_name().unwrap())).unwrap();
        }
        let mut names = Vec::new();
        for (ending, harm) in harms {
            let file = files_of(copy.path(), ending).pop().unwrap();
            harm(&file);
            names.push(file.file_name().unwrap().to_str().unwrap().to_owned());
        }
        let said = run(&["verify", "-l", text(copy.path())], 1);
        assert!(said.starts_with(summary), "{harms:?}: {said}");
        let problems = format!(" bytes: {} problems\n", harms.len());
        assert!(said.contains(&problems), "{harms:?}: {said}");
        for name in names {
            assert!(said.contains(&name), "{name}: {said}");
        }
    };
    let gone: Harm = |file| std::fs::remove_file(file).unwrap();
    let inside: Harm = |file| flip(file, 20);
    let late: Harm = |file| flip(file, std::fs::read(file).unwrap().len() / 2);
    check(&[("posg", inside)], "4 quads, ");
    // Without these the store cannot be opened.
    check(&[("posg", cut)], "3 quads, ");
    check(&[("posg", cut), ("spog", cut)], "3 quads, ");
    check(&[("posg", cut), ("spog", inside)], "3 quads, ");
    check(&[("statistics", late)], "3 quads, ");
    check(&[("terms", cut)], "3 quads, 0 terms, ");
    check(&[("terms", gone), ("ospg", inside)], "3 quads, 0 terms, ");
    check(&[("log", late)], "3 quads, ");
    check(&[("manifest", inside)], "0 quads, ");
    check(&[("manifest", gone)], "0 quads, ");
}

fn unverified() {
    let store = store_with(TRIPLES);
    let location = store.path().join("store");
    let (location, nowhere) = (text(&location), store.path().join("nowhere"));
    let check = |arguments: &[&str], words: &str| {
        let said = run(arguments, 2);
        assert!(said.contains(words), "{arguments:?}: {said}");
    };
    check(&["verify", "-l", text(&nowhere)], "there is no store");
    check(&["verify", "-l", text(store.path())], "there is no store");
    check(&["verify"], "--location");
    check(&["verify", "-l", location, "--quickly"], "--quickly");
    let server = Served::start(Path::new(location), &[]);
    check(&["verify", "-l", location], "open in another process");
    drop(server);
    let help = run(&["verify", "--help"], 0);
    assert!(help.contains("1 when it is damaged, 2 when"), "{help}");
    run(&["verify", "-l", location], 0);
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
