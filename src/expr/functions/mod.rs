//! The functions of SPARQL (SPARQL 1.1 and 1.2 Query, section 17.4), one file per family.
//!
//! This file says which function lies where; each family takes its arguments as nodes, because some need a term, some
//! a value and some only borrowed text. What is not defined is an expression error, made where it is noticed.

mod arguments;
mod casts;
mod dates;
mod hashes;
mod language;
mod numeric;
mod patterns;
mod strings;
mod terms;
mod xpath_pattern;

use super::context::ExprContext;
use super::node::{Node, Row};
use super::raise::{ExprErrorKind, Outcome, Place, raise};
use super::value::Value;
use crate::term::TermId;
use patterns::PatternCache;
use spargebra::algebra::Function;

pub(super) use casts::is_known as is_known_cast;
pub(super) use patterns::compile as compile_pattern;

/// A function, its arguments, and what it keeps from row to row.
pub(super) struct Call {
    pub function: Function,
    pub args: Vec<Node>,
    pub place: Place,
    scratch: Vec<u8>,
    pattern: PatternCache,
}

/// Where a function is worked out.
#[derive(Clone, Copy)]
struct At<'c> {
    row: Row<'c>,
    cx: &'c ExprContext,
    place: Place,
}

impl At<'_> {
    fn fail<T>(self, kind: ExprErrorKind) -> Outcome<T> {
        Err(raise(kind, self.place, self.cx).into())
    }
}

impl Call {
    pub(super) fn new(function: Function, args: Vec<Node>, place: Place) -> Self {
        Self {
            function,
            args,
            place,
            scratch: Vec::new(),
            pattern: PatternCache::default(),
        }
    }

    /// Whether the result is a term whose text is not that of its value, so that it must be asked for by id.
    pub(super) fn hands_on_a_term(&self) -> bool {
        match &self.function {
            Function::Subject | Function::Predicate | Function::Object | Function::StrDt => true,
            Function::Custom(name) => casts::is_derived_integer(name.as_str()),
            _ => false,
        }
    }

    /// The term, for functions that hand one on.
    pub(super) fn id(&mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<TermId> {
        let at = At {
            row,
            cx,
            place: self.place,
        };
        match &self.function {
            Function::StrDt => terms::str_dt(&mut self.args, at),
            Function::Custom(name) => casts::derived_integer(name.as_str(), &mut self.args, at),
            function => terms::component(function, &mut self.args, at),
        }
    }

    /// The value.
    pub(super) fn value<'n>(&'n mut self, row: Row<'_>, cx: &ExprContext) -> Outcome<Value<'n>> {
        if self.hands_on_a_term() {
            let id = self.id(row, cx)?;
            return Ok(Value::decode(id, &cx.terms, &mut self.scratch)?);
        }
        let at = At {
            row,
            cx,
            place: self.place,
        };
        use Function as F;
        let Self {
            function,
            args,
            scratch,
            pattern,
            ..
        } = self;
        match function {
            F::Str | F::Datatype | F::Lang | F::LangDir => {
                terms::accessor(function, args, scratch, at)
            }
            F::HasLang | F::HasLangDir => terms::has_language(function, args, scratch, at),
            F::IsIri | F::IsBlank | F::IsLiteral | F::IsTriple | F::IsNumeric => {
                terms::test(function, args, at)
            }
            F::Iri => terms::iri(args, at),
            F::BNode => terms::blank(args, at),
            F::Uuid | F::StrUuid => Ok(terms::uuid(function)),
            F::Triple => terms::triple(args, at),
            F::StrLang | F::StrLangDir => language::str_lang(args, at),
            F::LangMatches => language::lang_matches(args, at),
            F::StrLen => strings::length(args, at),
            F::SubStr => strings::substring(args, at),
            F::UCase | F::LCase => strings::change_case(function, args, at),
            F::StrStarts | F::StrEnds | F::Contains => strings::find(function, args, at),
            F::StrBefore | F::StrAfter => strings::cut(function, args, at),
            F::Concat => strings::concat(args, at),
            F::EncodeForUri => strings::encode_for_uri(args, at),
            F::Regex => patterns::matches(args, pattern, at),
            F::Replace => patterns::replace(args, pattern, at),
            F::Abs | F::Ceil | F::Floor | F::Round => numeric::unary(function, args, at),
            F::Rand => Ok(numeric::random()),
            F::Now => Ok(dates::now(at)),
            F::Year | F::Month | F::Day | F::Hours | F::Minutes | F::Seconds => {
                dates::field(function, args, at)
            }
            F::Timezone | F::Tz => dates::zone(function, args, at),
            F::Adjust => dates::adjust(args, at),
            F::Md5 | F::Sha1 | F::Sha256 | F::Sha384 | F::Sha512 => {
                hashes::digest(function, args, at)
            }
            F::Custom(name) => casts::cast(name.as_str(), args, at),
            F::StrDt | F::Subject | F::Predicate | F::Object => at.fail(ExprErrorKind::Argument),
        }
    }
}
