//! [`IndexReads`]: counts of the reads of tables and indexes.

use crate::storage::index_use::IndexCounts;

/// Counts of reads that the database keeps.
#[derive(Debug, Default)]
pub(crate) struct IndexReads {
    pub(crate) counts: IndexCounts,
    /// The tables, by name, and their reads.
    pub(crate) tables: Vec<(String, u64)>,
    /// The tables and indexes, by name, and the indexes' reads.
    pub(crate) indexes: Vec<(String, String, u64)>,
}
