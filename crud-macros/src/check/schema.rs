//! The body of a request: a struct without a key, a table or routes.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Generics, Meta, Token};

use super::with_key;
use crate::attr::item::RawStruct;
use crate::ctxt::Ctxt;
use crate::key::{FieldKey, Key, StructKey};
use crate::model::Model;

/// The keys that a body can have, on the struct and on its fields.
const ON_STRUCT: [&str; 2] = ["crate", "rename_all"];
const ON_FIELD: [&str; 13] = [
    "custom",
    "default",
    "email",
    "max",
    "max_length",
    "min",
    "min_length",
    "one_of",
    "pattern",
    "precision",
    "rename",
    "scale",
    "url",
];

/// The model of a body.
pub(crate) fn model<'a>(raw: RawStruct<'a>, generics: &Generics, cx: &Ctxt) -> Model<'a> {
    with_key(raw, None, generics, cx)
}

/// Refuses the keys that only a resource has.
pub(crate) fn refuse_resource_keys(input: &DeriveInput, cx: &Ctxt) {
    refuse::<StructKey>(&input.attrs, &ON_STRUCT, cx);
    if let Data::Struct(data) = &input.data {
        for field in &data.fields {
            refuse::<FieldKey>(&field.attrs, &ON_FIELD, cx);
        }
    }
}

fn refuse<K: Key>(attributes: &[Attribute], allowed: &[&str], cx: &Ctxt) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("crud")) {
        // What cannot be read is reported already.
        let Ok(keys) = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else { continue };
        for key in keys {
            let Some(name) = key.path().get_ident().map(ToString::to_string) else { continue };
            // An unknown key is reported already.
            let is_known = K::SPECS.iter().any(|spec| spec.name == name);
            if is_known && !allowed.contains(&name.as_str()) {
                let legal = allowed.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                cx.error(key.path().span(), format_args!("`{name}` is for a resource: a schema can have {legal}"));
            }
        }
    }
}
