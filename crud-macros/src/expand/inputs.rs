//! `NewProduct` and `ProductPatch`: what the user's own code creates and updates with.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Visibility;
use syn::spanned::Spanned;

use super::descriptor::index;
use super::{Names, generated};
use crate::model::{Field, Model, Role};

/// The types, with their setters.
pub(super) fn types(model: &Model<'_>) -> TokenStream {
    let new = new_type(model);
    let patch = patch_type(model);
    quote!(#new #patch)
}

/// The conversions into changes, for the `const` block of the expansion.
pub(super) fn conversions(model: &Model<'_>) -> TokenStream {
    let Names { new, patch, .. } = Names::of(model.ident);
    let sets = settable(model).map(|(position, field)| {
        let (ident, ty, position) = (generated(field.ident), field.ty.written, index(position));
        let into = quote_spanned!(ty.span()=> <#ty as __crud::Column>::into_value);
        if field.default.is_some() {
            quote! {
                if let ::core::option::Option::Some(__crud_value) = __crud_new.#ident {
                    __crud_changes.set(#position, #into(__crud_value));
                }
            }
        } else {
            quote!(__crud_changes.set(#position, #into(__crud_new.#ident));)
        }
    });
    let binding =
        if settable(model).next().is_some() { quote!(let mut __crud_changes) } else { quote!(let __crud_changes) };
    quote! {
        #[automatically_derived]
        impl ::core::convert::From<#new> for __crud::Changes {
            fn from(__crud_new: #new) -> Self {
                #binding = __crud::Changes::new();
                #(#sets)*
                __crud_changes
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<#patch> for __crud::Changes {
            fn from(__crud_patch: #patch) -> Self {
                __crud_patch.0
            }
        }
    }
}

/// The fields that a create can set.
fn settable<'m, 'a>(model: &'m Model<'a>) -> impl Iterator<Item = (usize, &'m Field<'a>)> {
    model.fields.iter().enumerate().filter(|(_, field)| !field.is_assigned())
}

/// The visibility of what stands for a field on a generated type: no wider than the struct's.
pub(super) fn visibility<'m>(model: &'m Model<'_>, field: &'m Field<'_>) -> &'m Visibility {
    if matches!(field.vis, Visibility::Public(_)) { model.vis } else { field.vis }
}

/// The type of a field of `NewProduct`.
fn new_field_type(field: &Field<'_>) -> TokenStream {
    let ty = field.ty.written;
    if field.default.is_some() { quote!(::core::option::Option<#ty>) } else { quote!(#ty) }
}

fn new_type(model: &Model<'_>) -> TokenStream {
    let Names { new, .. } = Names::of(model.ident);
    let vis = model.vis;
    let doc = format!("The fields of a new [`{}`]; `None` stands for a field's default.", model.name);
    let fields = settable(model).map(|(_, field)| {
        let (ident, vis, ty) = (generated(field.ident), visibility(model, field), new_field_type(field));
        let docs = field_docs(field);
        quote!(#docs #vis #ident: #ty)
    });
    let clone = settable(model).all(|(_, field)| field.ty.known.is_some());
    let derive = clone.then(|| quote!(#[derive(::core::clone::Clone)]));
    let setters = settable(model).map(|(_, field)| new_setter(model, field));
    let constructor = constructor(model);
    let debug = debug(model, &new);
    quote! {
        #[doc = #doc]
        #derive
        #[allow(dead_code)]
        #vis struct #new<> {
            #(#fields),*
        }

        #[allow(dead_code)]
        impl #new {
            #constructor
            #(#setters)*
        }

        #debug
    }
}

fn field_docs(field: &Field<'_>) -> TokenStream {
    if field.docs.is_empty() {
        let doc = format!("The `{}`.", field.name);
        return quote!(#[doc = #doc]);
    }
    let docs = &field.docs;
    quote!(#(#docs)*)
}

/// `NewProduct::new(…)` with what a create must say.
fn constructor(model: &Model<'_>) -> TokenStream {
    let krate = &model.krate;
    let vis = constructor_visibility(model);
    let doc = format!("A new [`{}`] of the fields that a create must say.", model.name);
    let required: Vec<&Field<'_>> =
        settable(model).map(|(_, field)| field).filter(|field| is_required(field)).collect();
    let arguments = required.iter().map(|field| {
        let (ident, ty) = (generated(field.ident), field.ty.written);
        quote!(#ident: impl #krate::__private::IntoColumn<#ty>)
    });
    let values = settable(model).map(|(_, field)| {
        let ident = generated(field.ident);
        if is_required(field) {
            quote!(#ident: #krate::__private::IntoColumn::into_column(#ident))
        } else {
            quote!(#ident: ::core::option::Option::None)
        }
    });
    quote! {
        #[doc = #doc]
        #[must_use]
        #[allow(clippy::too_many_arguments)]
        #vis fn new(#(#arguments),*) -> Self {
            Self { #(#values),* }
        }
    }
}

// A constructor is as visible as the least visible field that it sets.
fn constructor_visibility<'m>(model: &'m Model<'_>) -> &'m Visibility {
    settable(model).map(|(_, field)| field.vis).find(|vis| !matches!(vis, Visibility::Public(_))).unwrap_or(model.vis)
}

fn is_required(field: &Field<'_>) -> bool {
    !field.ty.optional && field.default.is_none()
}

fn new_setter(model: &Model<'_>, field: &Field<'_>) -> TokenStream {
    // `new` is the constructor.
    if field.name == "new" {
        return TokenStream::new();
    }
    let krate = &model.krate;
    let (ident, vis, ty) = (generated(field.ident), visibility(model, field), field.ty.written);
    let doc = format!("Sets `{}`.", field.name);
    let value = quote!(#krate::__private::IntoColumn::into_column(#ident));
    let value = if field.default.is_some() { quote!(::core::option::Option::Some(#value)) } else { value };
    quote! {
        #[doc = #doc]
        #[must_use]
        #vis fn #ident(mut self, #ident: impl #krate::__private::IntoColumn<#ty>) -> Self {
            self.#ident = #value;
            self
        }
    }
}

/// `Debug` of what is known to have it; a secret is left out.
fn debug(model: &Model<'_>, new: &Ident) -> TokenStream {
    let name = new.to_string();
    let shown = |field: &Field<'_>| field.ty.known.is_some() && field.concealed().is_none();
    let fields = settable(model).filter(|(_, field)| shown(field)).map(|(_, field)| {
        let (ident, name) = (generated(field.ident), &field.name);
        quote!(.field(#name, &self.#ident))
    });
    let all = settable(model).all(|(_, field)| shown(field));
    let finish = if all { quote!(finish) } else { quote!(finish_non_exhaustive) };
    quote! {
        #[automatically_derived]
        impl ::core::fmt::Debug for #new {
            fn fmt(&self, __crud_f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                __crud_f.debug_struct(#name) #(#fields)* .#finish()
            }
        }
    }
}

fn patch_type(model: &Model<'_>) -> TokenStream {
    let krate = &model.krate;
    let Names { patch, .. } = Names::of(model.ident);
    let vis = model.vis;
    let doc = format!("Changes of a [`{}`]: what is not set stays as it is.", model.name);
    let changed = settable(model).filter(|(_, field)| field.role != Role::Id);
    let setters = changed.map(|(position, field)| {
        let (ident, vis, ty, position) =
            (generated(field.ident), visibility(model, field), field.ty.written, index(position));
        let doc = format!("Changes `{}`.", field.name);
        let into = quote_spanned!(ty.span()=> <#ty as #krate::__private::Column>::into_value);
        quote! {
            #[doc = #doc]
            #[must_use]
            #vis fn #ident(mut self, #ident: impl #krate::__private::IntoColumn<#ty>) -> Self {
                self.0.set(#position, #into(#krate::__private::IntoColumn::into_column(#ident)));
                self
            }
        }
    });
    quote! {
        #[doc = #doc]
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::default::Default)]
        #vis struct #patch(#krate::__private::Changes);

        #[allow(dead_code, unused_qualifications)]
        impl #patch {
            #(#setters)*
        }
    }
}
