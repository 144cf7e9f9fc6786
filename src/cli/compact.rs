//! `kaluta compact`: a store rewritten to one run and a sorted dictionary.

use super::Context;
use super::progress::CompactBar;
use super::say::print;
use crate::diagnostics::Result;
use crate::engine::Engine;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  kaluta compact --location data

Small runs are merged in the background anyway; this brings a store that was changed a lot back to the size and speed
of a fresh load, and leaves out terms that nothing uses any more. It needs room on disk for a second copy while it
runs. While a server has the store open, send POST /admin/compact to it instead.";

/// Options of `kaluta compact`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompactArgs {
    /// Directory of the store [env: KALUTA_LOCATION]
    #[arg(short, long, value_name = "DIR")]
    pub location: Option<PathBuf>,
}

/// Rewrites the store.
///
/// # Errors
/// There is no store, another process has it open, it is damaged, or writing failed; then it is as it was.
pub fn run(context: &Context) -> Result<ExitCode> {
    let location = context.location()?;
    let (query, store) = (&context.settings.query, &context.settings.store);
    let engine = Engine::open_existing(location, query, store)?;
    let before = engine.disk_bytes()?;
    let bar = CompactBar::start();
    let compacted = engine.compact(&|state| bar.update(state));
    bar.finish();
    compacted?;
    print(format_args!(
        "{} quads compacted: {before} bytes before, {} after\n",
        engine.quad_count(),
        engine.disk_bytes()?
    ))?;
    Ok(ExitCode::SUCCESS)
}
