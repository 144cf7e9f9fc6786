//! What the kernel tells about a process: CPU time and peak memory, from `/proc`.
//!
//! Where there is no `/proc`, or the process is gone, there is no figure rather than a wrong one.

use std::fs;

/// `USER_HZ`, the unit of the times in `/proc/PID/stat`: a constant of the Linux interface, whatever the kernel's own tick.
const TICKS_PER_SECOND: f64 = 100.0;

/// Seconds of user and system time that a process has used so far; exact to a hundredth.
pub fn cpu_seconds(pid: u32) -> Option<f64> {
    parse_cpu_seconds(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The largest resident memory that a process has had.
pub fn peak_memory_bytes(pid: u32) -> Option<u64> {
    parse_peak_memory_bytes(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

/// Seconds that the calling thread has spent on a core.
pub fn thread_cpu_seconds() -> Option<f64> {
    let schedstat = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = schedstat.split(' ').next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

fn parse_cpu_seconds(stat: &str) -> Option<f64> {
    // The second field is the name in parentheses, which may hold spaces and parentheses itself.
    let (_, after_name) = stat.rsplit_once(") ")?;
    let mut fields = after_name.split(' ').skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user + system) as f64 / TICKS_PER_SECOND)
}

fn parse_peak_memory_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_read_behind_any_name() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 150 25 0 0 20 0";
        for name in ["server", "a b", "x) S 1"] {
            assert_eq!(
                parse_cpu_seconds(&format!("7 ({name}) {rest}")),
                Some(1.75),
                "{name}"
            );
        }
        assert_eq!(parse_cpu_seconds("7 (server) S 1"), None);
    }

    #[test]
    fn status_names_the_peak() {
        let status = "Name:\tserver\nVmPeak:\t 9 kB\nVmHWM:\t    2048 kB\n";
        assert_eq!(parse_peak_memory_bytes(status), Some(2 << 20));
        assert_eq!(parse_peak_memory_bytes("Name:\tserver\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_figures() {
        assert!(cpu_seconds(std::process::id()).is_some());
        assert!(peak_memory_bytes(std::process::id()).is_some_and(|bytes| bytes > 0));
        assert!(thread_cpu_seconds().is_some());
    }
}
