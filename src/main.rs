//! The `kaluta` command: reads its arguments and hands over to the command that they name.

use clap::Parser;
use kaluta::cli::Cli;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    Cli::parse().run()
}
