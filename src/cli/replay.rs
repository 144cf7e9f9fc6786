//! `kaluta replay`: measures own servers with different backtrace settings, or any SPARQL endpoints.
//!
//! It leaves the measuring to `crate::replay`; here arguments become a plan, and an outcome becomes text, a file and an exit
//! code: 0 when every answer came and agreed, 1 when not.

use crate::diagnostics::{BacktracePolicy, Error, ErrorKind, Result};
use crate::replay::answers::Answers;
use crate::replay::changes::Changes;
use crate::replay::endpoint::Endpoint;
use crate::replay::own_limit::OwnLimit;
use crate::replay::pace::{Load, Milli, Pace};
use crate::replay::recorded::Recorded;
use crate::replay::report::Report;
use crate::replay::report::page::Page;
use crate::replay::run::Service;
use crate::replay::schedule::Slot;
use crate::replay::server::{ServerCommand, policy_name};
use crate::replay::state::State;
use crate::replay::updates::Updates;
use crate::replay::workload::Workload;
use crate::replay::workload::describe::Description;
use crate::replay::workload::import::Imported;
use crate::replay::{Plan, Subject, Target};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

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

  What a change of yours did, with an exit code for CI:
    kaluta replay --location data --repeats 6 --json before.jsonl      (and after.jsonl with the change)
    kaluta replay compare before.jsonl after.jsonl --fail-above 5%

  Your own queries, the first twenty as warm-up, every measurement kept:
    kaluta replay --queries my-queries --warm 20 --location data --json replay.jsonl

Exit code: 0 when every answer came, was whole and agreed with the others; 1 when not; 2 for wrong usage.";

/// How long the harness is measured itself, after all servers.
const OWN_LIMIT_DURATION: Duration = Duration::from_millis(500);
/// How long each step of a sweep lasts where nothing is said.
const SWEEP_DURATION_S: f64 = 5.0;

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

    /// Look for the highest rate that each server holds, beginning with this one.
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

    /// The time in seconds within which an answer must be whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_s: u64,
}

/// What goes with a replay.
#[derive(Debug, Subcommand)]
enum ReplayCommand {
    /// Make a workload of a log: an access log (common or combined format), JSON Lines, or a query a line
    Import(ImportArgs),
    /// Tell what is in a workload: forms, operators, shapes, repetition
    Describe {
        /// The workload.
        #[arg(value_name = "DIR")]
        workload: PathBuf,
    },
    /// Tell what changed between two replays, from their files of measurements, and how sure that is
    Compare(CompareArgs),
}

/// Runs of equal rounds and loads are paired. What changed on the machine meanwhile counts, too.
#[derive(Debug, Args)]
struct CompareArgs {
    /// The measurements before (written with --json).
    before: PathBuf,

    /// The measurements after.
    after: PathBuf,

    /// Exit with 1 if an endpoint has become slower by more than this and no chance explains it, or has new failures or
    /// other answers.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    fail_above: Option<f64>,
}

/// Addresses and names of clients stay behind, and so does what is no query that parses, with a count and the reason.
#[derive(Debug, Args)]
struct ImportArgs {
    /// The log; it may be compressed (.gz, .zst, .bz2).
    log: PathBuf,

    /// The folder for the workload.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Keep so many requests, drawn so that rare kinds of queries stay in.
    #[arg(long, value_name = "N", value_parser = positive)]
    sample: Option<usize>,

    /// Decides which requests are drawn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// How the requests of an open loop arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Arrivals {
    /// Independently of each other
    Poisson,
    /// At equal distances
    Fixed,
}

/// A value under a name: `NAME=VALUE`.
#[derive(Clone, Debug)]
struct Named<T> {
    name: String,
    value: T,
}

