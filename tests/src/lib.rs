//! Test harness: a service on a fresh database, and a client that checks every response for what all responses have in
//! common.
//!
//! A test names the service it needs, and runs once on each back end:
//!
//! ```no_run
//! use crud_tests::on_shop;
//!
//! #[test]
//! fn new_shop_has_no_products() {
//!     on_shop(async |shop| {
//!         assert_eq!(shop.get("/products").await.ok()["total"], 0);
//!     });
//! }
//! ```
//!
//! `CRUD_TEST_REQUIRE=sqlite,postgres,pgbouncer,ui` (comma-separated) makes a missing back end a failure, or a part that
//! cannot run: `galera`, `pgbouncer`, a server that speaks `s3`, the compile-fail cases, `ui`, or the official collection of `examples/realworld`,
//! `realworld`. Otherwise the suite runs on the available back ends and
//! prints what it skips. `CRUD_TEST_LONG=fleet` (comma-separated parts, or `all`) runs the long tests of a part too, which
//! are skipped otherwise. `CRUD_TEST_TABLES=others` runs the tests of the kitchen sink and the shop alone, on tables that another
//! program has made. The adapter of `examples/own-adapter` is a back end too. A test that sends SQL directly or
//! starts processes runs by `on_each_sql_backend`, and prints a line for each back end that it skips.

mod address;
mod answer;
mod api;
pub mod audit_log;
mod backend;
#[cfg(doctest)]
mod book;
mod case;
mod client;
mod cluster;
mod direct_documents;
mod direct_sql;
mod elsewhere;
pub mod fixtures;
mod frozen;
mod galera;
pub mod kitchen;
mod leaks;
pub mod library;
mod log_lines;
mod mariadb;
mod mongodb;
pub mod moves;
mod network;
pub mod openapi;
mod operator;
mod other_program;
mod others;
mod pauses;
mod pooler;
mod problem;
mod process;
mod raw;
mod records;
pub mod replay;
mod require;
mod run;
pub mod s3;
mod servers;
mod start_lines;
mod subject;
mod times;
mod untyped;
mod wait;
pub mod writer;

pub use address::free_address;
pub use answer::Answer;
pub use api::Api;
pub use backend::{Backend, Database, Pool};
pub use client::{Client, Request, query};
pub use cluster::Cluster;
pub use direct_sql::SqlTransaction;
pub use galera::Galera;
pub use log_lines::log_lines;
pub use mariadb::MariaDbProcess;
pub use mongodb::MongoDbProcess;
pub use operator::Operator;
pub use other_program::Stored;
pub use pauses::within_pauses;
pub use pooler::Pooler;
pub use problem::{Problem, ProblemError};
pub use process::Server;
pub use raw::{RawAnswer, RawConnection};
pub use require::{amount, long, skip};
pub use run::{
    http, on_backends, on_each_backend, on_each_backend_with_transactions, on_each_backend_with_url, on_each_server,
    on_each_sql_backend, on_each_sql_backend_and_pool, on_each_sql_server, on_each_transactional_backend, on_kitchen,
    on_kitchen_blocking, on_kitchen_with_database, on_kitchen_with_sql, on_kitchen_with_transactions,
    on_kitchen_without_transactions, on_shop, on_shop_blocking, on_shop_with_transactions, on_sqlite,
    on_sqlite_and_pool,
};
pub use servers::Servers;
pub use start_lines::start_lines;
pub use times::Times;
pub use untyped::untyped;
pub use wait::{holds_for_a_moment, not_before, pause, wait_until, within};
