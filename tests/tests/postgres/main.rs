//! PostgreSQL: tables, errors, connections and shared transactions.
//!
//! | Promise | Modules |
//! |---|---|
//! | Tables are created, and rejected where they differ | `migrations` |
//! | The audit log can be partitioned by time | `partitions` |
//! | Indexes serve the lists they are meant for | `indexes` |
//! | Errors are reported in terms of the resource | `errors` |
//! | Connections break, statements time out, transactions end | `connections` |
//! | Concurrent changes share a transaction | `group_commit` |
//! | Concurrent readers share a statement | `group_reads` |
#![allow(missing_docs)] // helpers of a test binary

mod connections;
mod errors;
mod group_commit;
mod group_reads;
mod indexes;
mod migrations;
mod partitions;
mod support;
