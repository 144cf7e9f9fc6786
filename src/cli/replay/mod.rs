//! `kaluta replay`: measures own servers with different backtrace settings, or any SPARQL endpoints.
//!
//! It leaves the measuring to `crate::replay`; here arguments become a plan ([`plan`]), and an outcome becomes text, a file
//! and an exit code ([`measure`]): 0 when every answer came and agreed, 1 when not. The commands around it, such as
//! `import` and `compare`, are in [`commands`].

mod commands;
mod measure;
mod plan;
mod values;

use crate::diagnostics::Result;
use crate::replay::pace::Milli;
use crate::replay::state::State;
use clap::Args;
use commands::ReplayCommand;
use std::path::PathBuf;
use std::process::ExitCode;
use values::{Arrivals, Named, positive, seconds};

const EXAMPLES: &str = "\
Examples:
  What backtraces cost, on a store of yours:
    kaluta replay --location data

  Three servers side by side, with the CPU time of two of them:
    kaluta replay --endpoint oxigraph=http://127.0.0.1:7879/query --pid oxigraph=4711 \\
      --endpoint fuseki=http://127.0.0.1:3030/ds/sparql --endpoint kaluta=http://127.0.0.1:7878/query --pid kaluta=4712

  Latency under load: 50, 100 and 200 requests a second for a minute each, whether or not the answers keep up;
  and the highest rate that is held:
    kaluta replay --location data --rate 50,100,200 --duration-s 60
    kaluta replay --location data --sweep 50

  Your own log, in three commands: the requests since the log began, then at the log's own times, twice as fast:
    kaluta replay import access.log.gz --out workload
    kaluta replay describe workload
    kaluta replay --queries workload --location data --speed 2

  Two settings, or two builds, of own servers:
    kaluta replay --location data --repeats 6 --server one='--timeout-s 5' --server old='/opt/old/kaluta --config old.toml'

  What a change of yours did, with an exit code for CI:
    kaluta replay --location data --repeats 6 --json before.jsonl      (and after.jsonl with the change)
    kaluta replay compare before.jsonl after.jsonl --fail-above 5%

  Your own queries, the first twenty as warm-up, every measurement kept:
    kaluta replay --queries my-queries --warm 20 --location data --json replay.jsonl

Exit code: 0 when every answer came, was whole and agreed with the others; 1 when not; 2 for wrong usage.";

/// Replay a folder of queries, warm then timed, and report how long they took.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ReplayArgs {
    #[command(subcommand)]
    command: Option<ReplayCommand>,

    /// The folder of queries (*.rq), sent in the order of their names; or a recorded workload: a folder that `import` wrote,
    /// or a file with a query or a JSON object with a `query` on each line.
    #[arg(long, value_name = "DIR", default_value = "queries")]
    queries: PathBuf,

    /// How many of the first queries only warm the server.
    #[arg(long, value_name = "N", default_value_t = 100)]
    warm: usize,

    /// Numbers of client threads.
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2,3",
          value_parser = positive)]
    threads: Vec<usize>,

    /// Send requests at these rates a second, whether or not the answers keep up (an open loop).
    #[arg(
        long,
        value_name = "PER_S,...",
        value_delimiter = ',',
        conflicts_with = "threads"
    )]
    rate: Vec<Milli>,

    /// How the requests of an open loop arrive.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Arrivals::Poisson, requires = "rate")]
    arrivals: Arrivals,

    /// Send requests as the workload recorded them, this many times as fast (an open loop).
    #[arg(long, value_name = "FACTOR,...", value_delimiter = ',', conflicts_with_all = ["threads", "rate"])]
    speed: Vec<Milli>,

    /// Look for the highest rate that each server holds, beginning with this one. A rate is held when every request is
    /// answered, and latencies from the intended start grow by less than 0.75% of the run's time from its first to its
    /// last quarter (or 20 ms): that is, when at least 99 answers come for 100 requests.
    #[arg(long, value_name = "PER_S", conflicts_with_all = ["threads", "rate", "speed", "repeats"])]
    sweep: Option<Milli>,

    /// How many requests of an open loop may wait for their answers.
    #[arg(long, value_name = "N", default_value = "64", value_parser = positive)]
    in_flight: usize,

    /// How long the timed part of each run lasts, the timed queries being repeated [default: each is sent once]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    duration_s: Option<f64>,

    /// What the servers have seen when the clock starts; only own servers can be cold.
    #[arg(long, value_name = "STATE", value_enum, default_value_t = State::Warm)]
    state: State,

    /// Send the updates (*.ru) of the queries' folder beside the queries, so many a second, and measure when they are seen.
    /// Own servers work on copies of their store; the data of endpoints is changed.
    #[arg(long, value_name = "PER_S")]
    update_rate: Option<Milli>,

    /// Where an endpoint takes the updates.
    #[arg(long = "update-endpoint", value_name = "NAME=URL", requires_all = ["endpoints", "update_rate"])]
    update_endpoints: Vec<Named<String>>,

    /// How often each setting is measured with each number of threads.
    #[arg(long, value_name = "N", default_value = "3", value_parser = positive)]
    repeats: usize,

    /// A running SPARQL endpoint to measure, in place of own servers; the first is the base of the percentages.
    #[arg(
        long = "endpoint",
        value_name = "NAME=URL",
        conflicts_with = "location"
    )]
    endpoints: Vec<Named<String>>,

    /// An own server to measure, in place of those with different backtrace settings: more options of `serve`, or another
    /// program and its options; the first is the base of the percentages.
    #[arg(
        long = "server",
        value_name = "NAME=OPTIONS",
        requires = "location",
        allow_hyphen_values = true
    )]
    servers: Vec<Named<String>>,

    /// The process of an endpoint on this machine, for its CPU time and memory.
    #[arg(long = "pid", value_name = "NAME=PID", requires = "endpoints")]
    pids: Vec<Named<u32>>,

    /// Decides the order in which the settings are measured.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Write every measurement to a file, one JSON record a line.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write the report with plots as one page of HTML.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// The store that own servers serve.
    #[arg(long, value_name = "DIR", required_unless_present = "endpoints")]
    location: Option<PathBuf>,

    /// Do not read all triples of each server after the last run, by whose checksum reports tell data sets apart.
    #[arg(long)]
    skip_data: bool,

    /// The time in seconds within which an answer must be whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_s: u64,
}

/// Runs the command. An error of kind `Settings` is wrong usage.
pub fn run(args: &ReplayArgs) -> Result<ExitCode> {
    match &args.command {
        None => measure::measure(args),
        Some(command) => command.run(),
    }
}
