//! Several processes on one database, a database that restarts, and replicas.
#![allow(missing_docs)] // helpers of a test binary

mod contention;
mod pooler;
mod positions;
mod processes;
mod reads;
mod replicas;
mod restart;
mod support;
mod tokens;
