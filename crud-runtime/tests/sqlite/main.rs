//! The SQLite adapter, through its public face, on real databases.
#![cfg(feature = "sqlite")]
#![allow(missing_docs, unreachable_pub)] // helpers of a test binary

mod basics;
mod support;
