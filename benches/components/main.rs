//! `cargo bench --bench components`: what the parts of Kaluta cost, after the method of the Triceps report.
//!
//! Each component runs 1,000 and 100,000 times in a calibrated loop, and what belongs to the loop or to getting ready is
//! measured alone and taken off ([`measure`]). A line each: operations per second with everything, and the net cost of one
//! in nanoseconds. `--save-baseline NAME` keeps the figures and `--baseline NAME` compares with them ([`baseline`]), as
//! users of criterion know it; words filter by name. Criterion itself measures one closure and reports its time, so that
//! subtraction, shared overheads and two numbers of iterations would have to be built around it; this is less.

mod baseline;
mod expressions;
mod fixture;
mod hand_over;
mod joins;
mod measure;
mod queries;
mod results;
#[path = "../served/mod.rs"]
#[expect(dead_code, reason = "updates and metrics are for other benchmarks")]
mod served;
mod storage;
mod terms;

use baseline::Baseline;
use clap::Parser;
use fixture::Fixture;
use kaluta::diagnostics::{Result, logging};
use kaluta::settings::Settings;
use measure::{Component, Figures, ITERATIONS};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The share of a core that a loop gets at least where nothing else runs.
const QUIET_SHARE: f64 = 0.97;

const EXAMPLES: &str = "\
Examples:
  Everything, in one to two minutes:
    cargo bench --bench components

  What a change of yours did to joins and filters:
    cargo bench --bench components -- join filter --save-baseline before
    cargo bench --bench components -- join filter --baseline before

How to read a line: operations per second are with everything, net costs are less the empty loop and less what is named
after `less`; +- is how far the median of the runs lay above the quickest, which is the one shown. The comparison is
of the net costs of the longer runs; it says `no change` below 3% and where the spread of both explains the difference.";

/// What the parts of Kaluta cost, a line each.
#[derive(Parser)]
#[command(name = "cargo bench --bench components --", after_help = EXAMPLES)]
struct Options {
    /// Measure only components whose names hold one of these
    filters: Vec<String>,
    /// Keep the figures under this name, in target/components; those of components that are not measured now stay
    #[arg(long, value_name = "NAME")]
    save_baseline: Option<String>,
    /// Compare with the figures that were kept under this name
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

impl Options {
    fn want(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|word| name.contains(word.as_str()))
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    if !options.bench {
        // `cargo test --all-targets` starts benchmarks too, without the argument that `cargo bench` adds.
        println!("nothing is measured without --bench; run `cargo bench --bench components`");
        return ExitCode::SUCCESS;
    }
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    // What a wrong name or a missing baseline has to say is said before anything is measured.
    let before = options
        .baseline
        .as_deref()
        .map(Baseline::read)
        .transpose()?;
    let kept = (options.save_baseline.as_deref()).map(baseline::file_of);
    let kept = kept.transpose()?;
    // Whether an error is logged is asked of the log as a server has it.
    let log = Settings::default().log;
    logging::start(&log.directives, log.format)?;
    let fixture = Fixture::new()?;
    let share_before = measure::core_share();
    let mut now = Baseline::default();
    print_head(before.is_some());
    let groups = [
        terms::components,
        storage::components,
        joins::components,
        expressions::components,
        results::components,
        queries::components,
        hand_over::components,
    ];
    for group in groups {
        for mut component in group(&fixture)? {
            if options.want(&component.name) {
                let figures = ITERATIONS.map(|iterations| component.measure(iterations));
                print_row(&component, &figures, before.as_ref());
                now.keep(&component.name, &figures);
            }
        }
    }
    warn_of_others([share_before, measure::core_share()]);
    match kept {
        Some(file) => now.write(&file),
        None => Ok(()),
    }
}

/// Warns when other work ran on the machine, before or after.
fn warn_of_others(shares: [Option<f64>; 2]) {
    let share = shares.into_iter().flatten().reduce(f64::min);
    if let Some(share) = share.filter(|&share| share < QUIET_SHARE) {
        println!(
            "warning: this machine does other work; a loop had a core for {:.0}% of the time only, so costs are too high, \
             most of all those of long runs",
            share * 100.0
        );
    }
}

fn print_head(compares: bool) {
    let [few, many] = ITERATIONS;
    println!(
        "{:<42} {:>13} {:>13} {:>11} {:>11} {:>8}{}",
        "",
        format!("op/s, {few}"),
        format!("op/s, {many}"),
        "net ns",
        "net ns",
        "+- ns",
        if compares { "  change" } else { "" }
    );
}

fn print_row(component: &Component<'_>, figures: &[Figures; 2], before: Option<&Baseline>) {
    let [few, many] = figures;
    let change = before.map(|baseline| baseline.change(&component.name, many));
    let change = change.map_or(String::new(), |change| format!("  {change:<15}"));
    let note = component
        .note
        .map_or(String::new(), |note| format!("  ({note})"));
    println!(
        "{:<42} {:>13.0} {:>13.0} {:>11.1} {:>11.1} {:>8.1}{change}{note}",
        component.name,
        few.operations_per_s(),
        many.operations_per_s(),
        few.net_ns,
        many.net_ns,
        many.spread_ns,
    );
}
