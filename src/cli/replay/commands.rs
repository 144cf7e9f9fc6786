//! The commands around a replay: making a workload of a log, describing it, comparing two replays.

use super::values::{percent, positive};
use crate::cli::say::print;
use crate::diagnostics::Result;
use crate::replay::changes::Changes;
use crate::replay::recorded::Recorded;
use crate::replay::workload::Workload;
use crate::replay::workload::describe::Description;
use crate::replay::workload::import::Imported;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// What goes with a replay.
#[derive(Debug, Subcommand)]
pub enum ReplayCommand {
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
pub struct CompareArgs {
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
pub struct ImportArgs {
    /// The log; it may be compressed (.gz, .zst, .bz2).
    #[arg(value_name = "LOG")]
    file: PathBuf,

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

impl ReplayCommand {
    /// Runs it.
    pub fn run(&self) -> Result<ExitCode> {
        match self {
            Self::Import(ImportArgs {
                file,
                out,
                sample,
                seed,
            }) => print(Imported::from_log(file, out, *sample, *seed)?)?,
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
