//! The formats that answers are written in, with their media types and file extensions.
//!
//! Lists are in the order of the server's own preference: the first is what a client gets that does not mind.

use oxrdfio::{JsonLdProfileSet, RdfFormat};

/// A format for solutions and booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolutionsFormat {
    /// SPARQL 1.1 Query Results JSON Format.
    Json,
    /// SPARQL Query Results XML Format.
    Xml,
    /// SPARQL 1.1 Query Results CSV Format, which does not tell kinds of terms apart.
    Csv,
    /// SPARQL 1.1 Query Results TSV Format.
    Tsv,
}

/// A media type under which a format is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer<F> {
    /// The media type, in lower case and without parameters.
    pub media_type: &'static str,
    /// The header value of an answer in it.
    pub content_type: &'static str,
    /// The format.
    pub format: F,
}

const fn offer<F>(media_type: &'static str, content_type: &'static str, format: F) -> Offer<F> {
    Offer {
        media_type,
        content_type,
        format,
    }
}

const fn plain<F>(media_type: &'static str, format: F) -> Offer<F> {
    offer(media_type, media_type, format)
}

/// Every media type for solutions and booleans.
pub const SOLUTIONS: [Offer<SolutionsFormat>; 8] = [
    plain("application/sparql-results+json", SolutionsFormat::Json),
    plain("application/sparql-results+xml", SolutionsFormat::Xml),
    offer("text/csv", "text/csv; charset=utf-8", SolutionsFormat::Csv),
    offer(
        "text/tab-separated-values",
        "text/tab-separated-values; charset=utf-8",
        SolutionsFormat::Tsv,
    ),
    plain("application/json", SolutionsFormat::Json),
    plain("application/xml", SolutionsFormat::Xml),
    offer("text/xml", "text/xml; charset=utf-8", SolutionsFormat::Xml),
    offer("text/tsv", "text/tsv; charset=utf-8", SolutionsFormat::Tsv),
];

/// Every media type for graphs.
pub const GRAPHS: [Offer<RdfFormat>; 13] = [
    plain("application/n-triples", RdfFormat::NTriples),
    offer(
        "text/turtle",
        "text/turtle; charset=utf-8",
        RdfFormat::Turtle,
    ),
    plain("application/rdf+xml", RdfFormat::RdfXml),
    plain("application/ld+json", JSON_LD),
    plain("application/n-quads", RdfFormat::NQuads),
    plain("application/trig", RdfFormat::TriG),
    offer(
        "text/plain",
        "text/plain; charset=utf-8",
        RdfFormat::NTriples,
    ),
    plain("application/turtle", RdfFormat::Turtle),
    plain("application/x-turtle", RdfFormat::Turtle),
    plain("application/json", JSON_LD),
    plain("application/xml", RdfFormat::RdfXml),
    offer("text/xml", "text/xml; charset=utf-8", RdfFormat::RdfXml),
    offer(
        "text/nquads",
        "text/nquads; charset=utf-8",
        RdfFormat::NQuads,
    ),
];

/// Every media type for datasets.
pub const DATASETS: [Offer<RdfFormat>; 5] = [
    plain("application/n-quads", RdfFormat::NQuads),
    plain("application/trig", RdfFormat::TriG),
    plain("application/ld+json", JSON_LD),
    plain("application/json", JSON_LD),
    offer(
        "text/nquads",
        "text/nquads; charset=utf-8",
        RdfFormat::NQuads,
    ),
];

const JSON_LD: RdfFormat = RdfFormat::JsonLd {
    profile: JsonLdProfileSet::empty(),
};

impl SolutionsFormat {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Json, Self::Xml, Self::Csv, Self::Tsv];

    /// The format of a file extension (`srj`, `csv`, ...) or media type.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "json" | "srj" => Some(Self::Json),
            "xml" | "srx" => Some(Self::Xml),
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            media_type => SOLUTIONS
                .iter()
                .find(|o| o.media_type == media_type)
                .map(|o| o.format),
        }
    }
}

/// The RDF format of a file extension (`nt`, `ttl`, ...) or media type.
pub fn rdf_format_named(name: &str) -> Option<RdfFormat> {
    RdfFormat::from_extension(name).or_else(|| RdfFormat::from_media_type(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_extension_and_media_type() {
        assert_eq!(SolutionsFormat::named("SRJ"), Some(SolutionsFormat::Json));
        assert_eq!(
            SolutionsFormat::named("text/csv"),
            Some(SolutionsFormat::Csv)
        );
        assert_eq!(SolutionsFormat::named("nt"), None);
        assert_eq!(rdf_format_named("nt"), Some(RdfFormat::NTriples));
        assert_eq!(rdf_format_named("application/trig"), Some(RdfFormat::TriG));
        assert_eq!(rdf_format_named("srj"), None);
    }
}
