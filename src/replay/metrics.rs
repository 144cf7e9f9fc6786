//! The two counters of Kaluta's `/metrics` that a replay reports (Prometheus text format 0.0.4).

use super::client::Client;
use super::endpoint::Endpoint;
use super::world::RealWorld;
use std::time::Duration;

/// What a server has counted since it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Backtraces captured.
    pub backtraces_captured: u64,
    /// Expression errors raised.
    pub expression_errors: u64,
}

/// Reads the counters of one server.
pub struct Scraper(Client<RealWorld>);

impl Scraper {
    /// A reader for the server behind an endpoint.
    pub fn new(endpoint: &Endpoint, timeout: Duration) -> Self {
        let endpoint = endpoint.with_target("/metrics");
        Self(Client::new(RealWorld, endpoint, timeout))
    }

    /// What the server has counted; none if it does not offer these counters.
    pub async fn scrape(&mut self) -> Option<Counters> {
        let exchange = self.0.get("text/plain").await;
        match exchange.failure {
            None => Counters::parse(&String::from_utf8_lossy(&exchange.body.kept)),
            Some(_) => None,
        }
    }
}

impl Counters {
    fn parse(text: &str) -> Option<Self> {
        Some(Self {
            backtraces_captured: sum(text, "kaluta_backtraces_captured_total")?,
            expression_errors: sum(text, "kaluta_expression_errors_total")?,
        })
    }

    /// What was counted since an earlier reading.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            backtraces_captured: self
                .backtraces_captured
                .saturating_sub(earlier.backtraces_captured),
            expression_errors: self
                .expression_errors
                .saturating_sub(earlier.expression_errors),
        }
    }
}

/// The sum over all labels of one counter.
fn sum(text: &str, name: &str) -> Option<u64> {
    let samples = text.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        let value = match rest.strip_prefix('{') {
            Some(labels) => labels.rsplit_once('}')?.1,
            None => rest.strip_prefix(' ')?,
        };
        value.split_whitespace().next()?.parse::<f64>().ok()
    });
    samples.map(|value| value as u64).reduce(|a, b| a + b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_summed_over_their_labels() {
        let text = "# TYPE kaluta_backtraces_captured_total counter\n\
            kaluta_backtraces_captured_total 3\n\
            kaluta_expression_errors_total{kind=\"a } b\"} 4 1700000000\n\
            kaluta_expression_errors_total{kind=\"type\"} 2.5e1\n\
            kaluta_expression_errors_total_other 9\n";
        let wanted = Counters {
            backtraces_captured: 3,
            expression_errors: 29,
        };
        assert_eq!(Counters::parse(text), Some(wanted));
        assert_eq!(Counters::parse("up 1\n"), None);
    }
}
