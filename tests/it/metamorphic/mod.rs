//! Queries that must have one answer, though they are written and planned in two ways; and the same answer from the
//! independent engine, where it is asked.
//!
//! Everything follows from a seed. `$KALUTA_METAMORPHIC_PAIRS` says how many pairs there are (720), and
//! `$KALUTA_METAMORPHIC_SEED` where seeds start (0).

mod data;
mod rewritings;

use crate::compare::{Order, compare};
use crate::differential::random::Random;
use crate::kaluta::Kaluta;
use crate::operators::Operators;
use crate::oracle::Oracle;
use crate::settings::number;
use crate::store::{Answer, Document, Request, Store};
use libtest_mimic::{Failed, Trial};
use oxrdf::GraphName;
use oxrdfio::RdfFormat;
use rewritings::Pair;
use std::sync::Arc;

const PREFIX: &str = "PREFIX : <http://e/>\n";
/// The pairs that are asked of one data set.
const PAIRS_PER_DATA: usize = 360;
/// Larger answers are not compared.
const ROWS_MAX: usize = 10_000;
/// One in so many pairs is asked of the independent engine too, which is slow.
const ORACLE_EVERY: usize = 4;

/// The operators that the pairs of one data set together must reach.
const WANTED: [&str; 25] = [
    "Closure",
    "Distinct",
    "Filter",
    "Group",
    "HashAntiJoin",
    "HashJoin",
    "HashLeftJoin",
    "HashMinus",
    "HashSemiJoin",
    "IndexJoin",
    "IndexLeftJoin",
    "MergeJoin",
    "MergeLeftJoin",
    "OrderBy",
    "Project",
    "Scan",
    "Seed",
    "SeededAntiJoin",
    "SeededJoin",
    "SeededLeftJoin",
    "SeededMinus",
    "SeededSemiJoin",
    "Slice",
    "Table",
    "Union",
];

/// A trial for each data set.
pub fn trials(operators: &Arc<Operators>) -> Vec<Trial> {
    let pairs: usize = number("KALUTA_METAMORPHIC_PAIRS", 720);
    let first: u64 = number("KALUTA_METAMORPHIC_SEED", 0);
    let trial = |seed: u64| {
        let operators = Arc::clone(operators);
        Trial::test(format!("metamorphic::seed_{seed:06}"), move || {
            run(seed, &operators)
        })
    };
    let seeds = pairs.div_ceil(PAIRS_PER_DATA) as u64;
    (first..first + seeds).map(trial).collect()
}

fn run(seed: u64, operators: &Operators) -> Result<(), Failed> {
    let mut random = Random::new(seed);
    let document = Document {
        bytes: data::generate(&mut random).into_bytes(),
        format: RdfFormat::TriG,
        base: None,
        graph: GraphName::DefaultGraph,
    };
    let (mut store, mut oracle) = (Kaluta::open()?, Oracle::default());
    oracle.load(vec![document.clone()])?;
    store.load(vec![document])?;
    let own = Operators::default();
    let mut compared = 0;
    for number in 0..PAIRS_PER_DATA {
        let pair = rewritings::pair(number, &mut random);
        let against = (number % ORACLE_EVERY == 0).then_some(&oracle);
        let is_compared = check(&store, against, &pair).map_err(|e| {
            let Pair { law, one, other } = &pair;
            format!("seed {seed}, pair {number}: {law}\n{PREFIX}{one}\n{PREFIX}{other}\n{e}")
        })?;
        compared += usize::from(is_compared);
        for query in [&pair.one, &pair.other] {
            let plan = store.plan(&Request::new(format!("{PREFIX}{query}")))?;
            own.count(&plan);
            operators.count(&plan);
        }
    }
    // Generators whose queries all ask in vain, or all take one way, would test nothing.
    if compared < PAIRS_PER_DATA / 2 {
        return Err(format!("seed {seed}: only {compared} pairs have an answer").into());
    }
    let missing = own.missing(&WANTED);
    if !missing.is_empty() {
        return Err(format!("seed {seed}: no plan has {missing:?}\n{own}").into());
    }
    Ok(())
}

/// Compares the answers of a pair; tells whether there were any rows.
fn check(store: &Kaluta, oracle: Option<&Oracle>, pair: &Pair) -> Result<bool, String> {
    let ask = |store: &dyn Store, query: &str| -> Result<Answer, String> {
        store.query(&Request::new(format!("{PREFIX}{query}")))
    };
    let one = ask(store, &pair.one)?;
    if one.rows().len() > ROWS_MAX {
        return Ok(false);
    }
    compare(&one, &ask(store, &pair.other)?, Order::Free)?;
    if let Some(oracle) = oracle {
        // Of an alternative it is asked as a union: as a path it loses duplicates.
        let expected = ask(oracle, &pair.other)?;
        compare(&expected, &one, Order::Free).map_err(|e| format!("the other engine: {e}"))?;
    }
    Ok(!one.rows().is_empty())
}
