//! `kaluta backup`: a copy of a store, which is itself a store.

use super::Context;
use super::say::print;
use crate::diagnostics::Result;
use crate::engine::Engine;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  kaluta backup --location data --destination backups/monday
  kaluta serve --location backups/monday                       restoring is serving the copy

On one file system the copy shares its files with the store, so it is made at once and takes no room until the store
has moved on; for safety from the loss of a disk, copy it to another. While a server has the store open, send
POST /admin/backup to it instead.";

/// Options of `kaluta backup`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct BackupArgs {
    /// Directory of the store [env: KALUTA_LOCATION]
    #[arg(short, long, value_name = "DIR")]
    pub location: Option<PathBuf>,
    /// Directory of the copy; it must be new or empty
    #[arg(short, long, value_name = "DIR")]
    destination: PathBuf,
}

/// Makes the copy.
///
/// # Errors
/// There is no store, another process writes it, the destination is not empty, or writing failed.
pub fn run(args: &BackupArgs, context: &Context) -> Result<ExitCode> {
    let engine = Engine::open_read_only(context.location()?, &context.settings.query)?;
    let sequence = engine.backup(&args.destination)?;
    print(format_args!(
        "{} quads up to commit {sequence} backed up to {}\n",
        engine.quad_count(),
        args.destination.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}
