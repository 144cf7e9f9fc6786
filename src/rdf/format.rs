//! The names of formats: extensions of files and media types.

use super::Compression;
use oxrdfio::{JsonLdProfileSet, RdfFormat};
use std::path::Path;

const JSON_LD: RdfFormat = RdfFormat::JsonLd {
    profile: JsonLdProfileSet::empty(),
};

/// The formats in which a graph can be written, the preferred one first.
pub const GRAPH_FORMATS: [RdfFormat; 4] = [
    RdfFormat::Turtle,
    RdfFormat::NTriples,
    RdfFormat::RdfXml,
    JSON_LD,
];

/// The formats in which a dataset can be written, the preferred one first.
pub const DATASET_FORMATS: [RdfFormat; 3] = [RdfFormat::TriG, RdfFormat::NQuads, JSON_LD];

/// The format of a file extension, without its dot.
pub fn format_from_extension(extension: &str) -> Option<RdfFormat> {
    match extension.to_ascii_lowercase().as_str() {
        "owl" => Some(RdfFormat::RdfXml),
        other => RdfFormat::from_extension(other),
    }
}

/// The format of a media type, parameters allowed.
pub fn format_from_media_type(media_type: &str) -> Option<RdfFormat> {
    RdfFormat::from_media_type(media_type)
}

/// The format that a path's extension tells, the extension of a compression left out.
pub fn format_of_path(path: &Path) -> Option<RdfFormat> {
    let stem = match Compression::of_path(path) {
        Compression::None => path,
        _ => Path::new(path.file_stem()?),
    };
    format_from_extension(stem.extension()?.to_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_extension() {
        for (name, format) in [
            ("a.nt", Some(RdfFormat::NTriples)),
            ("dir.x/a.NQ", Some(RdfFormat::NQuads)),
            ("a.ttl.gz", Some(RdfFormat::Turtle)),
            ("a.trig.zst", Some(RdfFormat::TriG)),
            ("a.rdf.bz2", Some(RdfFormat::RdfXml)),
            ("a.owl", Some(RdfFormat::RdfXml)),
            ("a.xml", Some(RdfFormat::RdfXml)),
            ("a.jsonld", Some(JSON_LD)),
            ("a.n3", Some(RdfFormat::N3)),
            ("a.gz", None),
            ("a", None),
            ("a.csv", None),
        ] {
            assert_eq!(format_of_path(Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn every_format_that_is_written_is_read_by_its_media_type() {
        for format in GRAPH_FORMATS.into_iter().chain(DATASET_FORMATS) {
            assert_eq!(format_from_media_type(format.media_type()), Some(format));
        }
    }
}
