//! Soft delete: the deletion timestamp, the state of deletion, and what needs both.

use crud_shared::case::RenameRule;

use super::roles::{Deletion, IS_DELETED};
use super::types::Requirements;
use crate::attr::soft_delete::SoftDeleteAttribute;
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Field, Requirement, SoftDelete};
use crate::ty::Known;

/// The model of `soft_delete`.
pub(super) fn option(
    fields: &[Field<'_>],
    attribute: &SoftDeleteAttribute,
    deletion: Deletion,
    rename_all: Option<RenameRule>,
    cx: &Ctxt,
) -> SoftDelete {
    let undeclared = deletion.is_deleted.is_none() && fields[deletion.deleted_at].name != IS_DELETED;
    SoftDelete {
        deleted_at: deletion.deleted_at,
        include_deleted_by_default: attribute.include_deleted_by_default,
        auto_restore_on_update: attribute.auto_restore_on_update,
        undeclared_state: undeclared.then(|| undeclared_state(fields, rename_all, cx)),
    }
}

/// The JSON name of the state that no field declares.
fn undeclared_state(fields: &[Field<'_>], rename_all: Option<RenameRule>, cx: &Ctxt) -> String {
    let json = rename_all.map_or_else(|| IS_DELETED.to_owned(), |rule| rule.field(IS_DELETED));
    if let Some(field) = fields.iter().find(|field| field.json.value == json) {
        let message = format!("the JSON name `{json}` is reserved by soft delete: choose another");
        cx.error(field.json.span, message);
    }
    json
}

/// Checks the fields of soft delete.
pub(super) fn check(fields: &[Field<'_>], deletion: Option<Deletion>, requirements: &mut Requirements<'_, '_>) {
    if let Some(Deletion { deleted_at, is_flag, is_deleted }) = deletion {
        if !is_flag {
            check_timestamp(deleted_at, requirements);
        }
        if let Some(state) = is_deleted {
            check_state(&fields[state], requirements.cx);
        }
    }
}

fn check_timestamp(index: usize, requirements: &mut Requirements<'_, '_>) {
    let field = &requirements.fields[index];
    let span = SpanRange::covering(field.ty.written);
    let message = format!("`{}` must be `Option<DateTime<Utc>>`, `Option<NaiveDateTime>` or `bool`", field.name);
    if field.ty.optional {
        requirements.require(index, Requirement::Timestamp, span, message);
    } else {
        requirements.cx.error(span, message);
    }
}

fn check_state(field: &Field<'_>, cx: &Ctxt) {
    if field.ty.optional || field.ty.known != Some(Known::Bool) {
        cx.error_at(field.ty.written, format_args!("`{IS_DELETED}` must be `bool`"));
    }
    if field.column.value != field.name {
        let message = format!("`{IS_DELETED}` is computed from the deletion timestamp: remove `column`");
        cx.error(field.column.span, message);
    }
    if field.unique.is_some() || field.indexed {
        let message =
            format!("`{IS_DELETED}` is computed from the deletion timestamp: put `unique` or `index` on that");
        cx.error(field.ident.span(), message);
    }
}
