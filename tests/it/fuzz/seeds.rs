//! What mutation starts from: texts of our own.

use std::fs;
use std::path::Path;

/// Every so many queries of the workload is a seed.
const QUERY_STEP: usize = 5;

/// The seeds of a target.
pub fn seeds(target: &str) -> Result<Vec<Vec<u8>>, String> {
    let texts: &[&str] = match target {
        "query_text" => return queries(),
        "results" => &RESULTS,
        "expressions" => &EXPRESSIONS,
        _ => &N_TRIPLES,
    };
    Ok(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
}

fn queries() -> Result<Vec<Vec<u8>>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let files = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "rq"));
    paths.sort_unstable();
    let read = |path: &std::path::PathBuf| fs::read(path).map_err(|e| e.to_string());
    let mut seeds: Vec<Vec<u8>> = paths
        .iter()
        .step_by(QUERY_STEP)
        .map(read)
        .collect::<Result<_, _>>()?;
    seeds.extend(TEXTS.iter().map(|text| text.as_bytes().to_vec()));
    Ok(seeds)
}

/// What the workload has too little of.
const TEXTS: [&str; 9] = [
    "PREFIX : <http://e/> SELECT * { ?s :p|^:q/:r*|!(:v|^:p) ?o MINUS { ?s :v 1 } }",
    "PREFIX : <http://e/> ASK { GRAPH ?g { ?s ?p ?o OPTIONAL { ?o :p+ ?x FILTER(?x != ?s) } } }",
    "PREFIX : <http://e/> CONSTRUCT { ?s :x [ :y ?o ] } WHERE { VALUES (?s ?o) { (:a UNDEF) (UNDEF 1) } ?s ?p ?o }",
    "PREFIX : <http://e/> SELECT (GROUP_CONCAT(DISTINCT ?o; SEPARATOR=\"|\") AS ?l) { ?s :v ?o } GROUP BY ?s HAVING (COUNT(*) > 0)",
    "PREFIX : <http://e/> SELECT * { << :a :p ?o >> :r ?z . ?x :r <<( ?s ?p ?o )>> BIND(TRIPLE(?s, ?p, ?o) AS ?t) }",
    "PREFIX : <http://e/> SELECT ?s { ?s ?p ?o { SELECT ?s { ?s :p ?x } ORDER BY DESC(?x) LIMIT 1 } LATERAL { ?s :q ?y } }",
    "PREFIX : <http://e/> DESCRIBE :a ?x FROM :g FROM NAMED :g WHERE { ?x ?y ?z FILTER NOT EXISTS { ?z :p* ?x } }",
    "PREFIX : <http://e/> DELETE { ?s :v ?o } INSERT { GRAPH :g { ?s :v 2 } } USING :g WHERE { ?s :v ?o } ; CLEAR ALL",
    "BASE <http://e/> PREFIX : <#> INSERT DATA { <s> :p 'x'@en--rtl, \"\"\"y\"\"\"^^:d ; :q ( 1 2.0 3e0 true ) } # end",
];

const RESULTS: [&str; 5] = [
    r#"{"head":{"vars":["a","b"]},"results":{"bindings":[{"a":{"type":"uri","value":"http://e/a"}},{"a":{"type":"bnode","value":"x"},"b":{"type":"literal","value":"1","datatype":"http://www.w3.org/2001/XMLSchema#integer"}},{"b":{"type":"literal","value":"\u00e9\n","xml:lang":"fr"}},{"b":{"type":"triple","value":{"subject":{"type":"uri","value":"http://e/s"},"predicate":{"type":"uri","value":"http://e/p"},"object":{"type":"literal","value":"o"}}}}]}}"#,
    r#"{"head":{},"boolean":true}"#,
    "<?xml version=\"1.0\"?><sparql xmlns=\"http://www.w3.org/2005/sparql-results#\"><head><variable name=\"a\"/></head><results><result><binding name=\"a\"><uri>http://e/a</uri></binding></result><result><binding name=\"a\"><literal xml:lang=\"en\">x&amp;y</literal></binding></result></results></sparql>",
    "?a\t?b\n<http://e/a>\t1\n_:x\t\"y\\tz\"@en\n\t\"2\"^^<http://e/d>\n",
    "<http://e/s> <http://e/p> \"o\" .\n_:a <http://e/p> <<( _:a <http://e/p> \"1\"@en )>> .\n",
];

const EXPRESSIONS: [&str; 16] = [
    "?a + ?b * 2 - -1 / 0.5",
    "IF(?a < ?b, COALESCE(?a, 1 / 0), STRLEN(STR(?b)))",
    "REGEX(STR(?a), \"^(x|[0-9]+)$\", \"im\") || !BOUND(?b)",
    "REPLACE(STR(?a), \"(.)(.)?\", \"$2-$1\")",
    "SUBSTR(CONCAT(STR(?a), \"é😀\"), -1, 3)",
    "xsd:integer(?b) IN (1, 2.0, ?a, xsd:decimal(\"3\"))",
    "?a = ?b && ?a != 1 && ?b >= \"x\"@en",
    "YEAR(?a) * 100 + MONTH(?a) + SECONDS(?a)",
    "?a + xsd:dayTimeDuration(\"PT1H\")",
    "STRLANGDIR(STRBEFORE(STR(?a), \"x\"), \"ar\", \"rtl\")",
    "DATATYPE(STRDT(ENCODE_FOR_URI(STR(?a)), IRI(\"http://e/d\")))",
    "SHA256(MD5(STR(?b)))",
    "isTRIPLE(?a) && SUBJECT(?a) = :a",
    "EXISTS { ?a :p ?b MINUS { ?b :q ?a } }",
    "ROUND(ABS(CEIL(FLOOR(xsd:double(?a) * 1e300 * 1e300))))",
    "COUNT(DISTINCT ?a) + SUM(?b) + STRLEN(GROUP_CONCAT(?a))",
];

const N_TRIPLES: [&str; 4] = [
    "<http://e/s> <http://e/p> <http://e/o> .\n_:a <http://e/p> _:b .\n# comment\n\n<http://e/s> <http://e/p> \"\" .",
    "<http://e/s> <http://e/p> \"a\\tb\\n\\\"\\\\\\u00E9\\U0001F600\"@en-GB .\r\n<http://e/s> <http://e/p> \"x\"@ar--rtl .\r\n",
    "<http://e/s> <http://e/p> \"01\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n<http://e/s> <http://e/p> \"2009?\"^^<http://www.w3.org/2001/XMLSchema#gYear> .\n<http://e/s> <http://e/p> \"1.50\"^^<http://www.w3.org/2001/XMLSchema#decimal> .\n",
    "VERSION \"1.2\"\n<http://e/s> <http://e/p> <<( _:a <http://e/q> <<( <http://e/x> <http://e/y> \"z\" )>> )>> .\n",
];
