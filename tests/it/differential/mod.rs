//! Random queries over random data, answered by the engine, by its plans as written, and by an independent engine.
//!
//! The trials `differential::written` ask what the independent engine cannot answer, or answers otherwise than the
//! standard does: there the plans as written are what the optimized ones are compared with.
//! Everything follows from a seed. `$KALUTA_DIFFERENTIAL_QUERIES` says how many queries there are (2000), and
//! `$KALUTA_DIFFERENTIAL_SEED` where seeds start (0). A failure names its seed, and shows query and data made small.

mod check;
mod data;
mod expressions;
mod generate;
mod minimize;
mod query;
pub mod random;

use crate::kaluta::Kaluta;
use crate::operators::Operators;
use crate::oracle::Oracle;
use crate::settings::number;
use crate::store::{Answer, Document, Request, Store};
use crate::values::canonical_number;
use data::{PREFIXES, Statement, to_trig};
use generate::Breadth;
use libtest_mimic::{Failed, Trial};
use minimize::{Case, minimize};
use oxrdf::GraphName;
use oxrdfio::RdfFormat;
use query::Query;
use random::Random;
use std::sync::Arc;

/// The queries with an answer that are asked of one data set; those without one do not count.
const QUERIES_PER_DATA: usize = 20;
/// All queries that are asked of one data set.
const QUERIES_PER_DATA_MAX: usize = 80;
/// The data sets of one trial.
const DATA_PER_TRIAL: usize = 5;
/// Larger answers are not compared: they come from products of patterns, and take long.
const ROWS_MAX: usize = 3_000;

/// Trials of a hundred queries each.
pub fn trials(operators: &Arc<Operators>) -> Vec<Trial> {
    let queries: usize = number("KALUTA_DIFFERENTIAL_QUERIES", 2_000);
    let first: u64 = number("KALUTA_DIFFERENTIAL_SEED", 0);
    let count = queries.div_ceil(QUERIES_PER_DATA * DATA_PER_TRIAL) as u64;
    let mut trials = Vec::new();
    for i in 0..count {
        let start = first + i * DATA_PER_TRIAL as u64;
        for (kind, breadth) in [("seed", Breadth::Common), ("written", Breadth::Whole)] {
            let operators = Arc::clone(operators);
            let name = format!("differential::{kind}_{start:06}");
            trials.push(Trial::test(name, move || run(start, breadth, &operators)));
        }
    }
    trials
}

fn run(start: u64, breadth: Breadth, operators: &Operators) -> Result<(), Failed> {
    for seed in start..start + DATA_PER_TRIAL as u64 {
        let mut random = Random::new(seed);
        let data = data::generate(&mut random);
        let stores = Stores::load(&data)?;
        let mut answered = 0;
        for _ in 0..QUERIES_PER_DATA_MAX {
            let query = generate::generate(&mut random, breadth);
            match stores.compare(&query, breadth) {
                Ok(Compared::Rows) => {
                    answered += 1;
                    operators.count(&stores.engine.plan(&request_of(&query))?);
                }
                Ok(Compared::Empty) => {}
                Err(message) => {
                    return Err(report(seed, Case { data, query }, breadth, &message).into());
                }
            }
            if answered == QUERIES_PER_DATA {
                break;
            }
        }
        // A generator whose queries ask in vain would test nothing.
        if answered < QUERIES_PER_DATA / 4 {
            return Err(format!("seed {seed}: only {answered} queries have an answer").into());
        }
    }
    Ok(())
}

/// What a failing case looks like when it is made small.
fn report(seed: u64, case: Case, breadth: Breadth, message: &str) -> String {
    let failure = |case: &Case| {
        Stores::load(&case.data)
            .and_then(|stores| stores.compare(&case.query, breadth))
            .err()
    };
    let small = minimize(case, |case| failure(case).is_some());
    let message = failure(&small).unwrap_or_else(|| format!("not every time: {message}"));
    format!(
        "seed {seed}\n{message}\nquery:\n{PREFIXES}{}\ndata:\n{}{}",
        small.query,
        to_trig(&small.data),
        plans(&small).unwrap_or_else(|e| e)
    )
}

/// How a case is run, both ways.
fn plans(case: &Case) -> Result<String, String> {
    let (engine, request) = (Stores::load(&case.data)?.engine, request_of(&case.query));
    let (optimized, as_written) = (engine.plan(&request)?, engine.plan_as_written(&request)?);
    Ok(format!(
        "optimized plan:\n{optimized}\nplan as written:\n{as_written}"
    ))
}

/// The same data in both engines.
struct Stores {
    engine: Kaluta,
    oracle: Oracle,
}

impl Stores {
    fn load(data: &[Statement]) -> Result<Self, String> {
        let document = Document {
            bytes: to_trig(data).into_bytes(),
            format: RdfFormat::TriG,
            base: None,
            graph: GraphName::DefaultGraph,
        };
        let mut stores = Self {
            engine: Kaluta::open()?,
            oracle: Oracle::default(),
        };
        stores.oracle.load(vec![document.clone()])?;
        stores.engine.load(vec![document])?;
        Ok(stores)
    }

    fn compare(&self, query: &Query, breadth: Breadth) -> Result<Compared, String> {
        // The order is checked by itself: the other engine's is not total over all literals.
        let mut unsliced = query.clone();
        (unsliced.offset, unsliced.limit) = (None, None);
        unsliced.order_by.clear();
        let (request, unsliced) = (request_of(query), request_of(&unsliced));
        let (expected, against) = match breadth {
            Breadth::Common => (self.oracle.query(&unsliced), "the independent engine"),
            Breadth::Whole => (
                self.engine.query_as_written(&unsliced),
                "the plan as written",
            ),
        };
        // What cannot be answered there is no case.
        let Ok(expected) = expected.map(canonical) else {
            return Ok(Compared::Empty);
        };
        if expected.rows().len() > ROWS_MAX {
            return Ok(Compared::Empty);
        }
        let check = |name: &str, actual: Answer| {
            check::check(query, &expected, &canonical(actual))
                .map_err(|e| format!("{name} differs from {against}: {e}"))
        };
        check("the optimized plan", self.engine.query(&request)?)?;
        if breadth == Breadth::Common {
            check(
                "the plan as written",
                self.engine.query_as_written(&request)?,
            )?;
        }
        let is_empty = expected.rows().is_empty() && !matches!(expected, Answer::Boolean(true));
        Ok(if is_empty {
            Compared::Empty
        } else {
            Compared::Rows
        })
    }
}

fn canonical(answer: Answer) -> Answer {
    answer.map_terms(canonical_number)
}

fn request_of(query: &Query) -> Request {
    Request::new(format!("{PREFIXES}{query}"))
}

/// What was the same.
enum Compared {
    /// An answer with rows, or true.
    Rows,
    /// An empty answer, or none.
    Empty,
}
