//! Answers in the XML and TSV formats of SPARQL results, read row by row into digests.

use super::answer_terms::{append_term, sort_value};
use super::checksum::Answer;
use super::digest::{TermBytes, solution_digest};
use super::order::OrderWatch;
use super::solutions::{Document, boolean};
use sparesults::{
    QueryResultsFormat, QueryResultsParseError, QueryResultsParser, ReaderQueryResultsParserOutput,
};
use std::io::Read;

/// Reads a document of either kind, and follows the order of its rows.
pub fn parse(
    format: QueryResultsFormat,
    body: impl Read,
    watch: &mut OrderWatch<'_>,
) -> Result<Document, QueryResultsParseError> {
    let parser = QueryResultsParser::from_format(format);
    Ok(match parser.for_reader(body)? {
        ReaderQueryResultsParserOutput::Boolean(value) => Document {
            boolean: Some(boolean(value)),
            solutions: None,
        },
        ReaderQueryResultsParserOutput::Solutions(solutions) => {
            let mut answer = Answer::default();
            for solution in solutions {
                let mut digests = Vec::new();
                let mut sort_values = watch.unbound();
                for (variable, term) in &solution? {
                    let mut bytes = TermBytes::default();
                    bytes.variable(variable.as_str());
                    append_term(term.as_ref(), &mut bytes);
                    digests.push(bytes.digest());
                    if let Some(position) = watch.position(variable.as_str()) {
                        sort_values[position] = sort_value(term.as_ref());
                    }
                }
                watch.follow(sort_values);
                answer.add(solution_digest(digests));
            }
            Document {
                boolean: None,
                solutions: Some(answer),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::order::SortKey;
    use crate::replay::solutions;

    const JSON: &str = r#"{"head":{"vars":["a","b"]},"results":{"bindings":[
        {"a":{"type":"uri","value":"http://e/1"},"b":{"type":"literal","value":"x","xml:lang":"en"}},
        {"a":{"type":"bnode","value":"n"},"b":{"type":"literal","value":"1","datatype":"http://www.w3.org/2001/XMLSchema#integer"}}]}}"#;
    const XML: &str = r#"<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="a"/><variable name="b"/></head><results>
        <result><binding name="a"><uri>http://e/1</uri></binding><binding name="b"><literal xml:lang="en">x</literal></binding></result>
        <result><binding name="a"><bnode>m</bnode></binding><binding name="b"><literal datatype="http://www.w3.org/2001/XMLSchema#integer">1</literal></binding></result></results></sparql>"#;
    const TSV: &str = "?a\t?b\n<http://e/1>\t\"x\"@en\n_:k\t1\n";

    #[test]
    fn every_format_has_the_same_answer_and_order() {
        let key = SortKey {
            variable: "a".to_owned(),
            is_descending: false,
        };
        let keys = [key];
        let mut watch = OrderWatch::new(&keys);
        let wanted = solutions::parse(JSON.as_bytes(), &mut watch).unwrap();
        assert_eq!(watch.wrong_row(), Some(2));
        for (format, text) in [
            (QueryResultsFormat::Xml, XML),
            (QueryResultsFormat::Tsv, TSV),
        ] {
            let mut watch = OrderWatch::new(&keys);
            let found = parse(format, text.as_bytes(), &mut watch).unwrap();
            assert_eq!(found.solutions, wanted.solutions, "{format}");
            assert_eq!(watch.wrong_row(), Some(2), "{format}");
        }
    }

    #[test]
    fn what_is_cut_is_no_answer() {
        let mut watch = OrderWatch::new(&[]);
        let cut = &XML[..XML.len() - 12];
        assert!(parse(QueryResultsFormat::Xml, cut.as_bytes(), &mut watch).is_err());
        let boolean = r#"<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/><boolean>true</boolean></sparql>"#;
        let read = parse(QueryResultsFormat::Xml, boolean.as_bytes(), &mut watch).unwrap();
        assert!(read.boolean.is_some() && read.solutions.is_none());
    }
}
