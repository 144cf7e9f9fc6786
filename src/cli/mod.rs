//! The command line: one file for each command.
//!
//! Options mean what they mean in Oxigraph's command line. This file has what all commands share: the settings that any
//! of them may be given, the start of the log, and what becomes of an error: one line for people on standard error (and
//! a log record where the level prints it), and an exit code, 1 for failed, 2 for wrong usage.

mod backup;
mod compact;
mod dump;
mod generate;
mod load;
mod output;
mod output_file;
mod progress;
mod query;
pub mod replay;
mod say;
mod serve;
mod signals;
mod update;
mod verify;

use crate::diagnostics::logging::{self, LogControl, LogFormat};
use crate::diagnostics::{BacktracePolicy, Error, ErrorKind, Result, backtraces};
use crate::settings::{Settings, SettingsSource};
use clap::{Args, Parser, Subcommand, ValueEnum};
use say::tell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  kaluta serve --sample                                  try it: sample data on http://127.0.0.1:7878
  kaluta load --location data dump.nt.gz more.ttl        load your own data
  kaluta serve --location data                           and serve it
  kaluta query --location data --query 'SELECT * { ?s ?p ?o } LIMIT 10'
  kaluta update --location data --update-file changes.ru
  kaluta backup --location data --destination copy       a copy, which is itself a store

Settings come from --config FILE, then environment variables (KALUTA_LOG, KALUTA_QUERY_TIMEOUT_MS, ...), then options;
config/kaluta.toml documents all of them.
Exit code: 0 when all went well, 1 when something failed, 2 for wrong usage; `kaluta help verify` has its own.";

/// An RDF triple store and SPARQL server.
#[derive(Debug, Parser)]
#[command(name = "kaluta", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    shared: SharedArgs,
    #[command(subcommand)]
    command: Command,
}

/// What every command may be given.
#[derive(Debug, Args)]
struct SharedArgs {
    /// Read settings from a file
    #[arg(long, global = true, value_name = "FILE", env = "KALUTA_CONFIG")]
    config: Option<PathBuf>,
    /// What to log, for example info or warn,kaluta::error=debug [env: KALUTA_LOG]
    #[arg(long, global = true, value_name = "DIRECTIVES")]
    log: Option<String>,
    /// How to log, to standard error [env: KALUTA_LOG_FORMAT]
    #[arg(long, global = true, value_name = "FORMAT")]
    log_format: Option<LogFormat>,
    /// When errors capture a backtrace [env: KALUTA_BACKTRACE]
    #[arg(long, global = true, value_name = "POLICY")]
    backtrace: Option<BacktracePolicy>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer SPARQL queries and updates over HTTP
    Serve(serve::ServeArgs),
    /// Answer SPARQL queries over HTTP, and leave the store free for other readers
    ServeReadOnly(serve::ServeArgs),
    /// Load files into a store
    Load(load::LoadArgs),
    /// Run one query against a store
    Query(query::QueryArgs),
    /// Run one update against a store
    Update(update::UpdateArgs),
    /// Write all quads of a store, or one graph
    Dump(dump::DumpArgs),
    /// Copy a store; the copy is itself a store
    Backup(backup::BackupArgs),
    /// Read all of a store and name what is damaged
    Verify(verify::VerifyArgs),
    /// Rewrite a store to one run and a sorted dictionary
    Compact(compact::CompactArgs),
    /// Write sample data as N-Triples
    Generate(generate::GenerateArgs),
    /// Measure servers by replaying a folder of queries
    Replay(Box<replay::ReplayArgs>),
}

/// What a command finds when it starts: settings, and the log running.
struct Context {
    settings: Settings,
    source: SettingsSource,
    log: LogControl,
}

impl Cli {
    /// Runs the command, and reports its error if it has one.
    pub fn run(self) -> ExitCode {
        signals::ignore_file_size_signal();
        let failed = self.command.failed();
        self.execute().unwrap_or_else(|error| {
            error.log("command");
            tell(format_args!("error: {error}"));
            match error.kind() {
                ErrorKind::Settings => ExitCode::from(2),
                _ => failed,
            }
        })
    }

