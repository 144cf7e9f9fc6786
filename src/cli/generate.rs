//! `kaluta generate`: sample data of any size.

use super::output_file::OutputFile;
use super::progress::SampleBar;
use crate::diagnostics::{Error, Result};
use crate::sample::{SAMPLE_SEED, SAMPLE_TRIPLES, Sample};
use clap::Args;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  kaluta generate --triples 5000 --output small.nt
  kaluta generate --triples 10000000 --seed 7 | gzip > large.nt.gz

The same numbers give the same bytes on every machine.";

/// Options of `kaluta generate`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GenerateArgs {
    /// How many triples
    #[arg(long, value_name = "N", default_value_t = SAMPLE_TRIPLES)]
    triples: u64,
    /// Where the random choices start
    #[arg(long, value_name = "S", default_value_t = SAMPLE_SEED)]
    seed: u64,
    /// The file to write; standard output where none is given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the data.
///
/// # Errors
/// Writing failed.
pub fn run(args: &GenerateArgs) -> Result<ExitCode> {
    let sample = Sample {
        triples: args.triples,
        seed: args.seed,
    };
    match &args.output {
        None => write(&sample, &mut io::stdout().lock())?,
        Some(path) => {
            let mut file = OutputFile::create(path)?;
            write(&sample, &mut file)?;
            file.finish()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write(sample: &Sample, to: &mut dyn Write) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, to);
    let bar = SampleBar::start(sample.triples);
    let written = sample.write(&mut out, &mut |triples| bar.update(triples));
    match written.and_then(|triples| out.flush().map(|()| triples)) {
        Ok(triples) => bar.finish(triples),
        // Whoever read us has had enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {}
        Err(e) => return Err(Error::io("writing the sample data", e)),
    }
    Ok(())
}
