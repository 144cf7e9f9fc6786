//! `cargo bench --bench replay`: what backtraces cost, on the sample data.
//!
//! The sample is generated and loaded once and kept in `target/sample-store`; `KALUTA_BENCH_TRIPLES` changes its size, each
//! size having a store of its own. Arguments after `--` go to `kaluta replay`, which makes no sample where they name servers
//! or a store.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const KALUTA: &str = env!("CARGO_BIN_EXE_kaluta");
const SAMPLE_TRIPLES: &str = "1400000";

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
        match sample_store() {
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

/// The store with the sample, made if it is not there yet. It gets its name when it is whole.
fn sample_store() -> Result<PathBuf, String> {
    let target = Path::new(KALUTA)
        .ancestors()
        .nth(2)
        .unwrap_or(Path::new("target"));
    let (triples, name) = match std::env::var("KALUTA_BENCH_TRIPLES") {
        Ok(triples) => (triples.clone(), format!("sample-store-{triples}")),
        Err(_) => (SAMPLE_TRIPLES.to_owned(), "sample-store".to_owned()),
    };
    let store = target.join(name);
    if store.exists() {
        return Ok(store);
    }
    let file = store.with_extension("nt");
    let unfinished = store.with_extension("unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(|e| failed("removing", &unfinished, &e))?;
    }
    kaluta(["generate", "--triples", &triples, "--output"], &[&file])?;
    kaluta(["load", "--location"], &[&unfinished, &file])?;
    fs::rename(&unfinished, &store).map_err(|e| failed("renaming", &unfinished, &e))?;
    fs::remove_file(&file).map_err(|e| failed("removing", &file, &e))?;
    Ok(store)
}

fn kaluta<const N: usize>(words: [&str; N], paths: &[&Path]) -> Result<(), String> {
    let status = Command::new(KALUTA).args(words).args(paths).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("kaluta {}: {status}", words[0])),
        Err(e) => Err(format!("starting {KALUTA}: {e}")),
    }
}

fn failed(what: &str, path: &Path, error: &std::io::Error) -> String {
    format!("{what} {}: {error}", path.display())
}
