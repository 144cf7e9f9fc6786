//! Which paths there are, and which methods each has: one table.
//!
//! The paths are those that users of Oxigraph know, plus `/sparql` for queries and updates and the operator's own.

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// The front page.
    Home,
    /// SPARQL queries.
    Query,
    /// SPARQL updates.
    Update,
    /// SPARQL queries and updates.
    Sparql,
    /// The Graph Store Protocol: the store itself, and each path below it as the name of a graph.
    Store,
    /// Whether the server is alive.
    Health,
    /// Counters for Prometheus.
    Metrics,
    /// The log directives.
    AdminLog,
    /// Copies of the store.
    AdminBackup,
    /// Compaction of the store.
    AdminCompact,
}

impl Resource {
    /// The resource of a path.
    pub fn of(path: &str) -> Option<Self> {
        match path {
            "/" => Some(Self::Home),
            "/query" => Some(Self::Query),
            "/update" => Some(Self::Update),
            "/sparql" => Some(Self::Sparql),
            "/store" => Some(Self::Store),
            "/health" => Some(Self::Health),
            "/metrics" => Some(Self::Metrics),
            "/admin/log" => Some(Self::AdminLog),
            "/admin/backup" => Some(Self::AdminBackup),
            "/admin/compact" => Some(Self::AdminCompact),
            path => path.starts_with("/store/").then_some(Self::Store),
        }
    }

    /// The methods it has, as the `Allow` header lists them.
    pub const fn methods(self) -> &'static str {
        match self {
            Self::Query | Self::Sparql => "GET, HEAD, POST, QUERY, OPTIONS",
            Self::Update | Self::AdminBackup | Self::AdminCompact => "POST, OPTIONS",
            Self::Store => "GET, HEAD, PUT, POST, DELETE, OPTIONS",
            Self::AdminLog => "GET, HEAD, PUT, OPTIONS",
            Self::Home | Self::Health | Self::Metrics => "GET, HEAD, OPTIONS",
        }
    }

    /// Whether it has a method.
    pub fn has(self, method: &str) -> bool {
        self.methods().split(", ").any(|m| m == method)
    }

    /// Whether pages of other origins may use it; an operator's resources they may not.
    pub const fn is_cross_origin(self) -> bool {
        match self {
            Self::Home | Self::Query | Self::Update | Self::Sparql | Self::Store | Self::Health => {
                true
            }
            Self::Metrics | Self::AdminLog | Self::AdminBackup | Self::AdminCompact => false,
        }
    }
}
