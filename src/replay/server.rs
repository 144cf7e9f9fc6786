//! A server of our own: a child process that is started for one run and ended after it.
//!
//! The child prints `listening on http://HOST:PORT` on its standard output, which is how its port is found. It is ended by
//! its process id with SIGTERM and waited for; it never outlives the value that stands for it.

use super::endpoint::Endpoint;
use crate::diagnostics::{BacktracePolicy, Error, ErrorKind, Result};
use rustix::process::{Pid, Signal, kill_process};
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Where an own server takes queries.
pub const QUERY_TARGET: &str = "/query";
/// Where an own server takes updates.
pub const UPDATE_TARGET: &str = "/update";

const START_TIMEOUT: Duration = Duration::from_secs(60);
const BREAKDOWN_TIMEOUT: Duration = Duration::from_millis(200);
const STOP_TIMEOUT: Duration = Duration::from_secs(20);
const LOG_EXCERPT_BYTES_MAX: usize = 2000;

/// How to start a server.
#[derive(Clone, Debug)]
pub struct ServerCommand {
    /// The program.
    pub binary: PathBuf,
    /// The store that it serves.
    pub location: PathBuf,
    /// Its other options.
    pub options: Vec<String>,
}

/// A running child process that listens.
pub struct Server {
    process: Process,
    endpoint: Endpoint,
}

struct Process {
    child: Child,
    log: File,
}

impl ServerCommand {
    /// Starts the server and waits until it listens.
    pub fn start(&self) -> Result<Server> {
        let (mut process, stdout) = self.spawn()?;
        let address = listening_address(stdout);
        let Ok(url) = address.recv_timeout(START_TIMEOUT) else {
            return Err(Error::new(
                ErrorKind::Io,
                format!(
                    "{self} did not say where it listens; it wrote: {}",
                    process.log_excerpt()
                ),
            ));
        };
        let endpoint = Endpoint::parse(&url)?.with_target(QUERY_TARGET);
        Ok(Server { process, endpoint })
    }

    fn spawn(&self) -> Result<(Process, ChildStdout)> {
        let failed = |e| Error::io(format_args!("starting {}", self.binary.display()), e);
        let log = tempfile::tempfile().map_err(failed)?;
        let mut child = Command::new(&self.binary)
            .arg("serve")
            .arg("--location")
            .arg(&self.location)
            .args(["--bind", "127.0.0.1:0"])
            .args(&self.options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log.try_clone().map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        let stdout = child.stdout.take();
        let process = Process { child, log };
        let stdout = stdout.ok_or_else(|| Error::internal("a child without standard output"))?;
        Ok((process, stdout))
    }
}

impl fmt::Display for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (binary, location) = (self.binary.display(), self.location.display());
        write!(f, "{binary} serve --location {location}")?;
        self.options
            .iter()
            .try_for_each(|option| write!(f, " {option}"))
    }
}

/// The word for a policy on the command line and in reports.
pub const fn policy_name(policy: BacktracePolicy) -> &'static str {
    match policy {
        BacktracePolicy::WhenLogged => "when-logged",
        BacktracePolicy::Always => "always",
        BacktracePolicy::Never => "never",
    }
}

impl Server {
    /// Where it answers queries.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.child.id()
    }

    /// What is to be said of the server's end, if it has ended already. A process whose connections have just broken gets
    /// a moment to end.
    pub fn broke_down(&mut self) -> Option<String> {
        let deadline = Instant::now() + BREAKDOWN_TIMEOUT;
        loop {
            match self.process.child.try_wait() {
                Ok(Some(status)) => {
                    let log = self.process.log_excerpt();
                    return Some(format!("the server ended with {status}; it wrote: {log}"));
                }
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                // Where the process cannot be asked, it is not known to have ended.
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// Ends the server; says what was wrong with its end, if it was not a clean one.
    pub fn stop(mut self) -> Result<Option<String>> {
        let failed = |e| Error::io("waiting for a server to end", e);
        let child = &mut self.process.child;
        if child.try_wait().map_err(failed)?.is_none() {
            kill_process(Pid::from_child(child), Signal::TERM).map_err(|e| failed(e.into()))?;
        }
        let deadline = Instant::now() + STOP_TIMEOUT;
        while Instant::now() < deadline {
            match child.try_wait().map_err(failed)? {
                Some(status) if status.success() => return Ok(None),
                Some(status) => {
                    let log = self.process.log_excerpt();
                    return Ok(Some(format!(
                        "the server ended with {status}; it wrote: {log}"
                    )));
                }
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
        let seconds = STOP_TIMEOUT.as_secs();
        Ok(Some(format!(
            "the server did not end within {seconds} s of SIGTERM and was killed"
        )))
    }
}

impl Process {
    /// The end of what the child wrote on its standard error.
    fn log_excerpt(&mut self) -> String {
        let mut bytes = Vec::new();
        let read = self
            .log
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.log.read_to_end(&mut bytes));
        match read {
            Ok(0) => "nothing".to_owned(),
            Ok(length) => {
                let end = &bytes[length.saturating_sub(LOG_EXCERPT_BYTES_MAX)..];
                String::from_utf8_lossy(end).trim().to_owned()
            }
            Err(e) => format!("what cannot be read: {e}"),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only where the child has ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a child's standard output to its end, so that the child never blocks on it; tells the first address in it.
fn listening_address(stdout: ChildStdout) -> mpsc::Receiver<String> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
            if let Some((_, rest)) = line.split_once("listening on http://") {
                let address = rest.split_whitespace().next().unwrap_or_default();
                // Nobody listens any more once the first address is known.
                let _ = tell.send(format!("http://{address}"));
            }
        }
    });
    told
}
