//! `ResourceEnum`: an enum as a field type.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::EnumModel;

/// The implementations of `Column` and `ComparableColumn`.
pub(crate) fn expand(model: &EnumModel<'_>, hints: &TokenStream) -> TokenStream {
    let EnumModel { krate, ident, variants } = model;
    let texts: Vec<&String> = variants.iter().map(|(_, text)| text).collect();
    let variants: Vec<_> = variants.iter().map(|(variant, _)| variant).collect();
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = {
            use #krate::__private as __crud;

            #[automatically_derived]
            impl __crud::Column for #ident {
                const KIND: __crud::Kind = __crud::Kind::Enum(&[#(#texts),*]);
                const CHECK: ::core::option::Option<__crud::Check> = __crud::None;

                fn into_value(self) -> __crud::Value {
                    __crud::enum_value(match self { #(Self::#variants => #texts),* })
                }

                fn from_value(__crud_value: __crud::ValueRef<'_>) -> ::core::result::Result<Self, __crud::ColumnError> {
                    match __crud::enum_text(__crud_value)? {
                        #(#texts => __crud::Ok(Self::#variants),)*
                        _ => __crud::Err(__crud::enum_error(Self::KIND)),
                    }
                }
            }

            #[automatically_derived]
            impl __crud::ComparableColumn for #ident {}

            #hints
        };
    }
}
