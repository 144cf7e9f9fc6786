//! Stores that earlier programs wrote: each version of the format that is read has one in `tests/it/stores`.

use crate::http::program::succeed;
use libtest_mimic::Trial;
use std::fs;
use std::path::Path;

const STORES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/stores");

pub fn trials() -> Vec<Trial> {
    let trial = |version: &'static str| {
        Trial::test(format!("formats::{version} is read"), move || {
            check(version);
            Ok(())
        })
    };
    vec![trial("v2")]
}

fn check(version: &str) {
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(Path::new(STORES).join(version)).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let location = folder.path().to_str().unwrap();
    let lines = |text: &str| -> Vec<String> {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let expected = fs::read_to_string(Path::new(STORES).join(format!("{version}.nq"))).unwrap();
    let run = |arguments: &[&str]| succeed(&[arguments, &["--location", location]].concat());
    run(&["verify"]);
    assert_eq!(lines(&run(&["dump"])), lines(&expected));
    run(&[
        "update",
        "--update",
        "INSERT DATA { <http://e/n> <http://e/p> 1 }",
    ]);
    run(&["compact"]);
    assert_eq!(lines(&run(&["dump"])).len(), lines(&expected).len() + 1);
}
