//! Keys that an item of some kind cannot have.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Meta, Token};

use crate::ctxt::Ctxt;
use crate::key::{FieldKey, Key, StructKey};

/// Refuses all keys but these, on the struct and on its fields. `message`: of a key and of those that are allowed there.
pub(super) fn refuse(
    input: &DeriveInput,
    on_struct: &[&str],
    on_field: &[&str],
    message: impl Fn(&str, &[&str]) -> String,
    cx: &Ctxt,
) {
    refuse_on::<StructKey>(&input.attrs, on_struct, &message, cx);
    if let Data::Struct(data) = &input.data {
        for field in &data.fields {
            refuse_on::<FieldKey>(&field.attrs, on_field, &message, cx);
        }
    }
}

/// Refuses all keys of an item but these.
pub(super) fn refuse_on<K: Key>(
    attributes: &[Attribute],
    allowed: &[&str],
    message: &impl Fn(&str, &[&str]) -> String,
    cx: &Ctxt,
) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("crud")) {
        // What cannot be read is reported already.
        let Ok(keys) = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else { continue };
        for key in keys {
            let Some(name) = key.path().get_ident().map(ToString::to_string) else { continue };
            // An unknown key is reported already.
            let is_known = K::SPECS.iter().any(|spec| spec.name == name);
            if is_known && !allowed.contains(&name.as_str()) {
                cx.error(key.path().span(), message(&name, allowed));
            }
        }
    }
}
