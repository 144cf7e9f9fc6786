//! `cargo bench --bench sensitivity`: whether the replay finds what is there, and nothing where nothing is.
//!
//! Each seed compares three targets, all of them this build serving the sample: `a`, the same again, and one whose answers
//! take 5% longer. The first two must not differ, the third must be slower than the first, each in 19 of 20 seeds;
//! otherwise the exit code is 1. What is compared are starts: for each, three new processes are warmed up and then
//! measured by turns, in short runs in random order, as `kaluta replay --endpoint` makes them. Their pairs make one ratio,
//! and the ratios of all starts an interval. So the speed of the machine, which may change from second to second, meets
//! all three alike, and the accidents of one process are only one ratio.
//!
//! Every target answers through a proxy in its own process, so that all are alike but for one number: what comes from the
//! server so long after the request is passed on 1.00 or 1.05 times as long after it. The proxy knows nothing of HTTP. It
//! waits by reading the clock, since a sleep would add its own slack, and meanwhile leaves the core to whoever has
//! something to do.
//!
//! All processes run on one core. In a closed loop of one, client, proxy and server take turns anyway; but which thread
//! woke up on which core, and how deep that core slept, would be an accident that stays with a process, and larger than
//! what is looked for: on two cores the intervals are two to three times as wide.

mod sample_store;

use clap::Parser;
use kaluta::cli::Cli;
use kaluta::replay::answers::Answers;
use kaluta::replay::bootstrap::Interval;
use kaluta::replay::comparison::Comparison;
use kaluta::replay::pace::Load;
use kaluta::replay::run::Service;
use kaluta::replay::server::ServerCommand;
use kaluta::replay::state::State;
use kaluta::replay::workload::Workload;
use kaluta::replay::{Outcome, Plan, Subject, Target};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::error::Error;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const KALUTA: &str = env!("CARGO_BIN_EXE_kaluta");
/// One seed in so many may go wrong.
const SEEDS_PER_MISS: u64 = 20;
/// How many of the sample's queries only warm the server.
const WARM: usize = 100;
/// How long a proxy waits for its server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Whether the replay finds a slow-down, and none where there is none.
#[derive(Debug, Parser)]
struct Options {
    /// How many seeds.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// How often the targets are started with a seed.
    #[arg(long, default_value_t = 8)]
    starts: usize,
    /// How many short runs of each target are made after a start.
    #[arg(long, default_value_t = 24)]
    rounds: usize,
    /// By how many percent the third target is slower.
    #[arg(long, default_value_t = 5.0)]
    slower: f64,
    /// One query in so many of the sample's second half makes up a short run.
    #[arg(long, default_value_t = 4)]
    stride: usize,
}

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args().collect();
    let done = match arguments.get(1).map(String::as_str) {
        Some("serve") => return serve(&arguments),
        _ if !arguments.iter().any(|argument| argument == "--bench") => {
            // `cargo test --all-targets` starts benchmarks too, without the argument that `cargo bench` adds.
            println!("nothing is measured without --bench; run `cargo bench --bench sensitivity`");
            return ExitCode::SUCCESS;
        }
        _ => {
            arguments.retain(|argument| argument != "--bench");
            measure(&Options::parse_from(arguments))
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

/// Compares with each seed; whether enough of the verdicts are right.
fn measure(options: &Options) -> Result<bool, Box<dyn Error>> {
    let store = std::path::absolute(sample_store::made_once(KALUTA)?)?;
    run_on_one_core()?;
    let links = tempfile::tempdir()?;
    let commands = commands(&store, links.path(), options.slower)?;
    let queries = links.path().join("queries.jsonl");
    record(options.stride, &queries)?;
    let answers = Answers::default();
    let begin = Instant::now();
    let (mut alike, mut found) = (0, 0);
    println!(
        "seed  the same again, %            {}% slower, %",
        options.slower
    );
    for seed in 1..=options.seeds {
        let (mut same, mut slower) = (Vec::new(), Vec::new());
        for start in 0..options.starts as u64 {
            let seed = seed * 1000 + start;
            let outcome = after_start(&commands, &queries, options.rounds, seed, &answers)?;
            same.push(log_ratio(&outcome, 1)?);
            slower.push(log_ratio(&outcome, 2)?);
        }
        let percent = |logarithms: &[f64]| {
            let interval = Interval::of_rounds(logarithms, seed).ok_or("too few starts")?;
            Ok::<_, String>(interval.map(|logarithm| (logarithm.exp() - 1.0) * 100.0))
        };
        let (same, slower) = (percent(&same)?, percent(&slower)?);
        alike += u64::from(same.holds(0.0));
        found += u64::from(slower.low > 0.0);
        let words =
            |Interval { low, mean, high }: Interval| format!("{mean:+.2} [{low:+.2}, {high:+.2}]");
        println!("{seed:>4}  {:<27}  {}", words(same), words(slower));
    }
    let seeds = options.seeds;
    println!("no difference between two that are alike: {alike} of {seeds}");
    println!("slow-down of {}% found: {found} of {seeds}", options.slower);
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{} starts with each seed, {seconds:.0} s in all",
        options.starts
    );
    Ok(alike.min(found) + seeds / SEEDS_PER_MISS >= seeds)
}

/// Keeps this process, and those that it starts, on one core.
fn run_on_one_core() -> Result<(), Box<dyn Error>> {
    let allowed = sched_getaffinity(None)?;
    let last = (0..CpuSet::MAX_CPU).rfind(|&core| allowed.is_set(core));
    let mut one = CpuSet::new();
    one.set(last.ok_or("there is no core to run on")?);
    Ok(sched_setaffinity(None, &one)?)
}

/// Starts all targets, warms them up, and measures them by turns.
fn after_start(
    commands: &[ServerCommand],
    queries: &Path,
    rounds: usize,
    seed: u64,
    answers: &Answers,
) -> Result<Outcome, Box<dyn Error>> {
    let servers = commands.iter().map(ServerCommand::start);
    let servers = servers.collect::<Result<Vec<_>, _>>()?;
    let plan = |workload, rounds| Plan {
        workload,
        updates: None,
        state: State::Warm,
        subject: Subject::Servers,
        targets: (["a", "again", "slower"].iter().zip(&servers))
            .map(|(name, server)| Target {
                name: (*name).to_owned(),
                service: Service::Foreign(server.endpoint().clone(), None),
                updates: None,
            })
            .collect(),
        loads: vec![Load::closed(1)],
        rounds,
        duration: None,
        seed,
        timeout: Duration::from_secs(60),
    };
    let run = |plan: &Plan, slot| plan.run(slot, answers);
    plan(sample_queries()?, 1).replay(run)?;
    let outcome = plan(Workload::read(queries, 0)?, rounds).replay(run)?;
    for server in servers {
        if let Some(bad_end) = server.stop()? {
            return Err(bad_end.into());
        }
    }
    Ok(outcome)
}

fn sample_queries() -> Result<Workload, kaluta::diagnostics::Error> {
    Workload::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("queries"), WARM)
}