    fn execute(self) -> Result<ExitCode> {
        let mut flags = self.shared.flags();
        flags.extend(self.command.flags());
        let source = SettingsSource {
            file: self.shared.config,
            flags,
        };
        let settings = source.read()?;
        backtraces::set_policy(settings.backtrace);
        let log = logging::start(&settings.log.directives, settings.log.format)?;
        let context = Context {
            settings,
            source,
            log,
        };
        match self.command {
            Command::Serve(args) => serve::run(&args, &context, args.read_only()),
            Command::ServeReadOnly(args) => serve::run(&args, &context, true),
            Command::Load(args) => load::run(args, &context),
            Command::Query(args) => query::run(&args, &context),
            Command::Update(args) => update::run(&args, &context),
            Command::Dump(args) => dump::run(&args, &context),
            Command::Backup(args) => backup::run(&args, &context),
            Command::Verify(_) => verify::run(&context),
            Command::Compact(_) => compact::run(&context),
            Command::Generate(args) => generate::run(&args),
            Command::Replay(args) => replay::run(&args),
        }
    }
}

/// Settings as a command's options say them.
type Flags = Vec<(&'static str, String)>;

impl SharedArgs {
    fn flags(&self) -> Flags {
        let mut flags = Flags::new();
        flags.extend(self.log.clone().map(|v| ("log.directives", v)));
        flags.extend(self.log_format.map(|v| ("log.format", value_name(v))));
        flags.extend(self.backtrace.map(|v| ("backtrace", value_name(v))));
        flags
    }
}

impl Command {
    /// The exit code when it fails.
    fn failed(&self) -> ExitCode {
        match self {
            Self::Verify(_) => ExitCode::from(verify::NOT_VERIFIED),
            _ => ExitCode::FAILURE,
        }
    }

    fn flags(&self) -> Flags {
        match self {
            Self::Serve(args) | Self::ServeReadOnly(args) => args.flags(),
            Self::Load(args) => location_flag(args.location.as_deref()),
            Self::Query(args) => args.flags(),
            Self::Update(args) => args.flags(),
            Self::Dump(args) => location_flag(args.location.as_deref()),
            Self::Backup(args) => location_flag(args.location.as_deref()),
            Self::Verify(args) => location_flag(args.location.as_deref()),
            Self::Compact(args) => location_flag(args.location.as_deref()),
            Self::Generate(_) | Self::Replay(_) => Flags::new(),
        }
    }
}

/// The word that stands for a value on the command line and in settings alike.
fn value_name(value: impl ValueEnum) -> String {
    value
        .to_possible_value()
        .map(|v| v.get_name().to_owned())
        .unwrap_or_default()
}

fn location_flag(location: Option<&Path>) -> Flags {
    let flag = |l: &Path| ("location", l.to_string_lossy().into_owned());
    location.map(flag).into_iter().collect()
}

impl Context {
    /// The store's directory, which must have been given somewhere.
    fn location(&self) -> Result<&Path> {
        let location = self.settings.location.as_path();
        if location.as_os_str().is_empty() {
            return Err(Error::new(
                ErrorKind::Settings,
                "which store? Say --location DIR, or set location in the settings file",
            ));
        }
        Ok(location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_become_settings() {
        let cli = Cli::parse_from([
            "kaluta",
            "serve",
            "--location",
            "data",
            "--bind",
            "127.0.0.1:0",
            "--backtrace",
            "always",
            "--log",
            "debug",
            "--union-default-graph",
        ]);
        let mut flags = cli.shared.flags();
        flags.extend(cli.command.flags());
        let settings = SettingsSource { file: None, flags }.read().unwrap();
        assert_eq!(settings.location, Path::new("data"));
        assert_eq!(settings.bind, "127.0.0.1:0");
        assert_eq!(settings.backtrace, BacktracePolicy::Always);
        assert_eq!(settings.log.directives, "debug");
        assert_eq!(
            settings.query.default_graph,
            crate::settings::DefaultGraph::Union
        );
    }
}
