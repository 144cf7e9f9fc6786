//! Reports of measurements that were made up, against tables worked out by hand.

use super::Report;
use super::page::Page;
use crate::replay::checksum::Answer;
use crate::replay::course::Timing;
use crate::replay::failure::{Failure, FailureClass};
use crate::replay::metrics::Counters;
use crate::replay::own_limit::OwnLimit;
use crate::replay::pace::Load;
use crate::replay::process::Resources;
use crate::replay::run::{Request, Run, Service, Usage};
use crate::replay::schedule::Slot;
use crate::replay::state::State;
use crate::replay::workload::{Phase, Workload};
use crate::replay::{Outcome, Plan, Subject, Target};
use std::time::Duration;

fn plan(subject: Subject, names: &[&str], threads: &[usize], rounds: usize) -> Plan {
    let folder = tempfile::tempdir().unwrap();
    for name in ["w", "x", "y"] {
        std::fs::write(folder.path().join(format!("{name}.rq")), "ASK {}").unwrap();
    }
    let endpoint = crate::replay::endpoint::Endpoint::parse("http://127.0.0.1:1/").unwrap();
    let target = |name: &&str| Target {
        name: (*name).to_owned(),
        service: Service::Foreign(endpoint.clone(), None),
        updates: None,
    };
    Plan {
        workload: Workload::read(folder.path(), 1).unwrap(),
        updates: None,
        state: State::default(),
        subject,
        targets: names.iter().map(target).collect(),
        loads: threads.iter().copied().map(Load::closed).collect(),
        duration: None,
        rounds,
        seed: 1,
        timeout: Duration::from_secs(1),
    }
}

fn request(query: usize, latency_ms: u64) -> Request {
    let start = Duration::from_millis(10);
    Request {
        timing: Timing {
            phase: if query == 0 {
                Phase::Warm
            } else {
                Phase::Timed
            },
            query,
            thread: 0,
            intended_start: start,
            start,
            first_byte: None,
            last_byte: start + Duration::from_millis(latency_ms),
            status: Some(200),
            bytes: 1,
            resent: false,
            check_wait: Duration::ZERO,
        },
        outcome: Ok(Answer {
            rows: 1,
            checksum: 1,
            is_unread: false,
        }),
    }
}

/// A run that takes `wall_s`, in which x takes two milliseconds and y takes `y_ms`.
fn run(target: usize, threads: usize, round: usize, wall_s: f64, y_ms: u64) -> Run {
    Run {
        slot: Slot {
            round,
            target,
            load: Load::closed(threads),
        },
        url: "http://127.0.0.1:1/".to_owned(),
        server_name: None,
        wall_s,
        server: Usage {
            cpu_s: Some(wall_s / 4.0),
            resources: Resources {
                user_s: Some(wall_s / 8.0),
                minor_faults: Some(7),
                read_bytes: Some(2_500_000),
                ..Resources::default()
            },
            mean_memory_bytes: Some(2_000_000),
            peak_memory_bytes: Some(3_000_000 + round as u64 * 1_000_000),
            counters: Some(Counters {
                backtraces_captured: 40,
                expression_errors: 50,
            }),
        },
        client_cpu_s: Some(wall_s * threads as f64 / 5.0),
        settled: None,
        bad_end: None,
        breakdowns: Vec::new(),
        updates: Vec::new(),
        requests: vec![request(0, 1000), request(1, 2), request(2, y_ms)],
    }
}

