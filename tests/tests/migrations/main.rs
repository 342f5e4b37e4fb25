//! Written migrations, on each back end: what structs and a database differ in becomes SQL, which is read, applied,
//! and taken back.
#![allow(missing_docs)] // helpers of a test binary

mod constraints;
mod golden;
mod history;
mod partial;
mod rebuild;
mod round_trip;
mod support;
mod wider;
