//! A log record as text for people: one line, and below it a backtrace where there is one.

use std::fmt::{self, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes `time LEVEL target: message key=value ...`, then the frames of a field called `backtrace`, indented.
pub struct TextFormat;

impl<S, N> FormatEvent<S, N> for TextFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        SystemTime.format_time(&mut writer)?;
        let meta = event.metadata();
        writeln!(
            writer,
            " {:>5} {}: {}{}",
            meta.level(),
            meta.target(),
            fields.message,
            fields.rest
        )?;
        for frame in fields.backtrace.lines() {
            writeln!(writer, "      at {frame}")?;
        }
        Ok(())
    }
}

/// The fields of one record, sorted by where they are written.
#[derive(Default)]
struct Fields {
    message: String,
    rest: String,
    backtrace: String,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "backtrace" => self.backtrace.push_str(value),
            "message" => self.message.push_str(value),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.rest, " {name}={value:?}"),
        };
    }
}
