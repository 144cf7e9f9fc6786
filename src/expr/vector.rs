//! A compiled expression, worked out for the rows of a batch.
//!
//! Three things make this quick: AND and OR look at their costlier side only for rows that are still open; what depends
//! on one variable is remembered by id ([`super::memo`]); and simple tests of one variable are answered from ids alone
//! ([`super::probe`]). Each of them gives what [`super::node`] gives row by row.

use super::context::{ExprContext, SolutionScope};
use super::ebv::{Truth, effective_inline};
use super::memo::Memo;
use super::node::{Node, Row};
use super::probe::Probe;
use super::raise::{ExprErrorKind, Place, catch, raise};
use crate::batch::Batch;
use crate::diagnostics::Result;
use crate::term::TermId;

/// The batch that is worked out.
#[derive(Clone, Copy)]
pub(super) struct Run<'r> {
    pub batch: &'r Batch,
    pub cx: &'r ExprContext,
    pub scope: SolutionScope,
    /// The number of the batch's first solution within its scope.
    pub first_row: u64,
}

impl<'r> Run<'r> {
    pub(super) fn row(&self, place: u32) -> Row<'r> {
        Row {
            batch: self.batch,
            place: place as usize,
            number: self.first_row + u64::from(place),
            scope: self.scope,
        }
    }
}

/// An expression over columns.
pub(super) enum Vector {
    /// A constant and its effective boolean value.
    Constant(TermId, bool),
    Bound(usize),
    Column(Box<OneColumn>, Place),
    Probe(Box<Probe>),
    /// Depends on one variable and is deterministic.
    OneColumn(Box<OneColumn>),
    And(Box<[Self; 2]>),
    Or(Box<[Self; 2]>),
    Not(Box<Self>),
    /// Anything else, row by row.
    Rows(Box<Node>),
}

/// A node over one column, remembered by id.
pub(super) struct OneColumn {
    pub column: usize,
    pub node: Node,
    terms: Memo<TermId>,
    truths: Memo<TermId>,
}

impl OneColumn {
    pub(super) fn new(column: usize, node: Node) -> Self {
        Self {
            column,
            node,
            terms: Memo::default(),
            truths: Memo::default(),
        }
    }

    fn term(&mut self, row: Row<'_>, cx: &ExprContext) -> Result<TermId> {
        let Self { node, terms, .. } = self;
        let id = terms.get(row.id(self.column), cx, || node.id(row, cx));
        Ok(catch(id)?.map_or(TermId::UNBOUND, |id| *id))
    }

    pub(super) fn truth(&mut self, row: Row<'_>, cx: &ExprContext) -> Result<Truth> {
        let Self { node, truths, .. } = self;
        let id = truths.get(row.id(self.column), cx, || {
            Ok(TermId::from_boolean(node.truth(row, cx)?))
        });
        Ok(catch(id)?.map_or(Truth::Error, |id| {
            (*id == TermId::from_boolean(true)).into()
        }))
    }

    fn worked(&self) -> u64 {
        self.terms.worked() + self.truths.worked()
    }

    fn bytes_held(&self) -> usize {
        self.terms.bytes_held() + self.truths.bytes_held()
    }
}

impl Vector {
    /// Appends the terms at these places, unbound where there is an error.
    pub(super) fn terms(
        &mut self,
        run: Run<'_>,
        places: &[u32],
        out: &mut Vec<TermId>,
    ) -> Result<()> {
        match self {
            Self::Constant(id, _) => out.extend(places.iter().map(|_| *id)),
            Self::Column(column, place) => {
                let ids = run.batch.column(column.column);
                for &row in places {
                    let id = ids[row as usize];
                    if !id.is_bound() {
                        raise(ExprErrorKind::Unbound, *place, run.cx);
                    }
                    out.push(id);
                }
            }
            Self::OneColumn(part) => {
                for &row in places {
                    out.push(part.term(run.row(row), run.cx)?);
                }
            }
            Self::Rows(node) => {
                for &row in places {
                    let id = catch(node.id(run.row(row), run.cx))?;
                    out.push(id.unwrap_or(TermId::UNBOUND));
                }
            }
            _ => {
                let mut truths = Vec::with_capacity(places.len());
                self.truths(run, places, &mut truths)?;
                out.extend(truths.into_iter().map(Truth::to_id));
            }
        }
        Ok(())
    }

