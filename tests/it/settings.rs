//! Folders and numbers that the environment gives to the tests.

use libtest_mimic::{Completion, Trial};
use std::env;
use std::path::PathBuf;
use std::str::FromStr;

/// A file or folder that lies outside the project.
pub enum Source {
    Found(PathBuf),
    /// The trial that says so.
    Missing(Box<Trial>),
}

/// The path in an environment variable. A missing one is a trial that is ignored, and one that fails under `$CI`.
pub fn data_folder(variable: &'static str) -> Source {
    let path = env::var_os(variable).map(PathBuf::from);
    let reason = match path {
        Some(path) if path.exists() => return Source::Found(path),
        Some(path) => format!("${variable} names {}, which does not exist", path.display()),
        None => format!("${variable} is not set"),
    };
    Source::Missing(Box::new(Trial::ignorable_test(
        variable.to_ascii_lowercase(),
        move || {
            if env::var_os("CI").is_some() {
                Err(reason.into())
            } else {
                Ok(Completion::ignored_with(reason))
            }
        },
    )))
}

/// The number in an environment variable, or another.
pub fn number<N: FromStr>(variable: &str, otherwise: N) -> N {
    env::var(variable)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}
