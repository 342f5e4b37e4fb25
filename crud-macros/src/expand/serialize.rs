//! `derive(Serialize)`: serde's `Serialize` for the struct.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::model::Model;

/// The implementation of `Serialize`, for the `const` block. Its values are those of a clone, since a field's type
/// converts by value.
pub(super) fn expand(model: &Model<'_>) -> Option<TokenStream> {
    let (ident, span) = (model.ident, model.serialize?);
    let clone = quote_spanned!(span=> <Self as ::core::clone::Clone>::clone(self));
    Some(quote! {
        #[automatically_derived]
        impl __crud::Serialize for #ident {
            fn serialize<__CrudS: __crud::Serializer>(
                &self,
                __crud_s: __CrudS,
            ) -> ::core::result::Result<__CrudS::Ok, __CrudS::Error> {
                __crud::serialize(#clone, __crud_s)
            }
        }
    })
}
