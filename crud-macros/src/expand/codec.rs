//! `impl Resource`: the struct from a stored record.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::Names;
use super::tokens::index;
use crate::model::Model;

/// The implementation of `Resource`.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let ident = model.ident;
    let fields = model.fields.iter().enumerate().map(|(position, field)| {
        let (ident, ty, position) = (field.ident, field.ty.written, index(position));
        if field.is_of_function() {
            return quote_spanned!(ty.span()=> #ident: ::core::default::Default::default());
        }
        let read = quote_spanned!(ty.span()=> <#ty as __crud::Column>::read);
        quote!(#ident: #read(__crud_r, #position)?)
    });
    let id_type = key_type(model);
    let id = match model.key.as_slice() {
        [] => quote!(__crud::NoKey::NONE),
        [id] => clone(model, *id),
        parts => {
            let parts = parts.iter().map(|part| clone(model, *part));
            quote!((#(#parts),*))
        }
    };
    let tenant = tenant(model);
    let values = values(model);
    let writable = writable(model).map(|types| quote!(impl __crud::Writable for #ident { #types }));
    quote! {
        #[automatically_derived]
        impl __crud::Resource for #ident {
            type Id = #id_type;
            type Tenant = #tenant;
            const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;

            fn from_row(__crud_row: &dyn __crud::Row) -> __crud::Decoded<Self> {
                let __crud_r = &__crud::RowReader::new(__crud_row, Self::DESCRIPTOR);
                __crud::Ok(Self { #(#fields),* })
            }

            fn id(&self) -> Self::Id {
                #id
            }

            #values
        }

        #writable
    }
}

fn clone(model: &Model<'_>, field: usize) -> TokenStream {
    let ident = model.fields[field].ident;
    quote!(::core::clone::Clone::clone(&self.#ident))
}

/// The type of the key: a tuple for a composite key.
pub(crate) fn key_type(model: &Model<'_>) -> TokenStream {
    let parts: Vec<_> = model.key.iter().filter_map(|part| Some(model.fields.get(*part)?.stored_type())).collect();
    match (parts.as_slice(), model.no_key) {
        ([], true) => quote!(__crud::NoKey),
        ([], false) => quote!(i64),
        ([one], _) => quote!(#one),
        (several, _) => quote!((#(#several),*)),
    }
}

/// The types of the inputs. A resource that is only read has none.
pub(crate) fn writable(model: &Model<'_>) -> Option<TokenStream> {
    let Names { new, patch, .. } = Names::for_struct(model.ident);
    (!model.is_read_only()).then(|| quote!(type New = #new; type Patch = #patch;))
}

/// The type of the tenant.
pub(crate) fn tenant(model: &Model<'_>) -> TokenStream {
    let tenant = model.fields.iter().find(|field| field.tenant.is_some());
    tenant.map_or_else(|| quote!(__crud::NoTenant), |field| field.ty.written.to_token_stream())
}

/// The values of a record. It reads every field, so that the compiler does not report one as dead that only the service uses.
fn values(model: &Model<'_>) -> TokenStream {
    let values = model.fields.iter().map(|field| {
        let (ident, ty) = (field.ident, field.ty.written);
        let value = quote_spanned!(ty.span()=> <#ty as __crud::Column>::into_value);
        quote!(#value(self.#ident))
    });
    quote! {
        fn into_values(self) -> __crud::Vec<__crud::Value> {
            __crud::record_values([#(#values),*])
        }
    }
}
