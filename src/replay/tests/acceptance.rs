//! What makes a replay believable, against servers whose latencies are known, in a world whose clock stands still.

use super::fake::{self, Reaction, Seen};
use super::simulated::{self, Behaviour};
use super::{ONE, Plan, foreign, plan, small_folder};
use crate::replay::Outcome;
use crate::replay::answers::Answers;
use crate::replay::failure::FailureClass;
use crate::replay::own_limit::OwnLimit;
use crate::replay::pace::{Load, Milli, Pace};
use crate::replay::report::Report;
use crate::replay::state::State;
use crate::replay::statistics::Samples;
use crate::replay::updates::Updates;
use crate::replay::workload::Workload;
use std::collections::HashMap;
use std::time::Duration;

/// Answers after a delay that depends on the time since the start of the run.
fn answering(mut delay_ms: impl FnMut(u64) -> u64 + Send + 'static) -> Behaviour {
    Box::new(move |now, _: &Seen| {
        let delay_ms = delay_ms(now.as_millis() as u64);
        (Duration::from_millis(delay_ms), fake::solutions(&[ONE]))
    })
}

/// Answers at once, but for the last second of every ten.
fn stalling() -> Behaviour {
    answering(|now_ms| match now_ms % 10_000 {
        phase_ms @ 9000.. => 10_000 - phase_ms,
        _ => 0,
    })
}

fn planned(load: Load, duration_s: f64) -> Plan {
    Plan {
        workload: Workload::read(small_folder().path(), 0).unwrap(),
        loads: vec![load],
        rounds: 1,
        duration: Some(Duration::from_secs_f64(duration_s)),
        // The server of the plan is not asked.
        ..plan(vec![("a", foreign(|_| Reaction::Send(Vec::new())))])
    }
}

fn open(pace: fn(Milli) -> Pace, rate: f64) -> Load {
    Load {
        pace: Some(pace(Milli::new(rate))),
        threads: 110,
    }
}

fn latencies_ms(outcome: &Outcome) -> Samples {
    outcome.rows()[0].latencies_ms()
}

fn check_percentile(samples: &Samples, per_mille: usize, wanted_ms: f64) {
    let found_ms = samples.percentile(per_mille).unwrap();
    assert!(
        (found_ms - wanted_ms).abs() <= 0.02 * wanted_ms,
        "{per_mille} per mille: {found_ms} ms, not {wanted_ms}"
    );
}

#[test]
fn an_open_loop_shows_a_stall() {
    let outcome = simulated::replay(planned(open(Pace::Fixed, 100.0), 60.0), stalling);
    // A hundred of each thousand requests fall into a stall, ten milliseconds apart, and wait for 1000, 990, ... 10 ms;
    // ten of each thousand wait longer than 900 ms, fifty longer than 500.
    let latencies = latencies_ms(&outcome);
    assert_eq!(latencies.ascending().len(), 6000);
    check_percentile(&latencies, 990, 900.0);
    check_percentile(&latencies, 950, 500.0);
    check_percentile(&latencies, 980, 800.0);
    assert_eq!(latencies.median(), Some(0.0));
    let text = Report::new(&outcome).to_string();
    assert!(text.contains("in flight\nendpoint   rate"), "{text}");
}

#[test]
fn too_few_clients_for_a_stall_are_late_and_that_counts() {
    let load = Load {
        threads: 4,
        ..open(Pace::Fixed, 100.0)
    };
    let outcome = simulated::replay(planned(load, 60.0), stalling);
    check_percentile(&latencies_ms(&outcome), 990, 900.0);
    // The four that were sent in time wait for the server, the next ones for a client.
    let row = &outcome.rows()[0];
    assert_eq!(row.services_ms().percentile(990), Some(0.0));
    check_percentile(&row.delays_ms(), 990, 860.0);
}

#[test]
fn a_closed_loop_hides_a_stall() {
    let delay_ms = |now_ms| match now_ms % 10_000 {
        phase_ms @ 9000.. => 10_000 - phase_ms,
        _ => 5,
    };
    let outcome = simulated::replay(planned(Load::closed(1), 60.0), || answering(delay_ms));
    let latencies = latencies_ms(&outcome);
    assert_eq!(latencies.max(), Some(1000.0));
    assert_eq!(latencies.percentile(990), Some(5.0));
}

