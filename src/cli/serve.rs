//! `kaluta serve`: a server, with sample data if wanted.
//!
//! Standard output gets one line, `listening on http://HOST:PORT`, once the server is ready, for whoever started it;
//! everything for people goes to standard error.

use super::progress::{LoadBar, SampleBar};
use super::say::tell;
use super::{Context, Flags, location_flag};
use crate::diagnostics::logging::LogFormat;
use crate::diagnostics::{Error, Result, backtraces};
use crate::engine::{Engine, LoadOptions, LoadSource};
use crate::http::Server;
use crate::sample::Sample;
use clap::Args;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

const EXAMPLES: &str = "\
Examples:
  kaluta serve --sample
  kaluta serve --location data --bind 0.0.0.0:7878
  kaluta serve --location data --config kaluta.toml --log info,kaluta::error=debug

Ctrl-C or SIGTERM stops the server once running requests are done; SIGHUP makes it read its log settings again.";

/// Where `--sample` puts its store when no location is given.
const SAMPLE_LOCATION: &str = "kaluta-sample";

/// Options of `kaluta serve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// Directory of the store; it is created where there is none [env: KALUTA_LOCATION]
    #[arg(short, long, value_name = "DIR")]
    location: Option<PathBuf>,
    /// Address and port to listen on; port 0 takes a free one [env: KALUTA_BIND] [default: 127.0.0.1:7878]
    #[arg(short, long, value_name = "ADDRESS")]
    bind: Option<String>,
    /// Answer queries only, and leave the store free for other readers
    #[arg(long)]
    read_only: bool,
    /// Fill an empty store with sample data, 1.4 million triples; without --location in ./kaluta-sample
    #[arg(long)]
    sample: bool,
    /// Let pages of other origins send queries, whatever the settings file says
    #[arg(long)]
    cors: bool,
    /// Let queries see the union of all graphs as their default graph
    #[arg(long)]
    union_default_graph: bool,
    /// The time a query may take, in seconds; 0 for no limit
    #[arg(long, value_name = "SECONDS")]
    timeout_s: Option<u64>,
    /// Append queries and updates to a file, as JSON Lines without their clients, of which `replay import` makes a workload
    #[arg(long, value_name = "FILE")]
    request_log: Option<PathBuf>,
}

impl ServeArgs {
    /// Whether nothing is to be changed.
    pub fn read_only(&self) -> bool {
        self.read_only
    }

    /// The settings that the options say.
    pub fn flags(&self) -> Flags {
        let mut flags = location_flag(self.location.as_deref());
        flags.extend(self.bind.clone().map(|v| ("bind", v)));
        if self.cors {
            flags.push(("http.cross_origin", "true".to_owned()));
        }
        if self.union_default_graph {
            flags.push(("query.default_graph", "union".to_owned()));
        }
        let timeout = self.timeout_s.map(|s| s.saturating_mul(1000).to_string());
        flags.extend(timeout.map(|ms| ("query.timeout_ms", ms)));
        let request_log = self.request_log.as_ref();
        flags.extend(request_log.map(|p| ("log.requests_file", p.to_string_lossy().into_owned())));
        flags
    }
}

/// Serves until it is told to stop.
///
/// # Errors
/// The store cannot be opened, or the address cannot be had.
pub fn run(args: &ServeArgs, context: &Context, read_only: bool) -> Result<ExitCode> {
    let location = match context.location() {
        Err(_) if args.sample => Path::new(SAMPLE_LOCATION),
        location => location?,
    };
    let query = &context.settings.query;
    let engine = match read_only {
        true => Engine::open_read_only(location, query)?,
        false => Engine::open(location, query, &context.settings.store)?,
    };
    let engine = engine
        .with_load_sources(&context.settings.update, &context.settings.service)?
        .with_services(&context.settings.service)?;
    if args.sample && engine.quad_count() == 0 {
        load_sample(&engine, location, context)?;
    }
    let runtime = runtime(context.settings.http.io_threads)?;
    runtime.block_on(serve(Arc::new(engine), context))?;
    Ok(ExitCode::SUCCESS)
}

/// The async threads; with one, requests are read and written on the thread that waits for signals.
fn runtime(io_threads: usize) -> Result<Runtime> {
    let mut builder = match io_threads {
        0 | 1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    builder
        .worker_threads(io_threads.max(1))
        .enable_all()
        .build()
        .map_err(|e| Error::io("starting the server's threads", e))
}

async fn serve(engine: Arc<Engine>, context: &Context) -> Result<()> {
    let stop = stop_signal()?;
    let hangup = signal(SignalKind::hangup()).map_err(|e| Error::io("listening for signals", e))?;
    let quads = engine.quad_count();
    let server = Server::bind(&context.settings, engine, Some(context.log.clone())).await?;
    let address = server.address();
    announce(&format!("listening on http://{address}"));
    if context.settings.log.format == LogFormat::Text {
        tell(format_args!(
            "{quads} quads are ready for a first query:

  curl http://{address}/query --data-urlencode 'query=SELECT * {{ ?s ?p ?o }} LIMIT 5'

Ctrl-C stops the server."
        ));
    }
    tracing::info!(target: "kaluta::http", %address, quads, "serving");
    tokio::select! {
        served = server.run(stop) => served,
        () = reload_on_hangup(hangup, context) => Ok(()),
    }
}

/// Tells whoever started the server; a closed standard output is no reason not to serve.
fn announce(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Ready when the process is asked to end.
fn stop_signal() -> Result<impl Future<Output = ()> + Send + 'static> {
    let failed = |e| Error::io("listening for signals", e);
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!(target: "kaluta::http", "stopping: running requests may end");
    })
}

/// Reads the settings again whenever the process gets SIGHUP, and puts those of the log in force; never ends.
async fn reload_on_hangup(mut hangup: Signal, context: &Context) {
    loop {
        hangup.recv().await;
        match reload(context) {
            Ok(()) => tracing::info!(
                target: "kaluta::http",
                directives = context.log.directives(),
                "read the log settings again"
            ),
            // The server goes on with what it has.
            Err(error) => error.log("sighup"),
        }
    }
}

fn reload(context: &Context) -> Result<()> {
    let settings = context.source.read()?;
    context.log.set_directives(&settings.log.directives)?;
    backtraces::set_policy(settings.backtrace);
    Ok(())
}

/// Writes the sample to a file beside the store, loads it, and removes it.
fn load_sample(engine: &Engine, location: &Path, context: &Context) -> Result<()> {
    let failed = |e| Error::io("writing the sample data", e);
    let file = tempfile::Builder::new()
        .prefix("sample-")
        .suffix(".nt")
        .tempfile_in(location)
        .map_err(failed)?;
    let sample = Sample::default();
    let bar = SampleBar::start(sample.triples);
    let mut out = BufWriter::new(file.as_file());
    let written = sample.write(&mut out, &mut |triples| bar.update(triples));
    let triples = written.map_err(failed)?;
    out.flush().map_err(failed)?;
    drop(out);
    bar.finish(triples);
    let options = LoadOptions {
        memory_bytes_max: usize::try_from(context.settings.load.memory_bytes_max)
            .unwrap_or(usize::MAX),
        ..LoadOptions::default()
    };
    let bar = LoadBar::start();
    let report = engine.load(vec![LoadSource::file(file.path())], &options, &bar)?;
    bar.finish(&report);
    Ok(())
}
