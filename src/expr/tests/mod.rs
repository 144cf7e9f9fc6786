//! Expressions as text, worked out over small batches, against results as text.
//!
//! Every check runs row by row and as one batch in which rows repeat, over terms that the dictionary holds and over
//! terms that it does not hold, and asks that all ways agree in results and in errors raised.

mod aggregates;
mod functions;
mod operators;
mod oracle;
mod order;
mod raising;
mod sharing;
mod store;

use super::{Compiled, ExprContext};
use crate::batch::Batch;
use crate::term::TermId;
use oxrdf::{Literal, NamedNode, Term, Variable};
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::{Query, SparqlParser};
use std::sync::Arc;
use store::MemoryStore;

const PREFIXES: &str = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX : <http://e/> ";

/// A variable of a check and its value; an empty text leaves it unbound.
type Binding<'t> = (&'t str, &'t str);

/// The query's pattern below its projection.
fn parse_pattern(query: &str) -> GraphPattern {
    let query = format!("{PREFIXES}{query}");
    match SparqlParser::new().parse_query(&query) {
        Ok(Query::Select {
            pattern: GraphPattern::Project { inner, .. },
            ..
        }) => *inner,
        other => panic!("{query}: {other:?}"),
    }
}

fn parse(expression: &str) -> Expression {
    match parse_pattern(&format!("SELECT (({expression}) AS ?result) {{}}")) {
        GraphPattern::Extend { expression, .. } => expression,
        other => panic!("{expression}: {other:?}"),
    }
}

/// A term in the syntax of SPARQL.
fn term(text: &str) -> Term {
    if text == "_:b" {
        return oxrdf::BlankNode::new_unchecked("b").into();
    }
    match parse(text) {
        Expression::NamedNode(iri) => iri.into(),
        Expression::Literal(literal) => literal.into(),
        Expression::UnaryMinus(inner) => match *inner {
            Expression::Literal(l) => {
                Literal::new_typed_literal(format!("-{}", l.value()), l.datatype()).into()
            }
            other => panic!("{text}: {other:?}"),
        },
        Expression::FunctionCall(_, parts) => {
            let mut parts = parts.iter().map(|p| term(&p.to_string()));
            let mut next = || parts.next().expect("three parts");
            oxrdf::Triple::from_terms(next(), next(), next())
                .expect("a triple")
                .into()
        }
        other => panic!("{text}: {other:?}"),
    }
}

/// A term as short as SPARQL allows, `error` for an unbound id.
fn show(id: TermId, cx: &ExprContext) -> String {
    if !id.is_bound() {
        return "error".into();
    }
    show_term(&cx.terms.to_term(id).expect("a term"))
}

fn show_term(term: &Term) -> String {
    const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
    let iri = |iri: &NamedNode| match iri.as_str() {
        i if i.starts_with(XSD) => i.replace(XSD, "xsd:"),
        i if i.starts_with("http://e/") => i.replace("http://e/", ":"),
        i => format!("<{i}>"),
    };
    match term {
        Term::NamedNode(n) => iri(n),
        Term::Literal(l) => match l.datatype().as_str().strip_prefix(XSD) {
            Some("integer" | "decimal" | "boolean") => l.value().to_owned(),
            Some("string") => format!("\"{}\"", l.value()),
            Some(name) => format!("\"{}\"^^xsd:{name}", l.value()),
            None if l.language().is_some() => l.to_string(),
            None => format!("\"{}\"^^{}", l.value(), iri(&l.datatype().into_owned())),
        },
        Term::BlankNode(_) => "_:b".into(),
        Term::Triple(t) => format!(
            "<<( {} {} {} )>>",
            show_term(&t.subject.clone().into()),
            show_term(&t.predicate.clone().into()),
            show_term(&t.object)
        ),
    }
}

/// A context over a dictionary that holds the terms, or over an empty one.
fn context(terms: &[Term], is_stored: bool) -> ExprContext {
    let stored = if is_stored { terms } else { &[] };
    let base = oxiri::Iri::parse("http://e/base/".to_owned()).expect("an IRI");
    ExprContext::new(Arc::new(MemoryStore::new(stored)), Some(base))
}

fn columns(bindings: &[Binding<'_>]) -> Vec<Variable> {
    let names = bindings.iter().map(|(name, _)| *name);
    names.map(Variable::new_unchecked).collect()
}

/// The batch of one row with these values.
fn row(bindings: &[Binding<'_>], cx: &ExprContext) -> Batch {
    let id = |text: &str| match text {
        "" => TermId::UNBOUND,
        text => cx.terms.from_term(&term(text)).expect("an id"),
    };
    let columns = bindings.iter().map(|(_, text)| vec![id(text)]).collect();
    Batch::new(columns, 1)
}

/// The value of one row, as text.
fn evaluate_one(expression: &str, bindings: &[Binding<'_>]) -> String {
    let cx = context(&[], false);
    let mut compiled =
        Compiled::new(&parse(expression), &columns(bindings), &cx).expect("compiles");
    let ids = compiled
        .evaluate(&row(bindings, &cx), &cx)
        .expect("no failure");
    show(ids[0], &cx)
}

/// Checks one expression over one row of bindings.
#[track_caller]
fn check_with(expression: &str, bindings: &[Binding<'_>], expected: &str) {
    let parsed = parse(expression);
    let bound = bindings.iter().filter(|(_, text)| !text.is_empty());
    let terms: Vec<Term> = bound.map(|(_, text)| term(text)).collect();
    for is_stored in [true, false] {
        let cx = context(&terms, is_stored);
        let compile = || Compiled::new(&parsed, &columns(bindings), &cx).expect("compiles");
        let one = row(bindings, &cx);
        let before = cx.errors.raised();
        let single = compile().evaluate(&one, &cx).expect("no failure");
        let raised = cx.errors.raised() - before;
        assert_eq!(show(single[0], &cx), expected, "{expression} {bindings:?}");
        let three = one.select(&[0, 0, 0]);
        let batch = compile().evaluate(&three, &cx).expect("no failure");
        assert_eq!(
            batch, [single[0]; 3],
            "{expression}: rows of one batch differ"
        );
        let all = cx.errors.raised() - before;
        assert_eq!(all, raised * 4, "{expression}: errors are counted per row");
        check_filter(expression, expected, &mut compile(), &three, &cx);
    }
}

/// A filter keeps the rows whose value has a true effective boolean value.
fn check_filter(
    expression: &str,
    expected: &str,
    compiled: &mut Compiled,
    batch: &Batch,
    cx: &ExprContext,
) {
    let kept = compiled.filter(batch, cx).expect("no failure");
    match expected {
        "true" => assert_eq!(kept, [0, 1, 2], "{expression}"),
        "false" | "error" | "0" | "\"\"" => assert!(kept.is_empty(), "{expression}"),
        _ => {}
    }
}

/// Checks an expression without variables, and the same with its constants bound to variables where `?` stands.
#[track_caller]
fn check(expression: &str, expected: &str) {
    check_with(expression, &[], expected);
}
