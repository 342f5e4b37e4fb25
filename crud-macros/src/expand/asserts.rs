//! What only the compiler knows of a type, asserted on the user's own tokens.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::model::{Assert, Model, Wanted};

/// One assertion for each.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    model.asserts.iter().map(|assert| one(model, assert)).collect()
}

fn one(model: &Model<'_>, assert: &Assert) -> TokenStream {
    let field = &model.fields[assert.field];
    let ty = field.ty.inner;
    let kind = quote_spanned!(ty.span()=> <#ty as __crud::Column>::KIND);
    let holds = match assert.wanted {
        Wanted::Filterable | Wanted::Sortable => quote!(#kind.is_comparable()),
        Wanted::Number => quote!(#kind.is_number()),
        Wanted::Length => quote!(#kind.has_length()),
        Wanted::Text => quote!(#kind.is_text()),
        Wanted::TextChoice => quote!(::core::matches!(#kind, __crud::Kind::Text | __crud::Kind::Enum(_))),
        Wanted::Decimal => quote!(::core::matches!(#kind, __crud::Kind::Decimal)),
        Wanted::Timestamp => quote!(::core::matches!(#kind, __crud::Kind::DateTime)),
    };
    let message = format!("this is for {}, and the type of `{}` is none", assert.wanted.name(), field.name);
    quote_spanned!(assert.span=> const _: () = ::core::assert!(#holds, #message);)
}
