//! The habits of the sources, as tests: which room may use which, and what every file keeps to.

use libtest_mimic::Trial;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from the bottom up, and which rooms each may use. Every one of them stands above its own, so that there are
/// no cycles.
const ROOMS: [(&str, &[&str]); 18] = [
    ("diagnostics", &[]),
    ("term", &["diagnostics"]),
    ("batch", &["term"]),
    ("rdf", &["diagnostics", "term"]),
    ("settings", &["diagnostics"]),
    ("sparql", &["diagnostics"]),
    (
        "storage",
        &["diagnostics", "term", "batch", "rdf", "settings"],
    ),
    ("expr", &["diagnostics", "term", "batch"]),
    (
        "plan",
        &["diagnostics", "term", "batch", "sparql", "storage", "expr"],
    ),
    ("federation", &["diagnostics", "settings"]),
    (
        "exec",
        &[
            "diagnostics",
            "term",
            "batch",
            "storage",
            "expr",
            "plan",
            "federation",
        ],
    ),
    (
        "update",
        &[
            "diagnostics",
            "term",
            "batch",
            "rdf",
            "storage",
            "expr",
            "plan",
            "federation",
            "exec",
        ],
    ),
    ("results", &["diagnostics", "term", "batch", "rdf"]),
    (
        "engine",
        &[
            "diagnostics",
            "term",
            "batch",
            "rdf",
            "settings",
            "sparql",
            "storage",
            "expr",
            "plan",
            "federation",
            "exec",
            "update",
        ],
    ),
    ("replay", &["diagnostics", "rdf"]),
    ("sample", &["diagnostics"]),
    (
        "http",
        &[
            "diagnostics",
            "term",
            "batch",
            "settings",
            "results",
            "engine",
        ],
    ),
    (
        "cli",
        &[
            "diagnostics",
            "term",
            "batch",
            "settings",
            "results",
            "engine",
            "replay",
            "sample",
            "http",
        ],
    ),
];

/// The files that may hold `unsafe`.
const UNSAFE_FILES: [&str; 3] = [
    "storage/mapped.rs",
    "storage/dictionary/symbols.rs",
    "cli/signals.rs",
];

/// Names that say nothing.
const DRAWERS: [&str; 6] = ["util", "utils", "common", "helper", "helpers", "misc"];

const LINES_MAX: usize = 600;

/// Complains about a file.
type Check = fn(&Source) -> Vec<String>;

/// One trial for each habit.
pub fn trials() -> Vec<Trial> {
    let checks: [(&str, Check); 6] = [
        ("rooms_use_only_those_below", uses_only_rooms_below),
        ("files_say_what_they_are", opens_with_a_description),
        ("files_are_short", is_short),
        ("nothing_is_left_undone", has_nothing_undone),
        ("names_say_something", has_a_name),
        ("unsafe_is_where_it_is_expected", has_no_unexpected_unsafe),
    ];
    let mut trials: Vec<_> = checks
        .into_iter()
        .map(|(name, check)| {
            Trial::test(format!("tidy::{name}"), move || {
                let complaints: Vec<_> = sources()?.iter().flat_map(check).collect();
                if complaints.is_empty() {
                    Ok(())
                } else {
                    Err(complaints.join("\n").into())
                }
            })
        })
        .collect();
    trials.push(Trial::test("tidy::the_table_of_rooms_is_in_order", || {
        for (i, (room, uses)) in ROOMS.iter().enumerate() {
            for used in *uses {
                if !ROOMS[..i].iter().any(|(below, _)| below == used) {
                    return Err(format!(
                        "{room} may use {used}, which does not stand above it in the table"
                    )
                    .into());
                }
            }
        }
        Ok(())
    }));
    trials
}

/// A file below `src`.
struct Source {
    /// Its path below `src`, with slashes.
    path: String,
    text: String,
}

