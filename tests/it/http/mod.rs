//! The HTTP server on the wire: a plain socket against a server of this process, or against the program itself.

pub mod client;
mod conversation;
pub mod fixture;
mod full_disk;
mod graphs;
mod levels;
mod loads;
pub mod program;
mod replacements;
mod streams;
mod updates;
mod upkeep;

use libtest_mimic::Trial;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = conversation::trials();
    trials.extend(streams::trials());
    trials.extend(program::trials());
    trials.extend(levels::trials());
    trials.extend(updates::trials());
    trials.extend(loads::trials());
    trials.extend(replacements::trials());
    trials.extend(upkeep::trials());
    trials.extend(full_disk::trials());
    trials.extend(graphs::trials());
    trials
}

/// A trial of a function that panics when it fails.
fn trial(name: &str, run: fn()) -> Trial {
    Trial::test(format!("http::{name}"), move || {
        run();
        Ok(())
    })
}
