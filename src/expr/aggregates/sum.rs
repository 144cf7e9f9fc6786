//! SUM and AVG (SPARQL 1.1 Query, sections 18.5.1.3 and 18.5.1.4).
//!
//! Integers and decimals are added apart from the rest and exactly, so that a column of inline ones costs an addition a
//! row; the parts are joined in the end. A value that is an error or no number leaves the group without a result.

use super::count::Count;
use super::make_room;
use crate::diagnostics::Result;
use crate::expr::context::ExprContext;
use crate::expr::number::{Number, decimal_of_units, decimal_units};
use crate::expr::raise::{ExprErrorKind, Place, raise};
use crate::expr::value::{Value, inline_number};
use crate::term::TermId;

pub(super) struct Sum {
    groups: Vec<GroupSum>,
    place: Place,
    buffer: Vec<u8>,
}

#[derive(Clone, Default)]
struct GroupSum {
    integers: i128,
    /// In units of 10^-18.
    decimals: Option<i128>,
    floating: Option<Number>,
    has_failed: bool,
}

impl GroupSum {
    fn add(&mut self, n: Number) -> Result<(), ExprErrorKind> {
        match n {
            Number::Integer(i) => {
                let sum = self.integers.checked_add(i);
                self.integers = sum.ok_or(ExprErrorKind::Overflow)?;
            }
            Number::Decimal(d) => {
                let sum = self.decimals.unwrap_or(0).checked_add(decimal_units(d));
                self.decimals = Some(sum.ok_or(ExprErrorKind::Overflow)?);
            }
            other => {
                self.floating = Some(match self.floating {
                    None => other,
                    Some(sum) => sum.add(other)?,
                });
            }
        }
        Ok(())
    }

    fn total(&self) -> Result<Number, ExprErrorKind> {
        let decimals = self.decimals.map(|d| Number::Decimal(decimal_of_units(d)));
        let integers = Number::Integer(self.integers);
        let exact = decimals.map_or(Ok(integers), |n| n.add(integers))?;
        self.floating.map_or(Ok(exact), |n| n.add(exact))
    }
}

impl Sum {
    pub(super) fn new(place: Place) -> Self {
        Self {
            groups: Vec::new(),
            place,
            buffer: Vec::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        values: &[TermId],
        groups: &[u32],
        cx: &ExprContext,
    ) -> Result<()> {
        make_room(&mut self.groups, groups);
        for (&value, &group) in values.iter().zip(groups) {
            match value.as_integer() {
                // Fewer than 2^64 values below 2^59 stay below 2^127.
                Some(i) => self.groups[group as usize].integers += i128::from(i),
                None => self.add_other(value, group, cx)?,
            }
        }
        Ok(())
    }

    fn add_other(&mut self, value: TermId, group: u32, cx: &ExprContext) -> Result<()> {
        let sum = &mut self.groups[group as usize];
        if sum.has_failed {
            return Ok(());
        }
        if !value.is_bound() {
            sum.has_failed = true;
            return Ok(());
        }
        let number = match inline_number(value) {
            Some(n) => Some(n),
            None => match Value::decode(value, &cx.terms, &mut self.buffer)? {
                Value::Number(n) => Some(n),
                _ => None,
            },
        };
        let added = number.ok_or(ExprErrorKind::Type).and_then(|n| sum.add(n));
        if let Err(kind) = added {
            sum.has_failed = true;
            raise(kind, self.place, cx);
        }
        Ok(())
    }

    /// The sum of each group, or nothing.
    fn totals(&mut self, groups: usize, cx: &ExprContext) -> Vec<Option<Number>> {
        self.groups.resize(groups, GroupSum::default());
        let total = |sum: &GroupSum| {
            if sum.has_failed {
                return None;
            }
            let raised = |kind| raise(kind, self.place, cx);
            sum.total().map_err(raised).ok()
        };
        self.groups.iter().map(total).collect()
    }

    pub(super) fn finish(&mut self, groups: usize, cx: &ExprContext) -> Result<Vec<TermId>> {
        let totals = self.totals(groups, cx).into_iter();
        totals.map(|n| intern(n, cx)).collect()
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.groups.capacity() * size_of::<GroupSum>()
    }
}

fn intern(number: Option<Number>, cx: &ExprContext) -> Result<TermId> {
    number.map_or(Ok(TermId::UNBOUND), |n| Value::Number(n).intern(&cx.terms))
}

/// AVG: the sum through the count, and zero for no values.
pub(super) struct Average {
    sum: Sum,
    count: Count,
}

impl Average {
    pub(super) fn new(place: Place) -> Self {
        Self {
            sum: Sum::new(place),
            count: Count::default(),
        }
    }

    pub(super) fn add(
        &mut self,
        values: &[TermId],
        groups: &[u32],
        cx: &ExprContext,
    ) -> Result<()> {
        self.count.add(values, groups);
        self.sum.add(values, groups, cx)
    }

    pub(super) fn finish(&mut self, groups: usize, cx: &ExprContext) -> Result<Vec<TermId>> {
        let totals = self.sum.totals(groups, cx);
        let counts = self.count.counts();
        let averages = totals.into_iter().enumerate().map(|(group, total)| {
            let count = counts.get(group).copied().unwrap_or(0);
            let average = total.and_then(|total| match count {
                0 => Some(total),
                n => total
                    .divide(Number::Integer(n.into()))
                    .map_err(|kind| raise(kind, self.sum.place, cx))
                    .ok(),
            });
            intern(average, cx)
        });
        averages.collect()
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.sum.bytes_held() + self.count.bytes_held()
    }
}
