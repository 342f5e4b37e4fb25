//! Written migrations, on each back end: the difference between structs and a database becomes SQL, which is reviewed,
//! applied and reverted.
#![allow(missing_docs)] // helpers of a test binary

mod constraints;
mod golden;
mod history;
mod lossless;
mod partial;
mod rebuild;
mod round_trip;
mod support;
