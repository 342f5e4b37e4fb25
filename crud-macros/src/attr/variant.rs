//! What `#[crud(…)]` on an enum and its variants says.

use proc_macro2::TokenStream;
use syn::Attribute;

use super::At;
use super::container::{krate, rename_all};
use super::entry::{self, Place};
use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::symbol;

/// An enum's attributes, as written.
#[derive(Debug, Default)]
pub(crate) struct EnumAttributes {
    pub(crate) krate: Option<TokenStream>,
    pub(crate) rename_all: Option<RenameRule>,
}

const ON_ENUM: Place = Place { known: symbol::ENUM, elsewhere: Some((symbol::VARIANT, "a variant")) };
const ON_VARIANT: Place = Place { known: symbol::VARIANT, elsewhere: Some((symbol::ENUM, "the enum")) };

/// Reads the attributes of an enum.
pub(crate) fn of_enum(attributes: &[Attribute], cx: &Ctxt) -> EnumAttributes {
    let mut entries = entry::of_attributes(attributes, ON_ENUM, cx);
    entry::refuse_duplicates(&mut entries, &[], cx);
    let mut found = EnumAttributes::default();
    for entry in &entries {
        match entry.symbol {
            symbol::CRATE => found.krate = krate(entry, cx),
            _ => found.rename_all = rename_all(entry, cx),
        }
    }
    found
}

/// Reads the attributes of a variant: the text that `rename` gives.
pub(crate) fn of_variant(attributes: &[Attribute], cx: &Ctxt) -> Option<At<String>> {
    let mut entries = entry::of_attributes(attributes, ON_VARIANT, cx);
    entry::refuse_duplicates(&mut entries, &[], cx);
    entries.first().and_then(|entry| entry.text(cx))
}