#[test]
fn the_first_table_is_that_of_the_2008_report() {
    let runs = vec![
        run(1, 2, 1, 1.0, 8),
        run(0, 1, 1, 3.0, 8),
        run(1, 1, 0, 1.5, 8),
        run(0, 1, 0, 1.0, 8),
        run(1, 1, 1, 1.5, 8),
        run(0, 2, 0, 2.0, 8),
        run(0, 2, 1, 2.0, 8),
        run(1, 2, 0, 4.0, 8),
    ];
    let plan = plan(Subject::StackTraces, &["always", "never"], &[1, 2], 2);
    let outcome = Outcome {
        plan,
        runs,
        own_limit: None,
        data: Vec::new(),
    };
    let wanted = "\
stack-traces  threads    times (s)    avg    min   avg%   min%
always              1  1.000 3.000  2.000  1.000  100.0  100.0
never               1  1.500 1.500  1.500  1.500   75.0  150.0
always              2  2.000 2.000  2.000  2.000  100.0  100.0
never               2  4.000 1.000  2.500  1.000  125.0   50.0
";
    let text = Report::new(&outcome).to_string();
    assert!(text.starts_with(wanted), "{text}");
}

#[test]
fn the_figures_behind_it() {
    let runs = (0..3)
        .map(|round| run(0, 2, round, 1.0 + round as f64, 8))
        .collect();
    let plan = plan(Subject::StackTraces, &["always"], &[2], 3);
    let outcome = Outcome {
        plan,
        runs,
        own_limit: None,
        data: Vec::new(),
    };
    let text = Report::new(&outcome).to_string();
    let second = text.split("\n\n").nth(1).unwrap();
    let figures: Vec<_> = second.lines().nth(1).unwrap().split_whitespace().collect();
    // Six answers in six seconds; p50 lies between 2 and 8 ms, the geometric mean of the two is 4.
    let wanted = "always 2 2.000 2.000 5.00 - - 8.00 4.000 1.0 0 0.50 5 40 50 20.0";
    assert_eq!(figures.join(" "), wanted, "{text}");
}

#[test]
fn ratios_are_to_the_fastest_other() {
    let runs = vec![
        run(0, 1, 0, 1.0, 8),
        run(1, 1, 0, 1.0, 4),
        run(2, 1, 0, 1.0, 16),
    ];
    let plan = plan(Subject::Servers, &["a", "b", "c"], &[1], 1);
    let outcome = Outcome {
        plan,
        runs,
        own_limit: None,
        data: Vec::new(),
    };
    let text = Report::new(&outcome).to_string();
    for (name, ratio, ms) in [
        ("a", "2.00", "8.00"),
        ("b", "0.50", "4.00"),
        ("c", "4.00", "16.00"),
    ] {
        let table = text
            .split(&format!("{name} to the fastest other"))
            .nth(1)
            .unwrap();
        let of_y = table.lines().find(|line| line.starts_with("y ")).unwrap();
        assert_eq!(
            of_y.split_whitespace().collect::<Vec<_>>(),
            ["y", ratio, ms],
            "{text}"
        );
    }
}

#[test]
fn failed_requests_are_no_latencies_and_mark_their_row() {
    let mut failing = run(0, 1, 0, 1.0, 8);
    failing.requests[2].outcome = Err(Failure::new(FailureClass::Status, "500"));
    let plan = plan(Subject::StackTraces, &["always"], &[1], 1);
    let outcome = Outcome {
        plan,
        runs: vec![failing],
        own_limit: None,
        data: Vec::new(),
    };
    assert_eq!(outcome.rows()[0].latencies_ms().max(), Some(2.0));
    let text = Report::new(&outcome).to_string();
    assert!(text.contains("\nalways *"), "{text}");
    assert!(
        text.contains("\ny: always status (1 times): 500\n"),
        "{text}"
    );
}

#[test]
fn a_busy_client_is_told() {
    let warning = |client_cpu_s, server_cpu_s| {
        let mut busy = run(0, 1, 0, 1.0, 8);
        busy.client_cpu_s = Some(client_cpu_s);
        busy.server.cpu_s = Some(server_cpu_s);
        let plan = plan(Subject::StackTraces, &["always"], &[1], 1);
        let outcome = Outcome {
            plan,
            runs: vec![busy],
            own_limit: None,
            data: Vec::new(),
        };
        Report::new(&outcome)
            .to_string()
            .contains("warning: always, threads 1: ")
    };
    let cores = crate::replay::machine::cores() as f64;
    assert!(!warning(0.3, 0.1));
    assert!(warning(0.6, 0.1));
    assert!(!warning(0.05 * cores.min(4.0), 0.92 * cores));
    assert!(warning(0.12 * cores, 0.85 * cores));
}

