//! The store with the sample data that benchmarks serve: `target/sample-store`, made if it is not there yet.
//!
//! `KALUTA_BENCH_TRIPLES` changes its size, each size having a store of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SAMPLE_TRIPLES: &str = "1400000";

/// The store, made by a program if it is not there yet. It gets its name when it is whole.
pub fn made_once(kaluta: &str) -> Result<PathBuf, String> {
    let target = Path::new(kaluta)
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
    run(
        kaluta,
        ["generate", "--triples", &triples, "--output"],
        &[&file],
    )?;
    run(kaluta, ["load", "--location"], &[&unfinished, &file])?;
    fs::rename(&unfinished, &store).map_err(|e| failed("renaming", &unfinished, &e))?;
    fs::remove_file(&file).map_err(|e| failed("removing", &file, &e))?;
    Ok(store)
}

fn run<const N: usize>(kaluta: &str, words: [&str; N], paths: &[&Path]) -> Result<(), String> {
    let status = Command::new(kaluta).args(words).args(paths).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("kaluta {}: {status}", words[0])),
        Err(e) => Err(format!("starting {kaluta}: {e}")),
    }
}

fn failed(what: &str, path: &Path, error: &std::io::Error) -> String {
    format!("{what} {}: {error}", path.display())
}
