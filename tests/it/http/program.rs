//! The program itself: its exit codes, its one line on standard output, its signals.

use super::client::{ask, metric, request};
use super::trial;
use libtest_mimic::Trial;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("exit codes", exit_codes),
        trial("generate, load, query and dump", load_and_dump),
        trial("a bad document leaves the store as it was", bad_documents),
        trial(
            "standard input is loaded, into a graph, with a base",
            standard_input,
        ),
        trial(
            "the served program stops on SIGTERM with exit code 0",
            stop_on_signal,
        ),
        trial("SIGHUP reads the log directives again", hangup),
    ]
}

pub fn kaluta(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaluta"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("KALUTA_LOG");
    command.output().expect("the program runs")
}

/// The program in a process whose files may have so many blocks only, of 512 or 1024 bytes by the shell.
pub fn limited(blocks: u32) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_kaluta")]);
    command
}

/// What the program writes to standard output, when it does what it is told.
#[track_caller]
pub fn succeed(arguments: &[&str]) -> String {
    let output = kaluta(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// A served store in a process of its own.
pub struct Served {
    child: Child,
    pub address: SocketAddr,
    errors: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Served {
    pub fn start(location: &Path, more: &[&str]) -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_kaluta")), location, more)
    }

    /// One whose process may write files of so many blocks only.
    pub fn start_limited(location: &Path, blocks: u32, more: &[&str]) -> Self {
        Self::of(limited(blocks), location, more)
    }

    fn of(mut command: Command, location: &Path, more: &[&str]) -> Self {
        command
            .args([
                "serve",
                "--bind",
                "127.0.0.1:0",
                "--location",
                location.to_str().unwrap(),
            ])
            .args(more)
            .env_remove("KALUTA_LOG")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://");
        let errors = Arc::new(Mutex::new(String::new()));
        let (written, from) = (Arc::clone(&errors), child.stderr.take().unwrap());
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                writeln!(written.lock().unwrap(), "{line}").unwrap();
            }
        });
        Self {
            address: address
                .unwrap_or_else(|| panic!("{line:?}"))
                .parse()
                .unwrap(),
            child,
            errors,
            reader: Some(reader),
        }
    }

    /// What it has written to standard error so far.
    pub fn errors(&self) -> String {
        self.errors.lock().unwrap().clone()
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: &str) {
        let pid = self.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// Stops it, and gives its exit code and what it wrote to standard error.
    pub fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        self.signal(signal);
        let code = self.child.wait().unwrap().code();
        self.reader.take().unwrap().join().unwrap();
        (code, self.errors())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Already gone when it was stopped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn store_with(document: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.nt");
    std::fs::write(&file, document).unwrap();
    let store = folder.path().join("store");
    succeed(&[
        "load",
        "--location",
        store.to_str().unwrap(),
        file.to_str().unwrap(),
    ]);
    folder
}

fn exit_codes() {
    let check = |arguments: &[&str], code: i32| {
        let output = kaluta(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        if code != 0 {
            assert!(errors.starts_with("error: "), "{errors}");
        }
    };
    check(&["--version"], 0);
    for command in ["serve", "load", "query", "dump", "generate", "replay"] {
        check(&[command, "--help"], 0);
        assert!(
            String::from_utf8_lossy(&kaluta(&[command, "--help"]).stdout).contains("Examples:")
        );
    }
    check(&["serve", "--no-such-option"], 2);
    check(&["query", "--query", "ASK {}"], 2);
    check(
        &[
            "serve",
            "--log",
            "kaluta=loud",
            "--location",
            "/nonexistent",
        ],
        2,
    );
    check(
        &["query", "--location", "/nonexistent", "--query", "ASK {}"],
        1,
    );
}

fn load_and_dump() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, store) = (path("data.nt"), path("store"));
    succeed(&[
        "generate",
        "--triples",
        "2000",
        "--seed",
        "7",
        "--output",
        &data,
    ]);
    succeed(&["load", "--location", &store, &data]);
    let lines = |text: &str| {
        let mut lines: Vec<_> = text
            .lines()
            .filter(|l| !l.contains("_:"))
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines
    };
    let generated = std::fs::read_to_string(&data).unwrap();
    let dumped = succeed(&[
        "dump",
        "--location",
        &store,
        "--graph",
        "default",
        "--format",
        "nt",
    ]);
    assert_eq!(dumped.lines().count(), generated.lines().count());
    assert_eq!(lines(&dumped), lines(&generated));
    let all = "SELECT * { ?s ?p ?o }";
    let rows = succeed(&[
        "query",
        "--location",
        &store,
        "--query",
        all,
        "--results-format",
        "csv",
    ]);
    assert!(rows.lines().count() > generated.lines().count());
    let file = path("answer.xml");
    succeed(&[
        "query",
        "--location",
        &store,
        "--query",
        "ASK { ?s ?p ?o }",
        "--results-file",
        &file,
    ]);
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("<boolean>true</boolean>")
    );
}

