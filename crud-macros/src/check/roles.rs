//! The role of each field: the key, the timestamps, and those of soft delete.

use proc_macro2::{Ident, Span};

use super::lookup::Lookup;
use crate::attr::container::{DeletedAtField, SoftDeleteAttribute};
use crate::attr::field::FieldAttributes;
use crate::attr::item::RawField;
use crate::ctxt::Ctxt;
use crate::model::{Field, Role};

/// The default name of the deletion timestamp.
const DELETED_AT: &str = "deleted_at";

/// The name of the field that has the state of deletion. It may be left out: it is in the JSON in any case.
pub(super) const IS_DELETED: &str = "is_deleted";

/// The fields of soft delete, by their indexes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deletion {
    pub(super) deleted_at: usize,
    pub(super) is_deleted: Option<usize>,
}

/// The role that a field's attributes give it, and the span of that attribute.
pub(super) fn written(attributes: &FieldAttributes) -> Option<(Span, Role)> {
    all_written(attributes).next()
}

fn all_written(attributes: &FieldAttributes) -> impl Iterator<Item = (Span, Role)> {
    let FieldAttributes { id, created_at, updated_at, .. } = *attributes;
    let roles = [(id, Role::Id), (created_at, Role::CreatedAt), (updated_at, Role::UpdatedAt)];
    roles.into_iter().filter_map(|(span, role)| Some((span?, role)))
}

/// The index of the key: the field with `id`, or else the one of that name. The lack of a key is reported.
pub(super) fn key(fields: &[RawField<'_>], ident: &Ident, complete: bool, cx: &Ctxt) -> Option<usize> {
    let is_key = |field: &RawField<'_>| written(&field.attributes).is_some_and(|(_, role)| role == Role::Id);
    let is_default_key = |field: &RawField<'_>| field.name == "id" && written(&field.attributes).is_none();
    let key = fields.iter().position(is_key).or_else(|| fields.iter().position(is_default_key));
    if key.is_none() && complete {
        cx.error(ident.span(), "a resource needs a key: add a field `id: i64`, or `#[crud(id)]` to another field");
    }
    key
}

/// The fields of soft delete. The lack of a deletion timestamp is reported.
pub(super) fn deletion(
    fields: &[RawField<'_>],
    attribute: &SoftDeleteAttribute,
    key: Option<usize>,
    lookup: &Lookup<'_>,
) -> Option<Deletion> {
    let is_plain = |index: usize| Some(index) != key && written(&fields[index].attributes).is_none();
    let position = |name: &str| fields.iter().position(|field| field.name == name);
    let (deleted_at, span) = match &attribute.deleted_at {
        DeletedAtField::Named(ident) => (lookup.find(ident)?.index, ident.span()),
        DeletedAtField::Malformed => return None,
        DeletedAtField::Default => {
            let found = position(DELETED_AT);
            if found.is_none() {
                let message = format!(
                    "soft delete needs a deletion timestamp: add `{DELETED_AT}: Option<DateTime<Utc>>` or name a field with `deleted_at_field = …`"
                );
                lookup.error(attribute.key, message);
            }
            (found?, attribute.key)
        }
    };
    if !is_plain(deleted_at) {
        let name = &fields[deleted_at].name;
        lookup.error(span, format_args!("`{name}` already has another role: name another field"));
        return None;
    }
    let is_deleted = position(IS_DELETED).filter(|&index| index != deleted_at && is_plain(index));
    Some(Deletion { deleted_at, is_deleted })
}

/// The role of each field.
pub(super) fn all(fields: &[RawField<'_>], key: Option<usize>, deletion: Option<Deletion>) -> Vec<Role> {
    let role = |(index, field): (usize, &RawField<'_>)| match deletion {
        Some(deletion) if deletion.deleted_at == index => Role::DeletedAt,
        Some(deletion) if deletion.is_deleted == Some(index) => Role::IsDeleted,
        _ if key == Some(index) => Role::Id,
        _ => written(&field.attributes).map_or(Role::Plain, |(_, role)| role),
    };
    fields.iter().enumerate().map(role).collect()
}

/// Reports a field with several roles.
pub(super) fn check_written(attributes: &FieldAttributes, cx: &Ctxt) {
    for (span, _) in all_written(attributes).skip(1) {
        cx.error(span, "a field can have one role: `id`, `created_at` or `updated_at`");
    }
}

/// Checks that there is one key, of a type that can be one.
pub(super) fn check_key(fields: &[Field<'_>], key: Option<usize>, cx: &Ctxt) {
    let Some(key) = key else { return };
    for other in fields.iter().skip(key + 1).filter(|field| field.role == Role::Id) {
        let span = other.role_span.unwrap_or_else(|| other.ident.span());
        cx.error(span, "a resource can have one key: remove `id` here or on the other field");
    }
    if fields[key].ty.key().is_none() {
        cx.error_at(fields[key].ty.written, "a key must be `i64`, `i32`, `Uuid` or `String`");
    }
}
