//! `kaluta verify`: reads all of a store and names what is wrong.

use super::Context;
use super::say::{print, tell};
use crate::diagnostics::Result;
use crate::engine::Engine;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  kaluta verify --location data && echo sound
  kaluta verify --location backups/monday

Every checksum is tested, every order of rows, that all permutations hold the same quads, and every term of the
dictionary both ways. Each problem is a line with file and place. Damage that keeps the store from being opened does not
end this: what can be read is verified all the same.
Exit code: 0 when the store is sound, 1 when it is damaged, 2 when it could not be verified: there is no store, a server
writes it, it is of another version, or the arguments are wrong.";

/// The exit code when damage was found.
const DAMAGED: u8 = 1;
/// The exit code when nothing could be verified.
pub const NOT_VERIFIED: u8 = 2;

const TICK: Duration = Duration::from_millis(100);

/// Options of `kaluta verify`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Directory of the store [env: KALUTA_LOCATION]
    #[arg(short, long, value_name = "DIR")]
    pub location: Option<PathBuf>,
}

/// Verifies the store.
///
/// # Errors
/// There is no store, another process writes it, or it is of another version.
pub fn run(context: &Context) -> Result<ExitCode> {
    let location = context.location()?;
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
    let clock = ProgressBar::new_spinner()
        .with_message(format!("verifying {}", location.display()))
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    clock.enable_steady_tick(TICK);
    let verified = Engine::verify_location(location);
    clock.finish_and_clear();
    let report = verified?;
    for problem in &report.problems {
        tell(problem);
    }
    let unlisted = report.problem_count - report.problems.len() as u64;
    if unlisted > 0 {
        tell(format_args!("and {unlisted} more"));
    }
    print(format_args!(
        "{} quads, {} terms, {} bytes: {} problems\n",
        report.quads, report.terms, report.bytes, report.problem_count
    ))?;
    Ok(match report.is_sound() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(DAMAGED),
    })
}