/// Runs of two targets over six rounds, in which y takes 4 ms with the first and `other_ms` with the second.
fn six_rounds(other_ms: u64) -> Outcome {
    let rounds = || 0..6;
    let base = rounds().map(|round| run(0, 1, round, 1.0, 4));
    let other = rounds().map(|round| run(1, 1, round, 1.0, other_ms));
    Outcome {
        plan: plan(Subject::Servers, &["a", "b"], &[1], 6),
        runs: base.chain(other).collect(),
        own_limit: None,
        data: Vec::new(),
    }
}

#[test]
fn differences_have_intervals_and_a_verdict() {
    let check = |other_ms, wanted_row: &str, wanted_queries: &str| {
        let text = Report::new(&six_rounds(other_ms)).to_string();
        let table = text.split("difference from a").nth(1).unwrap();
        let words: Vec<_> = table.lines().nth(2).unwrap().split_whitespace().collect();
        assert_eq!(words.join(" "), wanted_row, "{text}");
        assert!(text.contains(wanted_queries), "{text}");
    };
    check(
        16,
        "b 1 6 2 +100.0 [+100.0, +100.0] +200.0 [+200.0, +200.0] +200.0 [+200.0, +200.0] +0.0 [+0.0, +0.0] slower",
        "1 queries of b differ from a",
    );
    check(
        4,
        "b 1 6 2 +0.0 [+0.0, +0.0] +0.0 [+0.0, +0.0] +0.0 [+0.0, +0.0] +0.0 [+0.0, +0.0] no difference",
        "no single query of b differs from a",
    );
}

#[test]
fn a_query_with_disputed_answers_is_not_compared() {
    let mut outcome = six_rounds(16);
    outcome.runs[7].requests[2].outcome = Ok(Answer {
        rows: 1,
        checksum: 2,
        is_unread: false,
    });
    let text = Report::new(&outcome).to_string();
    assert!(
        text.contains("\nb         1            6        1"),
        "{text}"
    );
}

#[test]
fn few_rounds_allow_no_verdict() {
    let mut outcome = six_rounds(16);
    outcome.runs.retain(|run| run.slot.round < 3);
    outcome.plan.rounds = 3;
    let text = Report::new(&outcome).to_string();
    assert!(text.contains("too few rounds"), "{text}");
    assert!(text.contains("here are 3; raise --repeats"), "{text}");
}

#[test]
fn failures_are_penalised_with_two_factors() {
    let mut outcome = six_rounds(2);
    outcome.runs[6].requests[2].outcome = Err(Failure::new(FailureClass::Timeout, "late"));
    let text = Report::new(&outcome).to_string();
    let table = text.split("each failure as 2").nth(1).unwrap();
    let rows: Vec<_> = table.lines().skip(2).take(2).collect();
    let words = |row: &str| row.split_whitespace().collect::<Vec<_>>().join(" ");
    // The time-out is a second; eleven answers of b take two milliseconds each.
    assert_eq!(words(rows[0]), "a 1 3.00 1 3.00 1", "{text}");
    assert_eq!(words(rows[1]), "b 1 168.50 2 835.17 2 1 timeout", "{text}");
}

#[test]
fn resources_are_means_over_the_runs() {
    let text = Report::new(&six_rounds(4)).to_string();
    let table = text.split("what the servers used").nth(1).unwrap();
    let words: Vec<_> = table.lines().nth(2).unwrap().split_whitespace().collect();
    assert_eq!(words.join(" "), "a 1 0.12 - 2 7 - - - 2.5 -", "{text}");
}

