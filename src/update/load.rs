//! LOAD (SPARQL 1.1 Update, section 3.1.4): documents from files, and only from folders that the settings list.

use super::changes::Changes;
use super::document::Document;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::rdf::{Compression, format_of_path};
use oxrdf::NamedNode;
use percent_encoding::percent_decode_str;
use spargebra::term::GraphName;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Inserts the statements of a document; on an error nothing is inserted.
///
/// # Errors
/// The document is not in a listed folder, cannot be read or does not parse, or the request is over a limit.
pub fn load(
    changes: &mut Changes,
    source: &NamedNode,
    destination: &GraphName,
    folders: &[PathBuf],
) -> Result<()> {
    let path = allowed_path(source, folders)?;
    let format = format_of_path(&path).ok_or_else(|| {
        let message = format!("LOAD {source}: its extension does not tell its format");
        Error::new(ErrorKind::UnsupportedMediaType, message)
    })?;
    let reader = File::open(&path).and_then(|file| Compression::of_path(&path).reader(file));
    let document = Document {
        name: source.as_str().to_owned(),
        reader: reader.map_err(|e| unreadable(source, e))?,
        format,
        base: Some(source.as_str().to_owned()),
        graph: match destination {
            GraphName::DefaultGraph => None,
            GraphName::NamedNode(iri) => Some(iri.clone().into()),
        },
    };
    document.insert(changes)
}

/// Whether SILENT covers an error: it does, unless the whole request must end.
pub fn may_be_silent(error: &Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::Cancelled
            | ErrorKind::Deadline
            | ErrorKind::MemoryLimit
            | ErrorKind::Corruption
            | ErrorKind::Internal
    )
}

/// The file that an IRI names, links followed, if it lies in one of the folders.
fn allowed_path(source: &NamedNode, folders: &[PathBuf]) -> Result<PathBuf> {
    let iri = source.as_str();
    let Some(rest) = iri.strip_prefix("file://") else {
        return Err(Error::unsupported(format_args!(
            "LOAD {source} (LOAD reads file:///... only)"
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
