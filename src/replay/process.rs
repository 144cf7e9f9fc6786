//! What the kernel tells about a process, from `/proc`: CPU time, memory, page faults, context switches, bytes, open files.
//!
//! Where there is no `/proc`, or the process is gone, there is no figure rather than a wrong one.

use serde::Serialize;
use std::fs;
use std::ops::Sub;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// `USER_HZ`, the unit of the times in `/proc/PID/stat`: a constant of the Linux interface, whatever the kernel's own tick.
const TICKS_PER_SECOND: f64 = 100.0;

const MEMORY_INTERVAL: Duration = Duration::from_millis(100);

/// What a process has used since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Resources {
    /// Seconds of user time, exact to a hundredth.
    pub user_s: Option<f64>,
    /// Seconds of system time, exact to a hundredth.
    pub system_s: Option<f64>,
    /// Page faults that needed no disk.
    pub minor_faults: Option<u64>,
    /// Page faults that did.
    pub major_faults: Option<u64>,
    /// Times that one of its threads waited for something.
    pub voluntary_switches: Option<u64>,
    /// Times that one of its threads had to leave its core.
    pub involuntary_switches: Option<u64>,
    /// Bytes read from storage.
    pub read_bytes: Option<u64>,
    /// Bytes written to storage.
    pub written_bytes: Option<u64>,
}

impl Resources {
    /// Of a process, all its threads included. The context switches of threads that have ended are not known any more.
    pub fn of_process(pid: u32) -> Self {
        let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}"));
        let mut resources = Self::default();
        if let Ok(stat) = read("stat") {
            resources.read_stat(&stat);
        }
        if let Ok(io) = read("io") {
            resources.read_bytes = entry(&io, "read_bytes");
            resources.written_bytes = entry(&io, "write_bytes");
        }
        let threads = fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten();
        for thread in threads {
            if let Ok(status) = fs::read_to_string(thread.path().join("status")) {
                let add = |sum: &mut Option<u64>, name| {
                    *sum = entry(&status, name).map(|count| sum.unwrap_or_default() + count);
                };
                add(&mut resources.voluntary_switches, "voluntary_ctxt_switches");
                add(
                    &mut resources.involuntary_switches,
                    "nonvoluntary_ctxt_switches",
                );
            }
        }
        resources
    }

    /// User and system time in seconds.
    pub fn cpu_s(&self) -> Option<f64> {
        Some(self.user_s? + self.system_s?)
    }

    /// What was used since an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        fn less<T: Sub<Output = T>>(after: Option<T>, before: Option<T>) -> Option<T> {
            after.zip(before).map(|(after, before)| after - before)
        }
        let count = |after: Option<u64>, before: Option<u64>| {
            after
                .zip(before)
                .map(|(after, before)| after.saturating_sub(before))
        };
        Self {
            user_s: less(self.user_s, earlier.user_s),
            system_s: less(self.system_s, earlier.system_s),
            minor_faults: count(self.minor_faults, earlier.minor_faults),
            major_faults: count(self.major_faults, earlier.major_faults),
            voluntary_switches: count(self.voluntary_switches, earlier.voluntary_switches),
            involuntary_switches: count(self.involuntary_switches, earlier.involuntary_switches),
            read_bytes: count(self.read_bytes, earlier.read_bytes),
            written_bytes: count(self.written_bytes, earlier.written_bytes),
        }
    }

    fn read_stat(&mut self, stat: &str) {
        // The second field is the name in parentheses, which may hold spaces and parentheses itself.
        let Some((_, after_name)) = stat.rsplit_once(") ") else {
            return;
        };
        let fields: Vec<&str> = after_name.split(' ').collect();
        let number = |position: usize| fields.get(position)?.parse::<u64>().ok();
        let seconds = |ticks: u64| ticks as f64 / TICKS_PER_SECOND;
        self.minor_faults = number(7);
        self.major_faults = number(9);
        self.user_s = number(11).map(seconds);
        self.system_s = number(12).map(seconds);
    }
}

