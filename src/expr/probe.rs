//! Tests of one variable that ids answer alone, without a look into the dictionary or a memo.
//!
//! A probe knows the verdict for most ids (numbers and dates are inside them, kinds are in their tags, equal IRIs have
//! equal ids); for the rest, such as literals of unknown datatypes, it asks the compiled expression it stands for, whose
//! verdicts it shares in all cases.

use super::compare::equal_ids;
use super::ebv::Truth;
use super::node::Operator;
use super::number::Number;
use super::prefix::Prefix;
use super::raise::{ExprErrorKind, Place, raise};
use super::value::inline_number;
use super::vector::{OneColumn, Run};
use crate::diagnostics::Result;
use crate::term::inline::time::Instant;
use crate::term::{Tag, TermId};
use foldhash::fast::RandomState;
use hashbrown::HashSet;

/// A test of one column.
pub(super) struct Probe {
    test: Test,
    /// Where an error of the test points to.
    place: Place,
    /// Where an error of the variable points to.
    variable_place: Place,
    /// The expression that the test stands for.
    pub slow: OneColumn,
}

/// What is tested.
pub(super) enum Test {
    Kind(Kind),
    /// `=` with a term that is neither number nor date.
    Equal(TermId),
    /// A comparison with a number, the variable on the left.
    Number(Operator, Number),
    /// A comparison with a date of this tag, the variable on the left.
    Instant(Operator, Tag, Instant),
    /// `IN` a list of constants.
    Among(HashSet<TermId, RandomState>),
    /// Whether the text begins with another.
    Prefix(Prefix),
}

/// A kind of term.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Iri,
    Blank,
    Literal,
    Triple,
    Numeric,
    HasLanguage,
}

/// What a test says about an id.
pub(super) enum Verdict {
    Known(bool),
    Fails(ExprErrorKind),
    Unknown,
}

impl Probe {
    pub(super) fn new(test: Test, place: Place, variable_place: Place, slow: OneColumn) -> Self {
        Self {
            test,
            place,
            variable_place,
            slow,
        }
    }

    /// Appends the verdicts at these places.
    pub(super) fn truths(
        &mut self,
        run: Run<'_>,
        places: &[u32],
        out: &mut Vec<Truth>,
    ) -> Result<()> {
        if let Test::Prefix(prefix) = &mut self.test {
            prefix.prepare(&run.cx.terms)?;
        }
        let ids = run.batch.column(self.slow.column);
        for &place in places {
            let id = ids[place as usize];
            out.push(match self.test.verdict(id) {
                Verdict::Known(truth) => truth.into(),
                Verdict::Unknown => self.slow.truth(run.row(place), run.cx)?,
                Verdict::Fails(kind) => {
                    let place = match kind {
                        ExprErrorKind::Unbound => self.variable_place,
                        _ => self.place,
                    };
                    raise(kind, place, run.cx);
                    Truth::Error
                }
            });
        }
        Ok(())
    }
}

impl Test {
    #[inline]
    fn verdict(&self, id: TermId) -> Verdict {
        if !id.is_bound() {
            return Verdict::Fails(ExprErrorKind::Unbound);
        }
        match self {
            Self::Kind(kind) => kind.verdict(id.tag()),
            Self::Equal(constant) => equal(*constant, id),
            Self::Number(operator, n) => match (id.as_integer(), n) {
                (Some(i), Number::Integer(n)) => {
                    Verdict::Known(operator.holds(i128::from(i).cmp(n)))
                }
                _ => number(*operator, *n, id),
            },
            Self::Instant(operator, tag, instant) => date(*operator, *tag, *instant, id),
            Self::Among(constants) => among(constants, id),
            Self::Prefix(prefix) => prefix.verdict(id),
        }
    }
}

impl Kind {
    fn verdict(self, tag: Tag) -> Verdict {
        Verdict::Known(match self {
            Self::Iri => tag == Tag::Iri,
            Self::Blank => tag == Tag::Blank,
            Self::Literal => tag.is_literal(),
            Self::Triple => tag == Tag::Triple,
            Self::HasLanguage => tag == Tag::LangString,
            Self::Numeric if tag == Tag::Typed => return Verdict::Unknown,
            Self::Numeric => matches!(tag, Tag::Integer | Tag::Decimal | Tag::Double | Tag::Float),
        })
    }
}

fn equal(constant: TermId, id: TermId) -> Verdict {
    if let Some(known) = equal_ids(constant, id) {
        return Verdict::Known(known);
    }
    match (constant.tag(), id.tag()) {
        (Tag::Typed, _) | (_, Tag::Typed) => Verdict::Unknown,
        (Tag::Boolean, Tag::Boolean) => Verdict::Known(constant.as_boolean() == id.as_boolean()),
        (a, b) if a == b => Verdict::Unknown,
        _ => Verdict::Known(false),
    }
}

/// The verdict on a literal of a known datatype that is not of the constant's kind.
fn unlike(operator: Operator, failure: ExprErrorKind) -> Verdict {
    match operator {
        Operator::Equal => Verdict::Known(false),
        _ => Verdict::Fails(failure),
    }
}

fn number(operator: Operator, constant: Number, id: TermId) -> Verdict {
    match inline_number(id) {
        Some(n) => Verdict::Known(n.compare(constant).is_some_and(|o| operator.holds(o))),
        None if id.tag() == Tag::Typed => Verdict::Unknown,
        None => unlike(operator, ExprErrorKind::Type),
    }
}

fn date(operator: Operator, tag: Tag, constant: Instant, id: TermId) -> Verdict {
    match id.tag() {
        Tag::Typed => Verdict::Unknown,
        own if own == tag => {
            let order = id
                .as_date_fields()
                .and_then(|f| f.instant().partial_cmp(&constant));
            match order {
                Some(order) => Verdict::Known(operator.holds(order)),
                None => Verdict::Fails(ExprErrorKind::Incomparable),
            }
        }
        Tag::DateTime | Tag::Date | Tag::GYear => unlike(operator, ExprErrorKind::Incomparable),
        _ => unlike(operator, ExprErrorKind::Type),
    }
}

fn among(constants: &HashSet<TermId, RandomState>, id: TermId) -> Verdict {
    match id.tag() {
        Tag::Iri | Tag::Blank => Verdict::Known(constants.contains(&id)),
        Tag::Double | Tag::Float | Tag::Typed => Verdict::Unknown,
        _ if constants.contains(&id) => Verdict::Known(true),
        _ => Verdict::Unknown,
    }
}
