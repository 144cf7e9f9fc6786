//! Makes a failing query and its data as small as they can be while they still fail.

use super::data::Statement;
use super::query::Query;

/// How many smaller cases are tried.
const ATTEMPTS_MAX: usize = 400;

/// A query and the data that it is asked of.
#[derive(Clone)]
pub struct Case {
    pub data: Vec<Statement>,
    pub query: Query,
}

/// Takes parts away as long as `fails` says that what is left fails too.
pub fn minimize(mut case: Case, fails: impl Fn(&Case) -> bool) -> Case {
    let mut attempts_left = ATTEMPTS_MAX;
    let mut next_smaller = |case: &Case| {
        candidates(case).find(|candidate| {
            attempts_left = attempts_left.saturating_sub(1);
            attempts_left > 0 && fails(candidate)
        })
    };
    while let Some(smaller) = next_smaller(&case) {
        case = smaller;
    }
    case
}

fn candidates(case: &Case) -> impl Iterator<Item = Case> {
    let queries = case.query.reductions().into_iter().map(|query| Case {
        data: case.data.clone(),
        query,
    });
    // Halves first, then quarters, down to single statements.
    let mut data = Vec::new();
    let mut size = case.data.len() / 2;
    while size > 0 {
        for start in (0..case.data.len()).step_by(size) {
            let end = (start + size).min(case.data.len());
            let rest = [&case.data[..start], &case.data[end..]].concat();
            data.push(Case {
                data: rest,
                query: case.query.clone(),
            });
        }
        size /= 2;
    }
    queries.chain(data)
}
