//! The derive macros of `crud-runtime`.
//!
//! A derive runs in three steps, each over the whole item: `attr` parses what is written, `check` checks it against every
//! rule and makes the model, `expand` writes the code. An error never stops a step, so that one compilation shows all of
//! an item's mistakes. Where there are any, `fallback` writes the types and traits alone, so that code that uses the item
//! shows no second error.
//!
//! A new attribute has one list to be added to, `key`; the compiler then names each `match` that lacks it.

mod attr;
mod check;
mod ctxt;
mod derive;
mod expand;
mod fallback;
mod key;
mod model;
mod pattern;
#[cfg(test)]
mod tests;
mod ty;

use proc_macro::TokenStream;

use crate::derive::{resource, resource_enum, run, schema};

// The derive's documentation is at its re-export in `crud-runtime`, where users read it.
#[allow(missing_docs)]
#[proc_macro_derive(Resource, attributes(crud))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    run(input.into(), resource).into()
}

/// Makes a struct the body of a request, or its parameters. A handler takes a body as `Valid<Finish>`, and parameters
/// as `Query<Top>` or `Path<Month>`. Both are parsed and checked like those of a resource, and are in the OpenAPI
/// document. Fields have the types and the rules of a resource's fields; `write_only` is for passwords, and the
/// document says so.
#[proc_macro_derive(Schema, attributes(crud))]
pub fn derive_schema(input: TokenStream) -> TokenStream {
    run(input.into(), schema).into()
}

/// Makes an enum of unit variants a field type: text in storage and in JSON. The text is the variant's name, unless
/// `#[crud(rename_all = "snake_case")]` on the enum or `#[crud(rename = "…")]` on the variant changes it. A variant
/// `#[crud(other)] Other(String)` holds every text that no other variant has.
#[proc_macro_derive(ResourceEnum, attributes(crud))]
pub fn derive_resource_enum(input: TokenStream) -> TokenStream {
    run(input.into(), resource_enum).into()
}

/// Expands to the keys as items that editors complete and show on hover. Only the runtime's modules for editors use it.
#[doc(hidden)]
#[proc_macro]
pub fn completion_keys(_: TokenStream) -> TokenStream {
    expand::completion::modules().into()
}
