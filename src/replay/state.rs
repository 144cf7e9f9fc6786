//! What a server has seen when the clock starts: nothing, other queries once or until they take the same time, or the same
//! queries.

use super::workload::{Phase, Workload};
use serde::Serialize;

/// The state of a server at the start of the timed part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Just started, nothing asked, its files dropped from the page cache as far as the kernel follows
    Cold,
    /// The warm queries asked
    #[default]
    Warm,
    /// The warm queries asked over and over, until their median latency differs by less than 2% from that of the pass
    /// before, three times in a row, or 50 times
    Steady,
    /// The warm queries asked, and each of the timed ones once
    Hot,
}

impl State {
    /// The word that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Steady => "steady",
            Self::Hot => "hot",
        }
    }

    /// What is sent before the clock starts.
    pub fn untimed(self, workload: &Workload) -> &[usize] {
        match self {
            Self::Cold => &[],
            Self::Warm | Self::Steady => workload.requests(Phase::Warm),
            Self::Hot => workload.all_requests(),
        }
    }
}
