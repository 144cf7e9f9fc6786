//! Carries a plan out: progress on standard error, the report on standard output and in files, the exit code.

use super::ReplayArgs;
use crate::cli::output_file::OutputFile;
use crate::cli::say::print;
use crate::diagnostics::{Error, Result};
use crate::replay::Plan;
use crate::replay::answers::Answers;
use crate::replay::own_limit::OwnLimit;
use crate::replay::report::Report;
use crate::replay::report::page::Page;
use crate::replay::schedule::Slot;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{BufWriter, Write};
use std::process::ExitCode;
use std::time::Duration;

/// How long the harness is measured itself, after all servers.
const OWN_LIMIT_DURATION: Duration = Duration::from_millis(500);

/// Measures, and reports.
pub fn measure(args: &ReplayArgs) -> Result<ExitCode> {
    let plan = args.plan()?;
    let json = args.json.as_deref().map(OutputFile::create).transpose()?;
    let html = args.html.as_deref().map(OutputFile::create).transpose()?;
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
    if !args.skip_data {
        outcome.data = outcome.plan.read_data()?;
    }
    if let Some(mut file) = json {
        outcome.write_json(&mut BufWriter::new(&mut file))?;
        file.finish()?;
    }
    let report = Report::new(&outcome);
    if let Some(mut file) = html {
        write!(file, "{}", Page(&report)).map_err(|e| Error::io("writing the page", e))?;
        file.finish()?;
    }
    print(&report)?;
    Ok(match outcome.is_clean() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
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
