//! The derives as a whole, over tokens. What users see of them is in the workspace's `tests` crate.

// Expansions are compared as they are with every database, whose statements are part of them.
#[cfg(all(feature = "sqlite", feature = "postgres"))]
mod budget;
mod documented;
mod incomplete;
#[cfg(all(feature = "sqlite", feature = "postgres"))]
mod snapshots;

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput};

/// What the derive makes of an item: `ResourceEnum` of an enum, `Resource` of all else.
fn expansion(item: &DeriveInput) -> TokenStream {
    match item.data {
        Data::Enum(_) => crate::resource_enum(item),
        Data::Struct(_) | Data::Union(_) => crate::resource(item),
    }
}

/// An expansion as prettyplease formats it.
#[cfg(all(feature = "sqlite", feature = "postgres"))]
fn formatted(expansion: TokenStream) -> String {
    let file = syn::parse2(expansion).expect("an expansion is made of items");
    prettyplease::unparse(&file)
}