impl<T: FromStr<Err: std::fmt::Display>> FromStr for Named<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
        if name.is_empty() {
            return Err("the name is empty".to_owned());
        }
        Ok(Self {
            name: name.to_owned(),
            value: value.parse().map_err(|e: T::Err| e.to_string())?,
        })
    }
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("it must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(e) => Err(format!("{e}")),
    }
}

/// `5%` or `5`.
fn percent(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).parse::<f64>() {
        Ok(percent) if percent.is_finite() && percent >= 0.0 => Ok(percent),
        Ok(_) => Err("it must be at least 0".to_owned()),
        Err(e) => Err(e.to_string()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    Milli::from_str(text).map(Milli::get)
}

/// Runs the command. An error of kind `Settings` is wrong usage.
pub fn run(args: ReplayArgs) -> Result<ExitCode> {
    match &args.command {
        None => measure(&args),
        Some(command) => command.run(),
    }
}

impl ReplayCommand {
    fn run(&self) -> Result<ExitCode> {
        match self {
            Self::Import(ImportArgs {
                log,
                out,
                sample,
                seed,
            }) => print(Imported::from_log(log, out, *sample, *seed)?)?,
            Self::Describe { workload } => print(Description::of(&Workload::read(workload, 0)?)?)?,
            Self::Compare(args) => {
                let before = Recorded::read(&args.before)?;
                let after = Recorded::read(&args.after)?;
                let changes = Changes::between(&before, &after);
                print(&changes)?;
                if args
                    .fail_above
                    .is_some_and(|percent| changes.are_worse_by(percent))
                {
                    return Ok(ExitCode::FAILURE);
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(text: impl std::fmt::Display) -> Result<()> {
    write!(std::io::stdout().lock(), "{text}").map_err(|e| Error::io("printing", e))
}

fn measure(args: &ReplayArgs) -> Result<ExitCode> {
    let plan = args.plan()?;
    let json = args.json.as_deref().map(create).transpose()?;
    let html = args.html.as_deref().map(create).transpose()?;
    let bar = progress_bar(plan.schedule().len() as u64);
    let answers = Answers::default();
    let run = |plan: &Plan, slot: Slot| {
        bar.set_message(format!("{}, {}", plan.targets[slot.target].name, slot.load));
        let run = plan.run(slot, &answers);
        bar.inc(1);
        run
    };
    let outcome = match args.sweep {
        Some(rate) => plan.sweep(rate, args.in_flight, run),
        None => plan.replay(run),
    };
    bar.finish_and_clear();
    let mut outcome = outcome?;
    let threads = outcome.plan.loads.iter().map(|load| load.threads).max();
    let own_limit = OwnLimit::measure(threads.unwrap_or(1), OWN_LIMIT_DURATION);
    outcome.own_limit = Some(own_limit.map_err(|e| e.context("measuring the harness itself"))?);
    if let Some(file) = json {
        outcome.write_json(&mut BufWriter::new(file))?;
    }
    let report = Report::new(&outcome);
    if let Some(mut file) = html {
        write!(file, "{}", Page(&report)).map_err(|e| Error::io("writing the page", e))?;
    }
    print(&report)?;
    Ok(match outcome.is_clean() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

impl ReplayArgs {
    fn plan(&self) -> Result<Plan> {
        let (subject, targets) = match &self.location {
            Some(location) => (Subject::StackTraces, own_targets(location)?),
            None => (Subject::Endpoints, self.foreign_targets()?),
        };
        if self.state == State::Cold && self.location.is_none() {
            return Err(usage(
                "--state cold: only own servers can be started anew; name a store with --location"
                    .to_owned(),
            ));
        }
        let updates = (self.update_rate).map(|rate| Updates::read(&self.queries, rate));
        Ok(Plan {
            workload: Workload::read(&self.queries, self.warm)?,
            updates: updates.transpose()?,
            state: self.state,
            subject,
            targets,
            loads: self.loads()?,
            duration: self.duration(),
            rounds: self.repeats,
            seed: self.seed,
            timeout: Duration::from_secs(self.timeout_s),
        })
    }

    /// A rate is held or not only over some time, so a sweep has runs of some length in any case.
    fn duration(&self) -> Option<Duration> {
        let of_sweep = self.sweep.map(|_| SWEEP_DURATION_S);
        self.duration_s.or(of_sweep).map(Duration::from_secs_f64)
    }

    fn loads(&self) -> Result<Vec<Load>> {
        let open = |pace| Load {
            pace: Some(pace),
            threads: self.in_flight,
        };
        let pace = |rate| match self.arrivals {
            Arrivals::Poisson => Pace::Poisson(rate),
            Arrivals::Fixed => Pace::Fixed(rate),
        };
        let rates = self.rate.iter().map(|&rate| open(pace(rate)));
        let speeds = (self.speed.iter()).map(|&speed| open(Pace::Recorded(speed)));
        let mut loads: Vec<_> = rates.chain(speeds).collect();
        if loads.is_empty() {
            loads = self.threads.iter().copied().map(Load::closed).collect();
        }
        let distinct: HashSet<_> = loads.iter().collect();
        if distinct.len() < loads.len() {
            return Err(usage(
                "--threads, --rate or --speed names a number twice".to_owned(),
            ));
        }
        Ok(loads)
    }

    fn foreign_targets(&self) -> Result<Vec<Target>> {
        let mut pids = by_name("--pid", &self.pids)?;
        let mut updates = by_name("--update-endpoint", &self.update_endpoints)?;
        by_name("--endpoint", &self.endpoints)?;
        let mut targets = Vec::new();
        for Named { name, value: url } in &self.endpoints {
            let update_url = updates.remove(name.as_str());
            if self.update_rate.is_some() && update_url.is_none() {
                return Err(usage(format!(
                    "--update-rate: say where {name} takes updates, with --update-endpoint {name}=URL"
                )));
            }
            targets.push(Target {
                name: name.clone(),
                service: Service::Foreign(Endpoint::parse(url)?, pids.remove(name.as_str())),
                updates: update_url.as_deref().map(Endpoint::parse).transpose()?,
            });
        }
        let pids = pids.into_keys().map(|name| ("--pid", name));
        let updates = updates.into_keys().map(|name| ("--update-endpoint", name));
        match pids.chain(updates).next() {
            Some((option, name)) => Err(usage(format!(
                "{option} {name}=...: there is no --endpoint {name}=..."
            ))),
            None => Ok(targets),
        }
    }
}

/// One target for each backtrace setting. The saving is shown against a server that always captures, so that is the base.
fn own_targets(location: &Path) -> Result<Vec<Target>> {
    if !location.is_dir() {
        return Err(usage(format!(
            "--location {}: there is no such store; make one with `kaluta load --location {0} FILE`, or run \
             `cargo bench --bench replay`, which makes the sample",
            location.display()
        )));
    }
    let binary =
        std::env::current_exe().map_err(|e| Error::io("finding this program's own file", e))?;
    let policies = [
        BacktracePolicy::Always,
        BacktracePolicy::Never,
        BacktracePolicy::WhenLogged,
    ];
    let target = |backtrace| Target {
        name: policy_name(backtrace).to_owned(),
        service: Service::Own(ServerCommand {
            binary: binary.clone(),
            location: location.to_owned(),
            backtrace,
        }),
        updates: None,
    };
    Ok(policies.map(target).into())
}

fn by_name<'a, T: Clone>(option: &str, values: &'a [Named<T>]) -> Result<HashMap<&'a str, T>> {
    let mut names = HashMap::new();
    for Named { name, value } in values {
        if names.insert(name.as_str(), value.clone()).is_some() {
            return Err(usage(format!("{option} {name}=... is given twice")));
        }
    }
    Ok(names)
}

fn usage(message: String) -> Error {
    Error::new(ErrorKind::Settings, message)
}

fn create(path: &Path) -> Result<File> {
    File::create(path).map_err(|e| Error::io(format_args!("creating {}", path.display()), e))
}

/// A bar on standard error, which draws nothing where that is no terminal.
fn progress_bar(runs: u64) -> ProgressBar {
    const TEMPLATE: &str = "{bar:30} run {pos} of {len}, {elapsed} gone, {eta} left: {msg}";
    let bar = ProgressBar::new(runs);
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style);
    }
    // Once a second, so that drawing takes nothing from what is measured.
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        replay: ReplayArgs,
    }

    /// The plan that arguments lead to, or why they lead to none.
    fn plan(arguments: &str) -> Result<Plan, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let query = folder.path().join("1.rq");
        std::fs::write(query, "ASK {}").map_err(|e| e.to_string())?;
        let location = folder.path().to_string_lossy();
        let arguments = arguments.replace("STORE", &location);
        let queries = ["replay", "--warm", "0", "--queries", &location];
        Command::try_parse_from(queries.into_iter().chain(arguments.split_whitespace()))
            .map_err(|e| e.to_string())?
            .replay
            .plan()
            .map_err(|e| e.to_string())
    }

    #[test]
    fn a_store_is_measured_with_each_setting_and_endpoints_as_they_are_named() {
        let check = |arguments: &str, subject, names: &[&str]| {
            let plan = plan(arguments).unwrap();
            let found: Vec<_> = plan
                .targets
                .iter()
                .map(|target| target.name.as_str())
                .collect();
            assert_eq!((plan.subject, &*found), (subject, names), "{arguments}");
            assert_eq!(
                (&*plan.loads, plan.rounds),
                (&[1, 2, 3].map(Load::closed)[..], 3),
                "{arguments}"
            );
        };
        let settings = ["always", "never", "when-logged"];
        check("--location STORE", Subject::StackTraces, &settings);
        let endpoints = "--endpoint b=http://127.0.0.1:1/ --endpoint a=http://127.0.0.1:2/s?x=y";
        check(endpoints, Subject::Endpoints, &["b", "a"]);
    }

    #[test]
    fn wrong_usage_is_refused_with_its_reason() {
        let check = |arguments: &str, reason: &str| {
            let error = plan(arguments).unwrap_err();
            assert!(error.contains(reason), "{arguments}: {error}");
        };
        let endpoint = "--endpoint a=http://127.0.0.1:1/";
        check("", "--location <DIR>");
        check("--location STORE/none", "kaluta load --location");
        check(
            &format!("--location STORE {endpoint}"),
            "cannot be used with",
        );
        check(&format!("{endpoint} {endpoint}"), "given twice");
        check("--endpoint http://127.0.0.1:1/", "NAME=VALUE");
        check("--endpoint a=https://127.0.0.1:1/", "only http");
        check(&format!("{endpoint} --pid b=1"), "no --endpoint b");
        check(&format!("{endpoint} --pid a=x"), "invalid digit");
        check(&format!("{endpoint} --threads 1,0"), "at least 1");
        check(&format!("{endpoint} --threads 2,2"), "twice");
        check(&format!("{endpoint} --repeats 0"), "at least 1");
        check(&format!("{endpoint} --rate 0"), "above 0");
        check(&format!("{endpoint} --rate 5,5"), "twice");
        check(
            &format!("{endpoint} --rate 5 --threads 1"),
            "cannot be used with",
        );
        check(&format!("{endpoint} --arrivals fixed"), "--rate");
        check(&format!("{endpoint} --sweep x"), "invalid float");
        check(&format!("{endpoint} --timeout-s 0"), "0 is not in");
        check(&format!("{endpoint} --state cold"), "--location");
        check(
            &format!("{endpoint} --update-rate 1"),
            "where a takes updates",
        );
        check("--location STORE --update-rate 1", "no updates (*.ru)");
        check(
            "--location STORE --update-endpoint a=http://127.0.0.1:1/",
            "--endpoint",
        );
    }
}
