//! `kaluta dump`: everything in a store, or one graph, in an RDF format.

use super::Context;
use super::load::parse_format;
use super::output::Output;
use crate::batch::Batch;
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::Engine;
use crate::results::formats::rdf_format_named;
use crate::results::{QuadsWriter, RdfFormat};
use crate::term::{TermId, TermView};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  kaluta dump --location data --file all.nq
  kaluta dump --location data --graph default --format ttl > default.ttl
  kaluta dump --location data --graph http://example.org/g --file g.nt

Without a format, N-Quads are written.";

/// Options of `kaluta dump`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DumpArgs {
    /// Directory of the store [env: KALUTA_LOCATION]
    #[arg(short, long, value_name = "DIR")]
    pub location: Option<PathBuf>,
    /// The file to write; standard output where none is given
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The format (nq, trig; with --graph also nt, ttl, rdf); else the file's extension tells it
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<RdfFormat>,
    /// Write one graph only, "default" or an IRI
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
}

/// Writes the quads.
///
/// # Errors
/// The format cannot hold them, or reading or writing fails.
pub fn run(args: &DumpArgs, context: &Context) -> Result<ExitCode> {
    let extension = args.file.as_deref().and_then(|p| p.extension()?.to_str());
    let format = args
        .format
        .or_else(|| extension.and_then(rdf_format_named))
        .unwrap_or(RdfFormat::NQuads);
    if args.graph.is_none() && !format.supports_datasets() {
        return Err(Error::new(
            ErrorKind::Settings,
            format!(
                "{format} has no graphs: say which one with --graph (\"default\" or an IRI), or choose nq or trig"
            ),
        ));
    }
    let engine = Engine::open_read_only(context.location()?, &context.settings.query)?;
    let mut rows = engine.dump()?;
    let mut writer = QuadsWriter::start(format);
    let mut out = Output::open(args.file.as_deref())?;
    match &args.graph {
        None => out.write_all(&mut rows, |batch, range, terms, buffer| {
            writer.write_rows(batch, range, terms, buffer)
        })?,
        Some(graph) => {
            let mut wanted = Wanted::new(graph);
            out.write_all(&mut rows, |batch, range, terms, buffer| {
                let slice = batch.slice(range.start, range.len());
                let triples = wanted.triples(&slice, terms)?;
                writer.write_rows(&triples, 0..triples.rows(), terms, buffer)
            })?;
        }
    }
    writer.finish(&mut out.buffer)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The graph that is wanted, and the last id that was compared with its name.
struct Wanted<'a> {
    name: &'a str,
    last: Option<(TermId, bool)>,
}

impl<'a> Wanted<'a> {
    fn new(name: &'a str) -> Self {
        Self { name, last: None }
    }

    /// The triples of the graph among some quads.
    fn triples(&mut self, quads: &Batch, terms: &dyn crate::term::ResolveTerm) -> Result<Batch> {
        let mut places = Vec::new();
        for (place, &graph) in quads.column(3).iter().enumerate() {
            if self.is(graph, terms)? {
                places.push(place as u32);
            }
        }
        let mut columns = quads.select(&places).into_columns();
        columns.truncate(3);
        Ok(Batch::new(columns, places.len()))
    }

    fn is(&mut self, graph: TermId, terms: &dyn crate::term::ResolveTerm) -> Result<bool> {
        if let Some((last, answer)) = self.last
            && last == graph
        {
            return Ok(answer);
        }
        let answer = match graph {
            TermId::DEFAULT_GRAPH => self.name == "default",
            graph => {
                matches!(terms.resolve(graph, &mut Vec::new())?, TermView::Iri(iri) if iri == self.name)
            }
        };
        self.last = Some((graph, answer));
        Ok(answer)
    }
}
