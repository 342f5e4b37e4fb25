//! MySQL and MariaDB: tables, errors, sessions and transactions.
//!
//! | Promise | Modules |
//! |---|---|
//! | Tables are created, and rejected where they differ | `migrations` |
//! | Indexes serve the lists they are meant for | `indexes` |
//! | Errors and unreadable values are reported in terms of the resource | `errors` |
//! | Session settings are the service's | `connections` |
//! | A transaction that the server ended is noticed, by no statement more | `transactions` |
#![allow(missing_docs)] // helpers of a test binary

mod connections;
mod errors;
mod indexes;
mod migrations;
mod support;
mod transactions;
