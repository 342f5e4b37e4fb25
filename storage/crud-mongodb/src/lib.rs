//! Storage of `crud-runtime` in MongoDB. A preview: it runs on `FerretDB` in its tests, one command at a time, and its
//! transactions on a server that plays them, not on a replica set.
//!
//! Programs have it by `crud-runtime`'s feature `mongodb`. Records are documents.
//!
//! A document is `{ _id: key, columns…, _v, _u, _r, _w }`: beside the columns it has its version, its unique values
//! (`unique`), and the number of references (`references`) to it; for a moment also an outbox of audit entries, and the mark
//! of a removal. `mode` says whether the server has transactions. Where it has none, every change is one write of one
//! document, and what it starts in others can be finished by any process.

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

/// Target of the log lines: that of storage, whatever crate it is in.
const TARGET: &str = "crud_runtime::storage::mongodb";
