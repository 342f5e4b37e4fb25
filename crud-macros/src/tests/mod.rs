//! The derives as a whole, over tokens. The workspace's `tests` crate has the compile errors that users see.

// Expansions are compared with every database on: its statements are part of them.
#[cfg(all(feature = "sqlite", feature = "postgres"))]
mod budget;
mod documented;
mod incomplete;
#[cfg(all(feature = "sqlite", feature = "postgres"))]
mod snapshots;

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput};

/// The expansion of an item: `ResourceEnum` for an enum, `Resource` for others.
fn expansion(item: &DeriveInput) -> TokenStream {
    match item.data {
        Data::Enum(_) => crate::derive::resource_enum(item),
        Data::Struct(_) | Data::Union(_) => crate::derive::resource(item),
    }
}

/// An expansion as prettyplease formats it.
#[cfg(all(feature = "sqlite", feature = "postgres"))]
fn formatted(expansion: TokenStream) -> String {
    let file = syn::parse2(expansion).expect("an expansion is made of items");
    prettyplease::unparse(&file)
}
