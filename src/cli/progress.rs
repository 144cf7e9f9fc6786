//! How far a command is, for people at a terminal.
//!
//! Bars are drawn on standard error, and only when that is a terminal; what was done is told in any case.

use super::say::tell;
use crate::engine::{CompactState, LoadProgress, LoadReport, LoadState};
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// Progress of making sample data, in triples.
pub struct SampleBar {
    bar: ProgressBar,
    started: Instant,
}

impl SampleBar {
    /// A bar for so many triples.
    pub fn start(triples: u64) -> Self {
        let template = "making sample data  {bar:32} {percent:>3}%  {human_pos} triples, {per_sec}, {eta} left";
        Self {
            bar: bar(triples, template),
            started: Instant::now(),
        }
    }

    /// So many triples have been written.
    pub fn update(&self, triples: u64) {
        self.bar.set_position(triples);
    }

    /// All have been written.
    pub fn finish(self, triples: u64) {
        self.bar.finish_and_clear();
        let took = took(self.started);
        tell(format_args!(
            "made sample data: {} triples in {took}",
            HumanCount(triples)
        ));
    }
}

/// Progress of a load, in bytes of its sources.
pub struct LoadBar {
    bar: ProgressBar,
    started: Instant,
}

impl LoadBar {
    /// A bar whose length the load will tell.
    pub fn start() -> Self {
        let template = "loading  {bar:32} {percent:>3}%  {msg}, {bytes_per_sec}, {eta} left";
        Self {
            bar: bar(0, template),
            started: Instant::now(),
        }
    }

    /// The load is over; says what it did and what it left out.
    pub fn finish(self, report: &LoadReport) {
        self.bar.finish_and_clear();
        for skipped in &report.skipped {
            tell(format_args!(
                "skipped {}: line {}: {}",
                skipped.source, skipped.line, skipped.message
            ));
        }
        if report.skipped_total > 0 {
            tell(format_args!(
                "skipped {} statements in all",
                HumanCount(report.skipped_total)
            ));
        }
        let seconds = self.started.elapsed().as_secs_f64();
        tell(format_args!(
            "loaded {} quads ({} of them new) in {}, {} a second",
            HumanCount(report.quads_read),
            HumanCount(report.quads_added),
            took(self.started),
            HumanCount((report.quads_read as f64 / seconds.max(1e-3)) as u64),
        ));
    }
}

impl LoadProgress for LoadBar {
    fn update(&self, state: LoadState) {
        self.bar.set_length(state.bytes_total);
        self.bar.set_position(state.bytes_read);
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = (state.quads_read as f64 / seconds.max(1e-3)) as u64;
        self.bar.set_message(format!(
            "{}: {} quads, {} quads/s",
            state.stage.name(),
            HumanCount(state.quads_read),
            HumanCount(rate)
        ));
    }
}

/// Progress of a compaction, in quads.
pub struct CompactBar(ProgressBar);

impl CompactBar {
    /// A bar whose length the compaction will tell.
    pub fn start() -> Self {
        let template =
            "compacting  {bar:32} {percent:>3}%  {msg}: {human_pos} quads read, {elapsed}";
        Self(bar(0, template))
    }

    /// The compaction has come so far.
    pub fn update(&self, state: CompactState) {
        self.0.set_length(state.quads_total);
        self.0.set_position(state.quads_read);
        self.0.set_message(state.stage.name());
    }

    /// The compaction is over.
    pub fn finish(self) {
        self.0.finish_and_clear();
    }
}

fn bar(length: u64, template: &str) -> ProgressBar {
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(length).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A duration as people read it.
fn took(started: Instant) -> String {
    let elapsed = started.elapsed();
    if elapsed < Duration::from_mins(1) {
        format!("{:.1} s", elapsed.as_secs_f64())
    } else {
        HumanDuration(elapsed).to_string()
    }
}
