//! The derives as functions from tokens to tokens: they run every step, and return stubs where a step reported an
//! error.

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::{attr, check, ctxt, expand, fallback};

/// Parses an item and runs a derive over it.
pub(crate) fn run(input: TokenStream, derive: fn(&DeriveInput) -> TokenStream) -> TokenStream {
    match syn::parse2(input) {
        Ok(input) => derive(&input),
        Err(error) => error.to_compile_error(),
    }
}

/// The expansion of `Resource`.
pub(crate) fn resource(input: &DeriveInput) -> TokenStream {
    let cx = ctxt::Ctxt::new();
    let raw = attr::item::parse(input, &cx);
    if raw.attributes.no_key.is_some() {
        check::no_key::refuse_keys(input, &cx);
    } else if raw.attributes.view.is_some() {
        check::view::refuse_table_keys(input, &cx);
    }
    check::computed::refuse_stored_keys(input, &cx);
    let model = check::resource(raw, &input.generics, &cx);
    let hints = expand::completion::hints(&input.ident, &cx.hints());
    match cx.check() {
        None => expand::resource(&model, &hints),
        Some(errors) => fallback::resource(&model, input, &errors, &hints),
    }
}

/// The expansion of `Schema`.
pub(crate) fn schema(input: &DeriveInput) -> TokenStream {
    let cx = ctxt::Ctxt::new();
    let raw = attr::item::parse(input, &cx);
    check::schema::refuse_resource_keys(input, &cx);
    let model = check::schema::model(raw, &input.generics, &cx);
    let hints = expand::completion::hints(&input.ident, &cx.hints());
    match cx.check() {
        None => expand::schema::expand(&model, &hints),
        Some(errors) => fallback::schema(&model, input, &errors, &hints),
    }
}

/// The expansion of `ResourceEnum`.
pub(crate) fn resource_enum(input: &DeriveInput) -> TokenStream {
    let cx = ctxt::Ctxt::new();
    let raw = attr::variant::parse(input, &cx);
    let model = check::enumeration::model(input, raw, &cx);
    let hints = expand::completion::hints(&input.ident, &cx.hints());
    match cx.check() {
        None => expand::enumeration::expand(&model, &hints),
        Some(errors) => fallback::enumeration(&model, input, &errors, &hints),
    }
}
