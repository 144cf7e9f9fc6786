//! The set functions of SPARQL: COUNT, SUM, AVG, MIN, MAX, SAMPLE, GROUP_CONCAT, each also over distinct values.
//!
//! An [`Accumulator`] holds the states of all groups of one aggregate, is fed columns of values with the number of each
//! row's group, and in the end gives a column with the result of each group (SPARQL 1.1 Query, section 18.5.1). Values
//! that are errors arrive as unbound ids: COUNT, SAMPLE and MAX pass them over, for the others the group has no result.

mod concat;
mod count;
mod distinct;
mod extreme;
mod sample;
mod sum;

use super::context::ExprContext;
use super::raise::Place;
use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::term::TermId;
use concat::Concat;
use count::Count;
use distinct::{DistinctSolutions, DistinctValues};
use extreme::{Extreme, Wanted};
use sample::Sample;
use spargebra::algebra::{AggregateExpression, AggregateFunction};
use sum::{Average, Sum};

/// The states of one aggregate for all groups.
pub struct Accumulator {
    state: State,
    values: Option<DistinctValues>,
    solutions: Option<DistinctSolutions>,
}

enum State {
    Count(Count),
    Sum(Sum),
    Average(Average),
    Extreme(Extreme),
    Sample(Sample),
    Concat(Concat),
}

impl Accumulator {
    /// The accumulator of an aggregate, without any group yet. Its expression is worked out by the caller.
    ///
    /// # Errors
    /// The aggregate is not one of SPARQL's own.
    pub fn new(aggregate: &AggregateExpression, cx: &ExprContext) -> Result<Self> {
        let place = cx.errors.register_text(aggregate.to_string());
        let (state, values, solutions) = match aggregate {
            AggregateExpression::CountSolutions { distinct } => {
                let solutions = distinct.then(DistinctSolutions::default);
                (State::Count(Count::default()), None, solutions)
            }
            AggregateExpression::FunctionCall { name, distinct, .. } => {
                let values = distinct.then(DistinctValues::default);
                (state(name, place)?, values, None)
            }
        };
        Ok(Self {
            state,
            values,
            solutions,
        })
    }

    /// Adds the values of some rows, each to its group; groups are numbered from zero without gaps. `COUNT(*)` takes no
    /// values.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn add_batch(
        &mut self,
        values: Option<&[TermId]>,
        groups: &[u32],
        cx: &ExprContext,
    ) -> Result<()> {
        cx.errors.refresh();
        match (values, &mut self.values) {
            (None, _) => {
                if let State::Count(count) = &mut self.state {
                    count.add_rows(groups);
                }
                Ok(())
            }
            (Some(values), None) => self.state.add(values, groups, cx),
            (Some(values), Some(seen)) => {
                let (values, groups) = seen.fresh(values, groups);
                self.state.add(&values, &groups, cx)
            }
        }
    }

    /// Adds whole solutions, for `COUNT(*)` and `COUNT(DISTINCT *)`; the columns are the variables that are in scope.
    pub fn add_solutions(&mut self, batch: &Batch, groups: &[u32]) {
        let State::Count(count) = &mut self.state else {
            return;
        };
        match &mut self.solutions {
            None => count.add_rows(groups),
            Some(seen) => count.add_rows(&seen.fresh(batch, groups)),
        }
    }

    /// The result of each of `groups` groups, unbound where there is none. Groups without a row give what the
    /// specification gives for no values.
    ///
    /// # Errors
    /// Reading the dictionary failed.
    pub fn finish(&mut self, groups: usize, cx: &ExprContext) -> Result<Vec<TermId>> {
        cx.errors.refresh();
        let results = match &mut self.state {
            State::Count(count) => count.finish(groups, cx),
            State::Sum(sum) => sum.finish(groups, cx),
            State::Average(average) => average.finish(groups, cx),
            State::Extreme(extreme) => Ok(extreme.finish(groups)),
            State::Sample(sample) => Ok(sample.finish(groups)),
            State::Concat(concat) => concat.finish(groups, cx),
        }?;
        cx.terms.check()?;
        Ok(results)
    }

    /// The bytes of memory that the states take.
    pub fn bytes_held(&self) -> usize {
        let state = match &self.state {
            State::Count(count) => count.bytes_held(),
            State::Sum(sum) => sum.bytes_held(),
            State::Average(average) => average.bytes_held(),
            State::Extreme(extreme) => extreme.bytes_held(),
            State::Sample(sample) => sample.bytes_held(),
            State::Concat(concat) => concat.bytes_held(),
        };
        let values = self.values.as_ref().map_or(0, DistinctValues::bytes_held);
        let solutions = self.solutions.as_ref();
        state + values + solutions.map_or(0, DistinctSolutions::bytes_held)
    }
}

fn state(name: &AggregateFunction, place: Place) -> Result<State> {
    Ok(match name {
        AggregateFunction::Count => State::Count(Count::default()),
        AggregateFunction::Sum => State::Sum(Sum::new(place)),
        AggregateFunction::Avg => State::Average(Average::new(place)),
        AggregateFunction::Min => State::Extreme(Extreme::new(Wanted::Least)),
        AggregateFunction::Max => State::Extreme(Extreme::new(Wanted::Greatest)),
        AggregateFunction::Sample => State::Sample(Sample::default()),
        AggregateFunction::GroupConcat { separator } => {
            State::Concat(Concat::new(separator.as_deref().unwrap_or(" "), place))
        }
        AggregateFunction::Custom(name) => {
            return Err(Error::unsupported(format!("the aggregate {name}")));
        }
    })
}

impl State {
    fn add(&mut self, values: &[TermId], groups: &[u32], cx: &ExprContext) -> Result<()> {
        match self {
            Self::Count(count) => count.add(values, groups),
            Self::Sum(sum) => sum.add(values, groups, cx)?,
            Self::Average(average) => average.add(values, groups, cx)?,
            Self::Extreme(extreme) => extreme.add(values, groups, cx),
            Self::Sample(sample) => sample.add(values, groups),
            Self::Concat(concat) => concat.add(values, groups, cx)?,
        }
        Ok(())
    }
}

/// Makes room for the states of all groups of a batch.
fn make_room<S: Clone + Default>(states: &mut Vec<S>, groups: &[u32]) {
    let needed = groups.iter().max().map_or(0, |&last| last as usize + 1);
    if states.len() < needed {
        states.resize(needed, S::default());
    }
}
