//! The runs of an outcome as the blocks that a comparison takes.
//!
//! A query whose answers differ between the two servers is left out: one of them is wrong, and a wrong answer is no
//! quick one.

use super::Outcome;
use super::comparison::Block;
use super::run::Run;
use std::collections::HashSet;

impl Outcome {
    /// The runs of two targets, paired by round and number of threads; all numbers of threads, or one.
    pub fn pairs(
        &self,
        base: usize,
        other: usize,
        threads: Option<usize>,
    ) -> Vec<(Block<'_>, Block<'_>)> {
        let disputed = self.disputed(base, other);
        let of = |target| {
            let is_meant = move |run: &&Run| {
                run.slot.target == target && threads.is_none_or(|n| run.slot.threads == n)
            };
            let mut runs: Vec<_> = self.runs.iter().filter(is_meant).collect();
            runs.sort_by_key(|run| (run.slot.round, run.slot.threads));
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
        Block {
            latencies_ms: answered
                .map(|request| {
                    let timing = &request.timing;
                    (&*queries[timing.query].name, timing.latency_ms())
                })
                .collect(),
            server_cpu_s: run.server.cpu_s,
        }
    }

    /// The queries to which two targets gave more than one answer.
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
            .filter(|difference| is_disputed(&difference.answers))
            .map(|difference| difference.query)
            .collect()
    }
}
