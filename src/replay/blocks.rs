//! The runs of an outcome as the blocks that a comparison takes.
//!
//! A query whose answers differ between the two servers is left out: one of them is wrong, and a wrong answer is no
//! quick one.

use super::Outcome;
use super::comparison::{Block, medians};
use super::pace::Load;
use super::run::Run;
use std::collections::{BTreeMap, HashSet};

impl Outcome {
    /// The runs of two targets, paired by round and load; all loads, or one.
    pub fn pairs(
        &self,
        base: usize,
        other: usize,
        load: Option<Load>,
    ) -> Vec<(Block<'_>, Block<'_>)> {
        let disputed = self.disputed(base, other);
        let of = |target| {
            let is_meant = move |run: &&Run| {
                run.slot.target == target && load.is_none_or(|load| run.slot.load == load)
            };
            let mut runs: Vec<_> = self.runs.iter().filter(is_meant).collect();
            runs.sort_by_key(|run| (run.slot.round, run.slot.load));
            runs
        };
        (of(base).into_iter().zip(of(other)))
            .map(|(base, other)| (self.block(base, &disputed), self.block(other, &disputed)))
            .collect()
    }

    /// One run as a block.
    pub fn block(&self, run: &Run, disputed: &HashSet<usize>) -> Block<'_> {
        let answered = run
            .timed()
            .filter(|request| request.outcome.is_ok() && !disputed.contains(&request.timing.query));
        let queries = self.plan.workload.queries();
        let mut latencies_ms = BTreeMap::<_, Vec<f64>>::new();
        for request in answered {
            let name = &*queries[request.timing.query].name;
            let latency_ms = request.timing.latency_ms();
            latencies_ms.entry(name).or_default().push(latency_ms);
        }
        Block {
            latencies_ms: medians(latencies_ms),
            server_cpu_s: run.server.cpu_s,
        }
    }

    /// The queries to which two targets gave more than one answer, though there can be only one.
    fn disputed(&self, base: usize, other: usize) -> HashSet<usize> {
        let differences = self.differences().into_iter();
        let is_disputed = |answers: &[(usize, super::checksum::Answer, usize)]| {
            let of_both = answers
                .iter()
                .filter(|(target, ..)| [base, other].contains(target));
            let distinct: HashSet<_> = of_both.map(|(_, answer, _)| answer).collect();
            distinct.len() > 1
        };
        differences
            .filter(|difference| !difference.is_choice && is_disputed(&difference.answers))
            .map(|difference| difference.query)
            .collect()
    }
}
