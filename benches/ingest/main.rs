//! `cargo bench --bench ingest`: how fast documents come in, and what a durable commit costs.
//!
//! Inserts 100,000 documents of ten triples in batches of 1000, one after the other, in the process and over HTTP, with
//! `fsync` and with `os` durability; then single documents with `fsync` from 16 clients at once, beside the rate at which
//! the disk itself makes small appends durable. Every store is new and goes afterwards. Arguments after `--`:
//!
//! - `--endpoint NAME=URL`: the update URL of another server, which should be empty; may be repeated
//! - `--documents N`, `--single N`: other numbers of documents
//! - `--folder DIR`: where stores are made; without it, beside the program

mod documents;
#[path = "../served/mod.rs"]
mod served;

use documents::TRIPLES;
use kaluta::engine::{Engine, QueryControl, UpdateRequest};
use kaluta::settings::{Durability, QuerySettings, StoreSettings};
use served::{Connection, Served, broken};
use std::fs::{self, File};
use std::io::{Result, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BATCH: u64 = 1000;
const CLIENTS: u64 = 16;
const DISK_APPENDS: u32 = 500;

/// What to measure.
struct Options {
    endpoints: Vec<(String, String)>,
    documents: u64,
    single: u64,
    folder: PathBuf,
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(position) = arguments.iter().position(|argument| argument == "--bench") else {
        // `cargo test --all-targets` starts benchmarks too, without the argument that `cargo bench` adds.
        println!("nothing is measured without --bench; run `cargo bench --bench ingest`");
        return ExitCode::SUCCESS;
    };
    arguments.remove(position);
    match parse(&arguments).and_then(|options| measure(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Result<Options> {
    let target = Path::new(env!("CARGO_BIN_EXE_kaluta")).parent();
    let mut options = Options {
        endpoints: Vec::new(),
        documents: 100_000,
        single: 4000,
        folder: target.unwrap_or(Path::new(".")).to_owned(),
    };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else {
            return Err(broken(&format!("{} needs a value", pair[0])));
        };
        let number = || {
            value
                .parse()
                .map_err(|_| broken(&format!("{name} {value}")))
        };
        match name.as_str() {
            "--endpoint" => {
                let (name, url) = value
                    .split_once('=')
                    .ok_or_else(|| broken("--endpoint needs NAME=URL"))?;
                options.endpoints.push((name.to_owned(), url.to_owned()));
            }
            "--documents" => options.documents = number()?,
            "--single" => options.single = number()?,
            "--folder" => options.folder = PathBuf::from(value),
            _ => return Err(broken(&format!("there is no option {name}"))),
        }
    }
    Ok(options)
}

fn measure(options: &Options) -> Result<()> {
    let starts = (0..options.documents).step_by(BATCH as usize);
    let batches: Vec<String> = starts
        .map(|start| documents::insert(start..(start + BATCH).min(options.documents)))
        .collect();
    println!(
        "{} documents of {TRIPLES} triples in batches of {BATCH}, one client\n",
        options.documents
    );
    println!("| server | way | durability | seconds | documents/s | triples/s | on disk, MB |");
    println!("|---|---|---|---|---|---|---|");
    let row = |server: &str, way: &str, durability: &str, took: Duration, disk: &str| {
        let rate = options.documents as f64 / took.as_secs_f64();
        println!(
            "| {server} | {way} | {durability} | {:.3} | {rate:.0} | {:.0} | {disk} |",
            took.as_secs_f64(),
            rate * TRIPLES as f64
        );
    };
    for durability in ["fsync", "os"] {
        let folder = tempfile::tempdir_in(&options.folder)?;
        let took = in_process(folder.path(), durability, &batches)?;
        row(
            "Kaluta",
            "in the process",
            durability,
            took,
            &megabytes(folder.path())?,
        );
    }
    for durability in ["fsync", "os"] {
        let folder = tempfile::tempdir_in(&options.folder)?;
        let server = Served::start(&folder.path().join("store"), durability)?;
        let took = over_http(&server.authority, "/update", &batches)?;
        let disk = megabytes(&folder.path().join("store"))?;
        row("Kaluta", "HTTP", durability, took, &disk);
    }
    for (name, url) in &options.endpoints {
        let (authority, path) = split(url)?;
        let took = over_http(&authority, &path, &batches)?;
        row(name, "HTTP", "its own", took, "");
    }
    single_documents(options)
}

/// Host and port of a URL, and its path.
fn split(url: &str) -> Result<(String, String)> {
    let rest = url.strip_prefix("http://");
    let rest = rest.ok_or_else(|| broken(&format!("{url} does not begin with http://")))?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    Ok((authority.to_owned(), format!("/{path}")))
}

fn over_http(authority: &str, path: &str, updates: &[String]) -> Result<Duration> {
    let mut connection = Connection::open(authority)?;
    let start = Instant::now();
    for update in updates {
        connection.update(path, update)?;
    }
    Ok(start.elapsed())
}

fn in_process(location: &Path, durability: &str, updates: &[String]) -> Result<Duration> {
    let durability = match durability {
        "os" => Durability::Os,
        _ => Durability::Fsync,
    };
    let settings = StoreSettings {
        durability,
        ..StoreSettings::default()
    };
    let failed = |e: kaluta::diagnostics::Error| broken(&e.to_string());
    let engine = Engine::open(location, &QuerySettings::default(), &settings).map_err(failed)?;
    let start = Instant::now();
    for text in updates {
        let request = UpdateRequest {
            text: text.clone(),
            ..UpdateRequest::default()
        };
        let prepared = engine.prepare_update(&request).map_err(failed)?;
        let control = QueryControl::new(None, None);
        let logged = engine.update(prepared, &control).map_err(failed)?;
        logged.durable().map_err(failed)?;
    }
    Ok(start.elapsed())
}

fn megabytes(folder: &Path) -> Result<String> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        // A file may go while they are listed.
        bytes += entry?.metadata().map_or(0, |metadata| metadata.len());
    }
    Ok(format!("{:.1}", bytes as f64 / 1e6))
}

/// Commits of one document each, from several clients at once.
fn single_documents(options: &Options) -> Result<()> {
    println!("\nsingle documents with fsync, {CLIENTS} clients at once\n");
    println!("| server | commits | seconds | commits/s |");
    println!("|---|---|---|---|");
    let row = |server: &str, took: Duration| {
        let (commits, seconds) = (options.single, took.as_secs_f64());
        println!(
            "| {server} | {commits} | {seconds:.3} | {:.0} |",
            commits as f64 / seconds
        );
    };
    let folder = tempfile::tempdir_in(&options.folder)?;
    let before = disk_syncs_per_second(folder.path())?;
    let server = Served::start(&folder.path().join("store"), "fsync")?;
    let syncs_before = server.metric("kaluta_log_syncs_total")?;
    let took = from_clients(&server.authority, "/update", options)?;
    let syncs = server.metric("kaluta_log_syncs_total")? - syncs_before;
    let after = disk_syncs_per_second(folder.path())?;
    row("Kaluta", took);
    for (name, url) in &options.endpoints {
        let (authority, path) = split(url)?;
        row(name, from_clients(&authority, &path, options)?);
    }
    let rate = f64::midpoint(before, after);
    let group = options.single as f64 / syncs.max(1) as f64;
    let ideal = options.single as f64 / group / rate;
    println!(
        "\nThe disk makes {rate:.0} small appends durable in a second ({before:.0} before, {after:.0} after). \
         Kaluta synced {syncs} times, {group:.1} commits each time, which alone takes the disk {ideal:.3} s; \
         the commits took {:.2} times that (at most 2 is asked).",
        took.as_secs_f64() / ideal
    );
    Ok(())
}

fn from_clients(authority: &str, path: &str, options: &Options) -> Result<Duration> {
    // Documents that the batches did not have.
    let (first, next) = (options.documents, AtomicU64::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let mut connection = Connection::open(authority)?;
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= options.single {
                            return Ok(());
                        }
                        let number = first + number;
                        connection.update(path, &documents::insert(number..number + 1))?;
                    }
                })
            })
            .collect();
        clients.into_iter().try_for_each(|client| {
            client
                .join()
                .unwrap_or_else(|_| Err(broken("a client panicked")))
        })
    })?;
    Ok(start.elapsed())
}

/// Appends of about the size of a commit, each made durable.
fn disk_syncs_per_second(folder: &Path) -> Result<f64> {
    let mut file = File::create(folder.join("appends"))?;
    let start = Instant::now();
    for _ in 0..DISK_APPENDS {
        file.write_all(&[1; 1000])?;
        file.sync_data()?;
    }
    Ok(f64::from(DISK_APPENDS) / start.elapsed().as_secs_f64())
}
