//! What is done with fuzzed bytes: no input may panic, hang, or be read in two ways.
//!
//! These are plain functions, so that a fuzzer drives them (see `Cargo.toml` beside this file) and the tests run them
//! over mutated seeds. Each opens no file but those of stores of its own, which vanish.

use kaluta::engine::{
    Engine, LoadOptions, LoadSource, QueryAnswer, QueryControl, QueryRequest, Rows,
};
use kaluta::replay::checksum::{Answer, Expected};
use kaluta::replay::workload::QueryForm;
use kaluta::results::RdfFormat;
use kaluta::settings::{QuerySettings, StoreSettings};
use kaluta::sparql::{Limits, parse_query, parse_update};
use sparesults::{QueryResultsFormat, QueryResultsParser, ReaderQueryResultsParserOutput};
use std::sync::LazyLock;
use std::time::Duration;
use tempfile::TempDir;

/// Takes some bytes, and panics where something is wrong.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: [(&str, Target); 4] = [
    ("query_text", query_text),
    ("results", results),
    ("expressions", expressions),
    ("n_triples", n_triples),
];

/// How long a query may run; a fuzzed one may well ask for a product of everything.
const TIMEOUT: Duration = Duration::from_millis(200);
const MEMORY_BYTES_MAX: u64 = 64 << 20;

/// A small store that queries are asked of.
static STORE: LazyLock<(Engine, TempDir)> = LazyLock::new(|| {
    let data = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
        :a :p :b, :c ; :v 1, 2.5, \"2009?\"^^xsd:gYear, \"x\"@en . :b :p :a ; :q _:x . _:x :r <<( :a :p :b )>> .
        :g { :a :p :b . :c :q \"text\" }";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = Engine::open(
        folder.path(),
        &QuerySettings::default(),
        &StoreSettings::default(),
    )
    .expect("a store");
    let source = LoadSource::bytes("data", data.as_bytes().to_vec(), RdfFormat::TriG);
    let loaded = engine.load(vec![source], &LoadOptions::default(), &());
    loaded.expect("data that parses");
    (engine, folder)
});

/// A text as query and as update; a query is run, and a plan is made of it for people to read.
pub fn query_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (query, update) = (
        parse_query(&text, None, &Limits::default()),
        parse_update(&text, None, &Limits::default()),
    );
    assert!(
        text.trim().is_empty() || query.is_err() || update.is_err(),
        "both a query and an update"
    );
    for error in [query.err(), update.err()].into_iter().flatten() {
        assert!(!error.message().is_empty());
    }
    run(&text);
}

/// An expression over values of every kind.
pub fn expressions(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    run(&format!(
        "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
         SELECT ({text} AS ?value) (COUNT(*) AS ?n) {{
           VALUES (?a ?b) {{ (1 2.5) (\"x\"@en 1e0) (:a \"2009?\"^^xsd:gYear) (UNDEF true)
             (\"2011-01-01T00:00:00Z\"^^xsd:dateTime \"P1D\"^^xsd:dayTimeDuration) (<<( :a :p 1 )>> \"\") }}
         }} GROUP BY ({text} AS ?key) ?a ?b ORDER BY ({text})"
    ));
    run(&format!(
        "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
         SELECT * {{ ?a ?p ?b FILTER({text}) }}"
    ));
}

/// Runs a query to its end, or to a limit.
fn run(text: &str) {
    let request = QueryRequest {
        text: text.to_owned(),
        ..QueryRequest::default()
    };
    let engine = &STORE.0;
    let Ok(query) = engine.prepare(&request) else {
        return;
    };
    let control = QueryControl::new(Some(TIMEOUT), Some(MEMORY_BYTES_MAX));
    if let Ok(plan) = engine.explain(&query, false, &control) {
        assert!(!plan.to_string().is_empty());
    }
    match engine.execute(&query, &control) {
        Ok(QueryAnswer::Solutions(rows) | QueryAnswer::Triples(rows)) => read(rows),
        Ok(QueryAnswer::Boolean(_)) | Err(_) => {}
    }
}

/// Reads rows and looks their terms up; an error ends them as well as their last one.
fn read(mut rows: Rows) {
    while let Ok(Some(batch)) = rows.next_batch() {
        for id in batch.columns().iter().flatten().filter(|id| id.is_bound()) {
            rows.to_term(*id).expect("a term of an answer");
        }
    }
}

/// An answer of another server, in every format that is read.
pub fn results(bytes: &[u8]) {
    for form in [
        QueryForm::Select,
        QueryForm::Ask,
        QueryForm::Construct,
        QueryForm::Describe,
    ] {
        let first = Answer::read(&Expected::of_form(form), "", bytes);
        let second = Answer::read(&Expected::of_form(form), "", bytes);
        assert_eq!(first.ok(), second.ok(), "a checksum that changes");
    }
    for format in [
        QueryResultsFormat::Json,
        QueryResultsFormat::Xml,
        QueryResultsFormat::Tsv,
    ] {
        let parsed = QueryResultsParser::from_format(format).for_reader(bytes);
        if let Ok(ReaderQueryResultsParserOutput::Solutions(solutions)) = parsed {
            for solution in solutions {
                if solution.is_err() {
                    break;
                }
            }
        }
    }
}

/// N-Triples: what loads strictly loads leniently to the same, and comes back out as it is.
pub fn n_triples(bytes: &[u8]) {
    let (strict, lenient) = (dump(bytes, false), dump(bytes, true));
    let lenient = lenient.expect("a lenient load");
    if let Some(strict) = strict {
        assert_eq!(strict, lenient, "strict and lenient loads differ");
    }
    let again = dump(lenient.join("\n").as_bytes(), false);
    // Blank nodes get other names.
    let count = |lines: &[String]| lines.len();
    assert_eq!(again.as_deref().map(count), Some(count(&lenient)));
}

/// What is in a store after a load, as sorted lines; `None` where the load failed.
fn dump(bytes: &[u8], is_lenient: bool) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = Engine::open(
        folder.path(),
        &QuerySettings::default(),
        &StoreSettings::default(),
    )
    .expect("a store");
    let options = LoadOptions {
        lenient: is_lenient,
        ..LoadOptions::default()
    };
    let source = LoadSource::bytes("fuzzed", bytes.to_vec(), RdfFormat::NTriples);
    engine.load(vec![source], &options, &()).ok()?;
    let mut rows = engine.dump().expect("a dump");
    let mut lines = Vec::new();
    while let Some(batch) = rows.next_batch().expect("a batch") {
        for row in 0..batch.rows() {
            let term = |c: usize| rows.to_term(batch.column(c)[row]).expect("a term");
            lines.push(format!("{} {} {} .", term(0), term(1), term(2)));
        }
    }
    lines.sort_unstable();
    Some(lines)
}
