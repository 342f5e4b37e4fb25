//! What every server of a database is held to, where `SQLite` has one writer and no connections to lose.
#![allow(missing_docs)] // helpers of a test binary

mod concurrency;
mod connections;
mod writers;
