//! RDF documents: which formats there are, how they are named, and how compressed ones are opened.
//!
//! Parsing and serializing themselves are oxrdfio's and oxttl's; there are no parsers here, but a watch over
//! them.

mod compression;
mod format;
mod watch;
mod xml;

pub use compression::Compression;
pub use format::{
    DATASET_FORMATS, GRAPH_FORMATS, format_from_extension, format_from_media_type, format_of_path,
};
pub use oxrdfio::RdfFormat;
pub use watch::{ParserWatch, SyntaxFault, excerpt, watched};
