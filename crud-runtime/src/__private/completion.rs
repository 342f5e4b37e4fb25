//! Attribute keys for editors: each key as an item that rust-analyzer completes and hovers.
//!
//! An expansion uses the keys that it read as paths into these modules, with the spans of the user's tokens and for
//! rust-analyzer alone (`#[cfg(rust_analyzer)]`). The derive's crate has the list of keys. `crate` is a keyword and has no
//! item.

crud_macros::completion_keys!();
