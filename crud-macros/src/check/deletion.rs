//! Soft delete: the field that holds the time, the one that tells the state, and what needs both.

use super::lists;
use super::types::want;
use crate::attr::container;
use crate::case::RenameRule;
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Model, Role, SoftDelete, Wanted};

/// The field of the deletion timestamp, where the attribute names no other.
const DELETED_AT: &str = "deleted_at";

/// The field that tells whether a record is deleted. It may be left out: it is in the JSON either way.
const IS_DELETED: &str = "is_deleted";

/// Gives the fields of soft delete their roles. Without a deletion timestamp, the option is left out.
pub(super) fn settle(
    model: &mut Model<'_>,
    attribute: &container::SoftDelete,
    rename_all: Option<RenameRule>,
    cx: &Ctxt,
) {
    let Some(deleted_at) = timestamp(model, attribute, cx) else { return };
    let state = model.fields.iter().position(|field| field.name == IS_DELETED && field.role == Role::Plain);
    model.fields[deleted_at].role = Role::DeletedAt;
    check_timestamp(model, deleted_at, cx);
    if let Some(state) = state.filter(|state| *state != deleted_at) {
        model.fields[state].role = Role::IsDeleted;
        check_state(model, state, cx);
    }
    let undeclared_state = match state {
        Some(_) => None,
        None => Some(undeclared_state(model, rename_all, cx)),
    };
    model.soft_delete = Some(SoftDelete {
        deleted_at,
        include_deleted_by_default: attribute.include_deleted_by_default,
        auto_restore_on_update: attribute.auto_restore_on_update,
        undeclared_state,
    });
}

fn timestamp(model: &Model<'_>, attribute: &container::SoftDelete, cx: &Ctxt) -> Option<usize> {
    let index = match &attribute.deleted_at_field {
        Some(ident) => lists::find(model, ident, cx)?.index,
        // Malformed, which has been reported.
        None if attribute.names_field => return None,
        None => {
            let found = model.fields.iter().position(|field| field.name == DELETED_AT);
            if found.is_none() {
                let message = format!(
                    "soft delete needs a field for its time: `{DELETED_AT}: Option<DateTime<Utc>>`, or the one that `deleted_at_field = …` names"
                );
                cx.error(attribute.key, message);
            }
            found?
        }
    };
    let field = &model.fields[index];
    if field.role == Role::Plain {
        return Some(index);
    }
    let span = attribute.deleted_at_field.as_ref().map_or(attribute.key, proc_macro2::Ident::span);
    cx.error(span, format_args!("`{}` has another role already: name another field", field.name));
    None
}

fn check_timestamp(model: &mut Model<'_>, index: usize, cx: &Ctxt) {
    let field = &model.fields[index];
    let span = SpanRange::of(field.ty.written);
    let message = format!("`{}` is an `Option<DateTime<Utc>>`: write that", field.name);
    if field.ty.optional {
        want(model, index, Wanted::Timestamp, span, message, cx);
    } else {
        cx.error(span, message);
    }
}

fn check_state(model: &Model<'_>, index: usize, cx: &Ctxt) {
    let field = &model.fields[index];
    if field.ty.optional || field.ty.known != Some(crate::ty::Known::Bool) {
        cx.error_at(field.ty.written, format_args!("`{IS_DELETED}` is a `bool`: write that"));
    }
    if field.column.value != field.name {
        let message = format!("`{IS_DELETED}` is told by the deletion timestamp and has no column: remove `column`");
        cx.error(field.column.span, message);
    }
    if field.unique || field.unique_active.is_some() || field.indexed {
        let message = format!("`{IS_DELETED}` is told by the deletion timestamp: let `unique` and `index` name that");
        cx.error(field.ident.span(), message);
    }
}

/// The JSON name of the state that no field declares.
fn undeclared_state(model: &Model<'_>, rename_all: Option<RenameRule>, cx: &Ctxt) -> String {
    let json = rename_all.map_or_else(|| IS_DELETED.to_owned(), |rule| rule.field(IS_DELETED));
    if let Some(field) = model.fields.iter().find(|field| field.json.value == json) {
        let message = format!("the JSON name `{json}` is that of the state of deletion: choose another");
        cx.error(field.json.span, message);
    }
    json
}

/// What needs soft delete, and what an index cannot have.
pub(super) fn check(model: &Model<'_>, soft_delete: bool, cx: &Ctxt) {
    for span in model.fields.iter().filter_map(|field| field.unique_active).filter(|_| !soft_delete) {
        cx.error(span, "there are no inactive records without `soft_delete`: add that or write `unique`");
    }
}