/// Whether the system tells of such a process.
pub fn is_running(pid: u32) -> bool {
    fs::exists(format!("/proc/{pid}/stat")).unwrap_or_default()
}

/// The largest resident memory that a process has had.
pub fn peak_memory_bytes(pid: u32) -> Option<u64> {
    memory_entry(pid, "VmHWM")
}

/// The resident memory that a process has now.
pub fn memory_bytes(pid: u32) -> Option<u64> {
    memory_entry(pid, "VmRSS")
}

/// How many files and connections a process holds open.
pub fn open_files(pid: u32) -> Option<usize> {
    Some(fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count())
}

/// Seconds that the calling thread has spent on a core.
pub fn thread_cpu_seconds() -> Option<f64> {
    let schedstat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = schedstat.split(' ').next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

/// Looks at the resident memory of a process ten times a second.
pub struct MemorySampler {
    stop: Sender<()>,
    thread: JoinHandle<Option<u64>>,
}

impl MemorySampler {
    /// Begins to look.
    pub fn start(pid: u32) -> Self {
        let (stop, stopped) = channel();
        let thread = thread::spawn(move || {
            let (mut sum, mut count) = (0, 0);
            loop {
                if let Some(bytes) = memory_bytes(pid) {
                    sum += bytes;
                    count += 1;
                }
                if stopped.recv_timeout(MEMORY_INTERVAL) != Err(RecvTimeoutError::Timeout) {
                    return sum.checked_div(count);
                }
            }
        });
        Self { stop, thread }
    }

    /// The mean of what was seen.
    pub fn stop(self) -> Option<u64> {
        drop(self.stop);
        self.thread.join().ok().flatten()
    }
}

fn memory_entry(pid: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    entry(&status, name).map(|kilobytes| kilobytes * 1024)
}

/// The number behind a name and a colon at the beginning of a line.
fn entry(text: &str, name: &str) -> Option<u64> {
    let rest = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_read_behind_any_name() {
        let rest = "S 1 2 3 4 5 6 700 8 9 10 150 25 0 0 20 0";
        for name in ["server", "a b", "x) S 1"] {
            let mut found = Resources::default();
            found.read_stat(&format!("7 ({name}) {rest}"));
            assert_eq!(found.cpu_s(), Some(1.75), "{name}");
            assert_eq!(
                (found.minor_faults, found.major_faults),
                (Some(700), Some(9))
            );
        }
        let mut cut = Resources::default();
        cut.read_stat("7 (server) S 1");
        assert_eq!(cut, Resources::default());
    }

    #[test]
    fn entries_have_whole_names() {
        let status = "Name:\tserver\nVmPeak:\t 9 kB\nVmHWM:\t    2048 kB\n";
        assert_eq!(entry(status, "VmHWM"), Some(2048));
        assert_eq!(entry(status, "Vm"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_figures() {
        let pid = std::process::id();
        let before = Resources::of_process(pid);
        assert!(before.cpu_s().is_some() && before.minor_faults.is_some());
        assert!(before.voluntary_switches.is_some() && before.involuntary_switches.is_some());
        assert_eq!(before.since(&before).minor_faults, Some(0));
        assert!(peak_memory_bytes(pid).is_some_and(|bytes| bytes > 0));
        assert!(memory_bytes(pid).is_some_and(|bytes| bytes > 0));
        assert!(open_files(pid).is_some_and(|files| files > 0));
        assert!(
            MemorySampler::start(pid)
                .stop()
                .is_some_and(|bytes| bytes > 0)
        );
        assert!(thread_cpu_seconds().is_some());
    }

    #[test]
    fn a_process_that_is_not_there_has_none() {
        assert_eq!(Resources::of_process(u32::MAX), Resources::default());
        assert_eq!(MemorySampler::start(u32::MAX).stop(), None);
        assert_eq!(open_files(u32::MAX), None);
    }
}
