//! Figures that were kept under a name, in `target/components/NAME.json`, and comparing with them.

use crate::measure::Figures;
use kaluta::diagnostics::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Less than this share is no change, however quiet the machine.
const CHANGE_MIN: f64 = 0.03;

/// What the clock cannot tell from nothing.
const GRAIN_NS: f64 = 0.1;

/// Net costs by the name of the component.
#[derive(Default, Serialize, Deserialize)]
pub struct Baseline(BTreeMap<String, Kept>);

#[derive(Serialize, Deserialize)]
struct Kept {
    net_ns: f64,
    spread_ns: f64,
}

impl Baseline {
    /// The figures of a name.
    ///
    /// # Errors
    /// There are none, or they cannot be read.
    pub fn read(name: &str) -> Result<Self> {
        let how = || format!("the baseline {name} (make one with --save-baseline {name})");
        Self::read_file(&file_of(name)?).map_err(|e| e.context(how()))
    }

    fn read_file(file: &Path) -> Result<Self> {
        let what = || format!("reading {}", file.display());
        let text = fs::read_to_string(file).map_err(|e| Error::io(what(), e))?;
        serde_json::from_str(&text)
            .map_err(|e| Error::new(ErrorKind::Settings, format!("{}: {e}", what())))
    }

    /// Keeps the figures of a component, those of the longer run.
    pub fn keep(&mut self, component: &str, [_, many]: &[Figures; 2]) {
        let kept = Kept {
            net_ns: many.net_ns,
            spread_ns: many.spread_ns,
        };
        self.0.insert(component.to_owned(), kept);
    }

    /// Keeps all of them in a file; those of components that were not measured this time stay.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(self, file: &Path) -> Result<()> {
        let mut all = match file.exists() {
            true => Self::read_file(file)?,
            false => Self::default(),
        };
        all.0.extend(self.0);
        let text = serde_json::to_string_pretty(&all)
            .map_err(|e| Error::internal(format!("a baseline as JSON: {e}")))?;
        let written = file
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(file, text));
        written.map_err(|e| Error::io(format_args!("writing {}", file.display()), e))
    }

    /// How a net cost differs from the one that was kept: not at all, where the spread of the runs explains it.
    pub fn change(&self, component: &str, now: &Figures) -> String {
        let Some(before) = self.0.get(component) else {
            return "new".to_owned();
        };
        let difference_ns = now.net_ns - before.net_ns;
        let share = difference_ns / before.net_ns.max(GRAIN_NS);
        let noise_ns = GRAIN_NS.max(before.spread_ns + now.spread_ns);
        if difference_ns.abs() <= noise_ns || share.abs() < CHANGE_MIN {
            return "no change".to_owned();
        }
        let verdict = match difference_ns < 0.0 {
            true => "improved",
            false => "regressed",
        };
        format!("{:+.0}% {verdict}", share * 100.0)
    }
}

/// Where the figures of a name are: beside what cargo built.
///
/// # Errors
/// The name is none for a file.
pub fn file_of(name: &str) -> Result<PathBuf> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if name.is_empty() || !name.chars().all(is_plain) {
        let message = format!("{name:?} is no name for a baseline: use letters, digits, - and _");
        return Err(Error::new(ErrorKind::Settings, message));
    }
    let target = Path::new(env!("CARGO_BIN_EXE_kaluta"))
        .ancestors()
        .nth(2)
        .unwrap_or(Path::new("target"));
    Ok(target.join("components").join(format!("{name}.json")))
}
