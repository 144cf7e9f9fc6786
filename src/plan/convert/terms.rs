//! Terms of patterns: constants become ids, variables and blank nodes numbers, and a triple term with variables is taken
//! apart behind the pattern that holds it (SPARQL 1.2 Query, section 18.1).

use super::Converter;
use crate::diagnostics::Result;
use crate::plan::logical::{Logical, Slot};
use crate::plan::variables::VarId;
use oxrdf::Term;
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

impl Converter<'_> {
    /// A term of a pattern. A triple term with variables becomes a variable of its own, to be taken apart later.
    pub(super) fn slot(
        &mut self,
        term: &TermPattern,
        taken_apart: &mut Vec<(VarId, TriplePattern)>,
    ) -> Result<Slot> {
        Ok(match term {
            TermPattern::Variable(v) => Slot::Var(self.variables.id(v)),
            TermPattern::BlankNode(b) => Slot::Var(self.variables.blank(b.as_str())),
            TermPattern::NamedNode(n) => self.constant(n.clone())?,
            TermPattern::Literal(l) => self.constant(l.clone())?,
            TermPattern::Triple(triple) => match ground_triple(triple) {
                Some(triple) => self.constant(triple)?,
                None => {
                    let variable = self.variables.fresh("triple");
                    taken_apart.push((variable, (**triple).clone()));
                    Slot::Var(variable)
                }
            },
        })
    }

    pub(super) fn take_apart(
        &mut self,
        mut logical: Logical,
        mut triples: Vec<(VarId, TriplePattern)>,
    ) -> Result<Logical> {
        while let Some((variable, triple)) = triples.pop() {
            let parts = [
                self.slot(&triple.subject, &mut triples)?,
                self.name_slot(&triple.predicate)?,
                self.slot(&triple.object, &mut triples)?,
            ];
            logical = Logical::Destructure(Box::new(logical), variable, parts);
        }
        Ok(logical)
    }

    pub(super) fn name_slot(&mut self, name: &NamedNodePattern) -> Result<Slot> {
        match name {
            NamedNodePattern::NamedNode(n) => self.constant(n.clone()),
            NamedNodePattern::Variable(v) => Ok(Slot::Var(self.variables.id(v))),
        }
    }

    pub(super) fn constant(&self, term: impl Into<Term>) -> Result<Slot> {
        Ok(Slot::Const(self.terms.from_term(&term.into())?))
    }
}

fn ground_triple(triple: &TriplePattern) -> Option<oxrdf::Triple> {
    let subject = match &triple.subject {
        TermPattern::NamedNode(n) => n.clone(),
        _ => return None,
    };
    let NamedNodePattern::NamedNode(predicate) = &triple.predicate else {
        return None;
    };
    let object: Term = match &triple.object {
        TermPattern::NamedNode(n) => n.clone().into(),
        TermPattern::Literal(l) => l.clone().into(),
        TermPattern::Triple(t) => ground_triple(t)?.into(),
        _ => return None,
    };
    Some(oxrdf::Triple::new(subject, predicate.clone(), object))
}