fn sources() -> Result<Vec<Source>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
            let path: PathBuf = entry.map_err(|e| e.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text =
                    fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                let below = path.strip_prefix(&root).map_err(|e| e.to_string())?;
                sources.push(Source {
                    path: below.to_string_lossy().replace('\\', "/"),
                    text,
                });
            }
        }
    }
    Ok(sources)
}

impl Source {
    /// The room that the file is in: its folder, or its own name.
    fn room(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    fn is_root(&self) -> bool {
        matches!(self.path.as_str(), "lib.rs" | "main.rs")
    }

    /// Whether the whole file is compiled for tests only.
    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }

    /// The lines of code with their numbers: no comments, and not the tests at the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines
            .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
            .map(|(i, line)| (i + 1, line.trim_start()))
            .filter(|(_, line)| !line.starts_with("//"))
    }

    fn complain(&self, line: usize, what: &str) -> String {
        format!("src/{}:{line}: {what}", self.path)
    }
}

fn uses_only_rooms_below(source: &Source) -> Vec<String> {
    if source.is_root() || source.is_test() {
        return Vec::new();
    }
    let room = source.room();
    let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return vec![source.complain(
            1,
            &format!("the room {room} is missing in the table of rooms"),
        )];
    };
    let mut complaints = Vec::new();
    for (number, line) in source.code() {
        for used in rooms_named_in(line) {
            if used != room && !allowed.contains(&used) {
                complaints.push(source.complain(number, &format!("{room} may not use {used}")));
            }
        }
    }
    complaints
}

/// The rooms after each `crate::` of a line.
fn rooms_named_in(line: &str) -> BTreeSet<&str> {
    let names = line.split("crate::").skip(1);
    let rooms = names.flat_map(|rest| match rest.strip_prefix('{') {
        // `use crate::{a::B, c}` names several.
        Some(list) => list.split([',', '}']).collect::<Vec<_>>(),
        None => vec![rest],
    });
    let word = |name: &'static str, text: &str| {
        text.split(|c: char| c != '_' && !c.is_alphanumeric())
            .next()
            == Some(name)
    };
    rooms
        .flat_map(|text| {
            ROOMS
                .iter()
                .map(|(room, _)| *room)
                .filter(move |room| word(room, text.trim()))
        })
        .collect()
}

fn opens_with_a_description(source: &Source) -> Vec<String> {
    if source.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![source.complain(1, "the file does not say what it holds; open it with `//!`")]
}

fn is_short(source: &Source) -> Vec<String> {
    let lines = source.text.lines().count();
    if lines <= LINES_MAX {
        return Vec::new();
    }
    vec![source.complain(
        lines,
        &format!("the file has more than {LINES_MAX} lines; split it"),
    )]
}

fn has_nothing_undone(source: &Source) -> Vec<String> {
    const LEFTOVERS: [&str; 6] = [
        "todo!(",
        "dbg!(",
        "unimplemented!(",
        "// TODO",
        "// FIXME",
        "// XXX",
    ];
    let lines = source.text.lines().enumerate();
    lines
        .flat_map(|(i, line)| {
            let found = LEFTOVERS
                .iter()
                .filter(move |leftover| line.contains(**leftover));
            found.map(move |leftover| source.complain(i + 1, &format!("`{leftover}` is left")))
        })
        .collect()
}

fn has_a_name(source: &Source) -> Vec<String> {
    let parts = source
        .path
        .split('/')
        .map(|part| part.strip_suffix(".rs").unwrap_or(part));
    let drawers = parts.filter(|part| DRAWERS.contains(part));
    drawers
        .map(|part| source.complain(1, &format!("the name {part} says nothing")))
        .collect()
}

fn has_no_unexpected_unsafe(source: &Source) -> Vec<String> {
    if UNSAFE_FILES.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let is_unsafe = |line: &str| {
        line.split(|c: char| c != '_' && !c.is_alphanumeric())
            .any(|word| word == "unsafe")
    };
    let lines = source.code().filter(|(_, line)| is_unsafe(line));
    lines
        .map(|(number, _)| source.complain(number, "`unsafe` outside the files that may hold it"))
        .collect()
}
