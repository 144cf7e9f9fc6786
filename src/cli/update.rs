//! `kaluta update`: one update of a store, without a server.

use super::say::tell;
use super::{Context, Flags, location_flag};
use crate::diagnostics::{Error, Result};
use crate::engine::{Engine, QueryControl, UpdateRequest};
use clap::Args;
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  kaluta update --location data --update 'INSERT DATA { <http://e/s> <http://e/p> 1 }'
  kaluta update --location data --update-file changes.ru
  kaluta update --location data < changes.ru

All of it is done or nothing. While a server has the store open, send updates to its /update instead.";

/// Options of `kaluta update`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct UpdateArgs {
    /// Directory of the store; it is created where there is none [env: KALUTA_LOCATION]
    #[arg(short, long, value_name = "DIR")]
    location: Option<PathBuf>,
    /// The update; standard input where neither an update nor a file is given
    #[arg(short, long, value_name = "UPDATE", conflicts_with = "update_file")]
    update: Option<String>,
    /// The file of the update
    #[arg(long, value_name = "FILE")]
    update_file: Option<PathBuf>,
    /// What relative IRIs of the update are resolved against
    #[arg(long, value_name = "IRI")]
    update_base: Option<String>,
    /// The time the update may take, in seconds; no limit where none is given
    #[arg(long, value_name = "SECONDS")]
    timeout_s: Option<u64>,
}

impl UpdateArgs {
    /// The settings that the options say.
    pub fn flags(&self) -> Flags {
        location_flag(self.location.as_deref())
    }

    fn text(&self) -> Result<String> {
        if let Some(text) = &self.update {
            return Ok(text.clone());
        }
        let Some(path) = &self.update_file else {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            return read
                .map(|_| text)
                .map_err(|e| Error::io("reading the update from standard input", e));
        };
        std::fs::read_to_string(path)
            .map_err(|e| Error::user_file(format!("reading the update from {}", path.display()), e))
    }
}

/// Makes the update.
///
/// # Errors
/// The update does not parse or fails; then nothing was changed.
pub fn run(args: &UpdateArgs, context: &Context) -> Result<ExitCode> {
    let settings = &context.settings;
    let engine = Engine::open(context.location()?, &settings.query, &settings.store)?
        .with_load_sources(&settings.update, &settings.service)?;
    let update = engine.prepare_update(&UpdateRequest {
        text: args.text()?,
        base: args.update_base.clone(),
        ..UpdateRequest::default()
    })?;
    let timeout = args.timeout_s.filter(|&s| s > 0).map(Duration::from_secs);
    let control = QueryControl::new(timeout, settings.query.memory_limit_bytes());
    let commit = engine.update(update, &control)?.durable()?;
    tell(format_args!(
        "{} quads inserted, {} deleted",
        commit.inserted, commit.deleted
    ));
    Ok(ExitCode::SUCCESS)
}
