//! What `#[crud(…)]` on an enum and its variants says.

use proc_macro2::TokenStream;
use syn::Attribute;

use super::container::{krate, rename_all};
use super::entry;
use super::{At, place, serde};
use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::symbol;

/// An enum's attributes, as written.
#[derive(Debug, Default)]
pub(crate) struct EnumAttributes {
    pub(crate) krate: Option<TokenStream>,
    pub(crate) rename_all: Option<RenameRule>,
}

/// A variant's attributes, as written.
#[derive(Debug)]
pub(crate) struct VariantAttributes {
    pub(crate) rename: Option<At<String>>,
}

/// Reads the attributes of an enum.
pub(crate) fn of_enum(attributes: &[Attribute], cx: &Ctxt) -> EnumAttributes {
    let mut entries = entry::of_attributes(attributes, place::ENUM, cx);
    entry::refuse_duplicates(&mut entries, &[], cx);
    let mut found = EnumAttributes::default();
    for entry in &entries {
        match entry.symbol {
            symbol::CRATE => found.krate = krate(entry, cx),
            _ => found.rename_all = rename_all(entry, cx),
        }
    }
    serde::merge_enum(&mut found, attributes, cx);
    found
}

/// Reads the attributes of a variant.
pub(crate) fn of_variant(attributes: &[Attribute], cx: &Ctxt) -> VariantAttributes {
    let mut entries = entry::of_attributes(attributes, place::VARIANT, cx);
    entry::refuse_duplicates(&mut entries, &[], cx);
    let mut found = VariantAttributes { rename: entries.first().and_then(|entry| entry.text(cx)) };
    serde::merge_variant(&mut found, attributes, cx);
    found
}
