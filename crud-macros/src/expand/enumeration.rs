//! `ResourceEnum`: an enum as a field type.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use crate::model::EnumModel;

/// The implementations of `Column` and `ComparableColumn`.
pub(crate) fn expand(model: &EnumModel<'_>, hints: &TokenStream) -> TokenStream {
    let EnumModel { krate, ident, variants, labels, ordered, codes, display, other, .. } = model;
    let texts: Vec<&String> = variants.iter().map(|(_, text)| text).collect();
    let variants: Vec<&Ident> = variants.iter().map(|(variant, _)| *variant).collect();
    let order = ordered.then(|| {
        quote!(
            const DECLARED_ORDER: bool = true;
        )
    });
    let codes = codes.as_ref().map(|codes| {
        let codes = codes.iter().map(|code| Literal::i64_unsuffixed(*code));
        quote!(const CODES: &'static [i64] = &[#(#codes),*];)
    });
    let all_labels = labels.as_ref().map(|labels| quote!(const LABELS: &'static [&'static str] = &[#(#labels),*];));
    let label = labels.as_ref().map(|labels| label(model, &variants, labels));
    let ordered_column = ordered.then(|| {
        quote! {
            #[automatically_derived]
            impl __crud::OrderedColumn for #ident {}
        }
    });
    let display = display.then(|| texts_of(model, &variants, &texts));
    // An open enum is text, of which the program knows some values by name.
    let kind = match other {
        Some(_) => quote!(__crud::Kind::Text),
        None => quote!(__crud::Kind::Enum(&[#(#texts),*])),
    };
    let (stored, read) = (stored(model, &variants, &texts), read(model, &variants, &texts));
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = {
            use #krate::__private as __crud;

            #[automatically_derived]
            impl __crud::Column for #ident {
                const KIND: __crud::Kind = #kind;
                const CHECK: ::core::option::Option<__crud::Check> = __crud::None;
                #order
                #all_labels
                #codes

                fn into_value(self) -> __crud::Value {
                    #stored
                }

                fn from_value(__crud_value: __crud::ValueRef<'_>) -> __crud::Parsed<Self> {
                    match __crud::enum_text(__crud_value) {
                        #read
                    }
                }
            }

            #[automatically_derived]
            impl __crud::ComparableColumn for #ident {}

            #ordered_column
            #label
            #display

            #hints
        };
    }
}

/// The stored value. The texts of all variants go into one call, since each call costs compile time.
fn stored(model: &EnumModel<'_>, variants: &[&Ident], texts: &[&String]) -> TokenStream {
    match model.other {
        None => quote! {
            let __crud_text = match self {
                #(Self::#variants => #texts,)*
            };
            __crud::enum_value(__crud_text)
        },
        Some(other) => quote! {
            match self {
                #(Self::#variants => __crud::enum_value(#texts),)*
                Self::#other(__crud_text) => __crud::Value::Text(__crud_text),
            }
        },
    }
}

/// The arms from a stored text, or its error, to a variant.
fn read(model: &EnumModel<'_>, variants: &[&Ident], texts: &[&String]) -> TokenStream {
    let unknown = match model.other {
        None => quote!(__crud::enum_error(Self::KIND, __crud_text)),
        Some(other) => quote!(__crud::enum_other(__crud_text).map(Self::#other)),
    };
    quote! {
        #(__crud::Ok(#texts) => __crud::Ok(Self::#variants),)*
        __crud_text => #unknown,
    }
}

/// `label()`: a value for people.
fn label(model: &EnumModel<'_>, variants: &[&Ident], labels: &[String]) -> TokenStream {
    let EnumModel { ident, vis, other, .. } = model;
    let other = other.map(|other| quote!(Self::#other(__crud_text) => __crud_text,));
    quote! {
        #[allow(dead_code)]
        impl #ident {
            /// The value for people, such as `In progress`.
            #[must_use]
            #vis fn label(&self) -> &str {
                match self {
                    #(Self::#variants => #labels,)*
                    #other
                }
            }
        }
    }
}

/// `Display` and `FromStr`, by the texts.
fn texts_of(model: &EnumModel<'_>, variants: &[&Ident], texts: &[&String]) -> TokenStream {
    let EnumModel { ident, other, .. } = model;
    let other = other.map(|other| quote!(Self::#other(__crud_text) => __crud_text,));
    quote! {
        #[automatically_derived]
        impl ::core::fmt::Display for #ident {
            fn fmt(&self, __crud_f: &mut __crud::Formatter<'_>) -> __crud::Formatted {
                __crud_f.pad(match self {
                    #(Self::#variants => #texts,)*
                    #other
                })
            }
        }

        #[automatically_derived]
        impl ::core::str::FromStr for #ident {
            type Err = __crud::ColumnError;

            fn from_str(__crud_text: &str) -> ::core::result::Result<Self, Self::Err> {
                <Self as __crud::Column>::from_value(__crud::ValueRef::Text(__crud_text))
            }
        }
    }
}