/// Writes a part of the sample's queries as a workload.
fn record(stride: usize, path: &Path) -> Result<(), Box<dyn Error>> {
    let queries = sample_queries()?;
    let mut out = io::BufWriter::new(fs::File::create(path)?);
    for query in queries.queries().iter().skip(WARM).step_by(stride.max(1)) {
        writeln!(out, "{}", serde_json::json!({"query": query.text}))?;
    }
    Ok(out.flush()?)
}

/// The store under three names, each of which begins with its stretch.
fn commands(store: &Path, links: &Path, slower: f64) -> io::Result<Vec<ServerCommand>> {
    let binary = std::env::current_exe()?;
    let stretches = [("a", 1.0), ("again", 1.0), ("slower", 1.0 + slower / 100.0)];
    let command = |(name, stretch): (&str, f64)| {
        let location = links.join(format!("{stretch}-{name}"));
        std::os::unix::fs::symlink(store, &location)?;
        Ok(ServerCommand {
            binary: binary.clone(),
            location,
            options: Vec::new(),
        })
    };
    stretches.into_iter().map(command).collect()
}

/// By how much longer a target took than the first after one start, as the logarithm of the ratio.
fn log_ratio(outcome: &Outcome, other: usize) -> Result<f64, String> {
    if !outcome.is_clean() {
        return Err(format!(
            "answers failed or differ: {:?}",
            outcome.failures()
        ));
    }
    let pairs = outcome.pairs(0, other, None);
    let comparison = Comparison::new(&pairs, outcome.plan.seed);
    let comparison = comparison.ok_or("nothing could be compared")?;
    Ok(comparison.geometric_mean.ratio.ln())
}

/// What each target runs: a server in this process, behind a proxy whose address is told.
fn serve(arguments: &[String]) -> ExitCode {
    match start_proxy(arguments) {
        Ok(arguments) => Cli::parse_from(arguments).run(),
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

/// Starts the proxy for a command line, and tells the command line of the server behind it.
fn start_proxy(arguments: &[String]) -> Result<Vec<String>, Box<dyn Error>> {
    let value = |name: &str| {
        let position = arguments.iter().position(|argument| argument == name);
        position
            .map(|position| position + 1)
            .ok_or("an option is missing")
    };
    let (location, bind) = (value("--location")?, value("--bind")?);
    let name = Path::new(&arguments[location])
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let stretch: f64 = name.split('-').next().unwrap_or_default().parse()?;
    // The port is free again until the server takes it; nothing else on the machine asks for ports by number.
    let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("listening on http://{}/", listener.local_addr()?);
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || pass_on(&client, server, stretch));
        }
    });
    let mut arguments = arguments.to_vec();
    arguments[bind] = server.to_string();
    // All targets serve one store at the same time.
    arguments.push("--read-only".to_owned());
    Ok(arguments)
}

/// Passes on until one side closes, which the other learns by the end of its connection.
fn pass_on(client: &TcpStream, server: SocketAddr, stretch: f64) -> io::Result<()> {
    let server = &connect(server)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let sent = Arc::new(Mutex::new(Instant::now()));
    thread::scope(|scope| {
        scope.spawn(|| {
            copy(client, server, || {
                *sent.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            })
        });
        copy(server, client, || {
            let sent = *sent.lock().unwrap_or_else(PoisonError::into_inner);
            let moment = sent + sent.elapsed().mul_f64(stretch);
            while Instant::now() < moment {
                thread::yield_now();
            }
        })
    })
}

fn copy(mut from: &TcpStream, mut to: &TcpStream, mut on_piece: impl FnMut()) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        on_piece();
        to.write_all(&buffer[..length])?;
    }
    to.shutdown(std::net::Shutdown::Write)
}

/// Connects to a server that may not listen yet.
fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let deadline = Instant::now() + CONNECT_TIMEOUT;
    loop {
        match TcpStream::connect(address) {
            Err(_) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
            connected => return connected,
        }
    }
}
