//! `cargo bench --bench replay`: what backtraces cost, on the sample data.
//!
//! The sample is generated and loaded once and kept in `target/sample-store`; `KALUTA_BENCH_TRIPLES` changes its size, each
//! size having a store of its own. Arguments after `--` go to `kaluta replay`, which makes no sample where they name servers
//! or a store.

mod sample_store;

use std::process::{Command, ExitCode};

const KALUTA: &str = env!("CARGO_BIN_EXE_kaluta");

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let Some(position) = arguments.iter().position(|argument| argument == "--bench") else {
        // `cargo test --all-targets` starts benchmarks too, without the argument that `cargo bench` adds.
        println!("nothing is measured without --bench; run `cargo bench --bench replay`");
        return ExitCode::SUCCESS;
    };
    arguments.remove(position);
    let names_servers = arguments.iter().any(|argument| {
        let argument = argument.to_string_lossy();
        argument.starts_with("--endpoint") || argument.starts_with("--location")
    });
    let mut replay = Command::new(KALUTA);
    replay.arg("replay").args(&arguments);
    if !names_servers {
        match sample_store::made_once(KALUTA) {
            Ok(store) => replay.arg("--location").arg(store),
            Err(message) => {
                eprintln!("{message}");
                return ExitCode::FAILURE;
            }
        };
    }
    match replay.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
