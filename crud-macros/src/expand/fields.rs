//! `FIELDS`: the fields as typed query terms.

use proc_macro2::TokenStream;
use quote::quote;

use super::descriptor::index;
use super::inputs::visibility;
use super::{Names, generated};
use crate::model::Model;

/// The type and the constant.
pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let (krate, ident, vis) = (&model.krate, model.ident, model.vis);
    let Names { fields, .. } = Names::of(ident);
    let doc = format!("The fields of [`{}`] as terms of a query.", model.name);
    let declared = model.fields.iter().map(|field| {
        let (name, vis, ty) = (generated(field.ident), visibility(model, field), field.ty.written);
        let doc = format!("The field `{}`.", field.name);
        quote!(#[doc = #doc] #vis #name: #krate::__private::Field<#ident, #ty>)
    });
    let values = model.fields.iter().enumerate().map(|(position, field)| {
        let (name, position) = (generated(field.ident), index(position));
        quote!(#name: #krate::__private::Field::new(#position))
    });
    quote! {
        #[doc = #doc]
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
        #[allow(dead_code)]
        #vis struct #fields<> {
            #(#declared),*
        }

        #[allow(dead_code)]
        impl #ident {
            /// The fields, as terms of a query.
            #vis const FIELDS: #fields = #fields { #(#values),* };
        }
    }
}
