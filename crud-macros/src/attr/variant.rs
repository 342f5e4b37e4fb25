//! Parsed `#[crud(…)]` on an enum and its variants.

use crud_shared::case::RenameRule;
use proc_macro2::{Ident, Span, TokenStream};
use syn::{Data, DeriveInput, Variant};

use super::container::{krate, rename_all};
use super::{Spanned, entry, serde};
use crate::ctxt::{Ctxt, SpanRange};
use crate::key::{EnumKey, VariantKey};

/// An enum as it is written.
pub(crate) struct EnumAttributes<'a> {
    pub(crate) krate: Option<TokenStream>,
    pub(crate) rename_all: Option<RenameRule>,
    /// Span of `ordered`.
    pub(crate) ordered: Option<Span>,
    /// Span of `stored(integer)`.
    pub(crate) stored: Option<SpanRange>,
    /// Whether `Display` and `FromStr` are implemented.
    pub(crate) display: bool,
    /// The variants, or `None` for an item that is not an enum.
    pub(crate) variants: Option<Vec<VariantAttributes<'a>>>,
}

/// A variant as it is written.
pub(crate) struct VariantAttributes<'a> {
    pub(crate) variant: &'a Variant,
    pub(crate) rename: Option<Spanned<String>>,
    pub(crate) label: Option<Spanned<String>>,
    /// Span of `other`, on the variant that holds any other text.
    pub(crate) other: Option<Span>,
}

/// Reads an enum.
pub(crate) fn parse<'a>(input: &'a DeriveInput, cx: &Ctxt) -> EnumAttributes<'a> {
    let mut found = EnumAttributes {
        krate: None,
        rename_all: None,
        ordered: None,
        stored: None,
        display: false,
        variants: variants(&input.data, &input.ident, cx),
    };
    for (key, entry) in entry::from_attributes(&input.attrs, cx) {
        match key {
            EnumKey::Crate => found.krate = krate(&entry, cx),
            EnumKey::RenameAll => found.rename_all = rename_all(&entry, cx),
            EnumKey::Stored => found.stored = entry.choice(&[("integer", ())], cx).map(|stored| stored.span),
            EnumKey::Ordered => found.ordered = entry.flag(cx),
            EnumKey::Display => found.display = entry.flag(cx).is_some(),
        }
    }
    serde::merge_enum(&mut found, &input.attrs, cx);
    found
}

fn variants<'a>(data: &'a Data, ident: &Ident, cx: &Ctxt) -> Option<Vec<VariantAttributes<'a>>> {
    let Data::Enum(data) = data else {
        let message = "expected an enum of unit variants; for another type, implement `crud_runtime::Column`";
        cx.error(ident.span(), message);
        return None;
    };
    Some(data.variants.iter().map(|variant| parse_variant(variant, cx)).collect())
}

fn parse_variant<'a>(variant: &'a Variant, cx: &Ctxt) -> VariantAttributes<'a> {
    let mut found = VariantAttributes { variant, rename: None, label: None, other: None };
    for (key, entry) in entry::from_attributes(&variant.attrs, cx) {
        match key {
            VariantKey::Rename => found.rename = entry.text(cx),
            VariantKey::Label => found.label = entry.text(cx),
            VariantKey::Other => found.other = entry.flag(cx),
        }
    }
    serde::merge_variant(&mut found, &variant.attrs, cx);
    found
}
