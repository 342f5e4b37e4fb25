//! The derives of `crud-macros` as functions.
//!
//! A procedural macro's crate exports macros alone, so that its modules are compiled here a second time, from the same
//! files.

// Functions that only the macros call.
#![allow(dead_code)]

extern crate proc_macro;

#[path = "../../../crud-macros/src/attr/mod.rs"]
mod attr;
#[path = "../../../crud-macros/src/check/mod.rs"]
mod check;
#[path = "../../../crud-macros/src/ctxt.rs"]
mod ctxt;
#[path = "../../../crud-macros/src/derive.rs"]
mod derive;
#[path = "../../../crud-macros/src/expand/mod.rs"]
mod expand;
#[path = "../../../crud-macros/src/fallback.rs"]
mod fallback;
#[path = "../../../crud-macros/src/key.rs"]
mod key;
#[path = "../../../crud-macros/src/model.rs"]
mod model;
#[path = "../../../crud-macros/src/pattern.rs"]
mod pattern;
#[path = "../../../crud-macros/src/ty.rs"]
mod ty;

use proc_macro2::TokenStream;

/// The expansion of `Resource`.
pub fn resource(item: TokenStream) -> TokenStream {
    derive::run(item, derive::resource)
}

/// The expansion of `Schema`.
pub fn schema(item: TokenStream) -> TokenStream {
    derive::run(item, derive::schema)
}

/// The expansion of `ResourceEnum`.
pub fn resource_enum(item: TokenStream) -> TokenStream {
    derive::run(item, derive::resource_enum)
}
