//! `derive(ToSchema)`: utoipa's `ToSchema` for the struct and its input types.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Names;
use crate::model::Model;

/// The implementations, for the `const` block.
pub(super) fn expand(model: &Model<'_>) -> Option<TokenStream> {
    if !model.to_schema {
        return None;
    }
    let Names { new, patch, .. } = Names::for_struct(model.ident);
    let record = implementation(model, model.ident, "", "record_schema");
    let inputs = (!model.is_read_only()).then(|| {
        let create = implementation(model, &new, "Create", "create_schema");
        let update = implementation(model, &patch, "Patch", "patch_schema");
        quote!(#create #update)
    });
    Some(quote!(#record #inputs))
}

/// The schema has the name that the service's document has for it, unless another resource has that name too.
fn implementation(model: &Model<'_>, ty: &Ident, suffix: &str, function: &str) -> TokenStream {
    let (ident, function) = (model.ident, format_ident!("{function}"));
    let name = format!("{}{suffix}", model.name);
    quote! {
        #[automatically_derived]
        impl __crud::ComposeSchema for #ty {
            fn compose(
                _: ::std::vec::Vec<__crud::utoipa::openapi::RefOr<__crud::utoipa::openapi::Schema>>,
            ) -> __crud::utoipa::openapi::RefOr<__crud::utoipa::openapi::Schema> {
                __crud::#function(<#ident as __crud::Resource>::DESCRIPTOR)
            }
        }
        #[automatically_derived]
        impl __crud::utoipa::ToSchema for #ty {
            fn name() -> ::std::borrow::Cow<'static, ::core::primitive::str> {
                ::std::borrow::Cow::Borrowed(#name)
            }
        }
    }
}
