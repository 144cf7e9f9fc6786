//! Content codings of documents that come by HTTP (RFC 9110, section 8.4.1): those that are undone, by their names.

use crate::rdf::Compression;

/// The codings that are undone, as messages and `Accept-Encoding` list them.
pub const CODINGS: &str = "gzip, zstd";

/// The compression that a `Content-Encoding` names, empty where there is none; `None` for one that is not undone here.
pub fn compression_of_coding(name: &str) -> Option<Compression> {
    match name.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Some(Compression::None),
        "gzip" | "x-gzip" => Some(Compression::Gzip),
        "zstd" => Some(Compression::Zstd),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coding_that_is_listed_is_undone() {
        for name in CODINGS
            .split(", ")
            .chain(["", "identity", " X-GZIP", "Zstd"])
        {
            assert!(compression_of_coding(name).is_some(), "{name}");
        }
        for name in ["br", "deflate", "gzip, gzip", "compress"] {
            assert_eq!(compression_of_coding(name), None, "{name}");
        }
    }
}
