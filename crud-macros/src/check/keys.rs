//! Keys that an item of some kind cannot have.

use proc_macro2::{Span, TokenTree};
use syn::{Attribute, Data, DeriveInput};

use crate::attr::entry::{self, Entry};
use crate::attr::name;
use crate::ctxt::Ctxt;
use crate::key::{AttributeKey, FieldKey, StructKey};

/// The keys that every read-only resource can have, on the struct and on its fields.
pub(super) const READ_ON_STRUCT: [&str; 21] = [
    "access",
    "admin",
    "api_name",
    "crate",
    "default_sort",
    "deprecated",
    "derive",
    "export",
    "filter",
    "internal",
    "moved_from",
    "operations",
    "pagination",
    "prefix",
    "rate_limit",
    "rename_all",
    "scope",
    "sort",
    "table",
    "tags",
    "view",
];
pub(super) const READ_ON_FIELD: [&str; 11] =
    ["column", "decimal", "filter", "hidden", "id", "owner", "references", "rename", "sort", "tenant", "visible"];

/// The keys in the parentheses of others that a read-only resource cannot have: the outer and the inner key.
pub(super) const NOT_READ: [(&str, &str); 4] =
    [("table", "new"), ("column", "backfill"), ("column", "renamed_from"), ("references", "on_delete")];

/// Refuses all keys but the ones in `on_struct` and `on_field`, and the `nested` keys in the parentheses of others.
/// `message` makes the error of a key, given the allowed ones.
pub(super) fn refuse(
    input: &DeriveInput,
    on_struct: &[&str],
    on_field: &[&str],
    nested: &[(&str, &str)],
    message: impl Fn(&str, &[&str]) -> String,
    cx: &Ctxt,
) {
    refuse_on::<StructKey>(&input.attrs, on_struct, nested, &message, cx);
    if let Data::Struct(data) = &input.data {
        for field in &data.fields {
            refuse_on::<FieldKey>(&field.attrs, on_field, nested, &message, cx);
        }
    }
}

/// Refuses all keys of an item but `allowed`, and the `nested` keys in the parentheses of others.
pub(super) fn refuse_on<K: AttributeKey>(
    attributes: &[Attribute],
    allowed: &[&str],
    nested: &[(&str, &str)],
    message: &impl Fn(&str, &[&str]) -> String,
    cx: &Ctxt,
) {
    // Unreadable attributes are reported already.
    let silent = Ctxt::new();
    let entries: Vec<(K, Entry)> = entry::from_attributes(attributes, &silent);
    let _ = silent.check();
    for (_, entry) in entries {
        let key = entry.spec.name;
        if !allowed.contains(&key) {
            cx.error(entry.key.span(), message(key, allowed));
            continue;
        }
        for (inside, span) in keys_of(&entry) {
            if nested.iter().any(|(outer, inner)| *outer == key && *inner == inside) {
                cx.error(span, message(&inside, allowed));
            }
        }
    }
}

/// The keys inside of an entry's parentheses.
fn keys_of(entry: &Entry) -> Vec<(String, Span)> {
    let Some(tokens) = entry.argument() else { return Vec::new() };
    let mut found = Vec::new();
    let mut is_first = true;
    for tree in tokens.clone() {
        match &tree {
            TokenTree::Ident(word) if is_first => found.push((name(word), word.span())),
            _ => {}
        }
        is_first = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == ',');
    }
    found
}
