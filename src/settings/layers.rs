//! How settings are put together: defaults, then the file, then the environment, then flags.
//!
//! Environment and flags are texts under a dotted key such as `query.timeout_ms`; both go through one function that
//! reads a text as the type which the default has. An error names the key and where it came from, in a file with line
//! and column.

use super::Settings;
use crate::diagnostics::{Error, ErrorKind, Result, TextPosition};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Where settings come from, kept so that they can be read again.
#[derive(Clone, Debug, Default)]
pub struct SettingsSource {
    /// The file of `--config`.
    pub file: Option<PathBuf>,
    /// What flags of the command line set, as dotted keys and texts.
    pub flags: Vec<(&'static str, String)>,
}

impl SettingsSource {
    /// Reads every layer.
    ///
    /// # Errors
    /// The file cannot be read, or a key or value in some layer makes no sense.
    pub fn read(&self) -> Result<Settings> {
        self.read_with(|name| std::env::var(name).ok())
    }

    /// Reads every layer, asking `environment` for variables.
    fn read_with(&self, environment: impl Fn(&str) -> Option<String>) -> Result<Settings> {
        let mut settings = match &self.file {
            Some(path) => read_file(path)?,
            None => Settings::default(),
        };
        for key in keys(&table_of(&settings)?) {
            let name = variable_name(&key);
            // An empty variable says nothing.
            if let Some(text) = environment(&name).filter(|text| !text.is_empty()) {
                settings = set(
                    &settings,
                    &key,
                    &text,
                    &format!("environment variable {name}"),
                )?;
            }
        }
        for (key, text) in &self.flags {
            settings = set(&settings, key, text, "command line")?;
        }
        Ok(settings)
    }
}

/// The environment variable of a key.
fn variable_name(key: &str) -> String {
    match key {
        "log.directives" => "KALUTA_LOG".to_owned(),
        _ => format!("KALUTA_{}", key.replace('.', "_").to_uppercase()),
    }
}

fn read_file(path: &Path) -> Result<Settings> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::user_file(format!("reading settings from {}", path.display()), e))?;
    parse_file(&text, path)
}

fn parse_file(text: &str, path: &Path) -> Result<Settings> {
    toml::from_str(text).map_err(|e| {
        let error = Error::new(ErrorKind::Settings, e.message().trim_end());
        match e.span() {
            Some(span) => error.at(position_of(text, span.start, path)),
            None => error.context(path.display()),
        }
    })
}

/// The line and column of a byte offset.
fn position_of(text: &str, offset: usize, path: &Path) -> TextPosition {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let column = before[line_start..].chars().count();
    let line = text[line_start..].lines().next().unwrap_or_default();
    TextPosition {
        file: Some(path.display().to_string()),
        line: before.matches('\n').count() as u64 + 1,
        column: column as u64 + 1,
        excerpt: format!("{line}\n{}^", " ".repeat(column)),
    }
}

fn table_of(settings: &Settings) -> Result<Table> {
    Table::try_from(settings).map_err(|e| Error::internal(format!("settings as a table: {e}")))
}

/// The dotted keys of every leaf.
fn keys(table: &Table) -> Vec<String> {
    table
        .iter()
        .flat_map(|(name, value)| match value {
            Value::Table(inner) => keys(inner).iter().map(|k| format!("{name}.{k}")).collect(),
            _ => vec![name.clone()],
        })
        .collect()
}

/// The settings with one key read from a text.
fn set(settings: &Settings, key: &str, text: &str, origin: &str) -> Result<Settings> {
    let refuse = |why: &str| {
        Error::new(
            ErrorKind::Settings,
            format!("{key} = {text:?} ({origin}): {}", why.trim_end()),
        )
    };
    let mut table = table_of(settings)?;
    let (section, name) = match key.split_once('.') {
        Some((section, name)) => (table.get_mut(section).and_then(Value::as_table_mut), name),
        None => (Some(&mut table), key),
    };
    let leaf = section
        .and_then(|s| s.get_mut(name))
        .ok_or_else(|| refuse("there is no such setting"))?;
    *leaf = read_like(leaf, text).map_err(|e| refuse(&e))?;
    Settings::deserialize(table).map_err(|e| refuse(e.message()))
}

