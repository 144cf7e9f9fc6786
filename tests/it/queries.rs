//! The 200 queries: they parse, their mix is the one that `queries/README.md` states, and they fit the sample.
//!
//! Operators are counted in the text, forms and patterns in the algebra that the parser makes of it. A structure is the
//! algebra with terms left out and variables numbered, so that queries which differ in their constants alone have one.
//! That the answers are right is left to `workload`.

use kaluta::sample::{SAMPLE_SEED, Sample};
use libtest_mimic::{Failed, Trial};
use spargebra::algebra::GraphPattern;
use spargebra::{Query, SparqlParser};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The size of a sample in which all words and all records of the queries must occur already.
const SMALL_SAMPLE_TRIPLES: u64 = 5_000;

/// At least so many different structures make a workload.
const STRUCTURES_MIN: usize = 60;

/// What makes an answer depend on the engine or the hour.
const UNSTABLE: [&str; 8] = [
    "RAND",
    "NOW",
    "UUID",
    "STRUUID",
    "BNODE",
    "SAMPLE",
    "GROUP_CONCAT",
    "SERVICE",
];

/// The trials of this file.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("queries::all_parse_and_say_what_they_want", all_parse),
        Trial::test("queries::mix_is_the_stated_one", mix_is_the_stated_one),
        Trial::test("queries::structures_differ", structures_differ),
        Trial::test("queries::answers_are_stable", answers_are_stable),
        Trial::test(
            "queries::words_and_records_are_in_a_small_sample",
            words_occur,
        ),
    ]
}

/// One query of the workload.
struct Entry {
    name: String,
    text: String,
    query: Query,
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("queries")
}

/// The queries in the order of their names.
fn entries() -> Result<Vec<Entry>, Failed> {
    let mut paths = Vec::new();
    for file in std::fs::read_dir(folder())? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "rq") {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path)?;
        let parsed = SparqlParser::new().parse_query(&text);
        let query = parsed.map_err(|error| format!("{name}: {error}"))?;
        Ok(Entry { name, text, query })
    };
    paths.into_iter().map(read).collect()
}

fn all_parse() -> Result<(), Failed> {
    let entries = entries()?;
    let names = (1..=200).map(|n| format!("{n:03}.rq")).collect::<Vec<_>>();
    let found = entries
        .iter()
        .map(|entry| entry.name.clone())
        .collect::<Vec<_>>();
    if found != names {
        return Err(format!("expected 001.rq to 200.rq, found {found:?}").into());
    }
    match entries.iter().find(|entry| !entry.text.starts_with("# ")) {
        Some(entry) => Err(format!("{} does not say what it wants", entry.name).into()),
        None => Ok(()),
    }
}

fn mix_is_the_stated_one() -> Result<(), Failed> {
    let stated = stated_mix()?;
    let mut counted = BTreeMap::<String, [usize; 2]>::new();
    for (place, entry) in entries()?.iter().enumerate() {
        for feature in features(entry) {
            counted.entry(feature).or_default()[place / 100] += 1;
        }
    }
    if stated == counted {
        return Ok(());
    }
    let table = counted
        .iter()
        .map(|(name, [a, b])| format!("| {name} | {a} | {b} |\n"));
    Err(format!("README.md should say\n{}", table.collect::<String>()).into())
}

/// The rows `| name | number | number |` of the table in the README.
fn stated_mix() -> Result<BTreeMap<String, [usize; 2]>, Failed> {
    let readme = std::fs::read_to_string(folder().join("README.md"))?;
    let row = |line: &str| {
        let cells = line
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect::<Vec<_>>();
        let [name, first, second] = cells[..] else {
            return None;
        };
        Some((name.to_owned(), [first.parse().ok()?, second.parse().ok()?]))
    };
    Ok(readme.lines().filter_map(row).collect())
}

/// What a query counts for in the table.
fn features(entry: &Entry) -> BTreeSet<String> {
    let words = tokens(&entry.text);
    let form = match entry.query {
        Query::Select { .. } => "SELECT",
        Query::Ask { .. } => "ASK",
        Query::Construct { .. } => "CONSTRUCT",
        Query::Describe { .. } => "DESCRIBE",
    };
    let mut features = BTreeSet::from([form.to_owned(), patterns(&entry.query)]);
    for (place, word) in words.iter().enumerate() {
        let next = words.get(place + 1).map_or("", String::as_str);
        let feature = match word.as_str() {
            "FILTER" | "DISTINCT" | "OPTIONAL" | "UNION" | "LIMIT" | "MINUS" | "VALUES"
            | "BIND" | "HAVING" => word,
            "ORDER" | "GROUP" if next == "BY" => &format!("{word} BY"),
            "NOT" if next == "EXISTS" => "NOT EXISTS",
            "COUNT" | "SUM" | "AVG" | "MIN" | "MAX" if next == "(" => "aggregate",
            _ => continue,
        };
        features.insert(feature.to_owned());
    }
    if words.iter().filter(|word| *word == "SELECT").count() > usize::from(form == "SELECT") {
        features.insert("sub-query".to_owned());
    }
    if algebra(&entry.query).iter().any(|token| token == "path") {
        features.insert("property path".to_owned());
    }
    features
}

