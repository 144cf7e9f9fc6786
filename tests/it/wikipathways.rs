//! The production queries of WikiPathways on some of its pathways, compared with the independent engine.
//!
//! `$WIKIPATHWAYS` names the folder with data and queries. The independent engine has no indexes, so it gets the pathways
//! that queries name, and one in a few dozen others. All of the data against the `oxigraph` server: `kaluta replay
//! --queries $WIKIPATHWAYS/queries --endpoint NAME=URL` with both servers, which compares a row count and a checksum of
//! every answer; [`DIFFERENCES`] lists what it then reports.

use crate::compare::{Order, compare, compare_slice};
use crate::kaluta::Kaluta;
use crate::oracle::Oracle;
use crate::settings::{Source, data_folder};
use crate::store::{Answer, Document, Request, Store};
use crate::values::canonical_number;
use crate::workload::take_slice;
use kaluta::rdf::Compression;
use libtest_mimic::Trial;
use oxrdf::{GraphName, Literal, Term};
use oxrdfio::RdfFormat;
use spargebra::SparqlParser;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Why an answer may differ from that of the independent engine, which is what `oxigraph` 0.5.13 runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    /// LIMIT without ORDER BY: solutions come without an order (SPARQL 1.1 Query, section 15), so any slice will do.
    Slice,
    /// GROUP_CONCAT: no order of the strings is fixed (section 18.5.1.7).
    Concatenation,
    /// `a|b` gives a solution for each way (sections 18.2.2.4 and 18.4), where the independent engine drops duplicates.
    Alternative,
}

/// The queries whose answers differ, or may.
const DIFFERENCES: [(&str, Difference); 8] = [
    ("s016", Difference::Slice),
    ("s017", Difference::Slice),
    ("s018", Difference::Slice),
    ("s019", Difference::Slice),
    ("s020", Difference::Slice),
    ("s087", Difference::Concatenation),
    ("s206", Difference::Alternative),
    ("s226", Difference::Slice),
];

/// One pathway in so many is taken.
const PATHWAYS_EVERY: usize = 120;

/// The same pathways in both engines, loaded by the trial that is first.
type Stores = OnceLock<Result<(Kaluta, Oracle), String>>;

/// One trial for each query.
pub fn trials() -> Vec<Trial> {
    let folder = match data_folder("WIKIPATHWAYS") {
        Source::Found(path) => path,
        Source::Missing(trial) => return vec![*trial],
    };
    let entries = fs::read_dir(folder.join("queries"))
        .into_iter()
        .flatten()
        .flatten();
    let mut paths: Vec<_> = entries
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "rq"))
        .collect();
    paths.sort();
    let stores = Arc::new(Stores::new());
    paths
        .into_iter()
        .map(|path| trial(path, folder.clone(), Arc::clone(&stores)))
        .collect()
}

fn trial(path: PathBuf, folder: PathBuf, stores: Arc<Stores>) -> Trial {
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Trial::test(format!("wikipathways::{name}"), move || {
        let (kaluta, oracle) = stores.get_or_init(|| load(&folder)).as_ref()?;
        let text = fs::read_to_string(&path)?;
        let known = DIFFERENCES
            .iter()
            .find(|(known, _)| name.starts_with(known));
        check(
            kaluta,
            oracle,
            &text,
            known.map(|(_, difference)| *difference),
        )
        .map_err(|e| format!("{e}\nquery:\n{text}").into())
    })
}

fn load(folder: &Path) -> Result<(Kaluta, Oracle), String> {
    let document = Document {
        bytes: some_pathways(&folder.join("wikipathways-main.nt.zst"))
            .map_err(|e| e.to_string())?,
        format: RdfFormat::NTriples,
        base: None,
        graph: GraphName::DefaultGraph,
    };
    let (mut kaluta, mut oracle) = (Kaluta::open()?, Oracle::default());
    oracle.load(vec![document.clone()])?;
    kaluta.load(vec![document])?;
    Ok((kaluta, oracle))
}

/// The triples that mention chosen pathways, and those about the terms in them.
fn some_pathways(path: &Path) -> std::io::Result<Vec<u8>> {
    let lines = || {
        let reader = Compression::of_path(path).reader(File::open(path)?)?;
        Ok::<_, std::io::Error>(BufReader::new(reader).split(b'\n'))
    };
    let (mut chosen, mut terms) = (Vec::new(), HashSet::new());
    for line in lines()? {
        let line = line?;
        if pathway(&line).is_some_and(is_chosen) {
            terms.extend(line.split(|b| *b == b' ').step_by(2).map(<[u8]>::to_vec));
            chosen.extend([line.as_slice(), b"\n"].concat());
        }
    }
    for line in lines()? {
        let line = line?;
        let subject = line.split(|b| *b == b' ').next().unwrap_or_default();
        if pathway(&line).is_none() && terms.contains(subject) {
            chosen.extend([line.as_slice(), b"\n"].concat());
        }
    }
    Ok(chosen)
}

/// The number of the first pathway that a triple mentions.
fn pathway(line: &[u8]) -> Option<usize> {
    let at = line.windows(3).position(|w| w == b"/WP")? + 3;
    let digits = line[at..].iter().take_while(|b| b.is_ascii_digit());
    let digits: Vec<u8> = digits.copied().collect();
    std::str::from_utf8(&digits).ok()?.parse().ok()
}

fn is_chosen(pathway: usize) -> bool {
    [2, 1560, 4846, 4868].contains(&pathway) || pathway.is_multiple_of(PATHWAYS_EVERY)
}

fn check(
    kaluta: &Kaluta,
    oracle: &Oracle,
    text: &str,
    known: Option<Difference>,
) -> Result<(), String> {
    let parsed = SparqlParser::new().parse_query(text);
    let mut query = parsed.map_err(|e| e.to_string())?;
    let slice = take_slice(&mut query);
    let canonical = |answer: Answer| answer.map_terms(canonical_number);
    let expected = oracle.evaluate(&query).map(canonical)?;
    let actual = kaluta.query(&Request::new(text)).map(canonical)?;
    match (slice, known) {
        (Some((offset, limit)), Some(Difference::Slice)) => {
            compare_slice(expected.rows(), actual.rows(), offset, limit)
        }
        (_, Some(Difference::Alternative)) => compare(&actual, &expected, Order::FreeAndReduced),
        (_, Some(Difference::Concatenation)) => compare(
            &expected.map_terms(without_order),
            &actual.map_terms(without_order),
            Order::Free,
        ),
        _ => compare(&expected, &actual, Order::Free),
    }
}

/// A literal with its characters sorted: the same for the same strings, concatenated in whatever order.
fn without_order(term: Term) -> Term {
    match term {
        Term::Literal(literal) => {
            let mut characters: Vec<char> = literal.value().chars().collect();
            characters.sort_unstable();
            Literal::from(String::from_iter(characters)).into()
        }
        other => other,
    }
}