#[test]
fn breakdowns_are_told_and_are_no_success() {
    let mut outcome = six_rounds(4);
    assert!(outcome.is_clean());
    outcome.runs[2].breakdowns = vec!["it ended".to_owned()];
    assert!(!outcome.is_clean());
    let text = Report::new(&outcome).to_string();
    assert!(
        text.contains("a, round 3: it ended; it was started again\n"),
        "{text}"
    );
}

#[test]
fn a_limit_of_the_harness_that_is_near_is_told() {
    let text = |requests_per_s| {
        let mut outcome = six_rounds(4);
        outcome.own_limit = Some(OwnLimit {
            threads: 1,
            requests_per_s,
        });
        Report::new(&outcome).to_string()
    };
    // Each run has two requests in a second.
    assert!(text(5.0).contains("the harness alone: 5 requests/s with 1 threads\n"));
    assert!(!text(5.0).contains("warning: the harness"));
    assert!(text(3.0).contains("warning: the harness alone sends 3 requests/s"));
}

#[test]
fn the_report_shows_what_an_expert_asks_for() {
    let mut outcome = six_rounds(16);
    outcome.runs[6].requests[2].outcome = Err(Failure::new(FailureClass::Timeout, "late"));
    outcome.own_limit = Some(OwnLimit {
        threads: 1,
        requests_per_s: 1e6,
    });
    let report = Report::new(&outcome);
    let (text, page) = (report.to_string(), Page(&report).to_string());
    for wanted in [
        "geomean ms",
        "means over the rounds, with 99% intervals",
        "server CPU",
        "1 timeout",
        "client CPU%",
        "the harness alone: 1000000 requests/s",
    ] {
        assert!(text.contains(wanted) && page.contains(wanted), "{wanted}");
    }
    assert!(page.contains("<td>1 timeout</td>"));
    for plot in [
        "Distribution of latencies",
        "Ratio of each query's time to that of a",
        "Throughput by number of client threads",
    ] {
        assert!(page.contains(&format!("aria-label=\"{plot}\"")), "{plot}");
    }
}

#[test]
fn the_page_is_whole_and_needs_nothing_from_elsewhere() {
    let mut outcome = six_rounds(16);
    outcome.plan.targets[1].name = "<b> & \"c\"".to_owned();
    let page = Page(&Report::new(&outcome)).to_string();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    for wanted in [
        "&lt;b&gt; &amp; &quot;c&quot;",
        "<h2>Times</h2>",
        "Query by query",
        "Throughput",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    for unwanted in ["<script", "<link", "<img", "@import", "url(", "NaN", "<b>"] {
        assert!(!page.contains(unwanted), "{unwanted}");
    }
    let count = |tag: &str| page.matches(tag).count();
    for tag in ["table", "svg", "div", "tr", "ul"] {
        assert_eq!(
            count(&format!("<{tag}")),
            count(&format!("</{tag}>")),
            "{tag}"
        );
    }
}

#[test]
fn features_have_the_queries_that_have_them() {
    let text = Report::new(&six_rounds(16)).to_string();
    let table = text.split("by form and operator").nth(1).unwrap();
    let row = |name: &str| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace()
            .skip(name.split(' ').count())
            .collect::<Vec<_>>()
            .join(" ")
    };
    // The queries x and y take 2 and 4 ms at a, and 2 and 16 ms at b.
    assert_eq!(row("ASK"), "2 2.828 5.657 2.00", "{table}");
}

#[test]
fn data_that_is_not_the_same_is_told() {
    let mut outcome = six_rounds(16);
    let triples = |checksum| {
        Ok(Answer {
            rows: 3,
            checksum,
            is_unread: false,
        })
    };
    outcome.data = vec![triples(1), triples(1)];
    let text = Report::new(&outcome).to_string();
    assert!(
        text.contains("; 3 triples, checksum 0000000000000001\n"),
        "{text}"
    );
    assert!(!text.contains("the same data"), "{text}");
    outcome.data = vec![triples(1), triples(2)];
    let text = Report::new(&outcome).to_string();
    assert!(
        text.contains("warning: the servers do not hold the same data"),
        "{text}"
    );
}
