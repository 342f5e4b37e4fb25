//! [`StorageStatus`]: what storage is doing at the moment, for metrics.

/// Current status of storage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StorageStatus {
    /// Number of connections in use.
    pub busy: u64,
    /// Maximum number of connections.
    pub connections: u64,
    /// Number of requests that wait for a connection, or to write.
    pub waiting: u64,
    /// Number of statements that were interrupted without a timeout or a cancellation, and repeated; 0 in a service
    /// that works.
    pub repeats: u64,
    /// The group commits so far, by their number of changes; empty without group commit.
    pub groups: Vec<GroupCount>,
    /// Number of changes in all group commits.
    pub grouped_changes: u64,
}

/// Number of group commits within a range of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupCount {
    /// The greatest number of changes in one; the smallest is above the greatest of the count before.
    pub most: u64,
    /// Number of group commits.
    pub commits: u64,
}

impl GroupCount {
    /// Number of group commits, `commits`, with at most `most` changes.
    pub const fn new(most: u64, commits: u64) -> Self {
        Self { most, commits }
    }
}

impl StorageStatus {
    /// A status with these numbers of used connections, of all connections, and of waiting requests.
    pub fn new(busy: u64, connections: u64, waiting: u64) -> Self {
        Self { busy, connections, waiting, ..Self::default() }
    }
}
