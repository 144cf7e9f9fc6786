//! Counters, and their text for Prometheus (exposition format 0.0.4).
//!
//! All are plain atomics, a few nanoseconds for each request.

use crate::diagnostics::backtraces;
use crate::engine::{self, Commit, Engine};
use axum::http::StatusCode;
use std::fmt::{Display, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

const STATUS_MAX: usize = 600;

/// The upper bounds of the histogram's buckets, in microseconds.
const BUCKETS_US: [u64; 17] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000, 60_000_000,
];

/// What a server counts.
pub struct Metrics {
    responses: [AtomicU64; STATUS_MAX],
    /// Queries by bucket; the last is for those above all bounds.
    queries: [AtomicU64; BUCKETS_US.len() + 1],
    query_us: AtomicU64,
    running: AtomicU64,
    rows: AtomicU64,
    broken: AtomicU64,
    commits: AtomicU64,
    inserted: AtomicU64,
    deleted: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            responses: [const { AtomicU64::new(0) }; STATUS_MAX],
            queries: [const { AtomicU64::new(0) }; BUCKETS_US.len() + 1],
            query_us: AtomicU64::new(0),
            running: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            broken: AtomicU64::new(0),
            commits: AtomicU64::new(0),
            inserted: AtomicU64::new(0),
            deleted: AtomicU64::new(0),
        }
    }
}

/// A query that runs; dropping it counts its time.
pub struct RunningQuery {
    metrics: Arc<Metrics>,
    submitted: Instant,
}

impl Drop for RunningQuery {
    fn drop(&mut self) {
        let us = u64::try_from(self.submitted.elapsed().as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS_US.partition_point(|&bound| bound < us);
        self.metrics.queries[bucket].fetch_add(1, Relaxed);
        self.metrics.query_us.fetch_add(us, Relaxed);
        self.metrics.running.fetch_sub(1, Relaxed);
    }
}

impl Metrics {
    /// Counts a response.
    pub fn count_response(&self, status: StatusCode) {
        if let Some(counter) = self.responses.get(usize::from(status.as_u16())) {
            counter.fetch_add(1, Relaxed);
        }
    }

    /// Counts rows of an answer.
    pub fn count_rows(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Relaxed);
    }

    /// Counts an answer that was broken off, or whose client had gone.
    pub fn count_broken(&self) {
        self.broken.fetch_add(1, Relaxed);
    }

    /// Counts a commit.
    pub fn count_commit(&self, commit: &Commit) {
        self.commits.fetch_add(1, Relaxed);
        self.inserted.fetch_add(commit.inserted, Relaxed);
        self.deleted.fetch_add(commit.deleted, Relaxed);
    }

    /// Counts a query as running until the returned value is dropped.
    pub fn start_query(self: &Arc<Self>, submitted: Instant) -> RunningQuery {
        self.running.fetch_add(1, Relaxed);
        RunningQuery {
            metrics: Arc::clone(self),
            submitted,
        }
    }

    /// All of them as text.
    pub fn to_text(&self, engine: &Engine, queued: usize) -> String {
        let mut page = Page(String::new());
        page.head(
            "kaluta_http_requests_total",
            "counter",
            "Requests by status of the response.",
        );
        for (status, counter) in self.responses.iter().enumerate() {
            let count = counter.load(Relaxed);
            if count > 0 {
                page.value(
                    &format!("kaluta_http_requests_total{{status=\"{status}\"}}"),
                    count,
                );
            }
        }
        self.write_histogram(&mut page);
        let counters = [
            (
                "kaluta_result_rows_total",
                "Rows of all answers.",
                self.rows.load(Relaxed),
            ),
            (
                "kaluta_broken_answers_total",
                "Answers broken off after their first byte, by an error or by the client.",
                self.broken.load(Relaxed),
            ),
            (
                "kaluta_commits_total",
                "Updates, and graphs written or deleted.",
                self.commits.load(Relaxed),
            ),
            (
                "kaluta_quads_inserted_total",
                "Quads that were inserted.",
                self.inserted.load(Relaxed),
            ),
            (
                "kaluta_quads_deleted_total",
                "Quads that were deleted.",
                self.deleted.load(Relaxed),
            ),
            (
                "kaluta_log_syncs_total",
                "Times that commits were made durable; those that waited together share one.",
                engine.log_syncs(),
            ),
            (
                "kaluta_backtraces_captured_total",
                "Backtraces captured by errors.",
                backtraces::captured_total(),
            ),
            (
                "kaluta_expression_errors_total",
                "Errors raised by SPARQL expressions.",
                engine::raised_total(),
            ),
        ];
        for (name, help, value) in counters {
            page.single(name, "counter", help, value);
        }
        let gauges = [
            (
                "kaluta_queries_running",
                "Queries that run now.",
                self.running.load(Relaxed),
            ),
            (
                "kaluta_queries_queued",
                "Queries that wait for a thread.",
                queued as u64,
            ),
            (
                "kaluta_store_quads",
                "Quads in the store.",
                engine.quad_count(),
            ),
        ];
        for (name, help, value) in gauges {
            page.single(name, "gauge", help, value);
        }
        // What cannot be told now is left out, so that the rest can be read.
        if let Ok(bytes) = engine.disk_bytes() {
            let help = "Bytes of the store on disk, its log included.";
            page.single("kaluta_store_bytes", "gauge", help, bytes);
        }
        page.0
    }

    fn write_histogram(&self, page: &mut Page) {
        let name = "kaluta_query_seconds";
        page.head(
            name,
            "histogram",
            "Time of a query from its request to its last byte, waiting included.",
        );
        let mut count = 0;
        for (bound, counter) in BUCKETS_US.iter().zip(&self.queries) {
            count += counter.load(Relaxed);
            let bound = *bound as f64 / 1e6;
            page.value(&format!("{name}_bucket{{le=\"{bound}\"}}"), count);
        }
        count += self.queries[BUCKETS_US.len()].load(Relaxed);
        page.value(&format!("{name}_bucket{{le=\"+Inf\"}}"), count);
        page.value(
            &format!("{name}_sum"),
            self.query_us.load(Relaxed) as f64 / 1e6,
        );
        page.value(&format!("{name}_count"), count);
    }
}

/// The text while it is written.
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn value(&mut self, name: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name} {value}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.head(name, kind, help);
        self.value(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_query_is_in_its_bucket_and_no_longer_running() {
        let metrics = Arc::new(Metrics::default());
        let running = metrics.start_query(Instant::now());
        assert_eq!(metrics.running.load(Relaxed), 1);
        drop(running);
        assert_eq!(metrics.running.load(Relaxed), 0);
        let mut page = Page(String::new());
        metrics.write_histogram(&mut page);
        assert!(
            page.0
                .contains("kaluta_query_seconds_bucket{le=\"+Inf\"} 1\n"),
            "{}",
            page.0
        );
        assert!(
            page.0.contains("kaluta_query_seconds_count 1\n"),
            "{}",
            page.0
        );
    }
}
