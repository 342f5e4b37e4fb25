//! The SQLite adapter through its public interface, on real databases.
//!
//! | Promise | Modules |
//! |---|---|
//! | Records are inserted, read, listed, updated and deleted | `basics` |
//! | Every kind of value reads back equal | `round_trips` |
//! | Filters, sort orders and keysets agree with a model | `queries`, `model` |
//! | Guards hold atomically | `guards` |
//! | Constraints are errors in terms of the resource | `constraints` |
//! | Tables are created, and rejected where they differ | `migrations`, `foreign_tables` |
//! | Indexes serve the queries they are meant for | `indexes` |
//! | Connections are opened, shared and cancelled | `connections` |
//! | One thread writes, and no change harms another | `writer` |
//! | Short transactions share a commit, and none harms another | `shared_commit` |
//! | A service reports its plan and document without serving | `service` |
#![cfg(feature = "sqlite-pool")]
#![allow(missing_docs, unreachable_pub)] // helpers of a test binary

mod basics;
mod connections;
mod constraints;
mod foreign_tables;
mod guards;
mod indexes;

mod migrations;
mod model;
mod queries;
mod round_trips;
mod service;
mod shared_commit;
mod support;
mod writer;
