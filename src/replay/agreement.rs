//! What went wrong in a replay: answers that differ, requests that failed, servers that ended badly.
//!
//! A query whose answers all have one row count and one checksum agrees, whatever the endpoint, run and phase. Agreement
//! does not prove an answer; a difference proves that one of them is wrong, or that the query leaves a choice ([`Choice`]).

use super::Outcome;
use super::checksum::Answer;
use super::choice::Choice;
use super::failure::FailureClass;
use std::collections::BTreeMap;

/// In what the answers to a query differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceClass {
    /// In the number of rows.
    RowCount,
    /// In their terms, the number of rows being the same.
    Terms,
}

/// A query with more than one answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// The position of the query.
    pub query: usize,
    /// In what its answers differ.
    pub class: DifferenceClass,
    /// Whether the query leaves it to the server, so that all its answers may be right.
    pub is_choice: bool,
    /// Each target's answers, and how often it gave them.
    pub answers: Vec<(usize, Answer, usize)>,
}

/// Failed requests of one class for one query of one target.
#[derive(Debug, PartialEq, Eq)]
pub struct FailureGroup {
    /// Their class.
    pub class: FailureClass,
    /// The position of the query.
    pub query: usize,
    /// The position of the target.
    pub target: usize,
    /// How many there are.
    pub count: usize,
    /// What the first of them says.
    pub detail: String,
}

impl Outcome {
    /// Whether every answer came, was whole, and agreed with the others but for what a query leaves open, and every update
    /// was made and seen.
    pub fn is_clean(&self) -> bool {
        let is_clean = |run: &super::run::Run| {
            run.bad_end.is_none()
                && run.breakdowns.is_empty()
                && run.updates.iter().all(|update| update.failure.is_none())
        };
        self.differences()
            .iter()
            .all(|difference| difference.is_choice)
            && self.failures().is_empty()
            && self.runs.iter().all(is_clean)
    }

    /// The queries whose answers differ, in their order; none where updates were sent, as answers depend on the moment.
    pub fn differences(&self) -> Vec<Difference> {
        if self.plan.updates.is_some() {
            return Vec::new();
        }
        let mut answers = BTreeMap::<usize, BTreeMap<(usize, Answer), usize>>::new();
        for (run, request) in self.requests() {
            if let Ok(answer) = request.outcome {
                let of_query = answers.entry(request.timing.query).or_default();
                *of_query.entry((run.slot.target, answer)).or_default() += 1;
            }
        }
        let found = answers.into_iter().filter_map(|(query, answers)| {
            let answers = answers.into_iter();
            let answers = answers.map(|((target, answer), count)| (target, answer, count));
            let choice = self.plan.workload.queries()[query].expected.choice;
            Difference::between(query, choice, answers.collect())
        });
        found.collect()
    }

    /// How many answers came in formats that are not read.
    pub fn unread(&self) -> usize {
        let outcomes = self.requests().map(|(_, request)| &request.outcome);
        outcomes
            .filter(|outcome| outcome.as_ref().is_ok_and(|answer| answer.is_unread))
            .count()
    }

    /// The failed requests, grouped.
    pub fn failures(&self) -> Vec<FailureGroup> {
        let mut groups = BTreeMap::new();
        for (run, request) in self.requests() {
            if let Err(failure) = &request.outcome {
                let key = (failure.class, request.timing.query, run.slot.target);
                groups.entry(key).or_insert((0, &failure.detail)).0 += 1;
            }
        }
        let group = |((class, query, target), (count, detail)): (_, (_, &String))| FailureGroup {
            class,
            query,
            target,
            count,
            detail: detail.clone(),
        };
        groups.into_iter().map(group).collect()
    }

    fn requests(&self) -> impl Iterator<Item = (&super::run::Run, &super::run::Request)> {
        self.runs
            .iter()
            .flat_map(|run| run.requests.iter().map(move |request| (run, request)))
    }
}

impl Difference {
    /// The difference between answers to a query that leaves some choice; none where they are equal.
    fn between(query: usize, choice: Choice, answers: Vec<(usize, Answer, usize)>) -> Option<Self> {
        let (_, first, _) = *answers.first()?;
        let all = |same: fn(&Answer, &Answer) -> bool| {
            answers.iter().all(|(_, answer, _)| same(answer, &first))
        };
        if all(|a, b| a == b) {
            return None;
        }
        let class = match all(|a, b| a.rows == b.rows) {
            true => DifferenceClass::Terms,
            false => DifferenceClass::RowCount,
        };
        Some(Self {
            query,
            class,
            is_choice: choice.allows(class, first.rows),
            answers,
        })
    }
}