/// A text read as the type that another value has.
fn read_like(model: &Value, text: &str) -> Result<Value, String> {
    match model {
        Value::Integer(_) => text
            .trim()
            .parse()
            .map(Value::Integer)
            .map_err(|_| "expected a whole number".to_owned()),
        Value::Boolean(_) => match text.trim() {
            "true" => Ok(Value::Boolean(true)),
            "false" => Ok(Value::Boolean(false)),
            _ => Err("expected true or false".to_owned()),
        },
        Value::Array(_) => {
            let items = text.split([',', ' ']).filter(|item| !item.is_empty());
            Ok(Value::Array(items.map(Value::from).collect()))
        }
        _ => Ok(Value::String(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::DefaultGraph;

    const DOCUMENTED: &str = include_str!("../../config/kaluta.toml");

    fn parse(text: &str) -> Result<Settings> {
        parse_file(text, Path::new("kaluta.toml"))
    }

    #[test]
    fn the_documented_file_says_the_defaults_and_every_key() {
        assert_eq!(parse(DOCUMENTED).unwrap(), Settings::default());
        let documented: Table = DOCUMENTED.parse().unwrap();
        assert_eq!(
            keys(&documented),
            keys(&table_of(&Settings::default()).unwrap())
        );
    }

    #[test]
    fn later_layers_override_earlier_ones() {
        let source = SettingsSource {
            file: None,
            flags: vec![("query.threads", "3".to_owned())],
        };
        let settings = source
            .read_with(|name| match name {
                "KALUTA_QUERY_THREADS" => Some("7".to_owned()),
                "KALUTA_LOG" => Some("debug".to_owned()),
                "KALUTA_QUERY_DEFAULT_GRAPH" => Some("union".to_owned()),
                "KALUTA_UPDATE_LOAD_FOLDERS" => Some("/a, /b".to_owned()),
                "KALUTA_SERVICE_ALLOW" => Some("http://a/ , http://b/*".to_owned()),
                _ => None,
            })
            .unwrap();
        assert_eq!(settings.query.threads, 3);
        assert_eq!(settings.log.directives, "debug");
        assert_eq!(settings.service.allow, ["http://a/", "http://b/*"]);
        assert_eq!(settings.query.default_graph, DefaultGraph::Union);
        assert_eq!(
            settings.update.load_folders,
            [Path::new("/a"), Path::new("/b")]
        );
        assert_eq!(settings.bind, Settings::default().bind);
    }

    #[test]
    fn errors_name_the_key_and_the_place() {
        let check = |text: &str, line: u64, column: u64, word: &str| {
            let error = parse(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Settings);
            let place = error.position().expect("a position");
            assert_eq!((place.line, place.column), (line, column), "{error}");
            assert!(error.to_string().contains(word), "{error}");
        };
        check("bind = 3\n", 1, 8, "invalid type");
        check("[query]\ntimeout = 3\n", 2, 1, "timeout");
        check("[log]\nformat = \"xml\"\n", 2, 10, "text");
        check("[query]\nthreads = -1\n", 2, 11, "-1");
        check("[query\n", 1, 7, "");
    }

    #[test]
    fn errors_of_texts_name_the_variable() {
        let error = SettingsSource::default()
            .read_with(|name| (name == "KALUTA_QUERY_TIMEOUT_MS").then(|| "soon".to_owned()))
            .unwrap_err();
        let text = error.to_string();
        assert!(text.contains("KALUTA_QUERY_TIMEOUT_MS"), "{text}");
        assert!(text.contains("query.timeout_ms"), "{text}");
    }
}
