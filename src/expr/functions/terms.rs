//! Functions on terms: their kind, parts and construction (SPARQL 1.2 Query, sections 17.4.2 and 17.4.6).

use super::At;
use super::arguments::{both, only, simple};
use crate::expr::local::direction_name;
use crate::expr::node::Node;
use crate::expr::raise::{ExprErrorKind, Outcome};
use crate::expr::value::{RDF_DIR_LANG_STRING, RDF_LANG_STRING, Value, XSD_STRING};
use crate::term::{LiteralSort, Tag, TermId, TermView, inline};
use oxiri::{Iri, IriRef};
use spargebra::algebra::Function;
use std::borrow::Cow;
use uuid::Uuid;

/// STR, DATATYPE, LANG and LANGDIR: a text that a term has.
pub(super) fn accessor<'n>(
    function: &Function,
    args: &'n mut [Node],
    scratch: &'n mut Vec<u8>,
    at: At<'_>,
) -> Outcome<Value<'n>> {
    let arg = only(args, at)?;
    if !arg.hands_on_a_term() {
        return accessor_of_value(function, arg.value(at.row, at.cx)?, at);
    }
    let id = arg.id(at.row, at.cx)?;
    if let (Function::Datatype, Some(datatype)) = (function, inline::datatype(id.tag())) {
        return Ok(Value::Iri(Cow::Borrowed(datatype)));
    }
    match at.cx.terms.resolve(id, scratch)? {
        TermView::Iri(iri) if *function == Function::Str => Ok(Value::String(Cow::Borrowed(iri))),
        TermView::Literal { lexical, sort } => Ok(match function {
            Function::Str => Value::String(Cow::Borrowed(lexical)),
            Function::Datatype => Value::Iri(Cow::Borrowed(datatype(sort))),
            _ => Value::String(Cow::Borrowed(language_part(function, sort))),
        }),
        _ => at.fail(ExprErrorKind::Type),
    }
}

fn datatype(sort: LiteralSort<'_>) -> &str {
    match sort {
        LiteralSort::String => XSD_STRING,
        LiteralSort::Lang(_, None) => RDF_LANG_STRING,
        LiteralSort::Lang(_, Some(_)) => RDF_DIR_LANG_STRING,
        LiteralSort::Typed(datatype) => datatype,
    }
}

fn language_part<'s>(function: &Function, sort: LiteralSort<'s>) -> &'s str {
    match (function, sort) {
        (Function::Lang, LiteralSort::Lang(language, _)) => language,
        (Function::LangDir, LiteralSort::Lang(_, Some(direction))) => direction_name(direction),
        _ => "",
    }
}

/// The same for a computed value.
fn accessor_of_value<'n>(function: &Function, value: Value<'n>, at: At<'_>) -> Outcome<Value<'n>> {
    let text = match (function, value) {
        (_, Value::Blank(_) | Value::Triple(_)) => None,
        (Function::Str, value) => value.into_lexical(),
        (_, Value::Iri(_)) => None,
        (Function::Datatype, value) => {
            let datatype = value.datatype().map(|d| Cow::Owned(d.to_owned()));
            return datatype.map_or_else(|| at.fail(ExprErrorKind::Type), |d| Ok(Value::Iri(d)));
        }
        (Function::Lang, Value::Lang(text)) => Some(text.language),
        (_, Value::Lang(text)) => Some(Cow::Borrowed(text.direction.map_or("", direction_name))),
        _ => Some(Cow::Borrowed("")),
    };
    text.map_or_else(|| at.fail(ExprErrorKind::Type), |t| Ok(Value::String(t)))
}

/// hasLANG and hasLANGDIR.
pub(super) fn has_language(
    function: &Function,
    args: &mut [Node],
    scratch: &mut Vec<u8>,
    at: At<'_>,
) -> Outcome<Value<'static>> {
    let arg = only(args, at)?;
    let direction = if arg.hands_on_a_term() {
        let id = arg.id(at.row, at.cx)?;
        if id.tag() != Tag::LangString {
            None
        } else if *function == Function::HasLang {
            Some(None)
        } else {
            match at.cx.terms.resolve(id, scratch)? {
                TermView::Literal {
                    sort: LiteralSort::Lang(_, direction),
                    ..
                } => Some(direction),
                _ => None,
            }
        }
    } else {
        match arg.value(at.row, at.cx)? {
            Value::Lang(text) => Some(text.direction),
            _ => None,
        }
    };
    Ok(Value::Boolean(match function {
        Function::HasLang => direction.is_some(),
        _ => direction.flatten().is_some(),
    }))
}

