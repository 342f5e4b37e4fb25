//! `#[derive(Schema)]`: the descriptor of the fields, and the struct read from their values.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::tokens::index;
use super::{asserts, descriptor};
use crate::model::Model;

/// The whole expansion of a body.
pub(crate) fn expand(model: &Model<'_>, hints: &TokenStream) -> TokenStream {
    let (krate, ident) = (&model.krate, model.ident);
    let fields = model.fields.iter().enumerate().map(|(position, field)| {
        let (ident, ty, position) = (field.ident, field.ty.written, index(position));
        let read = quote_spanned!(ty.span()=> <#ty as __crud::Column>::read);
        quote!(#ident: #read(__crud_r, #position)?)
    });
    let (parts, documented) = (parts(model), documented(model));
    quote! {
        #[allow(unexpected_cfgs, unused_qualifications)]
        const _: () = {
            use #krate::__private as __crud;
            #parts

            #[automatically_derived]
            impl __crud::Schema for #ident {
                const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;

                fn from_row(__crud_row: &dyn __crud::Row) -> __crud::Decoded<Self> {
                    let __crud_r = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
                    __crud::Ok(Self { #(#fields),* })
                }
            }
            #documented
            #hints
        };
    }
}

/// The document's schema: with it, the OpenAPI document describes axum's `Json` of the struct.
pub(crate) fn documented(model: &Model<'_>) -> TokenStream {
    let (ident, name) = (model.ident, &model.name);
    quote!(__crud::documented! { #ident, #name, __crud::fields_type(<#ident as __crud::Schema>::DESCRIPTOR); })
}

/// Parts of an expansion that a struct with mistakes has too.
pub(crate) fn parts(model: &Model<'_>) -> TokenStream {
    let (descriptor, asserts) = (descriptor::of_schema(model), asserts::expand(model));
    quote!(#descriptor #asserts)
}
