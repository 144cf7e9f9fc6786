//! `kaluta query`: one query against a store, without a server.

use super::output::Output;
use super::say::tell;
use super::{Context, Flags, location_flag};
use crate::diagnostics::{Error, ErrorKind, Result};
use crate::engine::{Engine, PreparedQuery, QueryAnswer, QueryControl, QueryRequest};
use crate::results::formats::rdf_format_named;
use crate::results::{QuadsWriter, RdfFormat, SolutionsFormat, SolutionsWriter, write_boolean};
use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  kaluta query --location data --query 'SELECT * { ?s ?p ?o } LIMIT 10'
  kaluta query --location data --query-file report.rq --results-format csv
  kaluta query --location data --query-file report.rq --results-file report.json
  kaluta query --location data --query-file report.rq --explain --stats

Without a format, solutions are written as TSV and graphs as N-Triples.";

/// Options of `kaluta query`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct QueryArgs {
    /// Directory of the store [env: KALUTA_LOCATION]
    #[arg(short, long, value_name = "DIR")]
    location: Option<PathBuf>,
    /// The query; standard input where neither a query nor a file is given
    #[arg(short, long, value_name = "QUERY", conflicts_with = "query_file")]
    query: Option<String>,
    /// The file of the query
    #[arg(long, value_name = "FILE")]
    query_file: Option<PathBuf>,
    /// What relative IRIs of the query are resolved against
    #[arg(long, value_name = "IRI")]
    query_base: Option<String>,
    /// The file for the results; standard output where none is given
    #[arg(short, long, value_name = "FILE")]
    results_file: Option<PathBuf>,
    /// The format of the results (json, xml, csv, tsv; nt, ttl, rdf, jsonld, ... or a media type)
    #[arg(long, value_name = "FORMAT")]
    results_format: Option<String>,
    /// Print the plan to standard error
    #[arg(long)]
    explain: bool,
    /// Write the plan to a file, as JSON if its name ends in .json
    #[arg(long, value_name = "FILE")]
    explain_file: Option<PathBuf>,
    /// Run the plan for its explanation, and show rows and time of each operator
    #[arg(long)]
    stats: bool,
    /// Let the query see the union of all graphs as its default graph
    #[arg(long)]
    union_default_graph: bool,
    /// The time the query may take, in seconds; no limit where none is given
    #[arg(long, value_name = "SECONDS")]
    timeout_s: Option<u64>,
}

impl QueryArgs {
    /// The settings that the options say.
    pub fn flags(&self) -> Flags {
        let mut flags = location_flag(self.location.as_deref());
        if self.union_default_graph {
            flags.push(("query.default_graph", "union".to_owned()));
        }
        flags
    }

    fn text(&self) -> Result<String> {
        if let Some(text) = &self.query {
            return Ok(text.clone());
        }
        let Some(path) = &self.query_file else {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            return read
                .map(|_| text)
                .map_err(|e| Error::io("reading the query from standard input", e));
        };
        std::fs::read_to_string(path)
            .map_err(|e| Error::user_file(format!("reading the query from {}", path.display()), e))
    }

    fn control(&self, context: &Context) -> QueryControl {
        let timeout = self.timeout_s.filter(|&s| s > 0).map(Duration::from_secs);
        QueryControl::new(timeout, context.settings.query.memory_limit_bytes())
    }
}

/// Runs the query.
///
/// # Errors
/// The query does not parse or fails, or the results cannot be written.
pub fn run(args: &QueryArgs, context: &Context) -> Result<ExitCode> {
    let engine = Engine::open_read_only(context.location()?, &context.settings.query)?
        .with_services(&context.settings.service)?;
    let query = engine.prepare(&QueryRequest {
        text: args.text()?,
        base: args.query_base.clone(),
        ..QueryRequest::default()
    })?;
    explain(args, context, &engine, &query)?;
    let format = args
        .results_format
        .clone()
        .or_else(|| extension(args.results_file.as_deref()));
    let answer = engine.execute(&query, &args.control(context))?;
    let mut out = Output::open(args.results_file.as_deref())?;
    write(answer, format.as_deref(), &mut out)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn write(answer: QueryAnswer, format: Option<&str>, out: &mut Output) -> Result<()> {
    match answer {
        QueryAnswer::Boolean(value) => {
            write_boolean(solutions_format(format)?, value, &mut out.buffer);
        }
        QueryAnswer::Solutions(mut rows) => {
            let format = solutions_format(format)?;
            let mut writer = SolutionsWriter::start(format, rows.variables(), &mut out.buffer);
            out.write_all(&mut rows, |batch, range, terms, buffer| {
                writer.write_rows(batch, range, terms, buffer)
            })?;
            writer.finish(&mut out.buffer);
        }
        QueryAnswer::Triples(mut rows) => {
            let mut writer = QuadsWriter::start(graph_format(format)?);
            out.write_all(&mut rows, |batch, range, terms, buffer| {
                writer.write_rows(batch, range, terms, buffer)
            })?;
            writer.finish(&mut out.buffer)?;
        }
    }
    Ok(())
}

fn explain(
    args: &QueryArgs,
    context: &Context,
    engine: &Engine,
    query: &PreparedQuery,
) -> Result<()> {
    if !args.explain && args.explain_file.is_none() {
        return Ok(());
    }
    let explanation = engine.explain(query, args.stats, &args.control(context))?;
    if args.explain {
        tell(&explanation);
    }
    let Some(path) = &args.explain_file else {
        return Ok(());
    };
    let text = match extension(Some(path)).as_deref() {
        Some("json") => serde_json::to_string_pretty(&explanation)
            .map_err(|e| Error::internal(format!("a plan as JSON: {e}")))?,
        _ => explanation.to_string(),
    };
    let mut out = Output::open(Some(path))?;
    out.buffer.extend_from_slice(text.as_bytes());
    out.finish()
}

fn extension(path: Option<&Path>) -> Option<String> {
    Some(path?.extension()?.to_str()?.to_owned())
}

fn solutions_format(name: Option<&str>) -> Result<SolutionsFormat> {
    let Some(name) = name else {
        return Ok(SolutionsFormat::Tsv);
    };
    SolutionsFormat::named(name).ok_or_else(|| {
        let message = format!("solutions are written as json, xml, csv or tsv, not as {name}");
        Error::new(ErrorKind::Settings, message)
    })
}

fn graph_format(name: Option<&str>) -> Result<RdfFormat> {
    let Some(name) = name else {
        return Ok(RdfFormat::NTriples);
    };
    rdf_format_named(name).ok_or_else(|| {
        let message =
            format!("graphs are written as nt, ttl, rdf, jsonld, nq or trig, not as {name}");
        Error::new(ErrorKind::Settings, message)
    })
}
