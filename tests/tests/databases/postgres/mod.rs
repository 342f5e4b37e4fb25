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
//! | A user that may read, or change records alone, is enough; what it may not do is 403 | `poor_users` |
//! | Policies of row-level security hide and refuse records, by variables of the caller | `row_security` |
//! | Policies read the tenant that a membership admits | `membership_policies` |

mod connections;
mod errors;
mod group_commit;
mod group_reads;
mod indexes;
mod membership_policies;
mod migrations;
mod partitions;
mod poor_users;
mod row_security;
mod support;
