//! Behaviour of one database alone, and databases that other programs made.
//!
//! | Promise | Modules |
//! |---|---|
//! | Tables, errors, connections and transactions of one database are as its users expect | `mongodb`, `mysql`, `postgres` |
//! | Many writers of one server neither lose changes nor hang | `servers` |
//! | Other programs' tables are served as they are, beside the service's own | `foreign`, `types` |
//! | A database that is there is described, and served by what the `crud` command wrote for it | `existing` |
#![allow(missing_docs)] // helpers of a test binary

mod existing;
mod foreign;
mod mongodb;
mod mysql;
mod postgres;
mod servers;
mod types;
