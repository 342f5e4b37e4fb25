//! The derive macros of `crud-runtime`.

use proc_macro::TokenStream;

/// Makes a struct a resource.
#[proc_macro_derive(Resource, attributes(crud))]
pub fn derive_resource(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Makes an enum a field type.
#[proc_macro_derive(ResourceEnum, attributes(crud))]
pub fn derive_resource_enum(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
