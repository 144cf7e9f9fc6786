//! Large DELETE/INSERT WHERE, again and again (case A39), at a hundredth of the case's million subjects: each time it changes
//! what it should, memory and disk stay where they are, and readers see the old state or the new, whenever they ask.

use super::client::{ask, metric, request, target, wait_until};
use super::fixture::Fixture;
use super::program::{Served, store_with, succeed};
use super::trial;
use crate::endpoint::{Endpoint, JSON, Response};
use libtest_mimic::Trial;
use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("case A39: large updates, again and again", large_updates),
        trial("case A39: readers do not wait for an update", readers),
    ]
}

const UPDATE: (&str, &str) = ("Content-Type", "application/sparql-update");
/// Of five triples each; the case has a million.
const SUBJECTS: u64 = 10_000;
const RUNS: u64 = 10;

/// Subjects of two classes, half of them of each, and their numbers from 0 on.
fn data() -> String {
    let mut text = String::new();
    for i in 0..SUBJECTS {
        let class = if i % 2 == 0 { "A" } else { "B" };
        writeln!(
            text,
            "<http://e/s{i}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/{class}> .\n\
             <http://e/s{i}> <http://e/v> \"{i}\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n\
             <http://e/s{i}> <http://e/name> \"subject number {i}\" .\n\
             <http://e/s{i}> <http://e/next> <http://e/s{}> .\n\
             <http://e/s{i}> <http://e/group> <http://e/g{}> .",
            (i + 1) % SUBJECTS,
            i % 100
        )
        .unwrap();
    }
    text
}

/// Makes an update that deletes and inserts so many quads.
#[track_caller]
fn update(address: SocketAddr, text: &str, deleted: u64, inserted: u64) {
    let response = request(address, "POST", "/update", &[UPDATE], Some(text));
    assert_eq!(response.status, 200, "{text}: {}", response.text());
    let changed = response.json();
    assert_eq!(changed["deleted"], deleted, "{text}");
    assert_eq!(changed["inserted"], inserted, "{text}");
}

const VALUES: &str = "SELECT (COUNT(?o) AS ?n) (SUM(?o) AS ?sum) { ?s <http://e/v> ?o }";
const QUADS: &str = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";

/// The numbers in the one row of an answer.
fn numbers(address: SocketAddr, query: &str) -> Vec<u64> {
    let answer = ask(address, query, "text/csv");
    let row = answer.text().lines().nth(1).unwrap_or_default();
    row.split(',').map(|n| n.parse().unwrap()).collect()
}

/// The sum of all numbers after so many runs, each of which adds one to each.
fn sum_after(runs: u64) -> u64 {
    SUBJECTS * (SUBJECTS - 1) / 2 + runs * SUBJECTS
}

/// Tells the reader to end, also when a check has failed.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads until it is told to end: every state is that after a whole number of runs, and none comes before the last.
fn read_on(address: SocketAddr, is_over: &AtomicBool) {
    let (mut runs, mut quads) = (0, 5 * SUBJECTS);
    while !is_over.load(Ordering::Relaxed) {
        let [count, sum] = numbers(address, VALUES)[..] else {
            panic!("two numbers");
        };
        if count == SUBJECTS {
            let seen = (sum - sum_after(0)) / SUBJECTS;
            assert_eq!(sum, sum_after(seen), "a mixture of states");
            assert!(runs <= seen && seen <= RUNS, "{seen} after {runs}");
            runs = seen;
        }
        let left = numbers(address, QUADS)[0];
        assert_eq!(left % (5 * SUBJECTS / 2), 0, "a part of a deletion");
        assert!(left <= quads, "{left} quads after {quads}");
        quads = left;
    }
}

/// The rows of the index that a query reads.
fn rows_read(address: SocketAddr, query: &str) -> u64 {
    let target = format!("{}&explain=json&analyze=true", target(query));
    let plan = request(address, "GET", &target, &[], None).json();
    sum_of("rows_read", &plan)
}

