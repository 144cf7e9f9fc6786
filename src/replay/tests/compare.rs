//! Two replays compared by their files.

use super::fake::{self, Reaction};
use super::{ONE, TWO, foreign, plan, replay};
use crate::replay::Plan;
use crate::replay::changes::Changes;
use crate::replay::pace::Load;
use crate::replay::recorded::Recorded;
use std::path::PathBuf;
use std::time::Duration;

/// Measures a server that takes so long for each answer, and answers q4 in its own way.
fn measure(folder: &tempfile::TempDir, name: &str, delay_ms: u64, q4: fn() -> Reaction) -> PathBuf {
    let service = foreign(move |seen| {
        std::thread::sleep(Duration::from_millis(delay_ms));
        match seen.query.contains("q4") {
            true => q4(),
            false => fake::solutions(&[ONE]),
        }
    });
    let outcome = replay(Plan {
        loads: vec![Load::closed(1)],
        rounds: 6,
        ..plan(vec![("a", service)])
    });
    let path = folder.path().join(name);
    let mut file = std::fs::File::create(&path).unwrap();
    outcome.write_json(&mut file).unwrap();
    path
}

#[test]
fn changes_are_told_and_decide_the_exit() {
    let folder = tempfile::tempdir().unwrap();
    let good = || fake::solutions(&[ONE]);
    let base = Recorded::read(&measure(&folder, "base", 5, good)).unwrap();
    let check = |name: &str, delay_ms, q4, is_worse: bool, wanted: &str| {
        let other = Recorded::read(&measure(&folder, name, delay_ms, q4)).unwrap();
        let changes = Changes::between(&base, &other);
        let text = changes.to_string();
        assert!(text.contains(wanted), "{text}");
        assert_eq!(changes.are_worse_by(50.0), is_worse, "{text}");
    };
    check("slower", 30, good, true, "slower");
    check("faster", 1, good, false, "faster");
    let wrong = || fake::solutions(&[TWO]);
    check(
        "wrong",
        5,
        wrong,
        true,
        "a: other answers than before to q4",
    );
    let failing = || Reaction::Send(fake::response("500 Oh", "text/plain", ""));
    check(
        "failing",
        5,
        failing,
        true,
        "a: 6 requests failed, 0 before",
    );
    let changes = Changes::between(&base, &base);
    assert!(!changes.are_worse_by(0.0), "{changes}");
    assert!(changes.to_string().contains("no difference"), "{changes}");
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
