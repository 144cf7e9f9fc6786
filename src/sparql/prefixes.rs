//! Prefixes that most people spell alike, to be offered where a query forgot one.
//!
//! They are declared silently only where an operator has chosen so (setting `query.default_prefixes`), and a query that
//! declares one itself means its own.

use spargebra::SparqlParser;

/// Prefix and IRI, in the order of prefixes.
const WELL_KNOWN: [(&str, &str); 44] = [
    ("as", "https://www.w3.org/ns/activitystreams#"),
    ("bd", "http://www.bigdata.com/rdf#"),
    ("bibo", "http://purl.org/ontology/bibo/"),
    ("csvw", "http://www.w3.org/ns/csvw#"),
    ("dbo", "http://dbpedia.org/ontology/"),
    ("dbp", "http://dbpedia.org/property/"),
    ("dbr", "http://dbpedia.org/resource/"),
    ("dc", "http://purl.org/dc/elements/1.1/"),
    ("dcat", "http://www.w3.org/ns/dcat#"),
    ("dcmitype", "http://purl.org/dc/dcmitype/"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("dct", "http://purl.org/dc/terms/"),
    ("doap", "http://usefulinc.com/ns/doap#"),
    ("fn", "http://www.w3.org/2005/xpath-functions#"),
    ("foaf", "http://xmlns.com/foaf/0.1/"),
    ("geo", "http://www.opengis.net/ont/geosparql#"),
    ("geof", "http://www.opengis.net/def/function/geosparql/"),
    ("math", "http://www.w3.org/2005/xpath-functions/math#"),
    ("odrl", "http://www.w3.org/ns/odrl/2/"),
    ("org", "http://www.w3.org/ns/org#"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("p", "http://www.wikidata.org/prop/"),
    ("pq", "http://www.wikidata.org/prop/qualifier/"),
    ("prov", "http://www.w3.org/ns/prov#"),
    ("ps", "http://www.wikidata.org/prop/statement/"),
    ("qb", "http://purl.org/linked-data/cube#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("schema", "http://schema.org/"),
    ("sd", "http://www.w3.org/ns/sparql-service-description#"),
    ("sf", "http://www.opengis.net/ont/sf#"),
    ("sh", "http://www.w3.org/ns/shacl#"),
    ("sioc", "http://rdfs.org/sioc/ns#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("skosxl", "http://www.w3.org/2008/05/skos-xl#"),
    ("sosa", "http://www.w3.org/ns/sosa/"),
    ("ssn", "http://www.w3.org/ns/ssn/"),
    ("time", "http://www.w3.org/2006/time#"),
    ("vann", "http://purl.org/vocab/vann/"),
    ("vcard", "http://www.w3.org/2006/vcard/ns#"),
    ("void", "http://rdfs.org/ns/void#"),
    ("wd", "http://www.wikidata.org/entity/"),
    ("wdt", "http://www.wikidata.org/prop/direct/"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

/// The IRI that a prefix (without colon) usually stands for.
pub fn well_known_prefix(prefix: &str) -> Option<&'static str> {
    let entry = WELL_KNOWN.iter().find(|(name, _)| *name == prefix)?;
    Some(entry.1)
}

/// A parser for which all of them are declared.
pub fn parser_with_all() -> SparqlParser {
    let declare = |parser: SparqlParser, &(prefix, iri): &(&str, &str)| {
        parser.with_prefix(prefix, iri).unwrap_or_default()
    };
    WELL_KNOWN.iter().fold(SparqlParser::new(), declare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_listed_once_and_name_iris() {
        for pair in WELL_KNOWN.windows(2) {
            assert!(pair[0].0 != pair[1].0, "{pair:?}");
        }
        for (prefix, iri) in WELL_KNOWN {
            assert!(oxiri::Iri::parse(iri).is_ok(), "{iri}");
            assert_eq!(well_known_prefix(prefix), Some(iri));
        }
        assert_eq!(well_known_prefix("nope"), None);
    }
}
