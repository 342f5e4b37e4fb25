//! The body of a request: a struct without a key, a table or routes.

use syn::{DeriveInput, Generics};

use super::{keys, with_key};
use crate::attr::item::RawStruct;
use crate::ctxt::Ctxt;
use crate::model::Model;

/// The keys that a body can have, on the struct and on its fields.
const ON_STRUCT: [&str; 2] = ["crate", "rename_all"];
const ON_FIELD: [&str; 7] = ["decimal", "default", "length", "range", "rename", "validate", "write_only"];

/// The model of a body.
pub(crate) fn model<'a>(raw: RawStruct<'a>, generics: &Generics, cx: &Ctxt) -> Model<'a> {
    for span in raw.fields.iter().filter_map(|field| field.attributes.database_default) {
        cx.error(span, "no database fills in a body: expected `default(…)`");
    }
    with_key(raw, Vec::new(), generics, cx)
}

/// Refuses the keys that only a resource has.
pub(crate) fn refuse_resource_keys(input: &DeriveInput, cx: &Ctxt) {
    let message = |name: &str, allowed: &[&str]| {
        let legal = allowed.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        format!("`{name}` is for a resource: a schema can have {legal}")
    };
    keys::refuse(input, &ON_STRUCT, &ON_FIELD, &[], message, cx);
}