/// isIRI, isBLANK, isLITERAL, isTRIPLE and isNUMERIC.
pub(super) fn test(function: &Function, args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let arg = only(args, at)?;
    if *function == Function::IsNumeric {
        let value = arg.value(at.row, at.cx)?;
        return Ok(Value::Boolean(matches!(value, Value::Number(_))));
    }
    let kind = if arg.hands_on_a_term() {
        arg.id(at.row, at.cx)?.tag()
    } else {
        match arg.value(at.row, at.cx)? {
            Value::Iri(_) => Tag::Iri,
            Value::Blank(_) => Tag::Blank,
            Value::Triple(_) => Tag::Triple,
            _ => Tag::Typed,
        }
    };
    Ok(Value::Boolean(match function {
        Function::IsIri => kind == Tag::Iri,
        Function::IsBlank => kind == Tag::Blank,
        Function::IsTriple => kind == Tag::Triple,
        _ => kind.is_literal(),
    }))
}

/// IRI, resolved against the base of the query.
pub(super) fn iri<'n>(args: &'n mut [Node], at: At<'_>) -> Outcome<Value<'n>> {
    let text = match only(args, at)?.value(at.row, at.cx)? {
        Value::Iri(iri) => return Ok(Value::Iri(iri)),
        Value::String(text) => text,
        _ => return at.fail(ExprErrorKind::Type),
    };
    let resolved = match at.cx.base() {
        Some(base) => IriRef::parse(&*text)
            .and_then(|reference| base.resolve(&reference))
            .map(Iri::into_inner),
        None => Iri::parse(text.into_owned()).map(Iri::into_inner),
    };
    match resolved {
        Ok(iri) => Ok(Value::Iri(Cow::Owned(iri))),
        Err(_) => at.fail(ExprErrorKind::Argument),
    }
}

/// BNODE, fresh each time or by label within one solution.
pub(super) fn blank(args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    if args.is_empty() {
        return Ok(Value::Blank(at.cx.terms.fresh_blank()));
    }
    let label = simple(only(args, at)?, at)?;
    let id = at.cx.labelled_blank(at.row.scope, at.row.number, &label);
    Ok(Value::Blank(id))
}

/// UUID and STRUUID.
pub(super) fn uuid(function: &Function) -> Value<'static> {
    let uuid = Uuid::new_v4();
    match function {
        Function::Uuid => Value::Iri(Cow::Owned(uuid.urn().to_string())),
        _ => Value::String(Cow::Owned(uuid.hyphenated().to_string())),
    }
}

/// STRDT: a literal with exactly this lexical form.
pub(super) fn str_dt(args: &mut [Node], at: At<'_>) -> Outcome<TermId> {
    let (lexical, datatype) = both(args, at)?;
    let lexical = simple(lexical, at)?;
    let Value::Iri(datatype) = datatype.value(at.row, at.cx)? else {
        return at.fail(ExprErrorKind::Type);
    };
    let sort = match &*datatype {
        XSD_STRING => LiteralSort::String,
        RDF_LANG_STRING | RDF_DIR_LANG_STRING => return at.fail(ExprErrorKind::Argument),
        other => LiteralSort::Typed(other),
    };
    let literal = TermView::Literal {
        lexical: &lexical,
        sort,
    };
    Ok(at.cx.terms.intern(&literal)?)
}

/// TRIPLE.
pub(super) fn triple(args: &mut [Node], at: At<'_>) -> Outcome<Value<'static>> {
    let [subject, predicate, object] = args else {
        return at.fail(ExprErrorKind::Argument);
    };
    let subject = subject.id(at.row, at.cx)?;
    let predicate = predicate.id(at.row, at.cx)?;
    let object = object.id(at.row, at.cx)?;
    let is_triple = matches!(subject.tag(), Tag::Iri | Tag::Blank) && predicate.tag() == Tag::Iri;
    if !is_triple {
        return at.fail(ExprErrorKind::Type);
    }
    Ok(Value::Triple([subject, predicate, object]))
}

/// SUBJECT, PREDICATE and OBJECT.
pub(super) fn component(function: &Function, args: &mut [Node], at: At<'_>) -> Outcome<TermId> {
    let Value::Triple(ids) = only(args, at)?.value(at.row, at.cx)? else {
        return at.fail(ExprErrorKind::Type);
    };
    Ok(match function {
        Function::Subject => ids[0],
        Function::Predicate => ids[1],
        _ => ids[2],
    })
}
