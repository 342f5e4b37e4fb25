//! `ResourceEnum`: an enum as a field type.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::EnumModel;

/// The implementations of `Column` and `ComparableColumn`.
pub(crate) fn expand(model: &EnumModel<'_>, hints: &TokenStream) -> TokenStream {
    let EnumModel { krate, ident, variants, other } = model;
    let texts: Vec<&String> = variants.iter().map(|(_, text)| text).collect();
    let variants: Vec<_> = variants.iter().map(|(variant, _)| variant).collect();
    // An open enum is text, of which the program knows some values by name.
    let kind = match other {
        Some(_) => quote!(__crud::Kind::Text),
        None => quote!(__crud::Kind::Enum(&[#(#texts),*])),
    };
    let own = other.map(|other| quote!(Self::#other(__crud_text) => __crud::Value::Text(__crud_text),));
    let unknown = match other {
        Some(other) => quote!(__crud_text => __crud::Ok(Self::#other(__crud::enum_other(__crud_text)))),
        None => quote!(__crud_text => __crud::Err(__crud::enum_error(Self::KIND, __crud_text))),
    };
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = {
            use #krate::__private as __crud;

            #[automatically_derived]
            impl __crud::Column for #ident {
                const KIND: __crud::Kind = #kind;
                const CHECK: ::core::option::Option<__crud::Check> = __crud::None;

                fn into_value(self) -> __crud::Value {
                    match self {
                        #(Self::#variants => __crud::enum_value(#texts),)*
                        #own
                    }
                }

                fn from_value(__crud_value: __crud::ValueRef<'_>) -> ::core::result::Result<Self, __crud::ColumnError> {
                    match __crud::enum_text(__crud_value)? {
                        #(#texts => __crud::Ok(Self::#variants),)*
                        #unknown
                    }
                }
            }

            #[automatically_derived]
            impl __crud::ComparableColumn for #ident {}

            #hints
        };
    }
}
