//! `cargo bench --bench soak`: whether memory, open files and disk of a server level off under mixed work.
//!
//! Two clients write documents of ten triples and delete those that are older than a window, so that the store keeps its
//! size while runs are flushed and merged; two clients ask queries. Each half minute is a row. The store is new, is
//! verified at the end, and goes afterwards. Arguments after `--`:
//!
//! - `--minutes N`: how long; 10 where nothing is said
//!
//! Exit code: 1 when something failed, or when the last third of the time needed a fifth more of anything than the
//! second.

#[path = "ingest/documents.rs"]
mod documents;
mod served;

use documents::TRIPLES;
use kaluta::replay::process;
use served::{Connection, Served, broken};
use std::fs;
use std::io::Result;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The documents that a writer keeps.
const WINDOW: u64 = 5000;
/// The documents of one commit.
const BATCH: u64 = 20;
const WRITERS: u64 = 2;
const READERS: u64 = 2;
const ROW_EVERY: Duration = Duration::from_secs(30);
/// Documents of different writers have numbers this far apart.
const APART: u64 = 1 << 32;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        // `cargo test --all-targets` starts benchmarks too, without the argument that `cargo bench` adds.
        println!("nothing is measured without --bench; run `cargo bench --bench soak`");
        return ExitCode::SUCCESS;
    }
    match minutes(&arguments).and_then(soak) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn minutes(arguments: &[String]) -> Result<u64> {
    let arguments = arguments.iter().map(String::as_str);
    match arguments.filter(|&a| a != "--bench").collect::<Vec<_>>()[..] {
        [] => Ok(10),
        ["--minutes", number] => number
            .parse()
            .map_err(|_| broken(&format!("--minutes {number}"))),
        _ => Err(broken("the only option is --minutes N")),
    }
}

/// What the clients did since the last row.
#[derive(Default)]
struct Work {
    commits_ms: Mutex<Vec<f64>>,
    queries_ms: Mutex<Vec<f64>>,
    is_over: AtomicBool,
    failed: AtomicU64,
}

/// A part of [`Held`].
type Part = fn(&Held) -> f64;

/// What the server held at the end of a row.
#[derive(Clone, Copy, Default)]
struct Held {
    memory_mb: f64,
    files: f64,
    disk_mb: f64,
}

fn soak(minutes: u64) -> Result<bool> {
    let target = Path::new(env!("CARGO_BIN_EXE_kaluta")).parent();
    let folder = tempfile::tempdir_in(target.unwrap_or(Path::new(".")))?;
    let store = folder.path().join("store");
    let server = Served::start(&store, "fsync")?;
    let work = Work::default();
    let rows = std::thread::scope(|scope| {
        for number in 0..WRITERS {
            let mut client = Connection::open(&server.authority)?;
            let work = &work;
            scope.spawn(move || work.count(write(&mut client, number, work)));
        }
        for number in 0..READERS {
            let mut client = Connection::open(&server.authority)?;
            let work = &work;
            scope.spawn(move || work.count(read(&mut client, number, work)));
        }
        let rows = watch(minutes, &server, &store, &work);
        work.is_over.store(true, Ordering::Relaxed);
        rows
    })?;
    let syncs = server.metric("kaluta_log_syncs_total")?;
    drop(server);
    let verified = Command::new(env!("CARGO_BIN_EXE_kaluta"))
        .args(["verify", "--location"])
        .arg(&store)
        .status()?;
    let failed = work.failed.load(Ordering::Relaxed);
    println!(
        "\n{syncs} syncs of the log; {failed} clients ended with an error; verification: {verified}"
    );
    Ok(level_off(&rows) && failed == 0 && verified.success())
}