fn sum_of(key: &str, plan: &serde_json::Value) -> u64 {
    match plan {
        serde_json::Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match value.as_u64() {
                Some(number) if name == key => number,
                _ => sum_of(key, value),
            })
            .sum(),
        serde_json::Value::Array(values) => values.iter().map(|value| sum_of(key, value)).sum(),
        _ => 0,
    }
}

/// The most memory that the process has had so far, where the system tells.
fn peak_kb(server: &Served) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id()));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let number = line.and_then(|l| l.trim().strip_suffix(" kB"));
    number.map_or(0, |n| n.parse().unwrap())
}

fn large_updates() {
    let folder = store_with(&data());
    let location = folder.path().join("store");
    let server = Served::start(&location, &[]);
    let address = server.address;
    let fresh = metric(address, "kaluta_store_bytes");
    let settled = || {
        wait_until("the room comes back", || {
            metric(address, "kaluta_store_bytes") < fresh * 3 / 2
        });
    };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ending = Ending(&is_over);
        let reader = scope.spawn(|| read_on(address, &is_over));
        let replace = "DELETE { ?s <http://e/v> ?o } INSERT { ?s <http://e/v> ?n } \
                       WHERE { ?s <http://e/v> ?o BIND(?o + 1 AS ?n) }";
        let mut first_kb = 0;
        for run in 1..=RUNS {
            update(address, replace, SUBJECTS, SUBJECTS);
            assert_eq!(numbers(address, VALUES), [SUBJECTS, sum_after(run)]);
            let read = rows_read(address, VALUES);
            assert!(read <= SUBJECTS * 3 / 2, "run {run} reads {read} rows");
            if run == 2 {
                first_kb = peak_kb(&server);
            }
        }
        let last_kb = peak_kb(&server);
        assert!(last_kb <= first_kb * 3 / 2, "{first_kb} kB, then {last_kb}");
        settled();
        for class in ["A", "B"] {
            let delete = format!("DELETE WHERE {{ ?s a <http://e/{class}> ; ?p ?o }}");
            update(address, &delete, 5 * SUBJECTS / 2, 0);
            settled();
        }
        drop(ending);
        reader.join().unwrap();
    });
    assert_eq!(numbers(address, QUADS), [0]);
    assert_eq!(server.stop("TERM").0, Some(0));
    succeed(&["verify", "--location", location.to_str().unwrap()]);
}

/// The update waits for an endpoint, which answers only when the readers have had their answers.
fn readers() {
    let (asked, is_asked) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let far = Endpoint::start(move |_| {
        asked.send(()).unwrap();
        // Whoever releases it may have failed.
        let _ = released.lock().unwrap().recv();
        let one = br#"{"head":{"vars":["n"]},"results":{"bindings":[{"n":{"type":"literal","value":"far"}}]}}"#;
        Response::Whole(200, JSON, one.to_vec())
    });
    let near = Fixture::start(|s| s.service.allow = vec![far.url()]);
    let address = near.address;
    let before = numbers(address, QUADS);
    std::thread::scope(|scope| {
        let text = format!(
            "DELETE {{ ?s ?p ?o }} INSERT {{ ?s ?p ?n }} WHERE {{ ?s ?p ?o SERVICE <{}> {{ ?x ?y ?n }} }}",
            far.url()
        );
        let update = scope.spawn(move || {
            let response = request(address, "POST", "/update", &[UPDATE], Some(&text));
            assert_eq!(response.status, 200, "{}", response.text());
        });
        is_asked.recv().unwrap();
        assert_eq!(numbers(address, QUADS), before);
        let far = "SELECT (COUNT(*) AS ?n) { ?s ?p 'far' }";
        assert_eq!(numbers(address, far), [0]);
        release.send(()).unwrap();
        update.join().unwrap();
        assert_ne!(numbers(address, far), [0]);
    });
}
