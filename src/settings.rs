//! Typed settings: what an operator may choose, with every default in one place.
//!
//! Settings are read once, in layers that each override the one before: the defaults below, the file of `--config`,
//! environment variables (`KALUTA_` and the key in capitals, dots as underscores; `KALUTA_LOG` for the log
//! directives), command-line flags. After that they are immutable, but for the log directives, which a running server
//! reads again on SIGHUP. `config/kaluta.toml` documents each key with its default and unit, and a test compares the
//! two. How the layers are put together is in [`layers`].

pub mod layers;

pub use layers::SettingsSource;

use crate::diagnostics::BacktracePolicy;
use crate::diagnostics::logging::LogFormat;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The directory of the store; empty where none was given.
    pub location: PathBuf,
    /// The address and port to listen on; port 0 takes a free one.
    pub bind: String,
    /// When errors capture a backtrace.
    pub backtrace: BacktracePolicy,
    /// Limits and meaning of queries.
    pub query: QuerySettings,
    /// Limits of updates.
    pub update: UpdateSettings,
    /// Which other services queries may ask.
    pub service: ServiceSettings,
    /// How the store is written.
    pub store: StoreSettings,
    /// Limits of loading.
    pub load: LoadSettings,
    /// Limits of the HTTP server.
    pub http: HttpSettings,
    /// What is logged, and how.
    pub log: LogSettings,
}

/// Limits and meaning of queries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuerySettings {
    /// The time a query may take, waiting and writing its answer included; 0 for no limit.
    pub timeout_ms: u64,
    /// The memory a query may hold; 0 for no limit.
    pub memory_bytes_max: u64,
    /// The number of queries that run at once; 0 for one on each processor core.
    pub threads: usize,
    /// The number of queries that may wait for a thread; more are refused.
    pub queue_max: usize,
    /// What a query without a dataset of its own sees as its default graph.
    pub default_graph: DefaultGraph,
    /// Whether well-known prefixes need no declaration.
    pub default_prefixes: bool,
}

/// What a query without a dataset of its own sees as its default graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DefaultGraph {
    /// The default graph of the store alone.
    #[default]
    Default,
    /// The union of every graph of the store.
    Union,
}

/// Limits of updates and uploads. Time and memory are those of queries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UpdateSettings {
    /// The number of updates that may be under way at once; one of them writes.
    pub threads: usize,
    /// The number of uploads that may be under way at once, beside the updates.
    pub upload_threads: usize,
    /// The number of updates, and of uploads, that may wait for a thread; more are refused.
    pub queue_max: usize,
    /// The folders from which LOAD may read files.
    pub load_folders: Vec<PathBuf>,
    /// The URLs from which LOAD may fetch documents: whole ones, beginnings with `*` behind them, or `*` alone.
    pub load_urls: Vec<String>,
}

/// Which other services queries may ask with SERVICE, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServiceSettings {
    /// The endpoints: URLs, beginnings of URLs with `*` behind them, or `*` alone; nothing else is contacted.
    pub allow: Vec<String>,
    /// Hosts whose addresses may be loopback, private or otherwise not public.
    pub private_hosts: Vec<String>,
    /// The bindings that are sent with one request; 0 for all of them.
    pub bindings_max: usize,
    /// The time that one request may take; 0 for as long as the query may.
    pub timeout_ms: u64,
}

/// How the store is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// What it takes for a commit to be acknowledged.
    pub durability: Durability,
    /// The folder in which `POST /admin/backup` makes its copies; empty for none.
    pub backup_folder: PathBuf,
    /// The terms from which on the store compacts itself when half of them are garbage; 0 for never.
    pub compact_terms_min: u64,
}

/// What it takes for a commit to be acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// It is on disk: it survives a power cut.
    #[default]
    Fsync,
    /// The operating system has it: it survives the end of this process, but perhaps not a power cut.
    Os,
}

/// Limits of loading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoadSettings {
    /// The memory that a load may hold before it sorts through files.
    pub memory_bytes_max: u64,
}

/// Limits of the HTTP server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpSettings {
    /// The size of a query, an update or a form; larger ones are refused.
    pub body_bytes_max: usize,
    /// The size of a document sent to the graph store, as it is sent; 0 for no limit.
    pub upload_bytes_max: u64,
    /// How much of an answer is held back, so that an early error still gets its status.
    pub hold_back_bytes: usize,
    /// How long running requests may take to end once the server was told to stop.
    pub shutdown_grace_ms: u64,
    /// Whether pages of other origins may send queries and read answers.
    pub cross_origin: bool,
    /// The threads that read requests and write answers to sockets; they never run a query.
    pub io_threads: usize,
}

/// What is logged, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSettings {
    /// What is logged, in the directive syntax of `tracing`: `info`, `warn,kaluta::error=debug`, ...
    pub directives: String,
    /// Text for people or lines of JSON for programs.
    pub format: LogFormat,
    /// The file to which a served store appends its queries and updates; empty for none.
    pub requests_file: PathBuf,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            location: PathBuf::new(),
            bind: "127.0.0.1:7878".to_owned(),
            backtrace: BacktracePolicy::default(),
            query: QuerySettings::default(),
            update: UpdateSettings::default(),
            service: ServiceSettings::default(),
            store: StoreSettings::default(),
            load: LoadSettings::default(),
            http: HttpSettings::default(),
            log: LogSettings::default(),
        }
    }
}

impl Default for QuerySettings {
    fn default() -> Self {
        Self {
            timeout_ms: 60_000,
            memory_bytes_max: 2 << 30,
            threads: 0,
            queue_max: 1024,
            default_graph: DefaultGraph::default(),
            default_prefixes: false,
        }
    }
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            private_hosts: Vec::new(),
            bindings_max: 100,
            timeout_ms: 30_000,
        }
    }
}

impl Default for UpdateSettings {
    fn default() -> Self {
        Self {
            threads: 4,
            upload_threads: 16,
            queue_max: 1024,
            load_folders: Vec::new(),
            load_urls: Vec::new(),
        }
    }
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            backup_folder: PathBuf::new(),
            compact_terms_min: 1_000_000,
        }
    }
}

impl Default for LoadSettings {
    fn default() -> Self {
        Self {
            memory_bytes_max: 2 << 30,
        }
    }
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            body_bytes_max: 16 << 20,
            upload_bytes_max: 0,
            hold_back_bytes: 64 << 10,
            shutdown_grace_ms: 10_000,
            cross_origin: true,
            io_threads: 1,
        }
    }
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            directives: "info".to_owned(),
            format: LogFormat::default(),
            requests_file: PathBuf::new(),
        }
    }
}

impl ServiceSettings {
    /// The time that one request may take, if it is limited.
    pub fn timeout(&self) -> Option<Duration> {
        (self.timeout_ms > 0).then(|| Duration::from_millis(self.timeout_ms))
    }
}

impl QuerySettings {
    /// The time a query may take, if it is limited.
    pub fn timeout(&self) -> Option<Duration> {
        (self.timeout_ms > 0).then(|| Duration::from_millis(self.timeout_ms))
    }

    /// The memory a query may hold, if it is limited.
    pub fn memory_limit_bytes(&self) -> Option<u64> {
        (self.memory_bytes_max > 0).then_some(self.memory_bytes_max)
    }

    /// The number of query threads, with 0 resolved to the number of processor cores.
    pub fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            n => n,
        }
    }
}
