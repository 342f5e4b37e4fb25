//! [`StorageStatus`]: what storage is doing at the moment, for metrics.

/// What storage is doing at the moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StorageStatus {
    /// How many connections are in use.
    pub busy: u64,
    /// How many connections there are at most.
    pub connections: u64,
    /// How many requests wait for a connection, or to write.
    pub waiting: u64,
    /// How many statements were interrupted that were neither late nor cancelled, and were run again; 0 in a service that
    /// works.
    pub repeats: u64,
    /// The group commits until now, by how many changes they had; empty without group commit.
    pub groups: Vec<GroupCount>,
    /// How many changes they had together.
    pub grouped_changes: u64,
}

/// How many group commits had so many changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupCount {
    /// The greatest number of changes; the smallest is above that of the count before.
    pub most: u64,
    /// How many group commits.
    pub commits: u64,
}

impl StorageStatus {
    /// Connections in use, of at most so many, and requests that wait.
    pub fn new(busy: u64, connections: u64, waiting: u64) -> Self {
        Self { busy, connections, waiting, ..Self::default() }
    }
}