/// The six lines of case A36: three good ones and three bad ones.
const MIXED: &str = "<http://e/1> <http://e/p> \"x\" .
<http://e/a b> <http://e/p> \"x\" .
<http://e/2> <http://e/p> \"x\" .
<http://e/x> <http://e/p> <http://e/100%> .
<http://e/x> <http://e/p> \"unterminated .
<http://e/3> <http://e/p> \"x\" .
";

fn bad_documents() {
    let folder = store_with("<http://e/s> <http://e/p> \"kept\" .\n");
    let store = folder.path().join("store");
    let bad = folder.path().join("bad.nt");
    std::fs::write(&bad, MIXED).unwrap();
    let (store, bad) = (store.to_str().unwrap(), bad.to_str().unwrap());
    let output = kaluta(&["load", "--location", store, bad]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("bad.nt: line 2, column "), "{errors}");
    let dumped = succeed(&["dump", "--location", store]);
    assert_eq!(dumped, "<http://e/s> <http://e/p> \"kept\" .\n");
    let output = kaluta(&["load", "--location", store, "--lenient", bad]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    for line in [
        "line 2",
        "line 4",
        "line 5",
        "skipped 3 statements in all",
        "(3 of them new)",
    ] {
        assert!(errors.contains(line), "{line}: {errors}");
    }
    assert_eq!(succeed(&["dump", "--location", store]).lines().count(), 4);
}

fn standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaluta"));
    command
        .args([
            "load",
            "--format",
            "ttl",
            "--base",
            "http://e/",
            "--graph",
            "http://e/g",
            "--location",
        ])
        .arg(&store)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"<s> <p> <o> .").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let location = store.to_str().unwrap();
    let quad = "<http://e/s> <http://e/p> <http://e/o> <http://e/g> .\n";
    assert_eq!(succeed(&["dump", "--location", location]), quad);
    let triples = succeed(&[
        "dump",
        "--location",
        location,
        "--format",
        "nt",
        "--graph",
        "http://e/g",
    ]);
    assert_eq!(triples, "<http://e/s> <http://e/p> <http://e/o> .\n");
    assert_eq!(
        kaluta(&["dump", "--location", location, "--format", "nt"])
            .status
            .code(),
        Some(2)
    );
}

fn stop_on_signal() {
    let folder = store_with(
        "<http://e/s> <http://e/p> 'one'@en .\n"
            .replace('\'', "\"")
            .as_str(),
    );
    for name in ["TERM", "INT"] {
        let served = Served::start(&folder.path().join("store"), &[]);
        let answer = ask(
            served.address,
            "SELECT ?o { ?s ?p ?o }",
            "text/tab-separated-values",
        );
        assert_eq!(answer.text(), "?o\n\"one\"@en\n");
        assert_eq!(metric(served.address, "kaluta_store_quads"), 1);
        let (code, errors) = served.stop(name);
        assert_eq!(code, Some(0), "{errors}");
        assert!(errors.contains("curl http://127.0.0.1:"), "{errors}");
    }
}

fn hangup() {
    let folder = store_with("<http://e/s> <http://e/p> <http://e/o> .\n");
    let config = folder.path().join("kaluta.toml");
    std::fs::write(&config, "[log]\ndirectives = \"warn\"\n").unwrap();
    let served = Served::start(
        &folder.path().join("store"),
        &["--config", config.to_str().unwrap()],
    );
    let directives = || {
        request(served.address, "GET", "/admin/log", &[], None)
            .text()
            .trim()
            .to_owned()
    };
    assert_eq!(directives(), "warn");
    std::fs::write(&config, "[log]\ndirectives = \"info,kaluta::http=debug\"\n").unwrap();
    served.signal("HUP");
    super::client::wait_until("the directives change", || directives() != "warn");
    assert_eq!(directives(), "info,kaluta::http=debug");
}