    /// Appends the effective boolean values at these places.
    pub(super) fn truths(
        &mut self,
        run: Run<'_>,
        places: &[u32],
        out: &mut Vec<Truth>,
    ) -> Result<()> {
        match self {
            Self::Bound(column) => {
                let ids = run.batch.column(*column);
                let is_bound = |&p: &u32| Truth::from(ids[p as usize].is_bound());
                out.extend(places.iter().map(is_bound));
            }
            Self::Probe(probe) => probe.truths(run, places, out)?,
            Self::Column(part, _) | Self::OneColumn(part) => {
                for &place in places {
                    let id = run.batch.column(part.column)[place as usize];
                    out.push(match (&part.node, effective_inline(id)) {
                        (Node::Column(_), Some(known)) => known.into(),
                        _ => part.truth(run.row(place), run.cx)?,
                    });
                }
            }
            Self::And(sides) => decide(sides, Truth::False, Truth::and, run, places, out)?,
            Self::Or(sides) => decide(sides, Truth::True, Truth::or, run, places, out)?,
            Self::Not(side) => {
                let start = out.len();
                side.truths(run, places, out)?;
                for truth in &mut out[start..] {
                    *truth = truth.not();
                }
            }
            Self::Constant(_, truth) => {
                out.extend(places.iter().map(|_| Truth::from(*truth)));
            }
            Self::Rows(node) => {
                for &place in places {
                    let truth = catch(node.truth(run.row(place), run.cx))?;
                    out.push(truth.map_or(Truth::Error, Truth::from));
                }
            }
        }
        Ok(())
    }

    /// How costly a row is, roughly; AND and OR begin with the cheaper side.
    pub(super) fn cost(&self) -> u8 {
        match self {
            Self::Constant(..) | Self::Bound(_) => 0,
            Self::Probe(_) | Self::Column(..) => 1,
            Self::OneColumn(_) => 2,
            Self::Rows(_) => 3,
            Self::Not(side) => side.cost(),
            Self::And(sides) | Self::Or(sides) => sides[0].cost().max(sides[1].cost()),
        }
    }

    fn parts(&self, visit: &mut impl FnMut(&OneColumn)) {
        match self {
            Self::Column(part, _) | Self::OneColumn(part) => visit(part),
            Self::Probe(probe) => visit(&probe.slow),
            Self::Not(side) => side.parts(visit),
            Self::And(sides) | Self::Or(sides) => sides.iter().for_each(|s| s.parts(visit)),
            Self::Constant(..) | Self::Bound(_) | Self::Rows(_) => {}
        }
    }

    /// How often parts over one variable were worked out rather than remembered.
    pub(super) fn worked(&self) -> u64 {
        let mut worked = 0;
        self.parts(&mut |part| worked += part.worked());
        worked
    }

    /// The bytes of memory that remembered results take.
    pub(super) fn bytes_held(&self) -> usize {
        let mut bytes = 0;
        self.parts(&mut |part| bytes += part.bytes_held());
        bytes
    }
}

/// Works out the first side everywhere and the second where the first does not decide.
fn decide(
    sides: &mut [Vector; 2],
    dominant: Truth,
    combine: fn(Truth, Truth) -> Truth,
    run: Run<'_>,
    places: &[u32],
    out: &mut Vec<Truth>,
) -> Result<()> {
    let [first, second] = sides;
    let start = out.len();
    first.truths(run, places, out)?;
    let is_open = |n: &usize| out[start + n] != dominant;
    let open: Vec<usize> = (0..places.len()).filter(is_open).collect();
    if open.is_empty() {
        return Ok(());
    }
    let open_places: Vec<u32> = open.iter().map(|&n| places[n]).collect();
    let mut decided = Vec::with_capacity(open.len());
    second.truths(run, &open_places, &mut decided)?;
    for (n, truth) in open.into_iter().zip(decided) {
        out[start + n] = combine(out[start + n], truth);
    }
    Ok(())
}
