//! `NewProduct` and `ProductPatch`: the inputs of creates and updates in the user's code.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Visibility;
use syn::spanned::Spanned;

use super::tokens::index;
use super::{Names, generated};
use crate::model::{Field, Model, Role};

/// The types of the inputs, which are declared beside the struct.
pub(super) fn types(model: &Model<'_>) -> TokenStream {
    let (new, patch) = (new_type(model), patch_type(model));
    quote!(#new #patch)
}

/// The implementations for the inputs, inside the `const` block.
pub(super) fn impls(model: &Model<'_>) -> TokenStream {
    let impls = [
        new_impl(model),
        new_clone(model),
        new_debug(model),
        new_changes(model),
        new_deserialize(model),
        patch_impl(model),
        patch_traits(model),
        patch_deserialize(model),
    ];
    impls.into_iter().collect()
}

/// The fields that a create can set.
fn settable<'m, 'a>(model: &'m Model<'a>) -> impl Iterator<Item = (usize, &'m Field<'a>)> {
    model.fields.iter().enumerate().filter(|(_, field)| !field.is_assigned())
}

/// The visibility of a field's counterpart on a generated type: no wider than the struct's.
pub(super) fn visibility<'m>(model: &'m Model<'_>, field: &'m Field<'_>) -> &'m Visibility {
    if matches!(field.vis, Visibility::Public(_)) { model.vis } else { field.vis }
}

/// The type of a field of `NewProduct`.
fn new_field_type(field: &Field<'_>) -> TokenStream {
    let ty = field.ty.written;
    if field.is_defaulted() { quote!(::core::option::Option<#ty>) } else { quote!(#ty) }
}

fn new_type(model: &Model<'_>) -> TokenStream {
    let Names { new, .. } = Names::for_struct(model.ident);
    let vis = model.vis;
    let doc = format!("The fields of a new [`{}`]; `None` stands for a field's default.", model.name);
    let fields = settable(model).map(|(_, field)| {
        let (ident, vis, ty) = (generated(field.ident), visibility(model, field), new_field_type(field));
        let docs = field_docs(field);
        quote!(#docs #vis #ident: #ty)
    });
    let derive = has_clone(model).then(|| quote!(#[derive(::core::clone::Clone)]));
    quote! {
        #[doc = #doc]
        #derive
        #[must_use]
        #[allow(dead_code)]
        #vis struct #new<> {
            #(#fields),*
        }
    }
}

/// Whether every type that a create sets is known to have `Clone`.
fn has_clone(model: &Model<'_>) -> bool {
    settable(model).all(|(_, field)| field.ty.known.is_some())
}

/// `Clone`, where the types of the user's crate have it, which they need not. A bound that does not hold is an error,
/// unless it has a lifetime: `for<'a> T: Clone`.
fn new_clone(model: &Model<'_>) -> TokenStream {
    if has_clone(model) {
        return TokenStream::new();
    }
    let Names { new, .. } = Names::for_struct(model.ident);
    let bounds = settable(model).filter(|(_, field)| field.ty.known.is_none()).map(|(_, field)| {
        let ty = new_field_type(field);
        quote!(for<'__crud_any> #ty: ::core::clone::Clone)
    });
    let fields = settable(model).map(|(_, field)| {
        let ident = generated(field.ident);
        quote!(#ident: ::core::clone::Clone::clone(&self.#ident))
    });
    quote! {
        #[automatically_derived]
        impl ::core::clone::Clone for #new where #(#bounds),* {
            fn clone(&self) -> Self {
                Self { #(#fields),* }
            }
        }
    }
}

fn new_impl(model: &Model<'_>) -> TokenStream {
    let Names { new, .. } = Names::for_struct(model.ident);
    let setters = settable(model).map(|(_, field)| new_setter(model, field));
    let constructor = constructor(model);
    quote! {
        #[allow(dead_code)]
        impl #new {
            #constructor
            #(#setters)*
        }
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

/// `NewProduct::new(…)` of the required fields.
fn constructor(model: &Model<'_>) -> TokenStream {
    let vis = constructor_visibility(model);
    let doc = format!("A new [`{}`] of the fields that a create requires.", model.name);
    let required: Vec<_> = settable(model).map(|(_, field)| field).filter(|field| is_required(field)).collect();
    let many = (required.len() > 7).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let arguments = required.iter().map(|field| {
        let (ident, ty) = (generated(field.ident), field.ty.written);
        quote!(#ident: impl __crud::IntoColumn<#ty>)
    });
    let values = settable(model).map(|(_, field)| {
        let ident = generated(field.ident);
        if is_required(field) { quote!(#ident: #ident.into_column()) } else { quote!(#ident: __crud::None) }
    });
    quote! {
        #[doc = #doc]
        #many
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
    !field.ty.optional && !field.is_defaulted()
}

// The argument's bound provides `into_column`, so that the trait need not be in scope.
fn new_setter(model: &Model<'_>, field: &Field<'_>) -> TokenStream {
    // `new` is the constructor.
    if field.name == "new" {
        return TokenStream::new();
    }
    let (ident, vis, ty) = (generated(field.ident), visibility(model, field), field.ty.written);
    let doc = format!("Sets `{}`.", field.name);
    let value = quote!(#ident.into_column());
    let value = if field.is_defaulted() { quote!(__crud::Some(#value)) } else { value };
    quote! {
        #[doc = #doc]
        #vis fn #ident(mut self, #ident: impl __crud::IntoColumn<#ty>) -> Self {
            self.#ident = #value;
            self
        }
    }
}

/// `Debug` of the fields that are known to implement it, without secrets.
fn new_debug(model: &Model<'_>) -> TokenStream {
    let Names { new, .. } = Names::for_struct(model.ident);
    let name = new.to_string();
    let shown = |field: &Field<'_>| field.ty.known.is_some() && field.exposure.concealed().is_none();
    let fields = settable(model).filter(|(_, field)| shown(field)).map(|(_, field)| {
        let (ident, name) = (generated(field.ident), &field.name);
        quote!(.field(#name, &self.#ident))
    });
    let all = settable(model).all(|(_, field)| shown(field));
    let finish = if all { quote!(finish) } else { quote!(finish_non_exhaustive) };
    quote! {
        #[automatically_derived]
        impl ::core::fmt::Debug for #new {
            fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
                __crud_f.debug_struct(#name) #(#fields)* .#finish()
            }
        }
    }
}

fn new_changes(model: &Model<'_>) -> TokenStream {
    let Names { new, .. } = Names::for_struct(model.ident);
    let sets = settable(model).map(|(position, field)| {
        let (ident, ty, position) = (generated(field.ident), field.ty.written, index(position));
        if field.is_defaulted() {
            let optional = quote_spanned!(ty.span()=> <#ty as __crud::Column>::optional);
            quote!(.with_some(#position, #optional(__crud_new.#ident)))
        } else {
            let into = quote_spanned!(ty.span()=> <#ty as __crud::Column>::into_value);
            quote!(.with(#position, #into(__crud_new.#ident)))
        }
    });
    quote! {
        impl ::core::convert::From<#new> for __crud::Changes {
            fn from(__crud_new: #new) -> Self {
                Self::new() #(#sets)*
            }
        }
    }
}

/// serde's `Deserialize`, by the parser of bodies.
fn new_deserialize(model: &Model<'_>) -> TokenStream {
    let Names { new, .. } = Names::for_struct(model.ident);
    let fields = settable(model).map(|(position, field)| {
        let (ident, ty, position) = (generated(field.ident), field.ty.written, index(position));
        let read = if field.is_defaulted() { quote!(read_given) } else { quote!(read) };
        let read = quote_spanned!(ty.span()=> <#ty as __crud::Column>::#read);
        quote!(#ident: #read(__crud_r, #position)?)
    });
    let body = quote!(deserialize_new(&__CRUD_DESCRIPTOR, __crud_d, |__crud_r| __crud::Ok(Self { #(#fields),* })));
    deserialize(&new, &body)
}

fn patch_deserialize(model: &Model<'_>) -> TokenStream {
    let Names { patch, .. } = Names::for_struct(model.ident);
    deserialize(&patch, &quote!(deserialize_patch(&__CRUD_DESCRIPTOR, __crud_d)))
}

/// The implementation of `Deserialize` by a function of the runtime.
fn deserialize(ty: &Ident, call: &TokenStream) -> TokenStream {
    quote! {
        impl<'__crud> __crud::Deserialize<'__crud> for #ty {
            fn deserialize<__CrudD: __crud::Deserializer<'__crud>>(
                __crud_d: __CrudD,
            ) -> ::core::result::Result<Self, __CrudD::Error> {
                __crud::#call
            }
        }
    }
}

// Editors and the compiler offer the field's name in `ProductPatch { … }`: it says that methods set the fields.
fn patch_type(model: &Model<'_>) -> TokenStream {
    let (krate, vis) = (&model.krate, model.vis);
    let Names { patch, .. } = Names::for_struct(model.ident);
    let doc = format!(
        "Changes of a [`{}`], made by its methods from `{patch}::default()`: a field that is not set keeps its value.",
        model.name
    );
    quote! {
        #[doc = #doc]
        #[must_use]
        #vis struct #patch {
            set_by_methods: #krate::__private::Changes,
        }
    }
}

fn patch_impl(model: &Model<'_>) -> TokenStream {
    let Names { patch, .. } = Names::for_struct(model.ident);
    let changed = settable(model).filter(|(_, field)| field.role != Role::Id && field.tenant.is_none());
    let setters = changed.map(|(position, field)| {
        let (ident, vis, ty) = (generated(field.ident), visibility(model, field), field.ty.written);
        let position = index(position);
        let change = quote_spanned!(ty.span()=> <#ty as __crud::Column>::change);
        let doc = format!("Changes `{}`.", field.name);
        quote! {
            #[doc = #doc]
            #vis fn #ident(self, #ident: impl __crud::IntoColumn<#ty>) -> Self {
                #change(self, #position, #ident)
            }
        }
    });
    quote! {
        #[allow(dead_code)]
        impl #patch {
            #(#setters)*
        }
    }
}

/// The traits of a patch, without `derive`: it expands to more lines.
fn patch_traits(model: &Model<'_>) -> TokenStream {
    let Names { patch, .. } = Names::for_struct(model.ident);
    let name = patch.to_string();
    quote! {
        #[automatically_derived]
        impl ::core::clone::Clone for #patch {
            fn clone(&self) -> Self {
                ::core::convert::From::from(::core::clone::Clone::clone(&self.set_by_methods))
            }
        }

        impl ::core::default::Default for #patch {
            fn default() -> Self {
                ::core::convert::From::from(__crud::Changes::new())
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Debug for #patch {
            fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
                self.set_by_methods.fmt_as(#name, __crud_f)
            }
        }

        impl ::core::convert::From<#patch> for __crud::Changes {
            fn from(__crud_patch: #patch) -> Self {
                __crud_patch.set_by_methods
            }
        }

        impl ::core::convert::From<__crud::Changes> for #patch {
            fn from(set_by_methods: __crud::Changes) -> Self {
                Self { set_by_methods }
            }
        }
    }
}