#[test]
fn constant_latencies_and_those_with_two_modes_are_told_as_they_are() {
    let load = open(Pace::Fixed, 50.0);
    let constant = simulated::replay(planned(load, 40.0), || answering(|_| 7));
    let latencies = latencies_ms(&constant);
    assert_eq!((latencies.min(), latencies.max()), (Some(7.0), Some(7.0)));
    let two_modes = || {
        let mut number = 0;
        answering(move |_| {
            number += 1;
            if number % 20 == 0 { 80 } else { 2 }
        })
    };
    let outcome = simulated::replay(planned(load, 40.0), two_modes);
    let latencies = latencies_ms(&outcome);
    let figures = [500, 900, 950, 951, 990].map(|per_mille| latencies.percentile(per_mille));
    assert_eq!(figures, [2.0, 2.0, 2.0, 80.0, 80.0].map(Some));
    assert_eq!(latencies.share_above(2.0), Some(0.05));
}

#[test]
fn a_rate_that_is_too_high_is_not_held() {
    // One answer at a time, ten milliseconds each: a hundred a second.
    let queueing = || {
        let mut free_ms = 0;
        answering(move |now_ms| {
            free_ms = now_ms.max(free_ms) + 10;
            free_ms - now_ms
        })
    };
    let held = |rate| {
        let outcome = simulated::replay(planned(open(Pace::Poisson, rate), 20.0), queueing);
        outcome.rates_held()[0].map(Milli::get)
    };
    assert_eq!(held(80.0), Some(80.0));
    assert_eq!(held(105.0), None);
    assert_eq!(held(250.0), None);
}

#[test]
fn a_sweep_tries_rates_until_one_fails_and_narrows_the_gap() {
    // Refuses all but the first sixty requests of a run.
    let refusing = || -> Behaviour {
        let mut served = 0;
        Box::new(move |_, _| {
            served += 1;
            let reaction = match served {
                ..=60 => fake::solutions(&[ONE]),
                _ => Reaction::Send(fake::response("503 Busy", "text/plain", "")),
            };
            (Duration::ZERO, reaction)
        })
    };
    let answers = Answers::default();
    let mut rates = Vec::new();
    let outcome = planned(Load::closed(1), 0.3)
        .sweep(Milli::new(60.0), 20, |plan, slot| {
            rates.push(slot.load.to_string());
            Ok(simulated::run(plan, slot, &answers, refusing()))
        })
        .unwrap();
    assert_eq!(
        rates,
        [
            "60/s", "120/s", "240/s", "180/s", "210/s", "195/s", "202.5/s", "198.75/s"
        ]
    );
    assert_eq!(outcome.rates_held()[0], Some(Milli::new(198.75)));
}

