//! The derive macros of `crud-runtime`.
//!
//! A derive runs in three steps, each over the whole struct: `attr` reads what is written, `check`
//! holds it against every rule and makes the model, `expand` writes the code. An error never stops a
//! step, so that one compilation shows all of a struct's mistakes; when there were any, `fallback`
//! writes the types and traits alone, so that code which uses the struct shows no second error.

mod attr;
mod case;
mod check;
mod ctxt;
mod expand;
mod fallback;
mod model;
mod pattern;
mod symbol;
#[cfg(test)]
mod tests;
mod ty;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as TokenStream2;
use syn::DeriveInput;

// Its documentation stands where users meet it: at the re-export of `crud-runtime`.
#[allow(missing_docs)]
#[proc_macro_derive(Resource, attributes(crud))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    run(input.into(), resource).into()
}

/// Makes an enum without data a field type: text in storage and in JSON, the variant as written unless
/// `#[crud(rename_all = "snake_case")]` on the enum or `#[crud(rename = "…")]` on a variant says otherwise.
#[proc_macro_derive(ResourceEnum, attributes(crud))]
pub fn derive_resource_enum(input: TokenStream) -> TokenStream {
    run(input.into(), resource_enum).into()
}

fn run(input: TokenStream2, derive: fn(&DeriveInput) -> TokenStream2) -> TokenStream2 {
    match syn::parse2(input) {
        Ok(input) => derive(&input),
        Err(error) => error.to_compile_error(),
    }
}

fn resource(input: &DeriveInput) -> TokenStream2 {
    let cx = ctxt::Ctxt::new();
    let container = attr::container::parse(&input.attrs, &cx);
    let fields = check::named_fields(input, &cx);
    let model = check::model(input, container, fields, &cx);
    let hints = expand::ide::expand(&input.ident, &cx.hints());
    match cx.check() {
        None => expand::resource(&model, &hints),
        Some(errors) => fallback::resource(&model, input, &errors, &hints),
    }
}

fn resource_enum(input: &DeriveInput) -> TokenStream2 {
    let cx = ctxt::Ctxt::new();
    let attributes = attr::variant::of_enum(&input.attrs, &cx);
    let model = check::enumeration::model(input, &attributes, &cx);
    let hints = expand::ide::expand(&input.ident, &cx.hints());
    match cx.check() {
        None => expand::enumeration::expand(&model, &hints),
        Some(errors) => fallback::enumeration(&model, input, &errors, &hints),
    }
}
