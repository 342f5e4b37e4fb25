//! `table(no_key)`: resources whose records have no key, and are only listed.

use crud_shared::operation::WORDS;
use syn::DeriveInput;

use super::keys;
use crate::attr::container::StructAttributes;
use crate::attr::operation::Operation;
use crate::ctxt::Ctxt;

/// The operation of a resource without a key.
const OPERATION: &str = "list";

/// Refuses the keys that need a key of records, or write them.
pub(crate) fn refuse_keys(input: &DeriveInput, cx: &Ctxt) {
    let message = |name: &str, _: &[&str]| format!("`{name}` needs a key of records: remove it or `no_key`");
    keys::refuse(input, &keys::READ_ON_STRUCT, &keys::READ_ON_FIELD, &keys::NOT_READ, message, cx);
}

/// The operations that `operations` leaves. Others are reported, and so is pagination by a cursor.
pub(super) fn operations(attributes: &StructAttributes, cx: &Ctxt) -> Vec<Operation> {
    if let Some(span) = attributes.pagination.as_ref().and_then(|attribute| attribute.cursor) {
        cx.error(span, "a cursor needs a key of records, which says where a page ends: remove it or `no_key`");
    }
    for operation in attributes.only.iter().chain(&attributes.except).flat_map(|list| &list.operations) {
        let name = operation.value.name;
        if name != OPERATION {
            cx.error(operation.span, format_args!("records without a key are only listed: remove `{name}`"));
        }
    }
    let is_excepted =
        attributes.except.iter().any(|list| list.operations.iter().any(|one| one.value.name == OPERATION));
    WORDS.iter().filter(|word| word.name == OPERATION && !is_excepted).collect()
}