impl Work {
    fn count(&self, outcome: Result<()>) {
        if let Err(error) = outcome {
            eprintln!("error: {error}");
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }
}

fn write(client: &mut Connection, writer: u64, work: &Work) -> Result<()> {
    let first = writer * APART;
    let mut next = first;
    while work.goes_on() {
        let mut text = documents::insert(next..next + BATCH);
        if next >= first + WINDOW {
            let old = next - WINDOW;
            let values: String = (old..old + BATCH).map(|n| format!("d:{n} ")).collect();
            text.push_str(&format!(
                ";\nDELETE {{ ?d ?p ?o }} WHERE {{ VALUES ?d {{ {values} }} ?d ?p ?o }}"
            ));
        }
        next += BATCH;
        let start = Instant::now();
        client.update("/update", &text)?;
        push(&work.commits_ms, start);
    }
    Ok(())
}

const QUERIES: [&str; 3] = [
    "PREFIX v: <http://example.org/vocabulary/> SELECT ?t (COUNT(*) AS ?n) { ?d v:topic ?t } GROUP BY ?t",
    "PREFIX v: <http://example.org/vocabulary/> SELECT ?d ?title { ?d v:pages 7 ; v:title ?title ; v:topic ?t }",
    "PREFIX v: <http://example.org/vocabulary/> SELECT ?d { ?d v:price ?p ; v:issued ?i FILTER(?p > 99 && YEAR(?i) = 2001) }",
];

fn read(client: &mut Connection, reader: u64, work: &Work) -> Result<()> {
    for query in QUERIES.iter().cycle().skip(reader as usize) {
        if !work.goes_on() {
            break;
        }
        let start = Instant::now();
        let media_type = "application/sparql-query";
        let (status, body) = client.request("POST", "/query", media_type, query.as_bytes())?;
        if status != 200 {
            return Err(broken(&String::from_utf8_lossy(&body)));
        }
        push(&work.queries_ms, start);
    }
    Ok(())
}

fn push(times: &Mutex<Vec<f64>>, start: Instant) {
    let ms = start.elapsed().as_secs_f64() * 1e3;
    times.lock().unwrap_or_else(|e| e.into_inner()).push(ms);
}

fn watch(minutes: u64, server: &Served, store: &Path, work: &Work) -> Result<Vec<Held>> {
    println!(
        "{WRITERS} writers of {BATCH} documents of {TRIPLES} triples a commit, {WINDOW} documents kept by each, {READERS} readers\n"
    );
    println!(
        "| seconds | memory, MB | open files | disk, MB | commits | p50 ms | p99 ms | queries | p50 ms | p99 ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for row in 1..=minutes * 60 / ROW_EVERY.as_secs() {
        std::thread::sleep(ROW_EVERY);
        let held = held(server, store)?;
        println!(
            "| {} | {:.0} | {:.0} | {:.1} | {} | {} |",
            row * ROW_EVERY.as_secs(),
            held.memory_mb,
            held.files,
            held.disk_mb,
            latencies(&work.commits_ms),
            latencies(&work.queries_ms),
        );
        rows.push(held);
    }
    Ok(rows)
}

/// Number, median and 99th percentile of some times, which are taken away.
fn latencies(times: &Mutex<Vec<f64>>) -> String {
    let mut times = std::mem::take(&mut *times.lock().unwrap_or_else(|e| e.into_inner()));
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied();
    let [p50, p99] = [0.5, 0.99].map(|share| at(share).unwrap_or_default());
    format!("{} | {p50:.1} | {p99:.1}", times.len())
}

fn held(server: &Served, store: &Path) -> Result<Held> {
    let pid = server.child.id();
    let process = process::memory_bytes(pid).zip(process::open_files(pid));
    let (memory_bytes, files) = process.ok_or_else(|| broken("the server has ended"))?;
    let mut disk_bytes = 0;
    for entry in fs::read_dir(store)? {
        // A file may be removed while the folder is read.
        disk_bytes += entry?.metadata().map_or(0, |file| file.len());
    }
    Ok(Held {
        memory_mb: memory_bytes as f64 / 1e6,
        files: files as f64,
        disk_mb: disk_bytes as f64 / 1e6,
    })
}

/// Whether the last third of the rows needed hardly more than the second; prints both.
fn level_off(rows: &[Held]) -> bool {
    let third = rows.len() / 3;
    let most = |rows: &[Held], of: Part| rows.iter().map(of).fold(0.0, f64::max);
    let (second, last) = (&rows[third..2 * third], &rows[rows.len() - third..]);
    let kinds: [(&str, Part); 3] = [
        ("memory, MB", |held| held.memory_mb),
        ("open files", |held| held.files),
        ("disk, MB", |held| held.disk_mb),
    ];
    let mut levels_off = true;
    for (name, of) in kinds {
        let (before, after) = (most(second, of), most(last, of));
        let is_level = third > 0 && after <= before * 1.2;
        levels_off &= is_level;
        println!(
            "{name}: at most {before:.1} in the second third, {after:.1} in the last: {}",
            if is_level { "level" } else { "not level" }
        );
    }
    levels_off
}
