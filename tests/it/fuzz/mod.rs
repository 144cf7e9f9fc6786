//! The fuzz targets over a bounded number of mutated seeds.
//!
//! Everything follows from a seed. `$KALUTA_FUZZ_INPUTS` says how many inputs each target gets (400), and
//! `$KALUTA_FUZZ_SEED` where seeds start (0). A failure shows its input.

#[path = "../../fuzz/targets.rs"]
mod targets;

mod seeds;

use crate::differential::random::Random;
use crate::panics;
use crate::settings::number;
use libtest_mimic::{Failed, Trial};
use std::time::{Duration, Instant};
use targets::{TARGETS, Target};

/// The inputs of one trial.
const INPUTS_PER_TRIAL: usize = 100;

/// What an input takes that hangs: far more than any other, even on a machine that stands still for a while.
const PATIENCE: Duration = Duration::from_secs(300);

/// What is put into an input: pieces that the formats give meaning to.
const WORDS: [&str; 32] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "<<(",
    ")>>",
    "\"",
    "'",
    "\"\"\"",
    "\\",
    "?a",
    "_:b",
    "*",
    "+",
    "|",
    "^",
    "!",
    " . ",
    ";",
    ",",
    "\n",
    "\u{0}",
    "é😀",
    "\\uD800",
    "999999999999999999999",
    "-0.0e-400",
    "UNDEF",
    "DISTINCT",
];

/// Trials of a hundred inputs.
pub fn trials() -> Vec<Trial> {
    let inputs: usize = number("KALUTA_FUZZ_INPUTS", 400);
    let first: u64 = number("KALUTA_FUZZ_SEED", 0);
    let count = inputs.div_ceil(INPUTS_PER_TRIAL) as u64;
    let trial = |(name, target): (&'static str, Target), seed: u64| {
        Trial::test(format!("fuzz::{name}::seed_{seed:06}"), move || {
            run(name, target, seed)
        })
    };
    TARGETS
        .into_iter()
        .flat_map(|target| (first..first + count).map(move |seed| trial(target, seed)))
        .collect()
}

fn run(name: &str, target: Target, seed: u64) -> Result<(), Failed> {
    let seeds = seeds::seeds(name)?;
    let mut random = Random::new(seed);
    for number in 0..INPUTS_PER_TRIAL {
        let input = mutated(&seeds, &mut random);
        let started = Instant::now();
        let outcome = panics::caught(|| target(&input));
        let is_slow = started.elapsed() > PATIENCE;
        if let Some(what) = outcome.err().or(is_slow.then(|| "too slow".to_owned())) {
            let text = String::from_utf8_lossy(&input);
            return Err(format!("seed {seed}, input {number}: {what}\n{input:?}\n{text}").into());
        }
    }
    Ok(())
}

/// A seed, changed a few times; now and then not at all.
fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.pick(seeds).clone();
    for _ in 0..random.between(0, 6) {
        let start = random.between(0, bytes.len());
        let end = random.between(start, bytes.len().min(start + 24));
        match random.weighted(&[20, 20, 30, 10, 20]) {
            0 => drop(bytes.drain(start..end)),
            1 => {
                let piece = bytes[start..end].to_vec();
                let times = random.between(1, 3);
                for _ in 0..times {
                    bytes.splice(start..start, piece.iter().copied());
                }
            }
            2 => drop(bytes.splice(start..start, random.pick(&WORDS).bytes())),
            3 => {
                if let Some(byte) = bytes.get_mut(start) {
                    *byte = random.between(0, 255) as u8;
                }
            }
            _ => {
                let other = random.pick(seeds);
                let from = random.between(0, other.len());
                let piece = &other[from..random.between(from, other.len())];
                drop(bytes.splice(start..end, piece.iter().copied()));
            }
        }
    }
    bytes
}
