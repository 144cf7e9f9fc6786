//! The clock: calibrated loops, and costs by subtraction.
//!
//! A run is a number of operations under one reading of the clock. Runs are repeated and the quickest counts, since
//! whatever disturbs a run only adds to it; how far the median lies above it says how quiet the machine was.

use kaluta::replay::process::thread_cpu_seconds;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How many operations a run has.
pub const ITERATIONS: [u64; 2] = [1_000, 100_000];

/// Runs are repeated until they took so long together, or were so many; but never less than so many.
const PATIENCE: Duration = Duration::from_millis(300);
const RUNS_MAX: usize = 200;
const RUNS_MIN: usize = 2;

/// Makes a number of operations and tells what they took.
type Run<'a> = Box<dyn FnMut(u64) -> Duration + 'a>;

/// Something that is measured.
pub struct Component<'a> {
    /// What it is called; filters and baselines go by it.
    pub name: String,
    /// What is in its cost, or was taken off.
    pub note: Option<&'static str>,
    run: Run<'a>,
    overhead: Option<Run<'a>>,
}

impl<'a> Component<'a> {
    /// One operation for each call.
    pub fn new<T: 'a>(name: impl Into<String>, operation: impl FnMut() -> T + 'a) -> Self {
        Self::of_many(name, 1, operation)
    }

    /// Some operations for each call, such as the rows of a batch.
    pub fn of_many<T: 'a>(
        name: impl Into<String>,
        operations: u64,
        operation: impl FnMut() -> T + 'a,
    ) -> Self {
        Self::timed(name, repeated(operations, operation))
    }

    /// Operations that are timed by `run`, which gets their number.
    pub fn timed(name: impl Into<String>, run: impl FnMut(u64) -> Duration + 'a) -> Self {
        Self {
            name: name.into(),
            note: None,
            run: Box::new(run),
            overhead: None,
        }
    }

    /// Says what is in the cost.
    pub fn note(mut self, note: &'static str) -> Self {
        self.note = Some(note);
        self
    }

    /// Takes off what `operation` costs, which is a part of each call, too, and stands for as many operations.
    pub fn less<T: 'a>(
        self,
        note: &'static str,
        operations: u64,
        operation: impl FnMut() -> T + 'a,
    ) -> Self {
        self.less_timed(note, repeated(operations, operation))
    }

    /// Takes off what `run` tells.
    pub fn less_timed(mut self, note: &'static str, run: impl FnMut(u64) -> Duration + 'a) -> Self {
        self.note = Some(note);
        self.overhead = Some(Box::new(run));
        self
    }

    /// Measures runs of so many operations.
    pub fn measure(&mut self, iterations: u64) -> Figures {
        let gross = quickest(&mut self.run, iterations);
        let overhead = match &mut self.overhead {
            Some(overhead) => quickest(overhead, iterations),
            None => empty_loop(),
        };
        Figures {
            gross_ns: gross.ns,
            net_ns: (gross.ns - overhead.ns).max(0.0),
            spread_ns: gross.spread_ns + overhead.spread_ns,
        }
    }
}

/// What one operation costs.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// With everything.
    pub gross_ns: f64,
    /// Without what does not belong to it; nothing, where that is less than the noise.
    pub net_ns: f64,
    /// How far the median runs lay above the quickest, for both that the net cost is the difference of.
    pub spread_ns: f64,
}

impl Figures {
    /// How many there are in a second, with everything.
    pub fn operations_per_s(&self) -> f64 {
        1e9 / self.gross_ns
    }
}

/// Calls until there were enough operations, under one reading of the clock.
fn repeated<T>(operations: u64, mut operation: impl FnMut() -> T) -> impl FnMut(u64) -> Duration {
    move |iterations| {
        let calls = iterations.div_ceil(operations);
        let start = Instant::now();
        for _ in 0..calls {
            black_box(operation());
        }
        let elapsed = start.elapsed();
        // Of the operations that were asked for, where the last call went over them.
        elapsed.mul_f64(iterations as f64 / (calls * operations) as f64)
    }
}

/// One operation of the quickest run, and how far that of the median run lay above it.
#[derive(Clone, Copy)]
struct Quickest {
    ns: f64,
    spread_ns: f64,
}

fn quickest(run: &mut dyn FnMut(u64) -> Duration, iterations: u64) -> Quickest {
    let mut runs = Vec::with_capacity(RUNS_MAX);
    let start = Instant::now();
    while runs.len() < RUNS_MIN || (runs.len() < RUNS_MAX && start.elapsed() < PATIENCE) {
        runs.push(run(iterations).as_nanos() as f64 / iterations as f64);
    }
    runs.sort_unstable_by(f64::total_cmp);
    Quickest {
        ns: runs[0],
        spread_ns: runs[runs.len() / 2] - runs[0],
    }
}

/// What one turn of a loop without an operation costs.
fn empty_loop() -> Quickest {
    static COST: OnceLock<Quickest> = OnceLock::new();
    *COST.get_or_init(|| quickest(&mut repeated(1, empty), ITERATIONS[1]))
}

/// The operation of the empty loop: nothing, but the compiler does not know it.
pub fn empty() -> u64 {
    black_box(0)
}

/// The share of a core that a loop gets, which is nearly all of one on a quiet machine.
pub fn core_share() -> Option<f64> {
    let (start, before) = (Instant::now(), thread_cpu_seconds()?);
    while start.elapsed() < PATIENCE {
        black_box(0);
    }
    Some((thread_cpu_seconds()? - before) / start.elapsed().as_secs_f64())
}
