//! What goes in comes out: every sort of term, every format, graphs, blank nodes, and with little memory.

use super::*;

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
