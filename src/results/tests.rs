//! Every format, read back by the parsers of `sparesults` and `oxrdfio`.

use super::formats::SolutionsFormat;
use super::{QuadsWriter, RdfFormat, SolutionsWriter, write_boolean};
use crate::batch::Batch;
use crate::diagnostics::{Error, Result};
use crate::term::{LiteralSort, ResolveTerm, Tag, TermId, TermView};
use oxrdf::{BaseDirection, GraphName, Quad, Term, Variable};
use oxrdfio::RdfParser;
use proptest::prelude::*;
use sparesults::{
    QueryResultsFormat, QueryResultsParser, ReaderQueryResultsParserOutput as Parsed,
};

/// A dictionary for tests: terms in a list, a term's id being its place.
#[derive(Default)]
struct Terms(Vec<Entry>);

#[derive(Clone, Debug)]
enum Entry {
    Iri(String),
    Blank(u64, bool),
    Literal(String, Sort),
    Triple([TermId; 3]),
}

#[derive(Clone, Debug)]
enum Sort {
    String,
    Lang(&'static str, Option<BaseDirection>),
    Typed(&'static str),
}

impl Terms {
    fn push(&mut self, entry: Entry) -> TermId {
        self.0.push(entry);
        TermId::new(Tag::Typed, self.0.len() as u64 - 1)
    }
}

impl ResolveTerm for Terms {
    fn resolve<'b>(&self, id: TermId, buffer: &'b mut Vec<u8>) -> Result<TermView<'b>> {
        let entry = self
            .0
            .get(id.payload() as usize)
            .ok_or_else(|| Error::internal("no such term"))?;
        buffer.clear();
        let text = match entry {
            Entry::Iri(text) | Entry::Literal(text, _) => text.as_str(),
            _ => "",
        };
        buffer.extend_from_slice(text.as_bytes());
        let text = std::str::from_utf8(buffer).unwrap();
        Ok(match entry {
            Entry::Iri(_) => TermView::Iri(text),
            Entry::Blank(number, local) => TermView::Blank {
                number: *number,
                local: *local,
            },
            Entry::Triple(parts) => TermView::Triple(*parts),
            Entry::Literal(_, sort) => TermView::Literal {
                lexical: text,
                sort: match sort {
                    Sort::String => LiteralSort::String,
                    Sort::Lang(language, direction) => LiteralSort::Lang(language, *direction),
                    Sort::Typed(datatype) => LiteralSort::Typed(datatype),
                },
            },
        })
    }
}

const XSD_INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";
const XSD_DECIMAL: &str = "http://www.w3.org/2001/XMLSchema#decimal";

fn variables(count: usize) -> Vec<Variable> {
    (0..count)
        .map(|i| Variable::new_unchecked(format!("v{i}")))
        .collect()
}

fn solutions(format: SolutionsFormat, batch: &Batch, terms: &Terms) -> Result<String> {
    let mut out = Vec::new();
    let mut writer = SolutionsWriter::start(format, &variables(batch.columns().len()), &mut out);
    writer.write_rows(batch, 0..batch.rows(), terms, &mut out)?;
    writer.finish(&mut out);
    Ok(String::from_utf8(out).unwrap())
}

fn parsed_format(format: SolutionsFormat) -> QueryResultsFormat {
    match format {
        SolutionsFormat::Json => QueryResultsFormat::Json,
        SolutionsFormat::Xml => QueryResultsFormat::Xml,
        SolutionsFormat::Csv => QueryResultsFormat::Csv,
        SolutionsFormat::Tsv => QueryResultsFormat::Tsv,
    }
}

/// What should come back: the rows as terms, in the order of the columns.
fn rows(batch: &Batch, terms: &Terms) -> Vec<Vec<Option<Term>>> {
    let cell = |id: TermId| id.is_bound().then(|| super::to_term(id, terms).unwrap());
    (0..batch.rows())
        .map(|i| batch.columns().iter().map(|c| cell(c[i])).collect())
        .collect()
}

fn parse_solutions(format: SolutionsFormat, text: &str) -> Vec<Vec<Option<Term>>> {
    let parser = QueryResultsParser::from_format(parsed_format(format));
    let Parsed::Solutions(solutions) = parser.for_reader(text.as_bytes()).expect(text) else {
        panic!("not solutions: {text}");
    };
    solutions
        .map(|s| s.expect(text).values().to_vec())
        .collect()
}

