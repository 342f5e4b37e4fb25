//! The harness of the conformance suite: a service on a fresh database, and a client that checks every
//! answer for what all answers have in common.
//!
//! A test says which service it wants and gets it once for each back end:
//!
//! ```no_run
//! use crud_tests::on_shop;
//!
//! #[test]
//! fn a_new_shop_has_no_products() {
//!     on_shop(async |shop| {
//!         assert_eq!(shop.get("/products").await.ok()["total"], 0);
//!     });
//! }
//! ```
//!
//! `CRUD_TEST_REQUIRE=sqlite,postgres` (comma-separated) makes a back end that is missing a failure; otherwise
//! the suite runs on those that are there and says which. The adapter of `examples/own-adapter` is one of them; a test
//! that speaks SQL past the service, or starts processes, says so by its runner (`on_each_sql_backend`), and a line
//! tells that it passes that one over.

mod answer;
mod api;
mod backend;
mod client;
mod cluster;
mod documented;
pub mod fixtures;
pub mod kitchen;
mod leaks;
mod mariadb;
mod past;
mod pooler;
mod problem;
mod process;
mod raw;
mod run;
pub mod story;
pub mod trail;
pub mod writer;

pub use answer::Answer;
pub use api::Api;
pub use backend::{Backend, Database, Pool};
pub use client::{Client, Request, query};
pub use cluster::Cluster;
pub use past::Other;
pub use pooler::Pooler;
pub use problem::{Place, Problem};
pub use process::Server;
pub use raw::{Raw, RawAnswer};
pub use run::{
    on_each_backend, on_each_server, on_each_sql_backend, on_kitchen, on_kitchen_blocking, on_kitchen_with_sql,
    on_shop, on_shop_blocking,
};
