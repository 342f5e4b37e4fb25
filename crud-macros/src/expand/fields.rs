//! `FIELDS`: the fields as typed query terms.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Visibility;

use super::inputs::visibility;
use super::tokens::index;
use super::{Names, generated};
use crate::model::Model;

/// The type of `FIELDS`, which is declared beside the struct.
pub(super) fn ty(model: &Model<'_>) -> TokenStream {
    let (krate, ident, vis) = (&model.krate, model.ident, model.vis);
    let Names { fields, .. } = Names::for_struct(ident);
    let doc = format!("The fields of [`{}`] as terms of a query.", model.name);
    // Storage does not know a field that a function computes.
    let declared = model.fields.iter().filter(|field| !field.is_of_function()).map(|field| {
        let (name, vis, ty) = (generated(field.ident), visibility(model, field), field.ty.written);
        quote!(#vis #name: #krate::__private::Field<#ident, #ty>)
    });
    let relations = relations(model);
    let related = relations.iter().map(|Relation { name, vis, doc, kind, target, .. }| {
        let kind = format_ident!("{kind}");
        quote!(#[doc = #doc] #vis #name: #krate::__private::#kind<#ident, #target>)
    });
    // The other resource may be more private than this one.
    let lint = (!relations.is_empty()).then(|| quote!(#[allow(private_interfaces)]));
    quote! {
        #[doc = #doc]
        #[allow(dead_code, missing_docs)]
        #[allow(missing_copy_implementations, missing_debug_implementations)]
        #lint
        #vis struct #fields<> {
            #(#declared,)*
            #(#related),*
        }
    }
}

/// The constant, for the `const` block. It is a reference: its type needs no traits, which each resource would pay for.
pub(super) fn impls(model: &Model<'_>) -> TokenStream {
    let (ident, vis) = (model.ident, model.vis);
    let Names { fields, .. } = Names::for_struct(ident);
    let stored = model.fields.iter().enumerate().filter(|(_, field)| !field.is_of_function());
    let values = stored.map(|(position, field)| {
        let (name, position) = (generated(field.ident), index(position));
        quote!(#name: __crud::Field::new(#position))
    });
    let searchable = model.search.as_ref().map(|_| {
        quote! {
            #[automatically_derived]
            impl __crud::Searchable for #ident {}
        }
    });
    let related = relations(model);
    let related = related.iter().map(|Relation { name, kind, index, .. }| {
        let (kind, index) = (format_ident!("{kind}"), super::tokens::index(*index));
        quote!(#name: __crud::#kind::new(#index))
    });
    let values = values.chain(related);
    quote! {
        #searchable

        #[allow(dead_code)]
        impl #ident {
            /// The fields, as terms of a query.
            #vis const FIELDS: &'static #fields = &#fields { #(#values),* };
        }
    }
}

/// A relation as a term of a query.
struct Relation<'m> {
    name: Ident,
    vis: &'m Visibility,
    doc: String,
    /// The type of the term.
    kind: &'static str,
    target: &'m TokenStream,
    /// The index of the reference, or of the children.
    index: usize,
}

/// The relations that requests use.
fn relations<'m>(model: &'m Model<'_>) -> Vec<Relation<'m>> {
    let referenced = model.fields.iter().enumerate().filter_map(|(index, field)| {
        let reference = field.references.as_ref()?;
        let name = generated(reference.term.as_ref()?);
        let doc = format!("The record that `{}` refers to.", field.name);
        let vis = visibility(model, field);
        Some(Relation { name, vis, doc, kind: "ToOne", target: &reference.target.value, index })
    });
    let children = model.children.iter().enumerate().filter_map(|(index, children)| {
        let name = generated(children.term.as_ref()?);
        let doc = format!("The records that refer to one: `{}`.", children.name);
        Some(Relation { name, vis: model.vis, doc, kind: "ToMany", target: &children.resource.value, index })
    });
    referenced.chain(children).collect()
}