/// The strings of case A30: a quotation, a tab and a line end of two characters.
fn awkward() -> (Terms, Batch) {
    let mut terms = Terms::default();
    let text = "say \"hi\"\tthere\r\nend".to_owned();
    let cells = [
        terms.push(Entry::Literal(text, Sort::String)),
        terms.push(Entry::Literal("5".to_owned(), Sort::Typed(XSD_INTEGER))),
    ];
    let batch = Batch::new(vec![cells.to_vec()], 2);
    (terms, batch)
}

#[test]
fn awkward_strings_are_escaped_as_each_format_says() {
    let (terms, batch) = awkward();
    let check = |format, expected: &str| {
        assert_eq!(solutions(format, &batch, &terms).unwrap(), expected);
    };
    check(
        SolutionsFormat::Tsv,
        "?v0\n\"say \\\"hi\\\"\\tthere\\r\\nend\"\n5\n",
    );
    check(
        SolutionsFormat::Csv,
        "v0\r\n\"say \"\"hi\"\"\tthere\r\nend\"\r\n5\r\n",
    );
    let xml = solutions(SolutionsFormat::Xml, &batch, &terms).unwrap();
    assert!(
        xml.contains("say &quot;hi&quot;\tthere&#xD;\nend</literal>"),
        "{xml}"
    );
    let json = solutions(SolutionsFormat::Json, &batch, &terms).unwrap();
    assert!(
        json.contains(r#""value":"say \"hi\"\tthere\r\nend""#),
        "{json}"
    );
}

#[test]
fn n_triples_never_have_bare_numbers() {
    let (mut terms, _) = awkward();
    let subject = terms.push(Entry::Blank(7, false));
    let predicate = terms.push(Entry::Iri("http://e/p".to_owned()));
    let five = TermId::new(Tag::Typed, 1);
    let batch = Batch::new(vec![vec![subject], vec![predicate], vec![five]], 1);
    assert_eq!(
        quads(RdfFormat::NTriples, &batch, &terms),
        format!("_:b7 <http://e/p> \"5\"^^<{XSD_INTEGER}> .\n")
    );
}

#[test]
fn booleans_are_read_back() {
    for format in SolutionsFormat::ALL {
        for value in [true, false] {
            let mut out = Vec::new();
            write_boolean(format, value, &mut out);
            if format == SolutionsFormat::Csv {
                // Nothing reads CSV back: it does not tell kinds of terms apart.
                assert_eq!(out, value.to_string().into_bytes());
                continue;
            }
            let parser = QueryResultsParser::from_format(parsed_format(format));
            match parser.for_reader(out.as_slice()).unwrap() {
                Parsed::Boolean(read) => assert_eq!(read, value),
                Parsed::Solutions(_) => panic!("not a boolean: {format:?}"),
            }
        }
    }
}

#[test]
fn csv_quotes_the_parts_of_triple_terms() {
    let mut terms = Terms::default();
    let iri = terms.push(Entry::Iri("http://e/a".to_owned()));
    let text = terms.push(Entry::Literal("say \"x\"".to_owned(), Sort::String));
    let triple = terms.push(Entry::Triple([iri, iri, text]));
    let batch = Batch::new(vec![vec![triple]], 1);
    assert_eq!(
        solutions(SolutionsFormat::Csv, &batch, &terms).unwrap(),
        "v0\r\n\"<<( http://e/a http://e/a \"\"say \"\"\"\"x\"\"\"\"\"\" )>>\"\r\n"
    );
}

fn quads(format: RdfFormat, batch: &Batch, terms: &Terms) -> String {
    let mut out = Vec::new();
    let mut writer = QuadsWriter::start(format);
    writer
        .write_rows(batch, 0..batch.rows(), terms, &mut out)
        .unwrap();
    writer.finish(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_memo_forgets_and_never_mixes_cells_up() {
    let mut terms = Terms::default();
    let mut ids = Vec::new();
    for i in 0..20_000 {
        let long = "x".repeat(i % 700);
        ids.push(terms.push(Entry::Literal(format!("{i} {long}"), Sort::String)));
    }
    // Every id comes three times, now soon after itself and now long after.
    let column: Vec<_> = (0..3 * ids.len()).map(|i| ids[i * 7 % ids.len()]).collect();
    let rows = column.len();
    let batch = Batch::new(vec![column.clone()], rows);
    let text = solutions(SolutionsFormat::Tsv, &batch, &terms).unwrap();
    for (line, id) in text.lines().skip(1).zip(column) {
        let number = line.trim_start_matches('"').split(' ').next();
        assert_eq!(number, Some(id.payload().to_string().as_str()));
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z \"\\\\\t\r\n,<>&']{0,12}",
        "\\PC{0,8}",
        prop::collection::vec(any::<char>(), 0..6).prop_map(|c| c.into_iter().collect()),
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    let sort = prop_oneof![
        Just(Sort::String),
        Just(Sort::Lang("en", None)),
        Just(Sort::Lang("ar-eg", Some(BaseDirection::Rtl))),
        Just(Sort::Typed("http://e/type")),
    ];
    prop_oneof![
        "[a-z/]{0,5}#?".prop_map(|s| Entry::Iri(format!("http://example.org/{s}"))),
        (0u64..20, any::<bool>()).prop_map(|(n, local)| Entry::Blank(n, local)),
        (text(), sort).prop_map(|(t, s)| Entry::Literal(t, s)),
        (0i64..2000).prop_map(|n| Entry::Literal(n.to_string(), Sort::Typed(XSD_INTEGER))),
        (0i64..99).prop_map(|n| Entry::Literal(format!("{n}.50"), Sort::Typed(XSD_DECIMAL))),
    ]
}

fn xml_carries(entry: &Entry) -> bool {
    let bad = |c: char| {
        (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{FFFE}' | '\u{FFFF}')
    };
    !matches!(entry, Entry::Literal(text, _) if text.chars().any(bad))
}

proptest! {
    #[test]
    fn solutions_are_read_back(
        entries in prop::collection::vec(entry(), 1..20),
        cells in prop::collection::vec(prop::option::of(0usize..20), 2..1600),
    ) {
        let carried = entries.iter().all(xml_carries);
        let mut terms = Terms::default();
        let mut ids: Vec<_> = entries.into_iter().map(|e| terms.push(e)).collect();
        let predicate = terms.push(Entry::Iri("http://example.org/p".to_owned()));
        ids.push(terms.push(Entry::Triple([predicate, predicate, ids[0]])));
        let ids: Vec<_> = cells
            .iter()
            .map(|c| c.map_or(TermId::UNBOUND, |i| ids[i % ids.len()]))
            .collect();
        let half = ids.len() / 2;
        let batch = Batch::new(vec![ids[..half].to_vec(), ids[half..2 * half].to_vec()], half);
        for format in [SolutionsFormat::Json, SolutionsFormat::Tsv, SolutionsFormat::Xml] {
            match solutions(format, &batch, &terms) {
                Ok(text) => prop_assert_eq!(parse_solutions(format, &text), rows(&batch, &terms)),
                Err(error) => prop_assert!(format == SolutionsFormat::Xml && !carried, "{error}"),
            }
        }
    }

    #[test]
    fn quads_are_read_back(objects in prop::collection::vec(entry(), 1..12)) {
        let carried = objects.iter().all(xml_carries);
        let mut terms = Terms::default();
        let s = terms.push(Entry::Iri("http://example.org/s".to_owned()));
        let p = terms.push(Entry::Iri("http://example.org/p".to_owned()));
        let g = terms.push(Entry::Iri("http://example.org/g".to_owned()));
        let o: Vec<_> = objects.into_iter().map(|e| terms.push(e)).collect();
        let n = o.len();
        let graphs = (0..n).map(|i| if i % 2 == 0 { g } else { TermId::DEFAULT_GRAPH }).collect();
        let triples = Batch::new(vec![vec![s; n], vec![p; n], o.clone()], n);
        let dataset = Batch::new(vec![vec![s; n], vec![p; n], o, graphs], n);
        for format in [RdfFormat::NTriples, RdfFormat::Turtle, RdfFormat::RdfXml] {
            if format != RdfFormat::RdfXml || carried {
                check_quads(format, &triples, &terms)?;
            }
        }
        for format in [RdfFormat::NQuads, RdfFormat::TriG] {
            check_quads(format, &dataset, &terms)?;
        }
    }
}

fn check_quads(format: RdfFormat, batch: &Batch, terms: &Terms) -> Result<(), TestCaseError> {
    let text = quads(format, batch, terms);
    let parser = RdfParser::from_format(format);
    let read: Vec<Quad> = parser
        .for_slice(text.as_bytes())
        .map(|q| q.expect(&text))
        .collect();
    let key = |q: &Quad| q.graph_name != GraphName::DefaultGraph;
    let mut expected: Vec<Quad> = (0..batch.rows())
        .map(|i| super::quads::to_quad(batch, i, terms).unwrap())
        .collect();
    let mut read = read;
    expected.sort_by_key(key);
    read.sort_by_key(key);
    prop_assert_eq!(read, expected, "{}", text);
    Ok(())
}
