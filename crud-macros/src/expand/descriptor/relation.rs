//! Fields of referred records, records that refer to records of this resource, and those that junctions link to it.
//!
//! Their lists are `const` blocks: a term of `FIELDS`, which is a reference, is not promoted to a static by itself.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

use crate::expand::tokens::index;
use crate::model::{Children, FieldPath, ManyToMany, Model, ZonePath};

/// The fields of records that fields refer to.
pub(super) fn paths(method: &str, paths: &[FieldPath], model: &Model<'_>) -> Option<TokenStream> {
    let paths = paths.iter().filter_map(|path| {
        let target = &model.fields[path.reference].references.as_ref()?.target;
        let (reference, field, target) = (index(path.reference), &path.field, &target.value);
        // The field's span, so that the compiler underlines it where the other resource has no such field.
        let field = quote_spanned!(field.span()=> <#target>::FIELDS.#field.comparable());
        Some(quote!(__crud::FieldPath::new(#reference, #field)))
    });
    let paths: Vec<_> = paths.collect();
    let method = format_ident!("{method}");
    (!paths.is_empty()).then(|| quote!(.#method(const { &[#(#paths),*] })))
}

/// The field with the time zone of a record.
pub(super) fn zone(model: &Model<'_>) -> Option<TokenStream> {
    let path = match model.time_zone.as_ref()? {
        ZonePath::Own(field) => {
            let ident = model.ident;
            let field = quote_spanned!(field.span()=> <#ident>::FIELDS.#field.zoned());
            quote!(__crud::ZonePath::own(#field))
        }
        ZonePath::Referred(FieldPath { reference, field }) => {
            let target = &model.fields[*reference].references.as_ref()?.target.value;
            let field = quote_spanned!(field.span()=> <#target>::FIELDS.#field.zoned());
            let reference = index(*reference);
            quote!(__crud::ZonePath::of(#reference, #field))
        }
        ZonePath::Via(reference, _) => {
            let reference = index(*reference);
            quote!(__crud::ZonePath::via(#reference))
        }
    };
    Some(quote!(.time_zone(const { #path })))
}

/// The records of other resources that refer to records of this resource.
pub(super) fn children(model: &Model<'_>) -> Option<TokenStream> {
    let (id, is_composite) = (model.fields.get(*model.key.first()?)?.stored_type(), model.key.len() > 1);
    let children = model.children.iter().map(|children| {
        let Children { name, resource, field, limit, sort, nested, .. } = children;
        let target = &resource.value;
        let descriptor = quote_spanned!(resource.span.start=> <#target as __crud::Resource>::DESCRIPTOR);
        // The field's span, so that the compiler underlines it where the other resource has no such field.
        let column = if is_composite {
            quote_spanned!(field.span()=> <#target>::FIELDS.#field.referring_by())
        } else {
            quote_spanned!(field.span()=> <#target>::FIELDS.#field.referring::<#id>())
        };
        let keys = sort.iter().map(|(field, descending)| {
            let direction = if *descending { quote!(descending) } else { quote!(ascending) };
            let column = quote_spanned!(field.span()=> <#target>::FIELDS.#field.comparable());
            quote!(__crud::SortKey::#direction(#column))
        });
        let sort = (!sort.is_empty()).then(|| quote!(.sort(const { &[#(#keys),*] })));
        let nested = nested.then(|| quote!(.nested()));
        quote!(__crud::Children::new(#name, || #descriptor, #column, #limit) #sort #nested)
    });
    (!model.children.is_empty()).then(|| quote!(.children(const { &[#(#children),*] })))
}

/// The records of other resources that junctions link to records of this resource.
pub(super) fn many_to_many(model: &Model<'_>) -> Option<TokenStream> {
    let (id, is_composite) = (model.fields.get(*model.key.first()?)?.stored_type(), model.key.len() > 1);
    let links = model.many_to_many.iter().map(|ManyToMany { name, junction, fields, limit }| {
        let resource = &junction.value;
        let descriptor = quote_spanned!(junction.span.start=> <#resource as __crud::Resource>::DESCRIPTOR);
        let (path, link_path) = (format!("/{{id}}/{name}"), format!("/{{id}}/{name}/{{linked}}"));
        let columns = fields.as_ref().map(|(near, far)| {
            let near = if is_composite {
                quote_spanned!(near.span()=> <#resource>::FIELDS.#near.referring_by())
            } else {
                quote_spanned!(near.span()=> <#resource>::FIELDS.#near.referring::<#id>())
            };
            let far = quote_spanned!(far.span()=> <#resource>::FIELDS.#far.column());
            quote!(.columns(#near, #far))
        });
        quote!(__crud::ManyToMany::new(#name, #path, #link_path, || #descriptor, #limit) #columns)
    });
    (!model.many_to_many.is_empty()).then(|| quote!(.many_to_many(const { &[#(#links),*] })))
}
