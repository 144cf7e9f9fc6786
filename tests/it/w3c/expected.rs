//! The expected answers: result files in XML, JSON, TSV and CSV, result sets as RDF, and graphs.

use super::manifest::Suites;
use crate::oracle::row_of;
use crate::store::{Answer, Row};
use kaluta::results::SolutionsFormat;
use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, Graph, Literal, NamedNode, NamedOrBlankNodeRef, Term, TermRef, Variable};
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};

/// An expected answer.
pub struct Expected {
    pub answer: Answer,
    /// Whether the file says in which order solutions come.
    pub is_ordered: bool,
}

impl Expected {
    fn unordered(answer: Answer) -> Self {
        Self {
            answer,
            is_ordered: false,
        }
    }
}

/// The format of a file of results; none for RDF.
pub fn format_of(iri: &str) -> Option<SolutionsFormat> {
    match iri.rsplit('.').next() {
        Some(extension @ ("srx" | "srj" | "tsv" | "csv")) => SolutionsFormat::named(extension),
        _ => None,
    }
}

/// Reads the file of an expected answer.
pub fn read(suites: &Suites, iri: &str) -> Result<Expected, String> {
    match format_of(iri) {
        Some(format) => parse(format, &suites.read(iri)?).map(Expected::unordered),
        None => read_rdf(suites.read_graph(iri)?),
    }
}

/// Reads results; those in CSV have strings and blank nodes only.
pub fn parse(format: SolutionsFormat, bytes: &[u8]) -> Result<Answer, String> {
    match format {
        SolutionsFormat::Json => read_results(QueryResultsFormat::Json, bytes),
        SolutionsFormat::Xml => read_results(QueryResultsFormat::Xml, bytes),
        SolutionsFormat::Tsv => read_results(QueryResultsFormat::Tsv, bytes),
        SolutionsFormat::Csv => read_csv(bytes),
    }
}

fn read_results(format: QueryResultsFormat, bytes: &[u8]) -> Result<Answer, String> {
    let parser = QueryResultsParser::from_format(format);
    match parser.for_slice(bytes).map_err(|e| e.to_string())? {
        SliceQueryResultsParserOutput::Boolean(value) => Ok(Answer::Boolean(value)),
        SliceQueryResultsParserOutput::Solutions(solutions) => {
            let variables = solutions.variables().to_vec();
            let mut rows = Vec::new();
            for solution in solutions {
                let solution = solution.map_err(|e| e.to_string())?;
                rows.push(variables.iter().map(|v| solution.get(v).cloned()).collect());
            }
            Ok(Answer::Solutions { variables, rows })
        }
    }
}

/// CSV has no types: every value is read as blank node or string, see [`as_csv`].
fn read_csv(bytes: &[u8]) -> Result<Answer, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
    let mut records = csv_records(text).into_iter();
    let head = records
        .next()
        .ok_or("a CSV result has a line of variables")?;
    let variables = head
        .iter()
        .map(|name| Variable::new(name).map_err(|e| e.to_string()))
        .collect::<Result<_, _>>()?;
    let value = |field: String| (!field.is_empty()).then(|| csv_value(&field));
    let rows = records
        .map(|record| record.into_iter().map(value).collect())
        .collect();
    Ok(Answer::Solutions { variables, rows })
}

/// The records of RFC 4180: fields in quotes may hold commas, line ends and doubled quotes.
fn csv_records(text: &str) -> Vec<Vec<String>> {
    let mut records = vec![vec![String::new()]];
    let mut is_quoted = false;
    let mut chars = text.trim_end().chars().peekable();
    while let Some(c) = chars.next() {
        let record = records.last_mut().expect("there is always a record");
        let field = record.last_mut().expect("there is always a field");
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(String::new()),
            '\n' if !is_quoted => records.push(vec![String::new()]),
            '\r' if !is_quoted => {}
            c => field.push(c),
        }
    }
    records
}

fn csv_value(text: &str) -> Term {
    match text.strip_prefix("_:") {
        Some(label) => BlankNode::new_unchecked(label).into(),
        None => Literal::from(text).into(),
    }
}

/// What is left of a term when CSV has written and read it.
pub fn as_csv(term: Term) -> Term {
    match &term {
        Term::NamedNode(node) => Literal::from(node.as_str()).into(),
        Term::Literal(literal) => Literal::from(literal.value()).into(),
        _ => term,
    }
}

fn rs(local: &str) -> NamedNode {
    NamedNode::new_unchecked(format!(
        "http://www.w3.org/2001/sw/DataAccess/tests/result-set#{local}"
    ))
}

/// A graph that is a result set, or one that is the answer itself.
fn read_rdf(graph: Graph) -> Result<Expected, String> {
    let Some(set) = graph.subject_for_predicate_object(rdf::TYPE, &rs("ResultSet")) else {
        let rows = graph.iter().map(|t| row_of(t.into_owned())).collect();
        return Ok(Expected::unordered(Answer::Graph(rows)));
    };
    if let Some(TermRef::Literal(value)) = graph.object_for_subject_predicate(set, &rs("boolean")) {
        return Ok(Expected::unordered(Answer::Boolean(
            value.value() == "true",
        )));
    }
    let names = graph.objects_for_subject_predicate(set, &rs("resultVariable"));
    let mut variables: Vec<Variable> = names.filter_map(variable).collect();
    variables.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
    let mut rows = Vec::new();
    for solution in graph.objects_for_subject_predicate(set, &rs("solution")) {
        let solution = node(solution).ok_or("a solution is a node")?;
        rows.push((index(&graph, solution), row(&graph, solution, &variables)?));
    }
    rows.sort_by_key(|(index, _)| *index);
    Ok(Expected {
        is_ordered: !rows.is_empty() && rows.iter().all(|(index, _)| index.is_some()),
        answer: Answer::Solutions {
            variables,
            rows: rows.into_iter().map(|(_, row)| row).collect(),
        },
    })
}

fn row(
    graph: &Graph,
    solution: NamedOrBlankNodeRef<'_>,
    variables: &[Variable],
) -> Result<Row, String> {
    let mut row = vec![None; variables.len()];
    for binding in graph.objects_for_subject_predicate(solution, &rs("binding")) {
        let binding = node(binding).ok_or("a binding is a node")?;
        let name = graph
            .object_for_subject_predicate(binding, &rs("variable"))
            .and_then(variable);
        let place = name.and_then(|name| variables.iter().position(|v| *v == name));
        let place = place.ok_or("a binding names a variable of the result set")?;
        row[place] = graph
            .object_for_subject_predicate(binding, &rs("value"))
            .map(TermRef::into_owned);
    }
    Ok(row)
}

fn index(graph: &Graph, solution: NamedOrBlankNodeRef<'_>) -> Option<u64> {
    match graph.object_for_subject_predicate(solution, &rs("index"))? {
        TermRef::Literal(literal) => literal.value().parse().ok(),
        _ => None,
    }
}

fn variable(term: TermRef<'_>) -> Option<Variable> {
    match term {
        TermRef::Literal(literal) => Variable::new(literal.value()).ok(),
        _ => None,
    }
}

fn node(term: TermRef<'_>) -> Option<NamedOrBlankNodeRef<'_>> {
    match term {
        TermRef::NamedNode(node) => Some(node.into()),
        TermRef::BlankNode(node) => Some(node.into()),
        _ => None,
    }
}
