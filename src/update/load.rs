//! LOAD (SPARQL 1.1 Update, section 3.1.4): documents from files and from the web, and only from where the settings say.

use super::changes::Changes;
use super::coding::{CODINGS, compression_of_coding};
use super::document::{Document, LoadError};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::exec::QueryControl;
use crate::federation::{AskError, Client, Reply, Services, Watch};
use crate::rdf::{Compression, RdfFormat, format_from_media_type, format_of_path};
use oxrdf::NamedNode;
use percent_encoding::percent_decode_str;
use spargebra::GraphUpdateOperation;
use spargebra::term::GraphName;
use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where LOAD may read; by default nowhere.
#[derive(Clone, Debug, Default)]
pub struct LoadSources {
    /// The folders of files.
    pub folders: Vec<PathBuf>,
    /// The servers of documents.
    pub web: Arc<Services>,
}

/// The documents that the operations of a request load from other servers, in the order of the operations. One that
/// cannot be had, and that its operation can do without, is an error here.
pub type Fetched = VecDeque<Result<Opened>>;

/// The bytes of a document, decompressed, and its format.
type Opened = (Box<dyn Read + Send>, RdfFormat);

/// Gets the documents of other servers.
///
/// # Errors
/// A document cannot be had, and its operation does not say SILENT, or the request is over a limit.
pub fn fetch_all(
    operations: &[GraphUpdateOperation],
    web: &Arc<Services>,
    control: &QueryControl,
) -> Result<Fetched> {
    let mut fetched = Fetched::new();
    let waiting = Waiting {
        control,
        bytes: Cell::new(0),
    };
    for operation in operations {
        let GraphUpdateOperation::Load { silent, source, .. } = operation else {
            continue;
        };
        if !is_on_the_web(source) {
            continue;
        }
        match fetch(source, web, &waiting) {
            Ok(opened) => fetched.push_back(Ok(opened)),
            Err(LoadError::Document(error)) if *silent => fetched.push_back(Err(error)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(fetched)
}

fn is_on_the_web(source: &NamedNode) -> bool {
    let iri = source.as_str();
    iri.starts_with("http:") || iri.starts_with("https:")
}

/// Inserts the statements of a document; on an error nothing is inserted.
///
/// # Errors
/// The document is nowhere where LOAD may read, cannot be had or does not parse, or the request is over a limit.
pub fn load(
    changes: &mut Changes,
    source: &NamedNode,
    destination: &GraphName,
    folders: &[PathBuf],
    fetched: &mut Fetched,
) -> Result<(), LoadError> {
    let opened = match is_on_the_web(source) {
        true => fetched
            .pop_front()
            .ok_or_else(|| Error::internal(format!("{source} was not fetched")))?,
        false => open_file(source, folders),
    };
    let (reader, format) = opened.map_err(LoadError::Document)?;
    let document = Document {
        name: source.as_str().to_owned(),
        reader,
        format,
        base: Some(source.as_str().to_owned()),
        graph: match destination {
            GraphName::DefaultGraph => None,
            GraphName::NamedNode(iri) => Some(iri.clone().into()),
        },
    };
    document.insert(changes)
}

fn open_file(source: &NamedNode, folders: &[PathBuf]) -> Result<Opened> {
    let path = allowed_path(source, folders)?;
    let format = format_of_path(&path).ok_or_else(|| {
        let message = format!("LOAD {source}: its extension does not tell its format");
        Error::new(ErrorKind::UnsupportedMediaType, message)
    })?;
    let reader = File::open(&path).and_then(|file| Compression::of_path(&path).reader(file));
    Ok((reader.map_err(|e| unreadable(source, e))?, format))
}

/// Gets a document from its server. It is held in memory, within the request's limit, until it is parsed.
fn fetch(
    source: &NamedNode,
    web: &Arc<Services>,
    waiting: &Waiting<'_>,
) -> Result<Opened, LoadError> {
    let reply = Client::new(Arc::clone(web))?.fetch(source.as_str(), CODINGS, waiting);
    let reply = reply.map_err(|e| match e {
        AskError::Query(error) => LoadError::Request(error),
        AskError::Service(failure) => {
            LoadError::Document(failure.into_error("LOAD", &source.to_string()))
        }
    })?;
    open_reply(source, reply).map_err(LoadError::Document)
}

fn open_reply(source: &NamedNode, reply: Reply) -> Result<Opened> {
    let refused = |what: String| {
        Error::new(
            ErrorKind::UnsupportedMediaType,
            format!("LOAD {source}: {what}"),
        )
    };
    let url = source.as_str().split(['?', '#']).next().unwrap_or_default();
    let path = Path::new(url);
    let format = format_of(&reply.media_type, path).ok_or_else(|| {
        refused(format!(
            "neither its media type {:?} nor its extension tells a format of RDF",
            reply.media_type
        ))
    })?;
    let coding = compression_of_coding(&reply.coding).ok_or_else(|| {
        refused(format!(
            "it comes in the content coding {:?}, which is not read here; those that are: {CODINGS}",
            reply.coding
        ))
    })?;
    // Many servers name the compression of a file as a coding, too; it is there but once.
    let compression = match Compression::of_path(path) {
        same if same == coding => Compression::None,
        other => other,
    };
    let decoded = coding.reader(Cursor::new(reply.body));
    let reader = decoded.and_then(|decoded| compression.reader(decoded));
    Ok((reader.map_err(|e| unreadable(source, e))?, format))
}

/// The format of a document: its media type tells it, but for the types that servers give to what they do not know.
fn format_of(media_type: &str, path: &Path) -> Option<RdfFormat> {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    match essence {
        "text/plain" => format_of_path(path).or(Some(RdfFormat::NTriples)),
        _ => format_from_media_type(media_type).or_else(|| format_of_path(path)),
    }
}

/// An update that waits for documents.
struct Waiting<'c> {
    control: &'c QueryControl,
    /// The bytes of all documents so far.
    bytes: Cell<u64>,
}

impl Watch for Waiting<'_> {
    fn check(&self) -> Result<()> {
        self.control.check()
    }

    fn charge(&self, bytes: usize) -> Result<()> {
        self.bytes.set(self.bytes.get() + bytes as u64);
        self.control.check_memory(self.bytes.get())
    }
}

/// The file that an IRI names, links followed, if it lies in one of the folders.
fn allowed_path(source: &NamedNode, folders: &[PathBuf]) -> Result<PathBuf> {
    let iri = source.as_str();
    let Some(rest) = iri.strip_prefix("file://") else {
        return Err(Error::unsupported(format_args!(
            "LOAD {source} (LOAD reads file:///... and http://... only)"
        )));
    };
    let path = percent_decode_str(rest.strip_prefix("localhost").unwrap_or(rest));
    let path = PathBuf::from(path.decode_utf8_lossy().as_ref());
    let is_listed = |path: &Path| {
        let folders = folders.iter().filter_map(|f| f.canonicalize().ok());
        folders.into_iter().any(|folder| path.starts_with(folder))
    };
    let refused = || {
        let message = format!(
            "LOAD {source}: the file is in none of the folders that the setting update.load_folders lists"
        );
        Error::new(ErrorKind::Forbidden, message)
    };
    match path.canonicalize() {
        Ok(path) if is_listed(&path) => Ok(path),
        Ok(_) => Err(refused()),
        // Whether a file exists outside the folders is nobody's business.
        Err(_) if folders.is_empty() || !path.is_absolute() => Err(refused()),
        Err(e) => match path.parent().and_then(|p| p.canonicalize().ok()) {
            Some(parent) if is_listed(&parent) => Err(unreadable(source, e)),
            _ => Err(refused()),
        },
    }
}

fn unreadable(source: &NamedNode, cause: io::Error) -> Error {
    match cause.kind() {
        io::ErrorKind::NotFound => Error::new(
            ErrorKind::NotFound,
            format!("LOAD {source}: there is no such file"),
        ),
        _ => Error::io(format_args!("LOAD {source}"), cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_and_extensions_tell_formats() {
        for (media_type, path, format) in [
            (
                "text/turtle; charset=utf-8",
                "/a.nt",
                Some(RdfFormat::Turtle),
            ),
            ("application/n-quads", "/a", Some(RdfFormat::NQuads)),
            ("text/plain", "/a.ttl", Some(RdfFormat::Turtle)),
            ("text/plain; charset=utf-8", "/a", Some(RdfFormat::NTriples)),
            (
                "application/octet-stream",
                "/a.trig.gz",
                Some(RdfFormat::TriG),
            ),
            ("", "/a.rdf", Some(RdfFormat::RdfXml)),
            ("text/html", "/a", None),
        ] {
            assert_eq!(
                format_of(media_type, Path::new(path)),
                format,
                "{media_type} {path}"
            );
        }
    }
}
