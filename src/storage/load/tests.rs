//! Loads through files: round trips, bad input, killed loads, and little memory.

use super::*;
use crate::diagnostics::ErrorKind;
use crate::rdf::RdfFormat;
use crate::storage::{ColumnMask, Permutation, QuadColumn, Store};
use crate::term::{LiteralSort, TermId, TermStore, TermView};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{
    BlankNode, Dataset, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term, Triple,
};
use oxrdfio::{RdfParser, RdfSerializer};
use std::fs;

/// The term of an id, with blank nodes named by their numbers.
fn term(snapshot: &Snapshot, id: TermId) -> Term {
    let mut buffer = Vec::new();
    let view = match id.tag().is_stored() || id.tag() == crate::term::Tag::Blank {
        true => snapshot.resolve(id, &mut buffer).unwrap(),
        false => crate::term::inline::resolve(id, &mut buffer),
    };
    match view {
        TermView::Iri(iri) => NamedNode::new(iri).unwrap().into(),
        TermView::Blank { number, .. } => BlankNode::new(format!("b{number}")).unwrap().into(),
        TermView::Literal { lexical, sort } => match sort {
            LiteralSort::String => Literal::new_simple_literal(lexical),
            LiteralSort::Lang(language, None) => {
                Literal::new_language_tagged_literal_unchecked(lexical, language)
            }
            LiteralSort::Lang(language, Some(direction)) => {
                Literal::new_directional_language_tagged_literal_unchecked(
                    lexical, language, direction,
                )
            }
            LiteralSort::Typed(datatype) => {
                Literal::new_typed_literal(lexical, NamedNode::new(datatype).unwrap())
            }
        }
        .into(),
        TermView::Triple([s, p, o]) => Triple::new(
            subject(term(snapshot, s)),
            iri(term(snapshot, p)),
            term(snapshot, o),
        )
        .into(),
    }
}

fn subject(term: Term) -> NamedOrBlankNode {
    match term {
        Term::NamedNode(iri) => iri.into(),
        Term::BlankNode(node) => node.into(),
        other => panic!("{other} is no subject"),
    }
}

fn iri(term: Term) -> NamedNode {
    match term {
        Term::NamedNode(iri) => iri,
        other => panic!("{other} is no IRI"),
    }
}

/// All quads of a store.
fn dump(store: &Store) -> Dataset {
    let snapshot = store.snapshot();
    let mut scan = snapshot
        .scan(Permutation::Spog, &[], ColumnMask::ALL)
        .unwrap();
    let mut dataset = Dataset::new();
    while let Some(block) = scan.next_block().unwrap() {
        for row in 0..block.rows() {
            let [s, p, o, g] = QuadColumn::ALL.map(|column| block.column(column)[row]);
            let graph = match g {
                TermId::DEFAULT_GRAPH => GraphName::DefaultGraph,
                g => subject(term(&snapshot, g)).into(),
            };
            let subject = subject(term(&snapshot, s));
            let quad = Quad::new(subject, iri(term(&snapshot, p)), term(&snapshot, o), graph);
            dataset.insert(&quad);
        }
    }
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    dataset
}

fn parsed(text: &str, format: RdfFormat) -> Dataset {
    let quads = RdfParser::from_format(format).for_slice(text);
    let mut dataset: Dataset = quads.map(|quad| quad.unwrap()).collect();
    dataset.canonicalize(CanonicalizationAlgorithm::Unstable);
    dataset
}

fn source(text: impl Into<Vec<u8>>, format: RdfFormat) -> LoadSource {
    LoadSource::bytes("test", text.into(), format)
}

fn load(store: &Store, sources: Vec<LoadSource>) -> Result<LoadReport> {
    store.bulk_load(sources, &LoadOptions::default(), &())
}

fn lenient() -> LoadOptions {
    LoadOptions {
        lenient: true,
        ..LoadOptions::default()
    }
}

