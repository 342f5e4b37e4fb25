//! Stubs beside errors: the types and traits, with as many fields as could be understood, so that code that uses the
//! struct shows no second error. The descriptor is there too: the compiler finds mistakes in it that this crate cannot, so
//! that all of a struct's errors show at once.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::expand;
use crate::model::{EnumModel, Model};

/// The stubs of a resource.
pub(crate) fn resource(
    model: &Model<'_>,
    input: &DeriveInput,
    errors: &TokenStream,
    hints: &TokenStream,
) -> TokenStream {
    let Model { krate, ident, .. } = model;
    let expand::Parts { input_types, field_type, descriptor, hooks, input_impls, field_impls, serialize, asserts } =
        expand::Parts::new(model);
    // These parts name the struct without its generics, which are an error themselves.
    let plain = input.generics.params.is_empty();
    let (field_type, field_impls, serialize) =
        if plain { (field_type, field_impls, serialize) } else { Default::default() };
    let tenant = expand::tenant(model);
    let id = expand::key_type(model);
    let (impl_generics, ty_generics, _) = input.generics.split_for_impl();
    let writable = expand::writable(model).map(|types| {
        quote! {
            #[automatically_derived]
            impl #impl_generics __crud::Writable for #ident #ty_generics
            where
                Self: ::core::marker::Sized + ::core::marker::Send + ::core::marker::Sync + 'static,
            {
                #types
            }
        }
    });
    quote! {
        #errors
        #input_types
        #field_type
        #[allow(unexpected_cfgs, unused_qualifications)]
        const _: () = {
            use #krate::__private as __crud;
            #descriptor
            #hooks

            #[automatically_derived]
            impl #impl_generics __crud::Resource for #ident #ty_generics
            where
                Self: ::core::marker::Sized + ::core::marker::Send + ::core::marker::Sync + 'static,
            {
                type Id = #id;
                type Tenant = #tenant;
                const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;

                fn from_row(_: &dyn __crud::Row) -> ::core::result::Result<Self, __crud::AdapterError> {
                    ::core::unreachable!()
                }

                fn id(&self) -> Self::Id {
                    ::core::unreachable!()
                }

                fn into_values(self) -> __crud::Vec<__crud::Value> {
                    ::core::unreachable!()
                }
            }

            #writable
            #input_impls
            #field_impls
            #serialize
            #asserts
            #hints
        };
    }
}

/// The stubs of a body.
pub(crate) fn schema(model: &Model<'_>, input: &DeriveInput, errors: &TokenStream, hints: &TokenStream) -> TokenStream {
    let Model { krate, ident, .. } = model;
    let parts = expand::schema::parts(model);
    let documented = input.generics.params.is_empty().then(|| expand::schema::documented(model));
    let (impl_generics, ty_generics, _) = input.generics.split_for_impl();
    quote! {
        #errors
        #[allow(unexpected_cfgs, unused_qualifications)]
        const _: () = {
            use #krate::__private as __crud;
            #parts

            #[automatically_derived]
            impl #impl_generics __crud::Schema for #ident #ty_generics
            where
                Self: ::core::marker::Sized + ::core::marker::Send + ::core::marker::Sync + 'static,
            {
                const DESCRIPTOR: &'static __crud::Descriptor = &__CRUD_DESCRIPTOR;

                fn from_row(_: &dyn __crud::Row) -> ::core::result::Result<Self, __crud::AdapterError> {
                    ::core::unreachable!()
                }
            }
            #documented
            #hints
        };
    }
}

/// The stubs of an enum.
pub(crate) fn enumeration(
    model: &EnumModel<'_>,
    input: &DeriveInput,
    errors: &TokenStream,
    hints: &TokenStream,
) -> TokenStream {
    let EnumModel { krate, ident, .. } = model;
    let (impl_generics, ty_generics, _) = input.generics.split_for_impl();
    quote! {
        #errors
        #[allow(unexpected_cfgs)]
        const _: () = {
            use #krate::__private as __crud;

            #[automatically_derived]
            impl #impl_generics __crud::Column for #ident #ty_generics
            where
                Self: ::core::marker::Sized + ::core::marker::Send + ::core::marker::Sync + 'static,
            {
                const KIND: __crud::Kind = __crud::Kind::Enum(&[]);

                fn into_value(self) -> __crud::Value {
                    ::core::unreachable!()
                }

                fn from_value(_: __crud::ValueRef<'_>) -> __crud::Parsed<Self> {
                    ::core::unreachable!()
                }
            }

            #[automatically_derived]
            impl #impl_generics __crud::ComparableColumn for #ident #ty_generics
            where
                Self: ::core::marker::Sized + ::core::marker::Send + ::core::marker::Sync + 'static,
            {
            }

            #hints
        };
    }
}
