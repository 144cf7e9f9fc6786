//! Property paths: sequences become joins, alternatives unions, and what may be of any length closures (SPARQL 1.1 Query,
//! sections 18.2.2.4 and 18.4).

use super::Converter;
use crate::diagnostics::Result;
use crate::plan::logical::{ClosurePath, GraphScope, Logical, QuadPattern, Slot};
use crate::term::TermId;
use spargebra::algebra::PropertyPathExpression;
use std::sync::Arc;

impl Converter<'_> {
    pub(super) fn path(
        &mut self,
        start: Slot,
        path: &PropertyPathExpression,
        end: Slot,
        scope: &GraphScope,
    ) -> Result<Logical> {
        Ok(match path {
            PropertyPathExpression::NamedNode(predicate) => {
                let predicate = self.constant(predicate.clone())?;
                edge(start, predicate, end, scope, Arc::default())
            }
            PropertyPathExpression::Reverse(inner) => self.path(end, inner, start, scope)?,
            PropertyPathExpression::Sequence(first, second) => {
                let middle = Slot::Var(self.variables.fresh("path"));
                Logical::Join(vec![
                    self.path(start, first, middle, scope)?,
                    self.path(middle, second, end, scope)?,
                ])
            }
            PropertyPathExpression::Alternative(first, second) => Logical::Union(vec![
                self.path(start, first, end, scope)?,
                self.path(start, second, end, scope)?,
            ]),
            PropertyPathExpression::NegatedPropertySet(predicates) => {
                let excluded = predicates
                    .iter()
                    .map(|p| self.terms.from_term(&p.clone().into()))
                    .collect::<Result<Vec<_>>>()?;
                let predicate = Slot::Var(self.variables.fresh("path"));
                edge(start, predicate, end, scope, excluded.into())
            }
            PropertyPathExpression::ZeroOrMore(inner) => {
                self.closure(start, inner, end, scope, (true, true))?
            }
            PropertyPathExpression::OneOrMore(inner) => {
                self.closure(start, inner, end, scope, (false, true))?
            }
            PropertyPathExpression::ZeroOrOne(inner) => {
                self.closure(start, inner, end, scope, (true, false))?
            }
        })
    }

    fn closure(
        &mut self,
        start: Slot,
        inner: &PropertyPathExpression,
        end: Slot,
        scope: &GraphScope,
        (zero, many): (bool, bool),
    ) -> Result<Logical> {
        let step_from = self.variables.fresh("from");
        let step_to = self.variables.fresh("to");
        let step = self.path(Slot::Var(step_from), inner, Slot::Var(step_to), scope)?;
        Ok(Logical::Closure(ClosurePath {
            start,
            end,
            step: Box::new(step),
            step_from,
            step_to,
            zero,
            many,
            graph: scope.clone(),
        }))
    }
}

fn edge(
    start: Slot,
    predicate: Slot,
    end: Slot,
    scope: &GraphScope,
    excluded: Arc<[TermId]>,
) -> Logical {
    Logical::Pattern(QuadPattern {
        subject: start,
        predicate,
        object: end,
        graph: scope.clone(),
        excluded,
    })
}
