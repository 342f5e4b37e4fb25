//! Assertions about types that only the compiler can check, on the user's tokens.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::tokens::index;
use crate::model::{Assert, ManyToMany, Model, Requirement, Scope, ScopePath, ZonePath};

pub(super) fn expand(model: &Model<'_>) -> TokenStream {
    let kinds = model.asserts.iter().map(|assert| one(model, assert));
    let keys = model.fields.iter().filter_map(|field| {
        let (reference, ty) = (field.references.as_ref()?, field.ty.inner);
        let target = &reference.target.value;
        if reference.users {
            let refers = quote_spanned!(ty.span()=> <#ty as __crud::RefersToUser>);
            return Some(quote!(const _: () = #refers::ASSERTED;));
        }
        if !reference.by.is_empty() {
            let types = reference.by.iter().map(|column| model.fields[*column].ty.inner);
            let key = quote_spanned!(target.span()=> <#target as __crud::Resource>::Id);
            let refers = quote_spanned!(ty.span()=> <(#(#types),*) as __crud::RefersTo<#key>>);
            return Some(quote!(const _: () = #refers::ASSERTED;));
        }
        let key = quote_spanned!(target.span()=> <#target as __crud::Resource>::Id);
        let refers = quote_spanned!(ty.span()=> <#ty as __crud::RefersTo<#key>>);
        Some(quote!(const _: () = #refers::ASSERTED;))
    });
    let junctions = model.many_to_many.iter().filter_map(|links| junction(model, links));
    let zone = zone(model).into_iter();
    kinds.chain(keys).chain(junctions).chain(model.scopes.iter().filter_map(compared)).chain(zone).collect()
}

/// Asserts that `time_zone(room)` names a resource with a time zone.
fn zone(model: &Model<'_>) -> Option<TokenStream> {
    let Some(ZonePath::Via(reference, span)) = model.time_zone else { return None };
    let target = &model.fields[reference].references.as_ref()?.target.value;
    let name = target.clone().into_iter().last()?;
    let message = format!("expected `{name}` to have a time zone: `time_zone(…)` on its struct");
    let has_zone = quote_spanned!(span=> <#target as __crud::Resource>::DESCRIPTOR.time_zone.is_some());
    Some(quote_spanned!(span=> const _: () = __crud::check_requirement(#has_zone, #message);))
}

/// Asserts that the junction which `many_to_many` names without its fields has at least two references.
fn junction(model: &Model<'_>, links: &ManyToMany) -> Option<TokenStream> {
    let ManyToMany { name, junction, fields: None, .. } = links else { return None };
    let resource = &junction.value;
    let other = resource.clone().into_iter().last()?;
    let message = format!(
        "expected the junction of `{0}` and the other records, which refers to both, such as `{name}({0}{other})`",
        model.name
    );
    let holds = quote_spanned!(junction.span.start=> <#resource as __crud::Resource>::DESCRIPTOR.has_two_references());
    Some(quote_spanned!(junction.span.start=> const _: () = __crud::check_requirement(#holds, #message);))
}

/// Asserts that the other resource has the field that a scope compares, where one relation leads to it. The service
/// checks longer paths when it starts.
fn compared(scope: &Scope) -> Option<TokenStream> {
    let ScopePath { field, target, .. } = scope.path.as_ref().filter(|path| path.more.is_empty())?;
    // The field's span, so that the compiler underlines it where the other resource has no such field.
    let column = quote_spanned!(field.span()=> <#target>::FIELDS.#field.comparable());
    Some(quote!(const _: usize = #column;))
}

fn one(model: &Model<'_>, assert: &Assert) -> TokenStream {
    let field = &model.fields[assert.field];
    let ty = field.ty.inner;
    let kind = quote_spanned!(ty.span()=> <#ty as __crud::Column>::KIND);
    let holds = match assert.requirement {
        Requirement::Comparable => quote!(#kind.is_comparable()),
        Requirement::Ordered => quote!(#kind.is_ordered()),
        Requirement::Bound => quote!(#kind.can_bound_span()),
        Requirement::Key => quote!(#kind.can_be_key()),
        Requirement::Number => quote!(#kind.is_number()),
        Requirement::Length => quote!(#kind.has_length()),
        Requirement::Text => quote!(#kind.is_text()),
        Requirement::TextChoice => quote!(::core::matches!(#kind, __crud::Kind::Text | __crud::Kind::Enum(_))),
        Requirement::Decimal => quote!(::core::matches!(#kind, __crud::Kind::Decimal)),
        Requirement::Enum => quote!(::core::matches!(#kind, __crud::Kind::Enum(_))),
        Requirement::States(count) => {
            let count = index(count);
            quote!(match #kind {
                __crud::Kind::Enum(__crud_texts) => __crud_texts.len() == #count,
                _ => true,
            })
        }
        Requirement::Timestamp => {
            quote!(::core::matches!(#kind, __crud::Kind::DateTime | __crud::Kind::NaiveDateTime))
        }
    };
    let message = &assert.message;
    quote_spanned!(assert.span.start=> const _: () = __crud::check_requirement(#holds, #message);)
}
