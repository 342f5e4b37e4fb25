//! Relations on the back ends with SQL: orders by fields of other records, child records, and the same from the program's
//! own code.
//!
//! | Promise | Module |
//! |---|---|
//! | Lists are in the order of a field of the record that a field refers to, page by page | `sorts` |
//! | An order tells nothing of records, fields and resources that the caller does not reach | `sort_attacks` |
//! | What no service starts with | `start` |
//! | The resources and callers of these tests | `library`, `caller` |
#![allow(missing_docs)] // helpers of a test binary

mod caller;
mod library;
mod sort_attacks;
mod sorts;
mod start;
