//! The model to code. No error is made here: `check` has found all errors.

mod access;
mod asserts;
mod codec;
pub(crate) mod completion;
mod descriptor;
pub(crate) mod enumeration;
mod fields;
mod hooks;
mod inputs;
pub(crate) mod schema;
mod serialize;
mod sql;
mod to_schema;
mod tokens;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

pub(crate) use self::codec::{key_type, tenant, writable};
use crate::model::Model;

/// The whole expansion of a resource.
pub(crate) fn resource(model: &Model<'_>, hints: &TokenStream) -> TokenStream {
    let krate = &model.krate;
    let Parts { input_types, field_type, descriptor, hooks, input_impls, field_impls, serialize, asserts } =
        Parts::new(model);
    let (codec, to_schema) = (codec::expand(model), to_schema::expand(model));
    quote! {
        #input_types
        #field_type
        #[allow(unexpected_cfgs, unused_qualifications)]
        const _: () = {
            use #krate::__private as __crud;
            #descriptor
            #hooks
            #codec
            #input_impls
            #field_impls
            #asserts
            #to_schema
            #serialize
            #hints
        };
    }
}

/// Parts of an expansion that a struct with mistakes has too. The types stand beside the struct, where they can be
/// named; the rest is for the `const` block.
pub(crate) struct Parts {
    /// `NewProduct` and `ProductPatch`.
    pub(crate) input_types: TokenStream,
    /// The type of `FIELDS`.
    pub(crate) field_type: TokenStream,
    /// The static with the descriptor.
    pub(crate) descriptor: TokenStream,
    /// The static with the hooks.
    pub(crate) hooks: Option<TokenStream>,
    /// The setters of the inputs, and their conversions to changes.
    pub(crate) input_impls: TokenStream,
    /// `FIELDS`.
    pub(crate) field_impls: TokenStream,
    /// serde's `Serialize`, where `derive(Serialize)` asks for it.
    pub(crate) serialize: Option<TokenStream>,
    /// The checks that are left to the compiler.
    pub(crate) asserts: TokenStream,
}

impl Parts {
    pub(crate) fn new(model: &Model<'_>) -> Self {
        // A read-only resource has no inputs.
        let (input_types, input_impls) =
            if model.is_read_only() { Default::default() } else { (inputs::types(model), inputs::impls(model)) };
        Self {
            input_types,
            field_type: fields::ty(model),
            descriptor: descriptor::expand(model),
            hooks: hooks::expand(model),
            input_impls,
            field_impls: fields::impls(model),
            serialize: serialize::expand(model),
            asserts: asserts::expand(model),
        }
    }
}

// The types beside the struct have empty generics (`struct NewProduct<>`): without them the compiler would suggest to add
// a parameter to each, and report a field's unknown type once more for each suggestion.

/// The names of the types beside the struct.
pub(crate) struct Names {
    /// `NewProduct`
    pub(crate) new: Ident,
    /// `ProductPatch`
    pub(crate) patch: Ident,
    /// `ProductFields`
    pub(crate) fields: Ident,
}

impl Names {
    pub(crate) fn for_struct(ident: &Ident) -> Self {
        let span = generated_span(ident.span());
        Self {
            new: format_ident!("New{}", ident, span = span),
            patch: format_ident!("{}Patch", ident, span = span),
            fields: format_ident!("{}Fields", ident, span = span),
        }
    }
}

/// The span of the user's token, marked as written by a macro, so that lints ignore it.
pub(crate) fn generated_span(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// The user's identifier for an item of the expansion.
pub(crate) fn generated(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(generated_span(ident.span()));
    ident
}
