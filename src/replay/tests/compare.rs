//! Two replays compared by their files.

use crate::replay::changes::Changes;
use crate::replay::recorded::Recorded;
use serde_json::{Value, json};

/// What a made-up replay found: a latency, and for the last of its two queries a checksum, or nothing where it failed.
struct Found {
    latency_ms: f64,
    checksum: Option<&'static str>,
}

const FOUND: Found = Found {
    latency_ms: 10.0,
    checksum: Some("a"),
};

fn request(round: usize, query: &str, latency_ms: f64, checksum: Option<&str>) -> Value {
    // Rounds differ a little.
    let latency_us = latency_ms * (1000.0 + round as f64);
    json!({
        "record": "request", "endpoint": "a", "round": round, "threads": 1, "pace": null, "phase": "timed",
        "query": query, "intended_start_us": 5.0, "last_byte_us": 5.0 + latency_us,
        "rows": checksum.map(|_| 1), "checksum": checksum,
    })
}

/// The file of a replay of six rounds, read back.
fn recorded(found: &Found) -> Recorded {
    recorded_under(found, json!({"workload_sha256": "1", "queries": []}))
}

fn recorded_under(found: &Found, conditions: Value) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("measurements.jsonl");
    let mut head = conditions;
    head["record"] = "replay".into();
    head["targets"] = json!(["a"]);
    let mut lines = vec![head];
    for round in 0..6 {
        let of =
            json!({"record": "run", "endpoint": "a", "round": round, "threads": 1, "pace": null});
        lines.push(of);
        lines.push(request(round, "p", found.latency_ms, Some("a")));
        lines.push(request(round, "q", found.latency_ms, found.checksum));
    }
    let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    Recorded::read(&path).unwrap()
}

#[test]
fn changes_are_told_and_decide_the_exit() {
    let base = recorded(&FOUND);
    let check = |found: &Found, is_worse: bool, wanted: &str| {
        let other = recorded(found);
        let changes = Changes::between(&base, &other);
        let text = changes.to_string();
        assert!(text.contains(wanted), "{text}");
        assert_eq!(changes.are_worse_by(50.0), is_worse, "{text}");
    };
    let of = |latency_ms, checksum| Found {
        latency_ms,
        checksum,
    };
    check(&FOUND, false, "no difference");
    check(&of(30.0, Some("a")), true, "slower");
    check(&of(14.0, Some("a")), false, "slower");
    check(&of(1.0, Some("a")), false, "faster");
    check(
        &of(10.0, Some("b")),
        true,
        "a: other answers than before to q",
    );
    check(&of(10.0, None), true, "a: 6 requests failed, 0 before");
}

#[test]
fn unlike_conditions_are_told() {
    let check = |before: Value, after: Value, wanted: &[&str]| {
        let with_queries = |mut conditions: Value| {
            conditions["queries"] = json!([]);
            recorded_under(&FOUND, conditions)
        };
        let (before, after) = (with_queries(before), with_queries(after));
        let text = Changes::between(&before, &after).to_string();
        let warnings: Vec<_> = (text.lines())
            .filter_map(|line| line.strip_prefix("warning: "))
            .collect();
        assert_eq!(warnings, wanted);
    };
    let usual =
        || json!({"workload_sha256": "1", "machine": {"cores": 2}, "state": "warm", "seed": 1});
    check(usual(), usual(), &[]);
    check(
        usual(),
        json!({"workload_sha256": "2", "machine": {"cores": 4}, "state": "cold", "seed": 1, "timeout_s": 5}),
        &[
            "the workloads (queries of equal names are compared) are not the same",
            "the machines are not the same",
            "the states of the servers are not the same: \"warm\" and \"cold\"",
            "the time-outs are not the same: null and 5",
        ],
    );
}

#[test]
fn answers_are_not_disputed_where_they_may_differ() {
    let other = Found {
        checksum: Some("b"),
        ..FOUND
    };
    let check = |conditions: Value, is_worse: bool| {
        let before = recorded_under(&FOUND, conditions.clone());
        let after = recorded_under(&other, conditions);
        let changes = Changes::between(&before, &after);
        assert_eq!(changes.are_worse_by(50.0), is_worse, "{changes}");
    };
    let leaving = |choice: Value| json!({"queries": [{"name": "q", "choice": choice}]});
    check(leaving("nothing".into()), true);
    check(leaving(json!({"rows-at-limit": 1})), false);
    check(leaving(json!({"rows-at-limit": 2})), true);
    check(json!({"queries": [], "updates_per_s": 5.0}), false);
}

#[test]
fn what_is_no_file_of_measurements_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for text in ["", "{}\n", "{\"record\":\"run\"}\n"] {
        std::fs::write(&path, text).unwrap();
        let error = Recorded::read(&path).unwrap_err();
        assert!(error.message().contains("line 1"), "{error}");
    }
}
