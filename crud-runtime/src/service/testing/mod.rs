//! Tests of a program's own service: requests without a socket, as any principal, at any time.
//!
//! [`Service::test`](crate::Service::test) makes a [`Test`] of a service. Give the service a database for the test alone: `sqlite::memory:`
#![cfg_attr(any(feature = "postgres", feature = "mysql"), doc = "or a [`TestDatabase`].")]
#![cfg_attr(not(any(feature = "postgres", feature = "mysql")), doc = "for example.")]

mod answer;
mod client;
mod records;
mod request;
#[cfg(any(feature = "postgres", feature = "mysql"))]
mod test_database;

pub use self::answer::TestAnswer;
pub use self::client::Test;
pub use self::records::TestRecords;
pub use self::request::{TestRequest, TestStream};
#[cfg(any(feature = "postgres", feature = "mysql"))]
pub use self::test_database::TestDatabase;