fn new_store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("store")).unwrap();
    (dir, store)
}

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// N-Quads with every sort of term, and with such as are easily changed on the way.
fn every_term() -> String {
    let mut text = String::from(
        r#"<http://e/s> <http://e/p> <http://e/o> .
<http://e/s> <http://e/p> <http://e/o> <http://e/g> .
<http://e/s> <http://e/p> <http://e/o> _:graph .
_:a <http://e/p> _:b <http://e/g> .
_:b <http://e/p> _:a .
<http://e/\u00E9\U0001F600> <http://e/p> "escapes \t\n\r\"\\ \u00E9 \U0001F600 \u0000 \u0001" .
<http://e/é😀> <http://e/p> "日本語" .
<http://e/s> <http://e/p> "" .
<http://e/s> <http://e/p> "chat"@fr .
<http://e/s> <http://e/p> "chat"@en-GB-x-odd .
<http://e/s> <http://e/p> "a\u0000b\u0001"@en .
<http://e/s> <http://e/p> "shalom"@he--rtl .
<http://e/s> <http://e/p> "hello"@en--ltr .
<http://e/s> <http://e/p> "x\u0000"^^<http://e/datatype> .
<http://e/s> <http://e/p> <<( <http://e/s> <http://e/p> "in" )>> .
<http://e/s> <http://e/p> <<( _:a <http://e/p> <<( <http://e/x> <http://e/y> <<( <http://e/z> <http://e/p> "1"@en )>> )>> )>> .
<http://e/s> <http://e/p> <<( <http://e/x> <http://e/y> <<( <http://e/z> <http://e/p> "1"@en )>> )>> .
"#,
    );
    for (datatype, lexicals) in [
        (
            "integer",
            &[
                "1",
                "01",
                "+1",
                "-0",
                "123456789012345678901234567890",
                "x",
                "",
            ][..],
        ),
        (
            "decimal",
            &[
                "1.50",
                "1.5",
                ".5",
                "-0.0",
                "1.",
                "12345678901234567890.123",
            ],
        ),
        (
            "double",
            &[
                "1.0E0", "1e0", "INF", "-INF", "NaN", "1.0e400", "0.1", "+1.5E3",
            ],
        ),
        ("float", &["1.0", "1", "-0", "3.4028235E38"]),
        ("boolean", &["true", "false", "1", "0", "TRUE"]),
        (
            "dateTime",
            &[
                "2009-01-02T03:04:05Z",
                "2009-01-02T03:04:05.120+01:00",
                "2009?",
                "-0001-01-01T00:00:00",
            ],
        ),
        (
            "date",
            &["2009-01-02", "2009-01-02Z", "in press", "2009-02-30"],
        ),
        ("gYear", &["2009", "-2009", "02009", "2009Z"]),
        ("string", &["plain"]),
    ] {
        for lexical in lexicals {
            text +=
                &format!("<http://e/s> <http://e/{datatype}> \"{lexical}\"^^<{XSD}{datatype}> .\n");
        }
    }
    text + &format!(
        "<http://e/s> <http://e/long> \"{}\" .\n",
        "long text ".repeat(120_000)
    )
}

#[test]
fn every_term_comes_back_exactly() {
    let (_dir, store) = new_store();
    let text = every_term();
    load(&store, vec![source(&*text, RdfFormat::NQuads)]).unwrap();
    let expected = parsed(&text, RdfFormat::NQuads);
    assert!(dump(&store) == expected);
    // A second load of the same adds what has blank nodes only, for those are new ones each time.
    let report = load(&store, vec![source(&*text, RdfFormat::NQuads)]).unwrap();
    let with_blank = |line: &&str| line.contains("_:");
    assert_eq!(
        report.quads_added,
        text.lines().filter(with_blank).count() as u64
    );
}

