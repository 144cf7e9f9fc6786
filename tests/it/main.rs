//! End-to-end tests in one binary: each module lists its trials, and they run side by side.
//!
//! `cargo test --test it -- NAME` runs those whose name contains NAME; `--list` names them all.

mod cases;
mod chapter17;
mod cliffs;
mod commands;
mod compare;
mod concurrency;
mod differential;
mod endpoint;
mod federation;
mod formats;
mod fuzz;
mod http;
mod isomorphism;
mod kaluta;
mod kills;
mod metamorphic;
mod operators;
mod oracle;
mod panics;
mod queries;
mod round_trips;
mod sample;
mod settings;
mod store;
mod tally;
mod tidy;
mod values;
mod w3c;
mod wikipathways;
mod workload;

use libtest_mimic::Arguments;
use operators::Operators;
use std::process::ExitCode;
use std::sync::Arc;
use tally::Tally;

fn main() -> ExitCode {
    panics::install();
    let arguments = Arguments::from_args();
    let tally = Arc::new(Tally::default());
    let operators = Arc::new(Operators::default());
    let trials = [
        w3c::trials(&tally),
        cases::trials(),
        chapter17::trials(),
        cliffs::trials(),
        commands::trials(),
        differential::trials(&operators),
        metamorphic::trials(&operators),
        federation::trials(),
        formats::trials(),
        fuzz::trials(),
        http::trials(),
        kills::trials(),
        concurrency::trials(),
        queries::trials(),
        round_trips::trials(&tally),
        sample::trials(),
        wikipathways::trials(),
        workload::trials(),
        isomorphism::trials(),
        tidy::trials(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    print!("{tally}{operators}");
    conclusion.exit_code()
}
