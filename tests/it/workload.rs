//! The answers to the 200 queries on a small sample, compared with those of the independent engine.

use crate::compare::{Order, compare, compare_slice};
use crate::kaluta::Kaluta;
use crate::oracle::Oracle;
use crate::store::{Answer, Document, Request, Store};
use crate::values::canonical_number;
use kaluta::sample::{SAMPLE_SEED, Sample};
use libtest_mimic::Trial;
use oxrdf::GraphName;
use oxrdfio::RdfFormat;
use spargebra::algebra::GraphPattern;
use spargebra::{Query, SparqlParser};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Large enough that most queries have an answer, small enough for an engine without a planner.
const TRIPLES: u64 = 20_000;

/// Queries with `a|b` over pairs that have both: the independent engine repeats them once, the standard twice.
const DUPLICATES: [&str; 1] = ["020"];

/// The sample in both engines, loaded by the trial that is first.
type Stores = OnceLock<Result<(Kaluta, Oracle), String>>;

/// One trial for each query.
pub fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "rq"))
        .collect();
    paths.sort();
    let stores = Arc::new(Stores::new());
    paths
        .into_iter()
        .map(|path| trial(path, Arc::clone(&stores)))
        .collect()
}

fn trial(path: PathBuf, stores: Arc<Stores>) -> Trial {
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Trial::test(format!("workload::{name}"), move || {
        let (kaluta, oracle) = stores.get_or_init(load).as_ref()?;
        let text = fs::read_to_string(&path)?;
        let has_duplicates = DUPLICATES.contains(&name.as_str());
        check(kaluta, oracle, &text, has_duplicates)
            .map_err(|e| format!("{e}\nquery:\n{text}").into())
    })
}

fn load() -> Result<(Kaluta, Oracle), String> {
    let sample = Sample {
        triples: TRIPLES,
        seed: SAMPLE_SEED,
    };
    let mut bytes = Vec::new();
    sample
        .write(&mut bytes, &mut |_| ())
        .map_err(|e| e.to_string())?;
    let document = Document {
        bytes,
        format: RdfFormat::NTriples,
        base: None,
        graph: GraphName::DefaultGraph,
    };
    let (mut kaluta, mut oracle) = (Kaluta::open()?, Oracle::default());
    oracle.load(vec![document.clone()])?;
    kaluta.load(vec![document])?;
    Ok((kaluta, oracle))
}

/// A query that takes a slice may take any that its order leaves open.
fn check(kaluta: &Kaluta, oracle: &Oracle, text: &str, has_duplicates: bool) -> Result<(), String> {
    let mut query = SparqlParser::new()
        .parse_query(text)
        .map_err(|e| e.to_string())?;
    let slice = take_slice(&mut query);
    let canonical = |answer: Answer| answer.map_terms(canonical_number);
    let expected = oracle.evaluate(&query).map(canonical)?;
    let actual = kaluta.query(&Request::new(text)).map(canonical)?;
    match (slice, &query) {
        (Some((offset, limit)), Query::Select { .. }) => {
            compare_slice(expected.rows(), actual.rows(), offset, limit)
        }
        (None, _) if has_duplicates => compare(&actual, &expected, Order::FreeAndReduced),
        (None, _) => compare(&expected, &actual, Order::Free),
        (Some(_), _) => Err("a slice of something else than solutions cannot be compared".into()),
    }
}

/// Takes OFFSET and LIMIT of the whole query away.
pub fn take_slice(query: &mut Query) -> Option<(usize, Option<usize>)> {
    let (Query::Select { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }
    | Query::Ask { pattern, .. }) = query;
    let GraphPattern::Slice {
        inner,
        start,
        length,
    } = pattern
    else {
        return None;
    };
    let slice = (*start, *length);
    *pattern = std::mem::take(&mut **inner);
    Some(slice)
}