#[test]
fn files_of_every_format_are_loaded_compressed_or_not() {
    let graph = "<http://e/s> <http://e/p> \"chat\"@fr , 1 , <http://e/o> ; <http://e/q> [ <http://e/r> 2.50 ] .";
    let expected = parsed(graph, RdfFormat::Turtle);
    let dir = tempfile::tempdir().unwrap();
    for extension in [
        "nt", "nq", "ttl", "trig", "rdf", "xml", "owl", "jsonld", "n3",
    ] {
        let format = crate::rdf::format_from_extension(extension).unwrap();
        let mut serializer = RdfSerializer::from_format(format).for_writer(Vec::new());
        for quad in &expected {
            serializer.serialize_quad(quad).unwrap();
        }
        let bytes = serializer.finish().unwrap();
        let plain = dir.path().join(format!("data.{extension}"));
        fs::write(&plain, &bytes).unwrap();
        let packed = dir.path().join(format!("data.{extension}.zst"));
        fs::write(&packed, zstd::encode_all(&bytes[..], 1).unwrap()).unwrap();
        for path in [plain, packed] {
            let (_dir, store) = new_store();
            load(&store, vec![LoadSource::file(&path)]).unwrap();
            assert_eq!(dump(&store), expected, "{}", path.display());
        }
    }
}

#[test]
fn statements_without_a_graph_go_to_the_graph_of_the_source() {
    let (_dir, store) = new_store();
    let graph = |n: u32| GraphName::from(NamedNode::new(format!("http://e/g{n}")).unwrap());
    let quads = "<http://e/s> <http://e/p> <http://e/o> .\n<http://e/s> <http://e/p> <http://e/o> <http://e/g0> .";
    let formats = [RdfFormat::NQuads, RdfFormat::TriG, RdfFormat::NTriples];
    let sources = formats.into_iter().zip(1..).map(|(format, n)| {
        let text = match format {
            RdfFormat::NTriples => quads.lines().next().unwrap().to_owned(),
            RdfFormat::TriG => "<http://e/s> <http://e/p> <http://e/o> .".to_owned(),
            _ => quads.to_owned(),
        };
        LoadSource {
            graph: graph(n),
            ..source(text, format)
        }
    });
    load(&store, sources.collect()).unwrap();
    let expected = "<http://e/s> <http://e/p> <http://e/o> <http://e/g";
    let expected: String = (0..4).map(|n| format!("{expected}{n}> .\n")).collect();
    assert_eq!(dump(&store), parsed(&expected, RdfFormat::NQuads));
    assert_eq!(store.snapshot().single_graph(), None);
}

#[test]
fn labels_of_blank_nodes_are_those_of_their_document() {
    let (_dir, store) = new_store();
    let text = "_:a <http://e/p> _:a .";
    load(
        &store,
        vec![
            source(text, RdfFormat::NTriples),
            source(text, RdfFormat::Turtle),
        ],
    )
    .unwrap();
    load(
        &store,
        vec![source("[] <http://e/p> _:a .", RdfFormat::Turtle)],
    )
    .unwrap();
    let expected = "_:a <http://e/p> _:a . _:b <http://e/p> _:b . _:c <http://e/p> _:d .";
    assert_eq!(dump(&store), parsed(expected, RdfFormat::Turtle));
}

#[test]
fn relative_iris_are_resolved_against_the_base() {
    let (_dir, store) = new_store();
    let base = Some(oxiri::Iri::parse("http://e/dir/".to_owned()).unwrap());
    let source = LoadSource {
        base,
        ..source("<s> <p> <o> .", RdfFormat::Turtle)
    };
    load(&store, vec![source]).unwrap();
    let expected = "<http://e/dir/s> <http://e/dir/p> <http://e/dir/o> .";
    assert_eq!(dump(&store), parsed(expected, RdfFormat::NTriples));
}

/// Three good statements, and three with a space in an IRI, a bad percent sign and an unterminated string.
const BAD_LINES: &str = r#"<http://e/1> <http://e/p> "x" .
<http://e/a b> <http://e/p> "x" .
<http://e/2> <http://e/p> "y"@en .
<http://e/x> <http://e/p> <http://e/100%> .
<http://e/x> <http://e/p> "unterminated .
<http://e/3> <http://e/p> _:b .
"#;

