//! serde's attributes beside ours: what says the same is honoured, what would make a second wire format
//! is an error that says what to write.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Meta, Type};

use super::At;
use super::container::Container;
use super::entry::{Entry, Form};
use super::field::FieldAttributes;
use super::place::Place;
use super::variant::EnumAttributes;
use super::{entry, variant};
use crate::case::RenameRule;
use crate::ctxt::Ctxt;
use crate::symbol::{self, Symbol};

/// The entries of every `#[serde(…)]`. What serde itself would not understand is serde's to report.
fn entries(attributes: &[Attribute], known: &'static [Symbol]) -> Vec<Entry> {
    let silent = Ctxt::new();
    let mut entries = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        if let Meta::List(list) = &attribute.meta {
            entries.extend(entry::of_tokens(list.tokens.clone(), Place::serde(known), &silent));
        }
    }
    let _ = silent.check();
    entries
}

/// Takes what serde's attributes say of a struct into ours.
pub(crate) fn merge_container(container: &mut Container, attributes: &[Attribute], cx: &Ctxt) {
    for entry in entries(attributes, symbol::SERDE_CONTAINER) {
        if entry.symbol == symbol::RENAME_ALL {
            merge_rename_all(&mut container.rename_all, &entry, cx);
        } else {
            refuse(&entry, cx);
        }
    }
}

/// Takes what serde's attributes say of an enum into ours.
pub(crate) fn merge_enum(found: &mut EnumAttributes, attributes: &[Attribute], cx: &Ctxt) {
    for entry in entries(attributes, symbol::SERDE_ENUM) {
        if entry.symbol == symbol::RENAME_ALL {
            merge_rename_all(&mut found.rename_all, &entry, cx);
        } else {
            refuse(&entry, cx);
        }
    }
}

/// Takes what serde's attributes say of a variant into ours.
pub(crate) fn merge_variant(found: &mut variant::VariantAttributes, attributes: &[Attribute], cx: &Ctxt) {
    for entry in entries(attributes, symbol::SERDE_VARIANT) {
        if entry.symbol == symbol::RENAME {
            merge_rename(&mut found.rename, &entry, cx);
        } else {
            refuse(&entry, cx);
        }
    }
}

/// Takes what serde's attributes say of a field into ours.
pub(crate) fn merge_field(field: &mut FieldAttributes, ty: &Type, attributes: &[Attribute], cx: &Ctxt) {
    for entry in entries(attributes, symbol::SERDE_FIELD) {
        let key = entry.key.span();
        match entry.symbol {
            symbol::RENAME => merge_rename(&mut field.rename, &entry, cx),
            symbol::SERDE_DEFAULT => merge_default(field, ty, &entry),
            symbol::SERDE_SKIP => {
                field.hidden.get_or_insert(key);
                if field.default.is_none() {
                    field.default = Some(type_default(ty, key));
                }
            }
            symbol::SERDE_SKIP_SERIALIZING if field.write_only.or(field.hidden).is_some() => {}
            symbol::SERDE_SKIP_DESERIALIZING if field.read_only.or(field.hidden).is_some() => {}
            _ => refuse(&entry, cx),
        }
    }
}

fn refuse(entry: &Entry, cx: &Ctxt) {
    let Symbol { name, form } = entry.symbol;
    cx.error(entry.key.span(), format_args!("serde's `{name}` would make a second wire format: {form}"));
}

const TWO_NAMES: &str = "serde's attribute and ours say two names: remove one of them";

fn literal(entry: &Entry) -> Option<LitStr> {
    match &entry.value {
        Form::Assign(_, tokens) => syn::parse2(tokens.clone()).ok(),
        _ => None,
    }
}

fn merge_rename_all(rule: &mut Option<RenameRule>, entry: &Entry, cx: &Ctxt) {
    let Some(text) = literal(entry) else {
        cx.error(entry.value_span(), "names are the same in both directions: write `rename_all = \"…\"`");
        return;
    };
    // An unknown rule is serde's to report.
    let Some(theirs) = RenameRule::parse(&text.value()) else { return };
    match rule {
        Some(ours) if *ours != theirs => cx.error(text.span(), TWO_NAMES),
        rule => *rule = Some(theirs),
    }
}

fn merge_rename(name: &mut Option<At<String>>, entry: &Entry, cx: &Ctxt) {
    let Some(text) = literal(entry) else {
        cx.error(entry.value_span(), "a name is the same in both directions: write `rename = \"…\"`");
        return;
    };
    match name {
        Some(ours) if ours.value != text.value() => cx.error(text.span(), TWO_NAMES),
        name => *name = Some(At::new(text.value(), text.span())),
    }
}

fn merge_default(field: &mut FieldAttributes, ty: &Type, entry: &Entry) {
    if field.default.is_some() {
        return;
    }
    field.default = match literal(entry) {
        None => Some(type_default(ty, entry.key.span())),
        // A path that does not parse is serde's to report.
        Some(path) => path
            .parse::<syn::Path>()
            .ok()
            .map(|function| At::new(quote_spanned!(path.span()=> #function()), path.span())),
    };
}

fn type_default(ty: &Type, span: Span) -> At<TokenStream> {
    let default = quote_spanned!(ty.span()=> <#ty as ::core::default::Default>::default());
    At::new(default, span)
}
