//! Bad input: strict loads end with a position, lenient ones skip and report.

use super::*;

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
fn rdf_xml_that_ends_too_early_is_refused_wherever_it_ends() {
    let whole = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e/\">\n\
        <rdf:Description rdf:about=\"http://e/a\"><e:q>xyz</e:q></rdf:Description>\n</rdf:RDF>";
    let (_dir, store) = new_store();
    for end in 0..whole.len() {
        let sources = vec![source(&whole[..end], RdfFormat::RdfXml)];
        let error = load(&store, sources).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
        assert!(error.position().is_some(), "{error}");
    }
    assert_eq!(store.snapshot().quad_count(), 0);
    load(&store, vec![source(whole, RdfFormat::RdfXml)]).unwrap();
    assert_eq!(store.snapshot().quad_count(), 1);
    let bad = whole.replace("http://e/a", "http://e/{a}");
    let error = load(&store, vec![source(bad, RdfFormat::RdfXml)]).unwrap_err();
    assert_eq!(error.position().unwrap().line, 2, "{error}");
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
