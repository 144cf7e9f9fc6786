//! `kaluta load`: files into a store.

use super::Context;
use super::progress::LoadBar;
use super::say::tell;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::{Engine, LoadOptions, LoadSource};
use crate::results::RdfFormat;
use crate::results::formats::rdf_format_named;
use clap::Args;
use oxiri::Iri;
use oxrdf::{GraphName, NamedNode};
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  kaluta load --location data dump.nt
  kaluta load --location data 'part-1.ttl.gz' 'part-2.ttl.zst'
  kaluta load --location data --graph http://example.org/g people.ttl
  zcat dump.gz | kaluta load --location data --format nt

All files are loaded or none: an error names file, line and column, and leaves the store as it was.";

/// Options of `kaluta load`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LoadArgs {
    /// Directory of the store; it is created where there is none [env: KALUTA_LOCATION]
    #[arg(short, long, value_name = "DIR")]
    pub location: Option<PathBuf>,
    /// Files to load, compressed (.gz, .zst, .bz2) or not; standard input where none is given
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Files to load, as an option
    #[arg(short, long = "file", value_name = "FILE", num_args = 1..)]
    more_files: Vec<PathBuf>,
    /// The format of the files (nt, nq, ttl, trig, rdf, jsonld or a media type); else their extensions tell it
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<RdfFormat>,
    /// The graph that statements without one go to
    #[arg(long, value_name = "IRI", value_parser = parse_iri)]
    graph: Option<Iri<String>>,
    /// What relative IRIs are resolved against
    #[arg(long, value_name = "IRI", value_parser = parse_iri)]
    base: Option<Iri<String>>,
    /// Skip statements that do not parse, and report them
    #[arg(long)]
    lenient: bool,
    /// For commands written for Oxigraph: has no effect, as a load is atomic here in any case
    #[arg(long)]
    non_atomic: bool,
}

/// Reads the name of an RDF format.
///
/// # Errors
/// There is no such format.
pub fn parse_format(name: &str) -> std::result::Result<RdfFormat, String> {
    rdf_format_named(name).ok_or_else(|| {
        "formats are nt, nq, ttl, trig, rdf, jsonld and their media types".to_owned()
    })
}

fn parse_iri(text: &str) -> std::result::Result<Iri<String>, String> {
    Iri::parse(text.to_owned()).map_err(|e| e.to_string())
}

/// Loads the files.
///
/// # Errors
/// A file cannot be read or parsed; then nothing has been loaded.
pub fn run(args: LoadArgs, context: &Context) -> Result<ExitCode> {
    let options = LoadOptions {
        memory_bytes_max: usize::try_from(context.settings.load.memory_bytes_max)
            .unwrap_or(usize::MAX),
        lenient: args.lenient,
        ..LoadOptions::default()
    };
    if args.non_atomic {
        tell(
            "--non-atomic has no effect: all files are loaded or none, which takes no longer here",
        );
    }
    let location = context.location()?;
    let sources = args.sources()?;
    let engine = Engine::open(location, &context.settings.query, &context.settings.store)?;
    let bar = LoadBar::start();
    let report = engine.load(sources, &options, &bar)?;
    bar.finish(&report);
    Ok(ExitCode::SUCCESS)
}

impl LoadArgs {
    fn sources(self) -> Result<Vec<LoadSource>> {
        let graph = match self.graph {
            None => GraphName::DefaultGraph,
            Some(iri) => NamedNode::new_unchecked(iri.into_inner()).into(),
        };
        let mut sources: Vec<_> = self
            .files
            .into_iter()
            .chain(self.more_files)
            .map(LoadSource::file)
            .collect();
        if sources.is_empty() {
            sources.push(standard_input(self.format)?);
        }
        for source in &mut sources {
            source.format = self.format;
            source.base.clone_from(&self.base);
            source.graph.clone_from(&graph);
        }
        Ok(sources)
    }
}

fn standard_input(format: Option<RdfFormat>) -> Result<LoadSource> {
    let format = format.ok_or_else(|| {
        let message = "which files? Name them, or say --format to load standard input";
        Error::new(ErrorKind::Settings, message)
    })?;
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    read.map_err(|e| Error::user_file("reading standard input", e))?;
    Ok(LoadSource::bytes("standard input", bytes, format))
}
