//! The role of each field: the key, the timestamps, and those of soft delete.

use proc_macro2::{Ident, Span};

use super::lookup::Lookup;
use super::types::Requirements;
use crate::attr::field::FieldAttributes;
use crate::attr::item::{RawField, RawStruct};
use crate::attr::soft_delete::SoftDeleteAttribute;
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Requirement, Role};
use crate::ty::Known;

/// The default name of the deletion timestamp.
const DELETED_AT: &str = "deleted_at";

/// The name of the field with the state of deletion. A struct may leave the field out: JSON has it in any case.
pub(super) const IS_DELETED: &str = "is_deleted";

/// Maximum number of fields in a key: the length of the longest tuple that is a `RecordKey`.
const MAX_PARTS: usize = 6;

/// The fields of soft delete, by their indexes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deletion {
    pub(super) deleted_at: usize,
    /// Whether the mark is a boolean instead of a time.
    pub(super) is_flag: bool,
    pub(super) is_deleted: Option<usize>,
}

/// The role that a field's attributes give it, and the span of that attribute.
pub(super) fn written(attributes: &FieldAttributes) -> Option<(Span, Role)> {
    all_written(attributes).next()
}

fn all_written(attributes: &FieldAttributes) -> impl Iterator<Item = (Span, Role)> {
    let FieldAttributes { id, created_at, updated_at, deleted_at, .. } = *attributes;
    let roles =
        [(id, Role::Id), (created_at, Role::CreatedAt), (updated_at, Role::UpdatedAt), (deleted_at, Role::DeletedAt)];
    roles.into_iter().filter_map(|(span, role)| Some((span?, role)))
}

/// The indexes of the key: the fields with `id`, or else the field named `id`. The lack of a key is reported, unless
/// `table(no_key)` says so.
pub(super) fn key(
    fields: &[RawField<'_>],
    ident: &Ident,
    complete: bool,
    no_key: Option<Span>,
    cx: &Ctxt,
) -> Vec<usize> {
    let is_key = |field: &RawField<'_>| written(&field.attributes).is_some_and(|(_, role)| role == Role::Id);
    // The check of soft delete reports a key that is also the deletion timestamp.
    let is_default_key = |field: &RawField<'_>| {
        field.name == "id" && written(&field.attributes).is_none_or(|(_, role)| role == Role::DeletedAt)
    };
    let mut key: Vec<usize> = (0..fields.len()).filter(|index| is_key(&fields[*index])).collect();
    if let Some(span) = no_key {
        if !key.is_empty() {
            cx.error(span, "`no_key` is for records without a key: remove it, or `id` on the field");
        }
        return Vec::new();
    }
    if key.is_empty() {
        key.extend(fields.iter().position(is_default_key));
    }
    if key.is_empty() && complete {
        cx.error(ident.span(), "a resource needs a key: add a field `id: i64`, or `#[crud(id)]` to other fields");
    }
    if let Some(seventh) = key.get(MAX_PARTS) {
        let span = fields[*seventh].attributes.id.unwrap_or_else(|| ident.span());
        cx.error(span, format_args!("a key has at most {MAX_PARTS} fields: remove `id` here or on another"));
        key.truncate(MAX_PARTS);
    }
    key
}

/// The fields of soft delete. The lack of a deletion timestamp is reported.
pub(super) fn deletion(
    fields: &[RawField<'_>],
    attribute: &SoftDeleteAttribute,
    key: &[usize],
    lookup: &Lookup<'_>,
) -> Option<Deletion> {
    let has_other_role =
        |index: usize| written(&fields[index].attributes).is_some_and(|(_, role)| role != Role::DeletedAt);
    let is_plain = |index: usize| !key.contains(&index) && !has_other_role(index);
    let position = |name: &str| fields.iter().position(|field| field.name == name);
    let marked = fields.iter().position(|field| field.attributes.deleted_at.is_some());
    let Some(deleted_at) = marked.or_else(|| position(DELETED_AT)) else {
        let message = format!(
            "soft delete needs a deletion timestamp: add `{DELETED_AT}: Option<DateTime<Utc>>`, or `#[crud(deleted_at)]` \
             to a field of another name"
        );
        lookup.error(attribute.key, message);
        return None;
    };
    let span = fields[deleted_at].attributes.deleted_at.unwrap_or(attribute.key);
    if marked.is_some() && has_other_role(deleted_at) {
        // A field with two roles is reported elsewhere.
        return None;
    }
    if !is_plain(deleted_at) {
        let name = &fields[deleted_at].name;
        lookup.error(span, format_args!("`{name}` already has another role: choose another field"));
        return None;
    }
    let is_deleted = position(IS_DELETED).filter(|&index| index != deleted_at && is_plain(index));
    let ty = fields[deleted_at].ty;
    let is_flag = !ty.optional && ty.known == Some(Known::Bool);
    Some(Deletion { deleted_at, is_flag, is_deleted })
}

/// Refuses `deleted_at` on a second field, and without `soft_delete`. On records that are only read, the key is refused.
pub(super) fn check_deletion(raw: &RawStruct<'_>, cx: &Ctxt) {
    let marked = raw.fields.iter().filter_map(|field| field.attributes.deleted_at);
    for (position, span) in marked.enumerate().filter(|_| !raw.attributes.is_read_only()) {
        if raw.attributes.soft_delete.is_none() {
            cx.error(span, "`deleted_at` needs `soft_delete` on the struct: add it there, or remove this");
        } else if position > 0 {
            cx.error(span, "a resource can have one `deleted_at`: remove this or the other");
        }
    }
}

/// The role of each field.
pub(super) fn all(fields: &[RawField<'_>], key: &[usize], deletion: Option<Deletion>) -> Vec<Role> {
    let role = |(index, field): (usize, &RawField<'_>)| match deletion {
        Some(deletion) if deletion.deleted_at == index => Role::DeletedAt,
        Some(deletion) if deletion.is_deleted == Some(index) => Role::IsDeleted,
        _ if key.contains(&index) => Role::Id,
        // A `deleted_at` that soft delete does not use is reported elsewhere.
        _ => written(&field.attributes)
            .map_or(Role::Plain, |(_, role)| if role == Role::DeletedAt { Role::Plain } else { role }),
    };
    fields.iter().enumerate().map(role).collect()
}

/// Reports a field with several roles.
pub(super) fn check_written(attributes: &FieldAttributes, cx: &Ctxt) {
    for (span, _) in all_written(attributes).skip(1) {
        cx.error(span, "a field can have one role: `id`, `created_at`, `updated_at` or `deleted_at`");
    }
}

/// Checks that the types of the key can be a key, and that it is known what sets it.
pub(super) fn check_key(key: &[usize], requirements: &mut Requirements<'_, '_>) {
    for &index in key {
        let field = &requirements.fields[index];
        let ty = field.ty;
        if !ty.can_be_key() {
            let message =
                "a key must be an integer, a `Decimal`, text, a date or a time, a `Uuid` or an enum, and no `Option`";
            requirements.cx.error_at(ty.written, message);
            continue;
        }
        if !field.is_sound_key() {
            let message =
                "`i64`, `i32`, `i16` and `Uuid` keys are assigned, and clients set others: expected `id(client)`";
            requirements.cx.error_at(ty.written, message);
            continue;
        }
        let message = format!("`{}` cannot be compared, so that it is no key", field.name);
        requirements.require(index, Requirement::Key, SpanRange::covering(ty.written), message);
    }
}