#[test]
fn a_bad_line_ends_a_strict_load_and_leaves_the_store_as_it_was() {
    let (dir, store) = new_store();
    load(
        &store,
        vec![source("<http://e/0> <http://e/p> 1 .", RdfFormat::Turtle)],
    )
    .unwrap();
    let before = (dump(&store), names(dir.path()));
    for (text, line, column) in [
        (BAD_LINES, 2, 1),
        ("# a comment\n\n<http://e/x> <http://e/p> \"a\\q\" .", 3, 29),
        ("<http://e/x> <http://e/p> \"a\"@waytoolongtag .", 1, 31),
        (
            "<http://e/x> <http://e/p> \"a\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .",
            1,
            0,
        ),
        ("<http://e/x> <http://e/p> \"\\uD83D\\uDE00\" .", 1, 0),
        ("<http://e/x> <http://e/p> <http://e/o>", 1, 0),
        (
            "<http://e/x> <http://e/p> <http://e/o> <http://e/g> .",
            1,
            0,
        ),
    ] {
        let error = load(&store, vec![source(text, RdfFormat::NTriples)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax, "{text}");
        let position = error.position().unwrap();
        assert_eq!(
            (position.file.as_deref(), position.line),
            (Some("test"), line),
            "{error}"
        );
        assert!(column == 0 || position.column == column, "{error}");
        assert!(position.excerpt.contains('^'));
    }
    let turtle = "<http://e/s> <http://e/p> <http://e/o> .\n<http://e/s> <http://e/p> 1 2 .";
    let error = load(&store, vec![source(turtle, RdfFormat::Turtle)]).unwrap_err();
    assert_eq!(error.position().unwrap().line, 2);
    let missing = load(&store, vec![LoadSource::file("not/there.nt")]).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert!(before == (dump(&store), names(dir.path())));
}

#[test]
fn the_first_error_is_reported_whichever_thread_meets_one_first() {
    let (_dir, store) = new_store();
    let good = "<http://e/s> <http://e/p> <http://e/o> .\n".repeat(60_000);
    let bad = "<http://e/s> <http://e/p> oops .\n";
    let text = format!("{good}{bad}{good}{bad}{good}");
    for _ in 0..3 {
        let error = load(&store, vec![source(&*text, RdfFormat::NTriples)]).unwrap_err();
        assert_eq!(error.position().unwrap().line, 60_001);
    }
}

#[test]
fn a_lenient_load_skips_bad_lines_and_says_which() {
    let (_dir, store) = new_store();
    let sources = vec![source(BAD_LINES, RdfFormat::NTriples)];
    let report = store.bulk_load(sources, &lenient(), &()).unwrap();
    assert_eq!((report.quads_added, report.skipped_total), (3, 3));
    let lines: Vec<_> = report
        .skipped
        .iter()
        .map(|s| (s.source.as_str(), s.line))
        .collect();
    assert_eq!(lines, [("test", 2), ("test", 4), ("test", 5)]);
    assert_eq!(
        store
            .snapshot()
            .lookup(&TermView::Iri("http://e/a b"))
            .unwrap(),
        None
    );
    let turtle = "<http://e/1> <http://e/p> 1 .\n<http://e/a b> <http://e/p> 1 .\n<http://e/2> <http://e/p> 1 .\n";
    let sources = vec![source(turtle, RdfFormat::Turtle)];
    let report = store.bulk_load(sources, &lenient(), &()).unwrap();
    assert_eq!(report.quads_added, 2);
    assert_eq!(report.skipped[0].line, 2);
}

#[test]
fn a_lenient_load_of_a_document_that_is_beyond_repair_ends() {
    let json_ld = crate::rdf::format_from_extension("jsonld").unwrap();
    for (format, text) in [
        (
            RdfFormat::RdfXml,
            "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><a><b></rdf:RDF>",
        ),
        (json_ld, "{\"@id\": \"http://e/s\", \"http://e/p\": [1, 2"),
        (
            RdfFormat::Turtle,
            "<http://e/s> <http://e/p> \"\"\"never ends",
        ),
        (RdfFormat::TriG, "}}}} { { <a> ."),
    ] {
        let (_dir, store) = new_store();
        let report = store.bulk_load(vec![source(text, format)], &lenient(), &());
        assert!(report.unwrap().skipped_total > 0, "{format}");
        let error = load(&store, vec![source(text, format)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax);
    }
}

#[test]
fn a_report_names_the_first_skipped_lines_and_counts_all() {
    let (_dir, store) = new_store();
    let text = "oops\n".repeat(300_000);
    let sources = vec![source(text, RdfFormat::NTriples)];
    let report = store.bulk_load(sources, &lenient(), &()).unwrap();
    assert_eq!(report.skipped_total, 300_000);
    let lines: Vec<_> = report.skipped.iter().map(|s| s.line).collect();
    assert_eq!(
        lines,
        (1..=report::SKIPPED_NAMED_MAX as u64).collect::<Vec<_>>()
    );
}

#[test]
fn little_memory_changes_nothing_but_the_way() {
    let mut text = every_term();
    for i in 0..20_000 {
        text += &format!(
            "<http://e/s{}> <http://e/p{}> \"value {}\" <http://e/g{}> .\n",
            i % 700,
            i % 7,
            i * 31 % 9000,
            i % 2
        );
        text += &format!(
            "_:n{} <http://e/q> <<( _:n{} <http://e/p> {} )>> .\n",
            i % 50,
            i % 30,
            "\"x\""
        );
    }
    let mut files = Vec::new();
    for memory_bytes_max in [200_000, 1 << 30] {
        let (dir, store) = new_store();
        let options = LoadOptions {
            memory_bytes_max,
            threads: 1,
            ..LoadOptions::default()
        };
        let cut = text
            .char_indices()
            .filter(|(_, c)| *c == '\n')
            .nth(9000)
            .unwrap()
            .0
            + 1;
        // Two sources, so that chunks of the little memory hold terms of both.
        let sources = vec![
            source(&text[..cut], RdfFormat::NQuads),
            source(&text[cut..], RdfFormat::NQuads),
        ];
        store.bulk_load(sources, &options, &()).unwrap();
        files.push((dir, store));
    }
    let [(little_dir, little), (much_dir, much)] = &files[..] else {
        panic!("two stores");
    };
    assert_eq!(little.snapshot().statistics(), much.snapshot().statistics());
    assert_eq!(names(little_dir.path()), names(much_dir.path()));
    for name in names(little_dir.path())
        .iter()
        .filter(|name| name.ends_with("og") || name.starts_with("g"))
    {
        let read = |dir: &tempfile::TempDir| fs::read(dir.path().join("store").join(name)).unwrap();
        assert!(read(little_dir) == read(much_dir), "{name}");
    }
    for permutation in Permutation::ALL {
        let rows = |store: &Store| {
            let snapshot = store.snapshot();
            let mut scan = snapshot.scan(permutation, &[], ColumnMask::ALL).unwrap();
            let mut rows = Vec::new();
            while let Some(block) = scan.next_block().unwrap() {
                let columns = QuadColumn::ALL.map(|column| block.column(column).to_vec());
                rows.extend((0..block.rows()).map(|row| columns.each_ref().map(|c| c[row])));
            }
            rows
        };
        assert!(rows(little) == rows(much), "{permutation:?}");
    }
}

#[test]
fn what_a_killed_load_left_over_is_removed_when_the_store_is_opened() {
    let (dir, store) = new_store();
    load(
        &store,
        vec![source("<http://e/s> <http://e/p> 1 .", RdfFormat::Turtle)],
    )
    .unwrap();
    let before = (dump(&store), names(dir.path()));
    drop(store);
    let location = dir.path().join("store");
    for name in [
        "000002.terms",
        "000002.spog",
        "000002.statistics",
        "manifest.new",
    ] {
        fs::write(location.join(name), "half of it").unwrap();
    }
    let store = Store::open_read_only(&location).unwrap();
    assert_eq!(dump(&store), before.0);
    drop(store);
    let store = Store::open(&location).unwrap();
    assert!(before == (dump(&store), names(dir.path())));
    load(
        &store,
        vec![source("<http://e/s> <http://e/p> 2 .", RdfFormat::Turtle)],
    )
    .unwrap();
    assert_eq!(store.snapshot().quad_count(), 2);
}

#[test]
fn one_writer_or_several_readers_have_a_store_open() {
    let (dir, store) = new_store();
    let location = dir.path().join("store");
    assert_eq!(
        Store::open(&location).unwrap_err().kind(),
        ErrorKind::Locked
    );
    assert_eq!(
        Store::open_read_only(&location).unwrap_err().kind(),
        ErrorKind::Locked
    );
    drop(store);
    let readers = [
        Store::open_read_only(&location).unwrap(),
        Store::open_read_only(&location).unwrap(),
    ];
    assert_eq!(
        Store::open(&location).unwrap_err().kind(),
        ErrorKind::Locked
    );
    let outcome = load(&readers[0], Vec::new());
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Forbidden);
    drop(readers);
    Store::open(&location).unwrap();
}

#[test]
fn a_directory_that_is_no_store_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Store::open_read_only(&dir.path().join("none")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    fs::write(dir.path().join("thesis.txt"), "years of work").unwrap();
    assert_eq!(
        Store::open(dir.path()).unwrap_err().kind(),
        ErrorKind::Settings
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_flipped_byte_in_any_file_is_corruption_and_never_a_panic() {
    let (dir, store) = new_store();
    let text: String = (0..3000)
        .map(|i| format!("<http://e/s{i}> <http://e/p> \"{}\" .\n", i * 7))
        .collect();
    load(&store, vec![source(text, RdfFormat::NTriples)]).unwrap();
    drop(store);
    let location = dir.path().join("store");
    let read_all = || -> Result<()> {
        let store = Store::open_read_only(&location)?;
        let snapshot = store.snapshot();
        let mut buffer = Vec::new();
        for permutation in Permutation::ALL {
            let mut scan = snapshot.scan(permutation, &[], ColumnMask::ALL)?;
            while let Some(block) = scan.next_block()? {
                for &id in block.column(QuadColumn::Object) {
                    snapshot.resolve(id, &mut buffer)?;
                }
                for &id in block.column(QuadColumn::Subject) {
                    snapshot.resolve(id, &mut buffer)?;
                }
            }
        }
        Ok(())
    };
    read_all().unwrap();
    for name in names(dir.path()).iter().filter(|name| *name != "lock") {
        let path = location.join(name);
        let good = fs::read(&path).unwrap();
        for place in [
            0,
            good.len() / 5,
            good.len() / 2,
            good.len() * 4 / 5,
            good.len() - 1,
        ] {
            let mut bad = good.clone();
            bad[place] ^= 0x04;
            fs::write(&path, &bad).unwrap();
            // A flipped byte may lie in the table of unused symbols or in a page that no term needs.
            match read_all() {
                Err(error) => assert_eq!(error.kind(), ErrorKind::Corruption, "{name} {place}"),
                Ok(()) => assert!(name.ends_with("terms"), "{name} {place}"),
            }
        }
        fs::write(&path, &good).unwrap();
    }
    read_all().unwrap();
}

/// The names of the files of the store in a directory.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir.join("store")).unwrap();
    let mut names: Vec<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn progress_is_told_stage_by_stage() {
    struct Stages(std::sync::Mutex<Vec<LoadState>>);
    impl LoadProgress for Stages {
        fn update(&self, state: LoadState) {
            self.0.lock().unwrap().push(state);
        }
    }
    let (_dir, store) = new_store();
    let text = "<http://e/s> <http://e/p> <http://e/o> .\n";
    let stages = Stages(std::sync::Mutex::default());
    let sources = vec![source(text, RdfFormat::NTriples)];
    let report = store
        .bulk_load(sources, &LoadOptions::default(), &stages)
        .unwrap();
    let states = stages.0.into_inner().unwrap();
    assert!(states.is_sorted_by_key(|state| state.stage));
    let last = states.last().unwrap();
    assert_eq!(last.stage, LoadStage::Write);
    assert_eq!(
        (last.bytes_read, last.bytes_total),
        (text.len() as u64, text.len() as u64)
    );
    assert_eq!(last.quads_read, 1);
    assert_eq!(
        report
            .stage_seconds
            .iter()
            .map(|(s, _)| *s)
            .collect::<Vec<_>>(),
        LoadStage::ALL
    );
}
