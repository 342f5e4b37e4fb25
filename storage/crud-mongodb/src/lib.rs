//! Storage of `crud-runtime` in MongoDB. A preview: it runs on `FerretDB` in its tests, one command at a time, and its
//! transactions on a server that simulates them, not on a replica set.
//!
//! The feature `mongodb` of `crud-runtime` turns it on. Records are documents.
//!
//! A document is `{ _id: key, columns…, _v, _u, _r, _w }`: beside the columns, it has a version, the unique values
//! (`unique`), and the number of references to it (`references`). For a moment, it also has an outbox of audit entries,
//! or the mark of a removal. `mode` says whether the server has transactions. Where it has none, every change is one
//! write of one document; any process can finish the work that follows in other documents.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod adapter;
mod adoption;
mod command;
mod counter;
mod database;
mod error;
mod field;
mod filter;
mod keyset;
mod migrate;
mod mode;
mod open;
mod outbox;
mod pending;
mod read;
mod record;
mod record_locks;
mod references;
mod removal;
mod schema;
mod unique;
mod unused_collections;
mod value;
mod write;

pub use adapter::MongoDbAdapter;
use crud_core::{model, query, storage};

/// Target of the log lines: the same for every storage, whatever its crate.
const TARGET: &str = "crud_runtime::storage::mongodb";
