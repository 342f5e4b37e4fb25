//! Several processes on one database, a database that restarts, and replicas.
//!
//! | Promise | Modules |
//! |---|---|
//! | Several processes on one database behave as one, under load and faults | `processes`, `contention` |
//! | A restart of the database costs requests, not changes | `restart` |
//! | A service follows the promotion of a standby, and never writes to the old primary | `failover` |
//! | An old primary that returns gets no change, and serves reads as a standby | `old_primary` |
//! | A primary that hangs under load costs 503 in bounded time | `hanging` |
//! | Reads go to replicas within the allowed lag, and return when a replica fails | `reads`, `replicas`, `positions` |
//! | A client reads its own writes | `tokens` |
//! | Services on the nodes of a Galera cluster lose nothing that they acknowledged | `galera` |
//! | `/ready` is 503 while changes hang and reads go on | `write_probe` |
//! | Commits that wait for a standby leave connections to reads, and end with their requests | `synchronous` |
//! | Services run behind a pooler in transaction mode | `pooler` |
#![allow(missing_docs)] // helpers of a test binary

mod contention;
mod failover;
mod galera;
mod hanging;
mod old_primary;
mod pooler;
mod positions;
mod processes;
mod reads;
mod replicas;
mod restart;
mod support;
mod synchronous;
mod tokens;
mod write_probe;
