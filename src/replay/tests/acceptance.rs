//! What makes a replay believable, against servers that misbehave in a known way.

use super::fake::{self, Reaction};
use super::{ONE, Plan, foreign, plan, replay, small_folder};
use crate::replay::Outcome;
use crate::replay::pace::{Load, Milli, Pace};
use crate::replay::report::Report;
use crate::replay::run::Service;
use crate::replay::workload::Workload;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Answers at once, but for a time that begins so long after the first request.
fn stalling(start: Duration, length: Duration) -> Service {
    let first = OnceLock::new();
    foreign(move |_| {
        let since_first = first.get_or_init(Instant::now).elapsed();
        if (start..start + length).contains(&since_first) {
            std::thread::sleep(start + length - since_first);
        }
        fake::solutions(&[ONE])
    })
}

fn loaded(service: Service, load: Load, duration_s: f64) -> Outcome {
    replay(Plan {
        workload: Workload::read(small_folder().path(), 0).unwrap(),
        loads: vec![load],
        rounds: 1,
        duration: Some(Duration::from_secs_f64(duration_s)),
        ..plan(vec![("a", service)])
    })
}

fn open(pace: Pace) -> Load {
    Load {
        pace: Some(pace),
        threads: 110,
    }
}

#[test]
#[ignore = "depends on the clock: run it with --ignored on a quiet machine"]
fn an_open_loop_shows_a_stall() {
    let second = Duration::from_secs(1);
    let p99_ms = || {
        let pace = Pace::Fixed(Milli::new(100.0));
        let outcome = loaded(stalling(second * 2, second), open(pace), 10.0);
        let text = Report::new(&outcome).to_string();
        assert!(text.contains("in flight\nendpoint   rate"), "{text}");
        outcome.rows()[0].latencies_ms().percentile(990).unwrap()
    };
    // A hundred of a thousand requests fall into the stall, ten milliseconds apart; ten wait longer than 900 ms. Other
    // work on the machine only ever adds, so of a few tries the best one tells.
    let mut tries = Vec::new();
    while tries.len() < 3 {
        let p99_ms = p99_ms();
        if (882.0..=918.0).contains(&p99_ms) {
            return;
        }
        tries.push(p99_ms);
    }
    panic!("{tries:?}");
}

#[test]
#[ignore = "depends on the clock: run it with --ignored on a quiet machine"]
fn a_closed_loop_hides_a_stall() {
    let (start, length) = (Duration::from_millis(300), Duration::from_millis(500));
    let outcome = loaded(stalling(start, length), Load::closed(1), 2.0);
    let latencies = outcome.rows()[0].latencies_ms();
    assert!(latencies.max() > Some(450.0));
    assert!(latencies.percentile(900).unwrap() < 200.0);
}

#[test]
#[ignore = "depends on the clock: run it with --ignored on a quiet machine"]
fn a_rate_that_is_too_high_is_not_held() {
    // One answer at a time, ten milliseconds each: a hundred a second.
    let turn = Mutex::new(());
    let service = foreign(move |_| {
        let _turn = turn.lock().unwrap();
        std::thread::sleep(Duration::from_millis(10));
        fake::solutions(&[ONE])
    });
    let held = |rate: f64| {
        let pace = Pace::Poisson(Milli::new(rate));
        loaded(service.clone(), open(pace), 1.0).rates_held()[0].map(Milli::get)
    };
    assert_eq!(held(40.0), Some(40.0));
    assert_eq!(held(250.0), None);
}

#[test]
#[ignore = "depends on the clock: run it with --ignored on a quiet machine"]
fn a_sweep_tries_rates_until_one_fails_and_narrows_the_gap() {
    // Refuses all but the first sixty requests of a run.
    let served = Arc::new(AtomicUsize::new(0));
    let of_server = Arc::clone(&served);
    let service = foreign(move |_| match of_server.fetch_add(1, Ordering::Relaxed) {
        ..60 => fake::solutions(&[ONE]),
        _ => Reaction::Send(fake::response("503 Busy", "text/plain", "")),
    });
    let plan = Plan {
        workload: Workload::read(small_folder().path(), 0).unwrap(),
        duration: Some(Duration::from_millis(300)),
        ..plan(vec![("a", service)])
    };
    let mut rates = Vec::new();
    let outcome = plan
        .sweep(Milli::new(60.0), 20, |slot, _| {
            rates.push(slot.load.to_string());
            served.store(0, Ordering::Relaxed);
        })
        .unwrap();
    assert_eq!(rates[..4], ["60/s", "120/s", "240/s", "180/s"], "{rates:?}");
    let held = outcome.rates_held()[0].unwrap().get();
    assert!((190.0..=200.0).contains(&held), "{rates:?}");
}