/// How many triple and path patterns there are.
fn patterns(query: &Query) -> String {
    let is_pattern = |token: &&String| *token == "triple" || *token == "path";
    let count = algebra(query).iter().filter(is_pattern).count();
    match count {
        1 => "1 pattern".to_owned(),
        0 | 2..=4 => format!("{count} patterns"),
        5..=6 => "5 to 6 patterns".to_owned(),
        7..=9 => "7 to 9 patterns".to_owned(),
        _ => "10 or more patterns".to_owned(),
    }
}

fn structures_differ() -> Result<(), Failed> {
    let mut structures = BTreeSet::new();
    for entry in entries()? {
        structures.insert(structure(&entry.query));
    }
    let count = structures.len();
    if count < STRUCTURES_MIN {
        return Err(format!("{count} structures, at least {STRUCTURES_MIN} are wanted").into());
    }
    Ok(())
}

/// The algebra with terms left out and variables numbered in the order in which they come.
fn structure(query: &Query) -> String {
    let mut variables = BTreeMap::new();
    let shape = algebra(query)
        .into_iter()
        .map(|token| match token.as_bytes()[0] {
            b'?' | b'_' => {
                let next = variables.len();
                format!("?{}", variables.entry(token).or_insert(next))
            }
            b'<' => "iri".to_owned(),
            b'"' => "literal".to_owned(),
            _ => token,
        });
    shape.collect::<Vec<_>>().join(" ")
}

fn answers_are_stable() -> Result<(), Failed> {
    for entry in entries()? {
        let words = tokens(&entry.text);
        if let Some(word) = words.iter().find(|word| UNSTABLE.contains(&word.as_str())) {
            return Err(format!("{}: {word} has no one answer", entry.name).into());
        }
    }
    Ok(())
}

fn words_occur() -> Result<(), Failed> {
    let mut sample = Vec::new();
    let small = Sample {
        triples: SMALL_SAMPLE_TRIPLES,
        seed: SAMPLE_SEED,
    };
    small.write(&mut sample, &mut |_| ())?;
    let sample = String::from_utf8(sample)?;
    let known = sample.split_whitespace().collect::<BTreeSet<_>>();
    for entry in entries()? {
        let used = algebra(&entry.query)
            .into_iter()
            .filter(|token| is_word_or_record(token));
        if let Some(missing) = used.into_iter().find(|iri| !known.contains(iri.as_str())) {
            return Err(format!("{}: {missing} is not in a small sample", entry.name).into());
        }
    }
    Ok(())
}

/// An IRI of a vocabulary or of a record; not of a datatype, nor elsewhere on the Web.
fn is_word_or_record(token: &str) -> bool {
    let is_iri = token.starts_with('<');
    let is_elsewhere = ["XMLSchema#", "//doi.org/", "//people.example/", "mailto:"];
    is_iri && !is_elsewhere.iter().any(|part| token.contains(part))
}

/// The tokens of the algebra of the pattern, without what a CONSTRUCT makes of it.
fn algebra(query: &Query) -> Vec<String> {
    let (Query::Select { pattern, .. }
    | Query::Ask { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }) = query;
    let pattern: GraphPattern = pattern.clone();
    tokens(
        &Query::Ask {
            dataset: None,
            pattern,
            base_iri: None,
        }
        .to_sse(),
    )
}

/// Cuts SPARQL, or an S-expression of its algebra, in strings, IRIs, words and single characters; drops comments.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '<' => iri_length(rest).unwrap_or(1),
            _ => word_length(rest).max(first.len_utf8()),
        };
        if first != '#' {
            tokens.push(rest[..length].to_owned());
        }
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The length of the IRI at the start, if that is one and no comparison.
fn iri_length(text: &str) -> Option<usize> {
    let end = text.find('>')?;
    (!text[..end].contains(char::is_whitespace)).then_some(end + 1)
}

/// The length of the variable, prefixed name, number or keyword at the start.
fn word_length(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || "_?:-.+*".contains(c);
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}
