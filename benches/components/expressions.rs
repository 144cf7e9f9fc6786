//! Filters, per row of a batch; the errors of dirty values under each policy for backtraces.

use crate::fixture::{Fixture, ROWS, integer};
use crate::measure::Component;
use kaluta::batch::Batch;
use kaluta::diagnostics::backtraces::{BacktracePolicy, set_policy};
use kaluta::diagnostics::{Error, Result};
use kaluta::expr::{Compiled, ExprContext};
use kaluta::sparql::{Limits, parse_query};
use kaluta::term::TermStore;
use oxrdf::Variable;
use spargebra::Query;
use spargebra::algebra::{Expression, GraphPattern};
use std::sync::Arc;

const COMPILING: &str =
    "less compiling it for each thousand rows, without which equal values are remembered";

/// The components of this group.
///
/// # Errors
/// The store cannot be read.
pub fn components(fixture: &Fixture) -> Result<Vec<Component<'_>>> {
    let numbers = (0..ROWS as u32).map(integer).collect();
    let numbers = Batch::new(vec![numbers], ROWS);
    let on_integers = Filter::new("?v > 500", numbers)?;
    let on_strings = Filter::new("STRENDS(?v, \"7\")", fixture.objects("title")?)?;
    let cast = "<http://www.w3.org/2001/XMLSchema#integer>(?v) > 1950";
    let on_dirty_values = Filter {
        errors: ROWS as u64,
        ..Filter::new(cast, fixture.objects("dirty")?)?
    };
    let mut components = vec![
        on_integers.component("a filter on integers, a row", fixture),
        on_strings.component("a filter on strings, a row", fixture),
    ];
    let policies = [
        ("always", BacktracePolicy::Always),
        ("never", BacktracePolicy::Never),
        ("when-logged", BacktracePolicy::WhenLogged),
    ];
    for (word, policy) in policies {
        let filter = Filter {
            policy,
            ..on_dirty_values.clone()
        };
        let name = format!("a filter on dirty values, {word}, a row");
        components.push(filter.component(&name, fixture));
    }
    Ok(components)
}

/// A condition and the values that it is asked of.
#[derive(Clone)]
struct Filter {
    condition: Expression,
    values: Batch,
    /// How many of the values are errors to it.
    errors: u64,
    policy: BacktracePolicy,
}

impl Filter {
    /// The values are those of `?v`, and none of them is an error.
    fn new(condition: &str, values: Batch) -> Result<Self> {
        Ok(Self {
            condition: expression(condition)?,
            values,
            errors: 0,
            policy: BacktracePolicy::default(),
        })
    }

    fn component<'a>(self, name: &str, fixture: &'a Fixture) -> Component<'a> {
        let condition = self.condition.clone();
        let compile = move || compiled(fixture, &condition);
        let evaluate = move || {
            set_policy(self.policy);
            let (mut compiled, cx) = compiled(fixture, &self.condition);
            let kept = compiled.filter(&self.values, &cx).expect("it can be read");
            set_policy(BacktracePolicy::default());
            assert_eq!(cx.errors.raised(), self.errors);
            assert!(kept.len() < ROWS && kept.is_empty() == (self.errors > 0));
        };
        Component::of_many(name, ROWS as u64, evaluate).less(COMPILING, ROWS as u64, compile)
    }
}

fn compiled(fixture: &Fixture, condition: &Expression) -> (Compiled, ExprContext) {
    let store = Arc::clone(&fixture.snapshot) as Arc<dyn TermStore>;
    let cx = ExprContext::new(store, None);
    let columns = [Variable::new_unchecked("v")];
    let compiled = Compiled::new(condition, &columns, &cx).expect("it compiles");
    (compiled, cx)
}

/// The expression of a filter.
fn expression(condition: &str) -> Result<Expression> {
    let text = format!("ASK {{ ?s ?p ?v FILTER({condition}) }}");
    let query = parse_query(&text, None, &Limits::default())?;
    if let Query::Ask { pattern, .. } = &query
        && let GraphPattern::Project { inner, .. } = pattern
        && let GraphPattern::Filter { expr, .. } = &**inner
    {
        return Ok(expr.clone());
    }
    Err(Error::internal(format!("no filter in {query}")))
}