/// Says that an update is made after 20 ms, and knows of it so long after that; other answers take a millisecond.
fn updated(delay_ms: u64) -> Behaviour {
    let mut known_from = HashMap::new();
    Box::new(move |now, seen| {
        let ms = Duration::from_millis;
        let mark = seen
            .query
            .rsplit_once("GRAPH")
            .map(|(_, mark)| mark.to_owned());
        if seen.query.contains("INSERT") {
            known_from.insert(mark, now + ms(20 + delay_ms));
            return (
                ms(20),
                Reaction::Send(fake::response("204 Made", "text/plain", "")),
            );
        }
        if !seen.query.contains("ASK") {
            return (ms(1), fake::solutions(&[ONE]));
        }
        let is_known = known_from.get(&mark).is_some_and(|&from| now >= from);
        let body = format!(r#"{{"head":{{}},"boolean":{is_known}}}"#);
        let media_type = "application/sparql-results+json";
        (
            ms(1),
            Reaction::Send(fake::response("200 OK", media_type, &body)),
        )
    })
}

#[test]
fn the_time_until_a_commit_is_seen_is_measured() {
    let folder = small_folder();
    for (name, text) in [
        ("one", "CLEAR SILENT GRAPH <http://e/>"),
        ("two", "CLEAR ALL ;"),
    ] {
        std::fs::write(folder.path().join(format!("{name}.ru")), text).unwrap();
    }
    let outcome = |delay_ms| {
        let updates = Updates::read(folder.path(), Milli::new(10.0)).unwrap();
        let plan = Plan {
            updates: Some(updates),
            ..planned(Load::closed(2), 0.95)
        };
        simulated::replay(plan, || updated(delay_ms))
    };
    for (delay_ms, wanted_ms) in [(0, 1.0), (30, 31.0)] {
        let outcome = outcome(delay_ms);
        let updates = &outcome.runs[0].updates;
        let names: Vec<_> = updates.iter().map(|update| &*update.name).collect();
        assert_eq!(names, ["one", "two"].repeat(5));
        for (number, update) in updates.iter().enumerate() {
            assert_eq!(update.start.as_millis() as usize, number * 100);
            assert_eq!(update.commit_ms(), Some(20.0));
            assert_eq!(update.unseen_ms(), Some(wanted_ms), "{update:?}");
            assert_eq!(update.asked, wanted_ms as usize);
        }
        assert!(outcome.is_clean());
        let text = Report::new(&outcome).to_string();
        let table = text.split("updates beside").nth(1).unwrap();
        let words: Vec<_> = table.lines().nth(2).unwrap().split_whitespace().collect();
        let seen = format!("{wanted_ms:.2} - {wanted_ms:.2}");
        assert_eq!(words.join(" "), format!("a 2 10 0 20.00 - 20.00 {seen}"));
    }
    // The time-out of a request is 30 s.
    let never = outcome(1_000_000);
    assert!(!never.is_clean());
    let failure = never.runs[0].updates[0].failure.as_ref().unwrap();
    assert_eq!(failure.class, FailureClass::Timeout);
}

#[test]
fn the_states_of_a_server_differ_in_what_is_sent_before_the_clock_starts() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["1", "2", "3"] {
        let text = format!("SELECT * {{ ?s ?p {name} }}");
        std::fs::write(folder.path().join(format!("{name}.rq")), text).unwrap();
    }
    let check = |state: State, warm: &[usize]| {
        let plan = Plan {
            workload: Workload::read(folder.path(), 1).unwrap(),
            state,
            duration: None,
            ..planned(Load::closed(1), 1.0)
        };
        let outcome = simulated::replay(plan, || answering(|_| 1));
        let asked: Vec<_> = outcome.runs[0]
            .requests
            .iter()
            .map(|r| r.timing.query)
            .collect();
        assert_eq!(asked, [warm, &[1, 2]].concat());
        assert!(Report::new(&outcome).to_string().contains(state.name()));
    };
    check(State::Cold, &[]);
    check(State::Warm, &[0]);
    check(State::Hot, &[0, 1, 2]);
}

#[test]
fn a_server_is_steady_when_its_times_stay() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["1", "2", "3"] {
        let text = format!("SELECT * {{ ?s ?p {name} }}");
        std::fs::write(folder.path().join(format!("{name}.rq")), text).unwrap();
    }
    let outcome = |delay_ms: fn(u64) -> u64| {
        let plan = Plan {
            workload: Workload::read(folder.path(), 2).unwrap(),
            state: State::Steady,
            duration: None,
            ..planned(Load::closed(2), 1.0)
        };
        simulated::replay(plan, || answering(delay_ms))
    };
    // Each pass takes two clients one query's time: 40, 30, 20, 10, 10, ... ms.
    let warming = outcome(|now_ms| match now_ms {
        0..40 => 40,
        40..70 => 30,
        70..90 => 20,
        _ => 10,
    });
    let settled = warming.runs[0].settled.unwrap();
    assert_eq!((settled.passes, settled.is_steady), (7, true));
    assert_eq!(warming.runs[0].requests.len(), 7 * 2 + 1);
    let text = Report::new(&warming).to_string();
    assert!(text.contains("steady after 7 to 7 passes"), "{text}");
    let restless = outcome(|now_ms| 10 + now_ms % 7);
    assert!(!restless.runs[0].settled.unwrap().is_steady);
    let text = Report::new(&restless).to_string();
    assert!(text.contains("even after 50 passes"), "{text}");
}

#[test]
fn the_harness_measures_itself() {
    let limit = OwnLimit::measure(2, Duration::from_millis(200)).unwrap();
    assert!(limit.requests_per_s > 10.0, "{limit:?}");
}
