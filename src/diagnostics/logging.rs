//! Where log records go, and which ones: set up once, changed while the process runs.
//!
//! Records go to standard error as text or as lines of JSON. Which are written is said by directives in the syntax of
//! `tracing` (`info,kaluta::error=debug`); [`LogControl`] shows and changes them at run time. A change rebuilds the
//! caches that `tracing` keeps at each call site, so the question "would this be printed?", on which the capture of
//! backtraces hangs, has its new answer at once.

use super::logtext::TextFormat;
use super::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, reload};

/// The setting `log.format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// Text for people; a backtrace stands on lines of its own.
    #[default]
    Text,
    /// A JSON object on a line for each record.
    Json,
}

/// Shows and changes the directives of a running process.
#[derive(Clone)]
pub struct LogControl(Arc<Inner>);

struct Inner {
    filter: reload::Handle<EnvFilter, Registry>,
    directives: Mutex<String>,
}

impl LogControl {
    /// The directives in force.
    pub fn directives(&self) -> String {
        let guard = self.0.directives.lock();
        guard.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts other directives in force, from the next record on.
    ///
    /// # Errors
    /// The directives do not parse; the old ones stay.
    pub fn set_directives(&self, directives: &str) -> Result<()> {
        let filter = parse_directives(directives, ErrorKind::BadRequest)?;
        let guard = self.0.directives.lock();
        let mut current = guard.unwrap_or_else(PoisonError::into_inner);
        self.0
            .filter
            .reload(filter)
            .map_err(|e| Error::internal(format!("changing log directives: {e}")))?;
        current.clear();
        current.push_str(directives.trim());
        Ok(())
    }
}

/// Starts logging to standard error for the whole process.
///
/// # Errors
/// The directives do not parse, or logging has been started before.
pub fn start(directives: &str, format: LogFormat) -> Result<LogControl> {
    let (subscriber, control) = subscriber(directives, format, std::io::stderr)?;
    tracing::subscriber::set_global_default(subscriber)
        .map_err(|e| Error::internal(format!("starting the log: {e}")))?;
    Ok(control)
}

/// A subscriber that writes records to `writer`, and its control; [`start`] installs one for the process.
///
/// # Errors
/// The directives do not parse.
pub fn subscriber<W>(
    directives: &str,
    format: LogFormat,
    writer: W,
) -> Result<(impl Subscriber + Send + Sync, LogControl)>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let (filter, handle) = reload::Layer::new(parse_directives(directives, ErrorKind::Settings)?);
    let layer = fmt::layer().with_writer(writer).with_ansi(false);
    let records = match format {
        LogFormat::Text => layer.event_format(TextFormat).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    let control = LogControl(Arc::new(Inner {
        filter: handle,
        directives: Mutex::new(directives.trim().to_owned()),
    }));
    Ok((Registry::default().with(filter).with(records), control))
}

fn parse_directives(directives: &str, refused: ErrorKind) -> Result<EnvFilter> {
    let refuse = |why: &dyn Display| {
        let example = "write something like info or warn,kaluta::error=debug, or off for none";
        let message = format!("log directives {directives:?}: {why}; {example}");
        Error::new(refused, message)
    };
    match directives.trim() {
        "" => Err(refuse(&"there are none")),
        directives => EnvFilter::builder()
            .parse(directives)
            .map_err(|e| refuse(&e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Written {
        fn take(&self) -> String {
            String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
        }
    }

    fn with_log(format: LogFormat, run: impl FnOnce(&LogControl, &Written)) {
        let written = Written::default();
        let sink = written.clone();
        let (subscriber, control) = subscriber("info", format, move || sink.clone()).unwrap();
        tracing::subscriber::with_default(subscriber, || run(&control, &written));
    }

    #[test]
    fn directives_change_what_is_printed_at_once() {
        with_log(LogFormat::Text, |control, written| {
            let syntax = || Error::new(ErrorKind::Syntax, "no such thing").log("r1");
            syntax();
            assert_eq!(written.take(), "");
            control.set_directives("info,kaluta::error=debug").unwrap();
            syntax();
            let text = written.take();
            assert!(text.contains("no such thing"), "{text}");
            assert!(
                text.contains("directives_change_what_is_printed_at_once"),
                "{text}"
            );
            control.set_directives("info").unwrap();
            syntax();
            assert_eq!(written.take(), "");
        });
    }

    #[test]
    fn bad_directives_are_refused_and_the_old_ones_stay() {
        with_log(LogFormat::Text, |control, _| {
            assert!(control.set_directives("kaluta=loud").is_err());
            assert_eq!(control.directives(), "info");
        });
    }

    #[test]
    fn json_records_are_one_object_a_line() {
        with_log(LogFormat::Json, |_, written| {
            Error::new(ErrorKind::Internal, "a \"mistake\"").log("r7");
            let text = written.take();
            let record: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(record["request"], "r7");
            assert_eq!(record["kind"], "internal");
            assert_eq!(record["message"], "a \"mistake\"");
            assert!(
                record["backtrace"]
                    .as_str()
                    .unwrap()
                    .contains("json_records")
            );
        });
    }
}
