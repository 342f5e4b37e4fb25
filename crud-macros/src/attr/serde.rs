//! serde's attributes beside ours. An attribute that means the same as one of ours is honoured. One that would give the
//! struct a second JSON form is an error that says what to write instead.

use crud_shared::case::RenameRule;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned as _;
use syn::{Attribute, LitStr, Meta, Type};

use super::Spanned;
use super::container::StructAttributes;
use super::entry::{self, Entry, Form};
use super::field::FieldAttributes;
use super::variant::{EnumAttributes, VariantAttributes};
use crate::ctxt::Ctxt;
use crate::key::{AttributeKey, SerdeEnumKey, SerdeFieldKey, SerdeStructKey, SerdeVariantKey, Spec};

/// The entries of every `#[serde(…)]`. serde itself reports unknown and malformed ones.
fn entries<K: AttributeKey>(attributes: &[Attribute]) -> Vec<(K, Entry)> {
    let silent = Ctxt::new();
    let mut entries = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        if let Meta::List(list) = &attribute.meta {
            entries.extend(entry::from_tokens(list.tokens.clone(), &silent));
        }
    }
    let _ = silent.check();
    entries
}

/// Merges serde's attributes of a struct.
pub(super) fn merge_struct(ours: &mut StructAttributes, attributes: &[Attribute], cx: &Ctxt) {
    for (key, entry) in entries(attributes) {
        match key {
            SerdeStructKey::RenameAll => merge_rename_all(&mut ours.rename_all, &entry, cx),
            SerdeStructKey::Default
            | SerdeStructKey::Tag
            | SerdeStructKey::Transparent
            | SerdeStructKey::From
            | SerdeStructKey::TryFrom
            | SerdeStructKey::Into
            | SerdeStructKey::Remote => refuse(&entry, cx),
        }
    }
}

/// Merges serde's attributes of an enum.
pub(super) fn merge_enum(ours: &mut EnumAttributes<'_>, attributes: &[Attribute], cx: &Ctxt) {
    for (key, entry) in entries(attributes) {
        match key {
            SerdeEnumKey::RenameAll => merge_rename_all(&mut ours.rename_all, &entry, cx),
            SerdeEnumKey::Tag
            | SerdeEnumKey::Content
            | SerdeEnumKey::Untagged
            | SerdeEnumKey::From
            | SerdeEnumKey::TryFrom
            | SerdeEnumKey::Into
            | SerdeEnumKey::Remote => refuse(&entry, cx),
        }
    }
}

/// Merges serde's attributes of a variant.
pub(super) fn merge_variant(ours: &mut VariantAttributes<'_>, attributes: &[Attribute], cx: &Ctxt) {
    for (key, entry) in entries(attributes) {
        match key {
            SerdeVariantKey::Rename => merge_rename(&mut ours.rename, &entry, cx),
            // With `untagged`, serde writes the text alone, as the service does.
            SerdeVariantKey::Untagged if ours.other.is_some() => {}
            SerdeVariantKey::Skip
            | SerdeVariantKey::SkipSerializing
            | SerdeVariantKey::SkipDeserializing
            | SerdeVariantKey::Alias
            | SerdeVariantKey::Other
            | SerdeVariantKey::Untagged
            | SerdeVariantKey::SerializeWith
            | SerdeVariantKey::DeserializeWith
            | SerdeVariantKey::With => refuse(&entry, cx),
        }
    }
}

/// Merges serde's attributes of a field.
pub(super) fn merge_field(ours: &mut FieldAttributes, ty: &Type, attributes: &[Attribute], cx: &Ctxt) {
    for (key, entry) in entries(attributes) {
        match key {
            SerdeFieldKey::Rename => merge_rename(&mut ours.rename, &entry, cx),
            SerdeFieldKey::Default => merge_default(ours, ty, &entry),
            SerdeFieldKey::Skip => {
                let key = entry.key.span();
                ours.exposure.hidden.get_or_insert(key);
                if ours.default.is_none() && ours.database_default.is_none() {
                    ours.default = Some(type_default(ty, key));
                }
            }
            SerdeFieldKey::SkipSerializing if ours.exposure.write_only.or(ours.exposure.hidden).is_some() => {}
            SerdeFieldKey::SkipDeserializing if ours.exposure.read_only.or(ours.exposure.hidden).is_some() => {}
            SerdeFieldKey::SkipSerializing
            | SerdeFieldKey::SkipDeserializing
            | SerdeFieldKey::SkipSerializingIf
            | SerdeFieldKey::Flatten
            | SerdeFieldKey::Alias
            | SerdeFieldKey::With
            | SerdeFieldKey::SerializeWith
            | SerdeFieldKey::DeserializeWith => refuse(&entry, cx),
        }
    }
}

fn refuse(entry: &Entry, cx: &Ctxt) {
    let Spec { name, form, .. } = entry.spec;
    cx.error(entry.key.span(), format_args!("serde's `{name}` would make a second JSON form: {form}"));
}

const TWO_NAMES: &str = "`#[serde(…)]` and `#[crud(…)]` give different names: remove one";

fn literal(entry: &Entry) -> Option<LitStr> {
    match &entry.value {
        Form::Assign(_, tokens) => syn::parse2(tokens.clone()).ok(),
        _ => None,
    }
}

fn merge_rename_all(rule: &mut Option<RenameRule>, entry: &Entry, cx: &Ctxt) {
    let Some(text) = literal(entry) else {
        cx.error(entry.value_span(), "expected one case for both directions: `rename_all = \"…\"`");
        return;
    };
    // serde reports an unknown rule.
    let Some(theirs) = RenameRule::parse(&text.value()) else { return };
    match rule {
        Some(ours) if *ours != theirs => cx.error(text.span(), TWO_NAMES),
        rule => *rule = Some(theirs),
    }
}

fn merge_rename(name: &mut Option<Spanned<String>>, entry: &Entry, cx: &Ctxt) {
    let Some(text) = literal(entry) else {
        cx.error(entry.value_span(), "expected one name for both directions: `rename = \"…\"`");
        return;
    };
    match name {
        Some(ours) if ours.value != text.value() => cx.error(text.span(), TWO_NAMES),
        name => *name = Some(Spanned::new(text.value(), text.span())),
    }
}

fn merge_default(field: &mut FieldAttributes, ty: &Type, entry: &Entry) {
    if field.default.is_some() || field.database_default.is_some() {
        return;
    }
    field.default = match literal(entry) {
        None => Some(type_default(ty, entry.key.span())),
        // serde reports a path that does not parse.
        Some(path) => path
            .parse::<syn::Path>()
            .ok()
            .map(|function| Spanned::new(quote_spanned!(path.span()=> #function()), path.span())),
    };
}

fn type_default(ty: &Type, span: Span) -> Spanned<TokenStream> {
    let default = quote_spanned!(ty.span()=> <#ty as ::core::default::Default>::default());
    Spanned::new(default, span)
}
