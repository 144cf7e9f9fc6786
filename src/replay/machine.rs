//! The machine that a replay ran on.

use serde::Serialize;
use std::fs;

/// What a reader needs to know of the machine; what could not be found out is missing.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Operating system and instruction set.
    pub platform: String,
    /// The release of the kernel.
    pub kernel: Option<String>,
    /// The model of the processor.
    pub processor: Option<String>,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
}

impl Machine {
    /// This machine.
    pub fn this() -> Self {
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
        Self {
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            kernel: kernel.map(|kernel| kernel.trim().to_owned()),
            processor: entry("/proc/cpuinfo", "model name"),
            cores: cores(),
            memory_bytes: entry("/proc/meminfo", "MemTotal")
                .and_then(|total| total.strip_suffix(" kB")?.parse::<u64>().ok())
                .map(|kilobytes| kilobytes * 1024),
        }
    }
}

/// How many cores this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn entry(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}
