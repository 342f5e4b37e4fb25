//! `FIELDS`: the fields as typed query terms.

use proc_macro2::TokenStream;
use quote::quote;

use super::descriptor::index;
use super::inputs::visibility;
use super::{Names, generated};
use crate::model::Model;

/// The type, beside the struct.
pub(super) fn ty(model: &Model<'_>) -> TokenStream {
    let (krate, ident, vis) = (&model.krate, model.ident, model.vis);
    let Names { fields, .. } = Names::for_struct(ident);
    let doc = format!("The fields of [`{}`] as terms of a query.", model.name);
    let declared = model.fields.iter().map(|field| {
        let (name, vis, ty) = (generated(field.ident), visibility(model, field), field.ty.written);
        let doc = format!("The field `{}`.", field.name);
        quote!(#[doc = #doc] #vis #name: #krate::__private::Field<#ident, #ty>)
    });
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #vis struct #fields<> {
            #(#declared),*
        }
    }
}

/// The constant and the implementations, for the `const` block. They are written out, because the expansion of the
/// standard derives grows with the fields.
pub(super) fn impls(model: &Model<'_>) -> TokenStream {
    let (ident, vis) = (model.ident, model.vis);
    let Names { fields, .. } = Names::for_struct(ident);
    let name = fields.to_string();
    let values = model.fields.iter().enumerate().map(|(position, field)| {
        let (name, position) = (generated(field.ident), index(position));
        quote!(#name: __crud::Field::new(#position))
    });
    let searchable = model.search.as_ref().map(|_| {
        quote! {
            #[automatically_derived]
            impl __crud::Searchable for #ident {}
        }
    });
    quote! {
        #searchable

        #[allow(dead_code)]
        impl #ident {
            /// The fields, as terms of a query.
            #vis const FIELDS: #fields = #fields { #(#values),* };
        }

        impl ::core::marker::Copy for #fields {}

        #[automatically_derived]
        impl ::core::clone::Clone for #fields {
            fn clone(&self) -> Self {
                *self
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Debug for #fields {
            fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
                __crud_f.write_str(#name)
            }
        }
    }
}
