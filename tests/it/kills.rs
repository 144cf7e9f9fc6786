//! A served store that is killed (SIGKILL) again and again while it is written to.
//!
//! Each writer makes one commit after the other: the n-th inserts its pair n and deletes its pair n - 2, two quads each.
//! So what is there tells which commits took effect, and that each did wholly or not at all. The last commit that was
//! answered must be there; the one after it may be. How far the server has come when it is killed depends on the machine,
//! what must hold then does not.

use crate::http::program::{Served, succeed};
use libtest_mimic::Trial;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// Stores, each with a trial of its own.
const STORES: usize = 10;
/// Kills of each store.
const KILLS: usize = 20;
const WRITERS: usize = 3;
/// Commits between a start and a kill, at most.
const COMMITS_MAX: usize = 30;

pub fn trials() -> Vec<Trial> {
    let trial = |store| {
        Trial::test(format!("kills::store {store}"), move || {
            run(store);
            Ok(())
        })
    };
    (0..STORES).map(trial).collect()
}

fn run(store: usize) {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().join("store");
    let mut done = [0_u64; WRITERS];
    for kill in 0..KILLS {
        let server = Served::start(&location, &[]);
        let commits = 1 + (store * 7919 + kill * 104_729) % COMMITS_MAX;
        let has_compaction = kill % 3 == 2;
        let answered = write_until_killed(server, &done, commits, has_compaction);
        let found = verified(&location);
        for (writer, (answered, found)) in answered.into_iter().zip(found).enumerate() {
            let is_right = found == answered || found == answered + 1;
            assert!(
                is_right,
                "store {store}, kill {kill}, writer {writer}: {answered} commits answered, {found} found"
            );
            done[writer] = found;
        }
    }
}

/// Lets writers go on from their last commits, and kills the server after so many more; gives what was answered.
fn write_until_killed(
    server: Served,
    done: &[u64; WRITERS],
    commits: usize,
    has_compaction: bool,
) -> [u64; WRITERS] {
    let answered = AtomicUsize::new(0);
    let address = server.address;
    std::thread::scope(|scope| {
        let writers = [0, 1, 2].map(|writer| {
            let (answered, mut last) = (&answered, done[writer]);
            scope.spawn(move || {
                let Ok(mut stream) = TcpStream::connect(address) else {
                    return last;
                };
                while post(&mut stream, "/update", &commit(writer, last + 1)) {
                    last += 1;
                    answered.fetch_add(1, Ordering::Relaxed);
                }
                last
            })
        });
        if has_compaction {
            scope.spawn(move || compact(address));
        }
        while answered.load(Ordering::Relaxed) < commits
            && !writers.iter().all(ScopedJoinHandle::is_finished)
        {
            std::thread::sleep(Duration::from_micros(200));
        }
        server.signal("KILL");
        writers.map(|writer| writer.join().unwrap())
    })
}

fn compact(address: SocketAddr) {
    if let Ok(mut stream) = TcpStream::connect(address) {
        // The server may be killed before it has done it.
        post(&mut stream, "/admin/compact", "");
    }
}

/// The n-th commit of a writer.
fn commit(writer: usize, n: u64) -> String {
    let pair = |n: u64| {
        format!("<http://e/{writer}> <http://e/first> \"{n}\" ; <http://e/second> \"{n}\"")
    };
    let insert = format!("INSERT DATA {{ {} }}", pair(n));
    match n.checked_sub(2) {
        Some(old) if old > 0 => format!("{insert} ; DELETE DATA {{ {} }}", pair(old)),
        _ => insert,
    }
}

/// Sends a body and waits for the answer; whether there was one that says that it was done.
fn post(stream: &mut TcpStream, path: &str, body: &str) -> bool {
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-update\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    if stream.write_all(request.as_bytes()).is_err() {
        return false;
    }
    let mut answer = Vec::new();
    let mut piece = [0; 1024];
    // The body of a good answer is one line of JSON.
    while !answer.ends_with(b"}\n") {
        match stream.read(&mut piece) {
            Ok(len) if len > 0 => answer.extend_from_slice(&piece[..len]),
            _ => return false,
        }
    }
    let text = String::from_utf8_lossy(&answer);
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    true
}

/// The last commit of each writer in a store that must be sound.
fn verified(location: &Path) -> [u64; WRITERS] {
    let location = location.to_str().unwrap();
    succeed(&["verify", "--location", location]);
    let text = succeed(&["dump", "--location", location]);
    [0, 1, 2].map(|writer| {
        let numbers = |predicate: &str| {
            let start = format!("<http://e/{writer}> <http://e/{predicate}> \"");
            let lines = text.lines().filter_map(|line| line.strip_prefix(&start));
            let mut numbers: Vec<u64> = lines
                .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
                .collect();
            numbers.sort_unstable();
            numbers
        };
        let (first, second) = (numbers("first"), numbers("second"));
        assert_eq!(first, second, "a commit took effect in part");
        let last = first.last().copied().unwrap_or(0);
        let expected: Vec<u64> = (last.saturating_sub(1).max(1)..=last).collect();
        assert_eq!(first, expected, "writer {writer}");
        last
    })
}
