//! A disk without room, which a file size limit of the process (`ulimit -f`) stands for: what is asked of a server then is
//! refused as a whole, reading goes on, nothing that was answered is lost, and writing goes on when there is room again.

use super::client::{Response, ask, request, wait_until};
use super::program::{Served, limited, store_with, succeed};
use super::trial;
use libtest_mimic::Trial;
use std::process::Stdio;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("full disk: a server reads on and loses nothing", serve),
        trial("full disk: a load leaves the store as it was", load),
    ]
}

const UPDATE: (&str, &str) = ("Content-Type", "application/sparql-update");
const N_TRIPLES: (&str, &str) = ("Content-Type", "application/n-triples");
/// A quarter or half of a million bytes.
const BLOCKS: u32 = 512;
/// More commits than there can be room for.
const COMMITS_MAX: u64 = 1000;

/// The n-th commit: two quads, the long object of one of which fills the disk.
fn insert(server: &Served, n: u64) -> Response {
    let long = format!("{n} ").repeat(2000);
    let text =
        format!("INSERT DATA {{ <http://e/{n}> <http://e/p> {n} ; <http://e/long> '{long}' }}");
    request(server.address, "POST", "/update", &[UPDATE], Some(&text))
}

#[track_caller]
fn check_full(response: &Response) {
    assert_eq!(response.status, 507, "{}", response.text());
    assert_eq!(response.json()["kind"], "disk-full", "{}", response.text());
    let folder = std::env::temp_dir();
    let is_told = response.text().contains(folder.to_str().unwrap());
    assert!(!is_told, "{}", response.text());
}

/// The commits from 0 on are there, so many of them, each as a whole.
#[track_caller]
fn check_commits(server: &Served, count: u64) {
    let query = "SELECT (COUNT(*) AS ?commits) (SUM(?n) AS ?sum) \
                 { ?s <http://e/p> ?n ; <http://e/long> ?long FILTER(STRLEN(?long) > 2000) }";
    let sum = (0..count).sum::<u64>();
    let answer = ask(server.address, query, "text/csv");
    assert_eq!(answer.text(), format!("commits,sum\r\n{count},{sum}\r\n"));
    let all = ask(
        server.address,
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "text/csv",
    );
    assert_eq!(all.text(), format!("n\r\n{}\r\n", 2 * count));
}

/// A document that is longer than any file may be.
fn long_document() -> String {
    let long = "a".repeat(30_000);
    (0..100)
        .map(|n| format!("<http://e/{n}> <http://e/document> \"{long}\" .\n"))
        .collect()
}

fn serve() {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().join("store");
    let config = folder.path().join("kaluta.toml");
    let folders = format!("[update]\nload_folders = [{:?}]\n", folder.path());
    std::fs::write(&config, folders).unwrap();
    let source = folder.path().join("long.nt");
    std::fs::write(&source, long_document()).unwrap();
    let more = ["--config", config.to_str().unwrap()];
    let server = Served::start_limited(&location, BLOCKS, &more);
    let mut done = 0;
    let refused = loop {
        let response = insert(&server, done);
        if response.status != 200 {
            break response;
        }
        done += 1;
        assert!(done < COMMITS_MAX, "the limit is not reached");
    };
    check_full(&refused);
    // The file is for who asked, where it lies for the log.
    assert!(refused.text().contains(".log: "), "{}", refused.text());
    wait_until("the record is there", || {
        server.errors().contains(location.to_str().unwrap())
    });
    assert!(done > 0);
    check_commits(&server, done);
    check_full(&insert(&server, done));
    // A document that is too long for the disk before its transaction begins.
    let (path, document) = ("/store?default", long_document());
    check_full(&request(
        server.address,
        "PUT",
        path,
        &[N_TRIPLES],
        Some(&document),
    ));
    check_commits(&server, done);
    // SILENT goes on without a document, not without room for it.
    let load = format!("LOAD SILENT <file://{}>", source.display());
    let post = |text: &str| request(server.address, "POST", "/update", &[UPDATE], Some(text));
    check_full(&post(&load));
    assert_eq!(post(&load.replace(".nt", "")).status, 200);
    check_commits(&server, done);
    // Compaction ends the log file, so that there is room again.
    let compacted = request(server.address, "POST", "/admin/compact", &[], Some(""));
    assert_eq!(compacted.status, 200, "{}", compacted.text());
    assert_eq!(insert(&server, done).status, 200);
    check_commits(&server, done + 1);
    let (code, errors) = server.stop("TERM");
    assert_eq!(code, Some(0), "{errors}");

    let server = Served::start(&location, &[]);
    check_commits(&server, done + 1);
    for n in done + 1..2 * done + 10 {
        assert_eq!(insert(&server, n).status, 200);
    }
    check_commits(&server, 2 * done + 10);
    drop(server);
    succeed(&["verify", "--location", location.to_str().unwrap()]);
}

fn load() {
    let triple = "<http://e/s> <http://e/p> \"kept\" .\n";
    let folder = store_with(triple);
    let store = folder.path().join("store");
    let (store, document) = (store.to_str().unwrap(), folder.path().join("large.nt"));
    let triples = (0..20_000_u64).map(|n| {
        let noise = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!(
            "<http://e/{noise:x}> <http://e/p> \"{:x}\" .\n",
            noise.rotate_left(29) ^ n
        )
    });
    std::fs::write(&document, triples.collect::<String>()).unwrap();
    let output = limited(BLOCKS / 4)
        .args(["load", "--location", store, document.to_str().unwrap()])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{:?} {errors}",
        output.status
    );
    assert!(errors.contains("error: cannot write "), "{errors}");
    assert_eq!(succeed(&["dump", "--location", store]), triple);
    succeed(&["load", "--location", store, document.to_str().unwrap()]);
    succeed(&["verify", "--location", store]);
}
